/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PMCTL_TCP_H
#define PMCTL_TCP_H

/* Both return a socket, or -1 after a message on standard error. */

/* Connects to "HOST:PORT"; an IPv6 address is written in brackets. */
int tcp_connect(const char *to);

/* Listens on "[HOST:]PORT", without HOST on this machine's loopback address only. */
int tcp_listen(const char *on);

/* Writes "address:port" of a socket's own end, or with @peer of the other one. */
#define TCP_NAME_MAX	80
const char *tcp_name(int fd, int peer, char *buf);

#endif
