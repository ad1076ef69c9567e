// SPDX-License-Identifier: GPL-2.0-only
/*
 * read(2) of rings returns every record once and completely, and reads each CPU's ring in turn. A
 * buffer that is shorter than a record, a bad address and a signal lose nothing.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

#include "cpu.h"
#include "ring.h"
#include "test.h"

#define TEXT		"a text of some length, so that few records fill the buffer"
#define RECORD_MOST	128
#define LONG_TEXT	2000
#define PAGE		4096

static int open_rings(void)
{
	int fd = dev_open();

	if (dev_rings(fd, 65536))
		die("rings: %s", dev_sentence(fd));
	fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

/* Writes @count records into the ring of @cpu, with cookies from @first on. */
static void write_records(int fd, int cpu, uint32_t first, unsigned int count)
{
	pin(0, cpu);
	for (unsigned int i = 0; i < count; i++)
		if (dev_log_write(fd, first + i, TEXT))
			die("LOG_WRITE: %s", dev_sentence(fd));
}

/* USER records that were read: their number on each CPU, and whether one is out of order. */
struct got {
	unsigned int of_cpu[2];
	uint32_t next[2];
	bool wrong;
};

static void add(struct got *got, const char *at, ssize_t size)
{
	while (size > 0) {
		const struct hwpmc_log_header *record = (const void *)at;

		got->wrong |= record->length > size;
		if (got->wrong)
			return;
		if (record->type == HWPMC_LOG_USER) {
			const struct hwpmc_log_user *user = (const void *)record;
			unsigned int cpu = record->cpu & 1;

			got->wrong |= user->cookie != got->next[cpu]++;
			got->of_cpu[cpu]++;
		}
		at += record->length;
		size -= record->length;
	}
}

/* Reads once into a buffer of @size bytes. Returns the result of read(2). */
static ssize_t read_into(int fd, size_t size, struct got *got)
{
	char buffer[PAGE];
	ssize_t n = read(fd, buffer, size);

	add(got, buffer, n);
	return n;
}

/*
 * Each read has room for one record, and after it CPU 0 writes another one, so that its ring is
 * never empty. The records of CPU 1 are read nevertheless.
 */
static void fair(void)
{
	struct got got = { .next = { 0, 1000 } };
	unsigned int reads = 0;
	int fd = open_rings();

	write_records(fd, 1, 1000, 10);
	write_records(fd, 0, 0, 10);
	while (got.of_cpu[1] < 10 && reads < 100) {
		read_into(fd, RECORD_MOST, &got);
		write_records(fd, 0, 10 + reads++, 1);
	}
	check(!got.wrong && got.of_cpu[1] == 10 && reads < 30,
	      "each CPU in turn: %u records of CPU 0 and %u of CPU 1, of 10, in %u short reads", got.of_cpu[0],
	      got.of_cpu[1], reads);
	close(fd);
}

/*
 * A record of CPU 1 fits into the buffer, but not behind the records that CPU 0 writes before each
 * read. It is read nevertheless: the next read begins with it.
 */
static void long_record(void)
{
	struct got got = { .next = { 0, 1000 } };
	char text[LONG_TEXT + 1] = "";
	unsigned int reads = 0;
	int fd = open_rings();

	memset(text, 'x', LONG_TEXT);
	read_into(fd, PAGE, &got);
	pin(0, 1);
	if (dev_log_write(fd, 1000, text))
		die("LOG_WRITE: %s", dev_sentence(fd));
	while (!got.of_cpu[1] && reads < 20) {
		write_records(fd, 0, 4 * reads++, 4);
		read_into(fd, LONG_TEXT + RECORD_MOST, &got);
	}
	check(!got.wrong && got.of_cpu[1] == 1 && reads <= 3,
	      "a record longer than the rest of the buffer: %u of CPU 1, and %u of CPU 0, in %u reads",
	      got.of_cpu[1], got.of_cpu[0], reads);
	close(fd);
}

/* A buffer shorter than a record gets none; one for a record and a part of another gets one. */
static void short_buffers(void)
{
	struct got got = {};
	int fd = open_rings();
	ssize_t n;

	write_records(fd, 0, 0, 4);
	n = read_into(fd, 8, &got);
	check(n == -1 && errno == EMSGSIZE, "read with a buffer shorter than INITIALIZE fails with EMSGSIZE: %zd, %s", n,
	      strerror(errno));
	read_into(fd, sizeof(struct hwpmc_log_initialize), &got);
	n = read_into(fd, 40, &got);
	check(n == -1 && errno == EMSGSIZE, "read with a buffer shorter than a record fails with EMSGSIZE: %zd, %s", n,
	      strerror(errno));
	n = read_into(fd, RECORD_MOST, &got);
	check(n > 0 && got.of_cpu[0] == 1, "read with a buffer for a record and a part returns one: %zd bytes, %u records", n,
	      got.of_cpu[0]);
	read_into(fd, PAGE, &got);
	check(!got.wrong && got.of_cpu[0] == 4, "nothing is lost: %u records of 4", got.of_cpu[0]);
	close(fd);
}

/*
 * The second page of the buffer is not mapped: read(2) returns the records before it, or fails with
 * EFAULT, and the other records remain in the rings.
 */
static void bad_addresses(void)
{
	char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct got got = { .next = { 0, 1000 } };
	int fd = open_rings();
	ssize_t n;

	munmap(pages + PAGE, PAGE);
	write_records(fd, 0, 0, 100);
	write_records(fd, 1, 1000, 100);
	n = read(fd, pages + PAGE, PAGE);
	check(n == -1 && errno == EFAULT, "read to a bad address fails with EFAULT: %zd, %s", n, strerror(errno));
	n = read(fd, pages + PAGE - 2 * RECORD_MOST, 16 * RECORD_MOST);
	add(&got, pages + PAGE - 2 * RECORD_MOST, n);
	check(n != 0 && (n > 0 || errno == EFAULT), "read to a buffer that is bad from the third record on: %zd", n);
	while (read_into(fd, PAGE, &got) > 0)
		;
	check(!got.wrong && got.of_cpu[0] == 100 && got.of_cpu[1] == 100,
	      "nothing is lost: %u and %u records, of 100 each", got.of_cpu[0], got.of_cpu[1]);
	munmap(pages, PAGE);
	close(fd);
}

static void on_signal(int number)
{
	(void)number;
}

struct waiting {
	int fd;
	ssize_t got;
	int error;
};

static void *wait_for_record(void *arg)
{
	struct waiting *it = arg;
	char buffer[PAGE];

	it->got = read(it->fd, buffer, sizeof(buffer));
	it->error = errno;
	return NULL;
}

/* A signal interrupts a read that waits, which then has read nothing. */
static void interrupted(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct waiting it = { .fd = open_rings() };
	struct got got = {};
	pthread_t thread;

	fcntl(it.fd, F_SETFL, 0);
	sigaction(SIGUSR1, &action, NULL);
	if (pthread_create(&thread, NULL, wait_for_record, &it))
		die("a thread");
	/* Real time: the reader waits meanwhile, and nothing shows that it does. */
	usleep(200000);
	pthread_kill(thread, SIGUSR1);
	pthread_join(thread, NULL);
	check(it.got == -1 && it.error == EINTR, "a read that waits fails with EINTR after a signal: %zd, %s", it.got,
	      strerror(it.error));
	write_records(it.fd, 0, 0, 1);
	read_into(it.fd, PAGE, &got);
	check(!got.wrong && got.of_cpu[0] == 1, "the next read returns the next record");
	close(it.fd);
}

int main(void)
{
	alarm(60 * PATIENCE);
	fair();
	long_record();
	short_buffers();
	bad_addresses();
	interrupted();
	return result();
}
