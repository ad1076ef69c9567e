/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_XML_H
#define PMCTL_XML_H

#include <stdio.h>

/* Text for an element or an attribute in double quotes; what XML cannot have becomes '?'. */
void xml_text(FILE *out, const char *text);

#endif
