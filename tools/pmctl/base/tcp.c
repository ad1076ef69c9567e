// SPDX-License-Identifier: GPL-2.0-only
/* TCP connections between record --log-to and collect. */
#include <errno.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/tcp.h"

typedef int (*tcp_use)(int fd, const struct sockaddr *address, socklen_t size);

/* Splits "HOST:PORT", "[HOST]:PORT" or "PORT" in @text. *@host is NULL without one. */
static const char *split(char *text, const char **host)
{
	char *colon = strrchr(text, ':');

	*host = NULL;
	if (!colon)
		return text;
	*colon = '\0';
	if (*text == '[' && colon > text + 1 && colon[-1] == ']') {
		colon[-1] = '\0';
		text++;
	}
	*host = *text ? text : NULL;
	return colon + 1;
}

/* Returns a socket with the first address for which @use succeeds. */
static int first_of(const struct addrinfo *all, tcp_use use)
{
	int fd = -1, why = 0;

	for (const struct addrinfo *at = all; at && fd < 0; at = at->ai_next) {
		fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol);
		if (fd >= 0 && !use(fd, at->ai_addr, at->ai_addrlen))
			break;
		why = errno;
		if (fd >= 0)
			close(fd);
		fd = -1;
	}
	errno = why;
	return fd;
}

static int open_address(const char *what, const char *where, tcp_use use, bool needs_host)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *all = NULL;
	char *text = xstrdup(where);
	const char *host, *port = split(text, &host);
	int fd = -1, problem;

	if (needs_host && !host) {
		error("%s needs HOST:PORT, not '%s'", what, where);
		free(text);
		return -1;
	}
	problem = getaddrinfo(host, port, &hints, &all);
	if (problem) {
		error("%s: there is no address '%s': %s", what, where, gai_strerror(problem));
	} else {
		fd = first_of(all, use);
		if (fd < 0)
			error("%s: '%s': %s", what, where, strerror(errno));
		freeaddrinfo(all);
	}
	free(text);
	return fd;
}

static int connect_to(int fd, const struct sockaddr *address, socklen_t size)
{
	return connect(fd, address, size);
}

int tcp_connect(const char *to)
{
	return open_address("--log-to", to, connect_to, true);
}

static int bind_and_listen(int fd, const struct sockaddr *address, socklen_t size)
{
	int on = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	return bind(fd, address, size) || listen(fd, SOMAXCONN) ? -1 : 0;
}

int tcp_listen(const char *on)
{
	return open_address("collect", on, bind_and_listen, false);
}

const char *tcp_name(int fd, int peer, char *buf)
{
	char host[64] = "?", port[8] = "?";
	struct sockaddr_storage address;
	socklen_t size = sizeof(address);
	struct sockaddr *any = (struct sockaddr *)&address;

	if (!(peer ? getpeername(fd, any, &size) : getsockname(fd, any, &size)))
		getnameinfo(any, size, host, sizeof(host), port, sizeof(port),
			    NI_NUMERICHOST | NI_NUMERICSERV);
	snprintf(buf, TCP_NAME_MAX, strchr(host, ':') ? "[%s]:%s" : "%s:%s", host, port);
	return buf;
}
