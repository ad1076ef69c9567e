// SPDX-License-Identifier: GPL-2.0-only
/* pmctl collect: takes logs that pmctl record --log-to sends, and writes them into files. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/hwpmc_log.h>

#include "base/error.h"
#include "base/exit.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/tcp.h"
#include "commands/command.h"
#include "log/log_record.h"

static const char help[] =
	"usage: pmctl collect [OPTION]... [HOST:]PORT\n"
	"\n"
	"Listens for logs that 'pmctl record --log-to HOST:PORT' sends, and writes them into files.\n"
	"Without HOST only this machine can connect; 0.0.0.0 or [::] is every address. Everybody who\n"
	"can connect can send a log: there is neither encryption nor a password.\n"
	"\n"
	"  -o, --output FILE         the first log (pmctl.log); further ones are FILE.2, FILE.3, ...\n"
	"  -n, --number N            end after N logs (1); 0: never\n"
	"      --max-size MB         close a connection whose log grows larger\n"
	"\n"
	"Port 0 is any free port. The first line on standard error has the address. The exit status is\n"
	"0, or 125 if pmctl itself failed.\n";

enum { OPT_MAX_SIZE = 256 };

static const struct option own_options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "number", required_argument, NULL, 'n' },
	{ "max-size", required_argument, NULL, OPT_MAX_SIZE },
	{ NULL, 0, NULL, 0 },
};

/**
 * struct sender - a connection
 * @fd: its socket
 * @name: its address
 * @path: the file of its log; NULL before the log's first record
 * @file: that file
 * @first: the log's first record, until it is complete
 * @bytes: of the log so far
 */
struct sender {
	int fd;
	char *name;
	char *path;
	int file;
	struct hwpmc_log_initialize first;
	uint64_t bytes;
};

/**
 * struct collection - one pmctl collect
 * @output: -o
 * @number: -n
 * @most: --max-size in MB, 0 without
 * @listener: the socket that listens
 * @senders: the connections
 * @count: number of them
 * @begun: logs that were begun
 * @done: logs that ended
 * @failed: a log could not be written
 */
struct collection {
	const char *output;
	long number;
	long most;
	int listener;
	struct sender *senders;
	unsigned int count;
	long begun;
	long done;
	bool failed;
};

static int take(int letter, void *context)
{
	struct collection *c = context;

	switch (letter) {
	case 'o':
		c->output = optarg;
		return 0;
	case 'n':
		return options_number(optarg, 0, "-n", &c->number);
	default:
		return options_number(optarg, 1, "--max-size", &c->most);
	}
}

static const struct options_grammar grammar = {
	.command = "collect", .letters = ":o:n:", .own = own_options, .take = take,
};

static void accept_sender(struct collection *c)
{
	int fd = accept4(c->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	char name[TCP_NAME_MAX];

	if (fd < 0)
		return;
	c->senders = xrealloc(c->senders, c->count + 1, sizeof(*c->senders));
	c->senders[c->count++] = (struct sender){
		.fd = fd, .file = -1, .name = xstrdup(tcp_name(fd, 1, name)),
	};
}

/* Returns whether the connection may send more. */
static bool write_all(struct collection *c, struct sender *s, const char *data, size_t size)
{
	s->bytes += size;
	while (size) {
		ssize_t done = write(s->file, data, size);

		if (done < 0 && errno != EINTR) {
			error("cannot write '%s': %s", s->path, strerror(errno));
			c->failed = true;
			return false;
		}
		if (done > 0) {
			data += done;
			size -= (size_t)done;
		}
	}
	if (!c->most || s->bytes <= (uint64_t)c->most << 20)
		return true;
	note("the log of %s is larger than %ld MB: its connection is closed", s->name, c->most);
	return false;
}

static bool begin_log(struct collection *c, struct sender *s)
{
	if (s->first.h.type != HWPMC_LOG_INITIALIZE || s->first.magic != HWPMC_LOG_MAGIC) {
		note("%s sends something that is not a log: its connection is closed", s->name);
		return false;
	}
	c->begun++;
	s->path = c->begun == 1 ? xstrdup(c->output) : xasprintf("%s.%ld", c->output, c->begun);
	s->file = open(s->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (s->file < 0) {
		error("cannot write '%s': %s", s->path, strerror(errno));
		c->failed = true;
		return false;
	}
	s->bytes = 0;
	return write_all(c, s, (const char *)&s->first, sizeof(s->first));
}

/* Keeps the first record until it is complete: only if it begins a log is a file created. */
static ssize_t take_first(struct sender *s)
{
	ssize_t got = read(s->fd, (char *)&s->first + s->bytes, sizeof(s->first) - s->bytes);

	if (got > 0)
		s->bytes += (uint64_t)got;
	return got;
}

/* Returns whether the connection may send more. */
static bool receive(struct collection *c, struct sender *s)
{
	char data[65536];
	ssize_t got = s->path ? read(s->fd, data, sizeof(data)) : take_first(s);

	if (got < 0)
		return errno == EAGAIN || errno == EINTR;
	if (!got)
		return false;
	if (s->path)
		return write_all(c, s, data, (size_t)got);
	return s->bytes < sizeof(s->first) || begin_log(c, s);
}

static void end_sender(struct collection *c, unsigned int index)
{
	struct sender *s = &c->senders[index];

	if (s->file >= 0 && close(s->file)) {
		error("cannot write '%s': %s", s->path, strerror(errno));
		c->failed = true;
	}
	if (s->path) {
		c->done++;
		note("%.1f MB from %s in %s", (double)s->bytes / 1e6, s->name, s->path);
	}
	close(s->fd);
	free(s->name);
	free(s->path);
	*s = c->senders[--c->count];
}

/* Waits for one event. */
static int step(struct collection *c)
{
	struct pollfd *ready = xcalloc(c->count + 1, sizeof(*ready));
	unsigned int i, count = c->count;

	ready[count] = (struct pollfd){ .fd = c->listener, .events = POLLIN };
	for (i = 0; i < count; i++)
		ready[i] = (struct pollfd){ .fd = c->senders[i].fd, .events = POLLIN };
	if (poll(ready, count + 1, -1) < 0 && errno != EINTR) {
		error("cannot wait for connections: %s", strerror(errno));
		free(ready);
		return -1;
	}
	/* In descending order: end_sender() moves the last sender to the place of one that ends. */
	for (i = count; i-- > 0;)
		if (ready[i].revents && !receive(c, &c->senders[i]))
			end_sender(c, i);
	if (ready[count].revents)
		accept_sender(c);
	free(ready);
	return 0;
}

static int collect(struct collection *c)
{
	char name[TCP_NAME_MAX];

	note("listening on %s", tcp_name(c->listener, 0, name));
	while (!c->number || c->done < c->number)
		if (step(c))
			return EXIT_OWN;
	return c->failed ? EXIT_OWN : 0;
}

static int cmd_collect(int argc, char **argv)
{
	struct collection c = { .output = LOG_RECORD_FILE, .number = 1, .listener = -1 };
	int result = EXIT_OWN;

	if (options_parse(argc, argv, &grammar, &c))
		return EXIT_OWN;
	if (optind != argc - 1) {
		error("collect needs one address: [HOST:]PORT");
		return EXIT_OWN;
	}
	c.listener = tcp_listen(argv[optind]);
	if (c.listener >= 0) {
		result = collect(&c);
		close(c.listener);
	}
	while (c.count)
		end_sender(&c, c.count - 1);
	free(c.senders);
	return result;
}

const struct command collect_command = {
	.name = "collect",
	.run = cmd_collect,
	.brief = "receive the logs that 'record --log-to' sends",
	.help = help,
	.grammar = &grammar,
};
