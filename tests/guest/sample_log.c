// SPDX-License-Identifier: GPL-2.0-only
/*
 * Logs: the kernel's writer into files, pipes and sockets, read(2), poll, and
 * the records of processes. What was flushed is in the file whatever happens.
 */
#include <arpa/inet.h>
#include <elf.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "any.h"
#include "exact.h"
#include "ring.h"

#define PERIOD	100000

/* What a log has. */
struct sight {
	unsigned long types[32];
	unsigned long records;
	uint64_t samples_lost;
	uint32_t cookies;	/* a bit each, below 32 */
	bool whole, first, last;
	bool text;
	pid_t child;		/* of whom the next are */
	bool child_fork, child_exec, child_map, child_exit;
};

/* This program's build-id: 20 bytes, behind the note's header and "GNU". */
static const uint8_t *own_build_id(void)
{
	const Elf64_Phdr *part = (const void *)getauxval(AT_PHDR);

	for (unsigned long left = getauxval(AT_PHNUM); left--; part++) {
		const uint32_t *at = (const void *)part->p_vaddr;
		const uint32_t *end = at + part->p_memsz / 4;

		while (part->p_type == PT_NOTE && at < end) {
			if (at[0] == 4 && at[1] == 20 && at[2] == NT_GNU_BUILD_ID)
				return (const uint8_t *)(at + 4);
			at += 3 + (at[0] + 3) / 4 + (at[1] + 3) / 4;
		}
	}
	die("this program has no build-id");
}

static void sight_child(struct sight *s, const struct hwpmc_log_header *h)
{
	const struct hwpmc_log_task *task = (const void *)h;
	const struct hwpmc_log_exec *exec = (const void *)h;
	const struct hwpmc_log_map *map = (const void *)h;

	if (h->type == HWPMC_LOG_FORK && task->pid == s->child)
		s->child_fork = task->parent_pid == getpid() && !s->child_exec;
	if (h->type == HWPMC_LOG_EXEC && exec->pid == s->child) {
		s->child_exec = !strcmp((const char *)h + exec->path_offset, "/proc/self/exe");
		s->child_map = false;
	}
	if (h->type == HWPMC_LOG_MAP_IN && map->pid == s->child && s->child_exec)
		s->child_map |= strstr((const char *)h + map->path_offset, "sample_log") &&
				map->size && (map->prot & PROT_EXEC) && map->build_id_size == 20 &&
				!memcmp(map->build_id, own_build_id(), 20);
	if (h->type == HWPMC_LOG_EXIT && task->pid == s->child)
		s->child_exit = s->child_exec;
}

static void sight_one(struct sight *s, const struct hwpmc_log_header *h)
{
	const struct hwpmc_log_user *user = (const void *)h;

	s->records++;
	if (h->type < ARRAY_SIZE(s->types))
		s->types[h->type]++;
	if (h->type == HWPMC_LOG_USER) {
		s->cookies |= 1U << user->cookie;
		s->text = user->text_offset &&
			  !strcmp((const char *)h + user->text_offset, "a text");
	}
	if (h->type == HWPMC_LOG_DROP && h->id)
		s->samples_lost += ((const struct hwpmc_log_drop *)h)->lost;
	sight_child(s, h);
}

static int by_time(const void *one, const void *other)
{
	const struct hwpmc_log_header *a = *(const struct hwpmc_log_header *const *)one;
	const struct hwpmc_log_header *b = *(const struct hwpmc_log_header *const *)other;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* Records of different CPUs are in no order but that of their times. */
static void sight_all(struct sight *s, const char *at, size_t size)
{
	const struct hwpmc_log_header **list = calloc(size / 24 + 1, sizeof(*list));
	size_t done = 0, n = 0, i;

	while (size - done >= sizeof(struct hwpmc_log_header)) {
		const struct hwpmc_log_header *h = (const void *)(at + done);

		if (h->length < sizeof(*h) || h->length % 8 || h->length > size - done)
			break;
		s->first = done ? s->first : h->type == HWPMC_LOG_INITIALIZE;
		s->last = h->type == HWPMC_LOG_CLOSE;
		list[n++] = h;
		done += h->length;
	}
	qsort(list, n, sizeof(*list), by_time);
	for (i = 0; i < n; i++)
		sight_one(s, list[i]);
	free(list);
	s->whole = done == size;
}

static struct sight sight_file(const char *path, pid_t child)
{
	struct sight s = { .child = child };
	int fd = open(path, O_RDONLY);
	struct stat st;
	char *at;

	if (fd < 0 || fstat(fd, &st))
		die("%s: %s", path, strerror(errno));
	at = malloc(st.st_size + 1);
	if (read(fd, at, st.st_size) != st.st_size)
		die("%s: %s", path, strerror(errno));
	sight_all(&s, at, st.st_size);
	free(at);
	close(fd);
	return s;
}

static void refusals(void)
{
	int fd = dev_open(), null = open("/dev/null", O_WRONLY);
	int only = open("/proc/self/exe", O_RDONLY);

	check(dev_log(fd, HWPMC_IOC_LOG_OPEN, 99) == -EBADF, "no descriptor: %s",
	      dev_sentence(fd));
	check(dev_log(fd, HWPMC_IOC_LOG_OPEN, only) == -EBADF, "a read-only one: %s",
	      dev_sentence(fd));
	check(dev_log(fd, HWPMC_IOC_LOG_OPEN, null) == -EINVAL, "/dev/null: %s",
	      dev_sentence(fd));
	check(dev_log(fd, HWPMC_IOC_LOG_OPEN, fd) == -EINVAL, "the device itself: %s",
	      dev_sentence(fd));
	check(dev_log(fd, HWPMC_IOC_LOG_CLOSE, 0) == -EINVAL, "close without a log: %s",
	      dev_sentence(fd));
	check(dev_log(fd, HWPMC_IOC_LOG_FLUSH, 0) == -EINVAL, "flush without rings: %s",
	      dev_sentence(fd));
	check(dev_log_write(fd, 1, "x") == -EINVAL, "a record without rings: %s", dev_sentence(fd));
	close(only);
	close(null);
	close(fd);
}

/* A log of a process and its child; closed, opened again, and read. */
static void file(void)
{
	static const char path[] = "/tmp/sample.log";
	int fd = dev_open(), to = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	uint32_t id = dev_sampler(fd, -1, countable(), PERIOD, HWPMC_CAP_USER,
				  HWPMC_F_DESCENDANTS);
	struct sight s;
	int status;
	pid_t child;

	check(!dev_log(fd, HWPMC_IOC_LOG_OPEN, to), "open: %s", dev_sentence(fd));
	check(dev_log(fd, HWPMC_IOC_LOG_OPEN, to) == -EBUSY, "open twice: %s", dev_sentence(fd));
	check(!dev_start(fd, id), "start");
	check(!dev_log_write(fd, 3, "a text"), "a record of one's own");
	child = fork();
	if (!child) {
		execl("/proc/self/exe", "sample_log", "exit", NULL);
		_exit(127);
	}
	waitpid(child, &status, 0);
	spin(5);
	check(!dev_log(fd, HWPMC_IOC_LOG_FLUSH, 0), "flush");
	s = sight_file(path, child);
	check(s.whole && s.first && s.cookies == 1 << 3 && s.text, "it is there after the flush");
	check(s.types[HWPMC_LOG_SAMPLE] > 5, "%lu samples", s.types[HWPMC_LOG_SAMPLE]);
	check(s.types[HWPMC_LOG_PROCESS] == 1 && s.types[HWPMC_LOG_MAP_IN] > 1 &&
	      s.types[HWPMC_LOG_ATTACH] == 1,
	      "what was there at the start: %lu process, %lu maps",
	      s.types[HWPMC_LOG_PROCESS], s.types[HWPMC_LOG_MAP_IN]);
	check(s.child_fork && s.child_exec && s.child_map && s.child_exit,
	      "the child: fork %d, exec %d, its program and build-id %d, exit %d", s.child_fork,
	      s.child_exec, s.child_map, s.child_exit);
	check(!dev_log(fd, HWPMC_IOC_LOG_CLOSE, 0), "close");
	check(dev_stop(fd, id) == 0, "which stopped the PMC");
	s = sight_file(path, child);
	check(s.whole && s.last, "CLOSE comes last");

	check(!ftruncate(to, 0) && lseek(to, 0, SEEK_SET) == 0 &&
	      !dev_log(fd, HWPMC_IOC_LOG_OPEN, to) && !dev_log_write(fd, 4, "again") &&
	      !dev_log(fd, HWPMC_IOC_LOG_CLOSE, 0),
	      "open, write and close again");
	s = sight_file(path, 0);
	check(s.whole && s.first && s.last && (s.cookies & 1 << 4), "a second log: %lu records",
	      s.records);
	close(to);
	close(fd);
	unlink(path);
}

/* A device that is full: the error stays until the log is closed. */
static void full(void)
{
	int fd = dev_open(), to, err, i;
	struct pollfd p = { .fd = fd, .events = POLLIN };

	mkdir("/tmp/full", 0700);
	if (mount("none", "/tmp/full", "tmpfs", 0, "size=64k"))
		die("mount: %s", strerror(errno));
	to = open("/tmp/full/log", O_WRONLY | O_CREAT, 0600);
	check(!dev_log(fd, HWPMC_IOC_LOG_OPEN, to), "full: open");
	for (i = 0; i < 2000; i++)
		dev_log_write(fd, 1, "some text that takes room until there is none on the device");
	err = dev_log(fd, HWPMC_IOC_LOG_FLUSH, 0);
	check(err == -ENOSPC, "full: flush: %s", dev_sentence(fd));
	check(dev_log(fd, HWPMC_IOC_LOG_FLUSH, 0) == -ENOSPC, "full: it stays");
	check(poll(&p, 1, 0) == 1 && (p.revents & POLLERR), "full: poll tells");
	check(dev_log(fd, HWPMC_IOC_LOG_CLOSE, 0) == -ENOSPC, "full: close tells");
	check(dev_log(fd, HWPMC_IOC_LOG_CLOSE, 0) == -EINVAL, "full: and closed it");
	close(to);
	close(fd);
	umount("/tmp/full");
}

/* RLIMIT_FSIZE of whoever opened it, as it was then; for files alone. */
static void limited(void)
{
	static const char path[] = "/tmp/limited.log";
	struct rlimit before, limit;
	int fd = dev_open(), to = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600), i;
	struct stat st;

	if (getrlimit(RLIMIT_FSIZE, &before))
		die("getrlimit: %s", strerror(errno));
	limit = (struct rlimit){ .rlim_cur = 65536, .rlim_max = before.rlim_max };
	if (setrlimit(RLIMIT_FSIZE, &limit) || dev_log(fd, HWPMC_IOC_LOG_OPEN, to) ||
	    setrlimit(RLIMIT_FSIZE, &before))
		die("limited: %s", dev_sentence(fd));
	for (i = 0; i < 100; i++)
		dev_log_write(fd, 1, "some text that takes room until there is too much of it");
	check(!dev_flush(fd) && !fstat(to, &st) && st.st_size > 8000, "limited: below the limit");
	for (i = 0; i < 2000; i++)
		dev_log_write(fd, 1, "some text that takes room until there is too much of it");
	check(dev_flush(fd) == -EFBIG, "limited: flush: %s", dev_sentence(fd));
	check(!fstat(to, &st) && st.st_size == 65536, "limited: up to the limit: %lld",
	      (long long)st.st_size);
	check(dev_flush(fd) == -EFBIG, "limited: it stays");
	check(dev_log(fd, HWPMC_IOC_LOG_CLOSE, 0) == -EFBIG, "limited: close tells");
	close(to);
	close(fd);
	unlink(path);
}

static void broken_pipe(void)
{
	int fd = dev_open(), ends[2];

	signal(SIGPIPE, SIG_IGN);
	if (pipe(ends))
		die("pipe: %s", strerror(errno));
	check(!dev_log(fd, HWPMC_IOC_LOG_OPEN, ends[1]), "pipe: open");
	close(ends[0]);
	dev_log_write(fd, 1, "into nothing");
	check(dev_log(fd, HWPMC_IOC_LOG_FLUSH, 0) == -EPIPE, "pipe: flush: %s", dev_sentence(fd));
	close(ends[1]);
	close(fd);
}

static void drain_socket(int end, struct sight *s, unsigned int ms)
{
	static char buffer[1 << 20];
	struct pollfd p = { .fd = end, .events = POLLIN };
	size_t size = 0;
	ssize_t n;

	while (size < sizeof(buffer) && poll(&p, 1, ms) == 1) {
		n = read(end, buffer + size, sizeof(buffer) - size);
		if (n <= 0)
			break;
		size += n;
	}
	sight_all(s, buffer, size);
}

/* Two ends of a TCP connection that hold little of what is on its way. */
static void connect_tcp(int ends[2])
{
	struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t length = sizeof(to);
	int door = socket(AF_INET, SOCK_STREAM, 0), little = 16384;

	ends[1] = socket(AF_INET, SOCK_STREAM, 0);
	if (setsockopt(door, SOL_SOCKET, SO_RCVBUF, &little, sizeof(little)) ||
	    setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &little, sizeof(little)) ||
	    bind(door, (struct sockaddr *)&to, length) || listen(door, 1) ||
	    getsockname(door, (struct sockaddr *)&to, &length) ||
	    connect(ends[1], (struct sockaddr *)&to, length))
		die("a TCP connection: %s", strerror(errno));
	ends[0] = accept(door, NULL, NULL);
	if (ends[0] < 0)
		die("accept: %s", strerror(errno));
	close(door);
}

/* A peer that stalls, and goes on: before, after, and the loss between are there. */
static void stalled_peer(void)
{
	int fd = dev_open(), ends[2], i, lost = 0;
	struct hwpmc_ring ring = { .data_size = 16384 };
	struct sight s = { 0 };

	connect_tcp(ends);
	if (dev_call(fd, HWPMC_IOC_RING, &ring, sizeof(ring)))
		die("rings: %s", dev_sentence(fd));
	check(!dev_log(fd, HWPMC_IOC_LOG_OPEN, ends[1]), "peer: open");
	check(!dev_log_write(fd, 1, "before"), "peer: before");
	for (i = 0; i < 4000; i++)
		lost += dev_log_write(fd, 2, "while it stalls") == -ENOSPC;
	check(lost > 100, "peer: %d records found no room, and their writer was told", lost);
	drain_socket(ends[0], &s, 500);
	check(!dev_log_write(fd, 3, "after"), "peer: after: %s", dev_sentence(fd));
	check(!dev_log(fd, HWPMC_IOC_LOG_FLUSH, 0), "peer: flush");
	check(s.types[HWPMC_LOG_USER] + lost == 4001, "peer: %lu records came, %d were lost",
	      s.types[HWPMC_LOG_USER], lost);
	memset(&s, 0, sizeof(s));
	drain_socket(ends[0], &s, 500);
	check((s.cookies & 1 << 3) && s.types[HWPMC_LOG_DROP] >= 1, "peer: the loss is told");

	/* Closed while it stalls: close(2) must not wait for the peer. */
	for (i = 0; i < 4000; i++)
		dev_log_write(fd, 2, "while it stalls again");
	close(fd);
	check(true, "peer: close does not wait");
	close(ends[0]);
	close(ends[1]);
}

/* Without a mapping and without a log. */
static void read_and_poll(void)
{
	static char buffer[1 << 16];
	struct hwpmc_ring ring = { .data_size = 65536, .watermark = 4096 };
	int fd = dev_open();
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct sight s = { 0 };
	uint32_t id;
	ssize_t n;

	if (dev_call(fd, HWPMC_IOC_RING, &ring, sizeof(ring)))
		die("rings: %s", dev_sentence(fd));
	fcntl(fd, F_SETFL, O_NONBLOCK);
	check(read(fd, buffer, sizeof(buffer)) == -1 && errno == EAGAIN, "read: nothing there yet");
	check(poll(&p, 1, 0) == 0, "poll: nor does it say so");
	check(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED && errno == EBUSY,
	      "what is read is not mapped besides");
	dev_log_write(fd, 1, "a text");
	check(poll(&p, 1, 0) == 0, "poll: below the watermark");
	check(read(fd, buffer, 8) == -1 && errno == EINVAL, "read: no room for one record");
	n = read(fd, buffer, sizeof(buffer));
	sight_all(&s, buffer, n > 0 ? n : 0);
	check(s.whole && s.records == 1 && s.text, "read: it comes all the same");
	id = dev_sampler(fd, -1, countable(), 10000, HWPMC_CAP_USER, 0);
	if (dev_start(fd, id))
		die("start: %s", dev_sentence(fd));
	for (int i = 0; i < 100 && poll(&p, 1, 0) == 0; i++)
		spin(1);
	check(poll(&p, 1, 0) == 1 && p.revents == POLLIN, "poll: above the watermark");
	dev_stop(fd, id);
	while ((n = read(fd, buffer, sizeof(buffer))) > 0)
		sight_all(&s, buffer, n);
	check(s.whole && s.types[HWPMC_LOG_SAMPLE] == dev_sampled(fd, id, -1).recorded,
	      "read: %lu samples, all that were recorded", s.types[HWPMC_LOG_SAMPLE]);
	close(fd);
}

static void *write_later(void *arg)
{
	usleep(300000);
	dev_log_write(*(const int *)arg, 1, "a text");
	return NULL;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* A read that waits, until there is something to read. */
static void blocking_read(void)
{
	struct hwpmc_ring ring = { .data_size = 65536 };
	struct sight s = { 0 };
	char buffer[256];
	int fd = dev_open();
	pthread_t writer;
	double begin;
	ssize_t n;

	if (dev_call(fd, HWPMC_IOC_RING, &ring, sizeof(ring)))
		die("rings: %s", dev_sentence(fd));
	begin = now();
	if (pthread_create(&writer, NULL, write_later, &fd))
		die("a thread");
	n = read(fd, buffer, sizeof(buffer));
	check(now() - begin > 0.25, "read: waits");
	sight_all(&s, buffer, n > 0 ? n : 0);
	check(s.whole && s.records == 1 && s.text, "read: and comes back with the record");
	pthread_join(writer, NULL);
	close(fd);
}

/* Counts at switches and exits: the parts of the value. */
static void switches(void)
{
	static char buffer[1 << 18];
	struct hwpmc_ring ring = { .data_size = 1 << 18 };
	struct hwpmc_allocate a = {
		.class_id = HWPMC_CLASS_ARMV8, .mode = HWPMC_MODE_TC, .cpu = -1,
		.flags = HWPMC_F_DESCENDANTS | HWPMC_F_LOG_PROCCSW | HWPMC_F_LOG_PROCEXIT,
		.caps = HWPMC_CAP_USER, .event = countable(),
	};
	uint64_t switched = 0, exited = 0, value;
	int fd = dev_open(), status;
	const char *at = buffer;
	pid_t child;
	ssize_t n;

	if (dev_call(fd, HWPMC_IOC_ALLOCATE, &a, sizeof(a)) ||
	    dev_call(fd, HWPMC_IOC_RING, &ring, sizeof(ring)))
		die("switches: %s", dev_sentence(fd));
	child = fork_tied();
	if (!child) {
		raise(SIGSTOP);
		for (int i = 0; i < 5; i++) {
			spin(1);
			usleep(1000);
		}
		_exit(0);
	}
	waitpid(child, &status, WUNTRACED);
	if (dev_attach(fd, a.id, child, 0) || dev_start(fd, a.id))
		die("switches: %s", dev_sentence(fd));
	kill(child, SIGCONT);
	waitpid(child, &status, 0);
	usleep(20000);
	value = dev_value(fd, a.id);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	n = read(fd, buffer, sizeof(buffer));
	while (n > 0 && at < buffer + n) {
		const struct hwpmc_log_value *v = (const void *)at;

		if (v->h.type == HWPMC_LOG_SWITCH && v->pid == child)
			switched += v->value;
		if (v->h.type == HWPMC_LOG_VALUE && v->pid == child)
			exited += v->value;
		at += v->h.length;
	}
	check(value && switched == value, "switches: %llu in the parts, %llu in the value",
	      (unsigned long long)switched, (unsigned long long)value);
	check(exited == value, "exit: %llu", (unsigned long long)exited);
	close(fd);
}

int main(int argc, char **argv)
{
	/* The child of file(). */
	if (argc > 1)
		return strcmp(argv[1], "exit");
	time_limit(200);
	refusals();
	file();
	full();
	limited();
	broken_pipe();
	stalled_peer();
	read_and_poll();
	blocking_read();
	switches();
	return result();
}
