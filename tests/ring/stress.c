// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stress test of the ring's protocol: kmod/log/ring.c unchanged, with a producer
 * that signals interrupt as interrupts and NMIs do, and a reader in another
 * thread. Every record is read completely and once, or its writer got an error.
 *
 * stress RECORDS: interrupted between the protocol's steps by a call of the
 * handler, because ThreadSanitizer defers real signals.
 * stress RECORDS timer: interrupted by timers' signals at any instruction.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "ring.h"
#include "stress.h"

static const int signals[LEVELS] = { 0, SIGUSR1, SIGUSR2 };

static struct hwpmc_producer ring;
static struct hwpmc_ring_header header;
static struct hwpmc_ring_tail tail;
static uint64_t data[RING_SIZE / sizeof(uint64_t)];

static struct run_state state;
static struct found found;
static uint64_t made[LEVELS], lost[LEVELS];
static uint64_t unpublished;

static _Thread_local volatile int level;	/* of the current writer */
static _Thread_local bool producing, by_timer;
static volatile uint64_t random_state = 1;

static void interrupt(int sig);

static uint64_t random_number(void)
{
	/* An interrupt may use the same state: the numbers must only differ. */
	random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
	return random_state >> 33;
}

/* If the reader could see too much, it would see it during this wait. */
static void let_reader_look(void)
{
	uint64_t looks = __atomic_load_n(&state.looks, __ATOMIC_RELAXED);

	__atomic_store_n(&state.waiting, true, __ATOMIC_RELAXED);
	while (__atomic_load_n(&state.looks, __ATOMIC_RELAXED) - looks < 2 &&
	       !__atomic_load_n(&state.left, __ATOMIC_RELAXED))
		sched_yield();
	__atomic_store_n(&state.waiting, false, __ATOMIC_RELAXED);
}

void interrupt_point(void)
{
	uint64_t number;

	if (!producing || by_timer)
		return;
	number = random_number();
	if (level + 1 < LEVELS && !(number % 24))
		interrupt(signals[level + 1]);
	if (!(number % 4093))
		let_reader_look();
}

static void fill(struct numbered *it, unsigned int words, uint64_t number)
{
	unsigned int i;

	it->h = (struct hwpmc_log_header) {
		.type = HWPMC_LOG_USER, .length = sizeof(*it) + words * sizeof(uint64_t),
		.time = number, .id = level,
	};
	it->sum = number;
	for (i = 0; i < words; i++) {
		if (!(i % 4))
			interrupt_point();
		it->words[i] = numbered_word(level, number, i);
		it->sum += it->words[i];
	}
}

static void lose(void)
{
	lost[level]++;
	__atomic_fetch_add(&state.lost, 1, __ATOMIC_RELAXED);
}

static bool write_one(void)
{
	unsigned int words = random_number() % (WORDS_MAX + 1);
	uint64_t number = ++made[level];
	struct numbered *to;

	hwpmc_ring_enter(&ring);
	to = hwpmc_ring_reserve_nmi(&ring, sizeof(*to) + words * sizeof(uint64_t));
	if (to)
		fill(to, words, number);
	hwpmc_ring_leave_nmi(&ring);
	if (!to)
		lose();
	return to;
}

static void interrupt(int sig)
{
	(void)sig;
	level = level + 1;
	write_one();
	level = level - 1;
}

/* No writer is active: all that was reserved must be published. */
static void look_for_unpublished(void)
{
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	producing = false;
	unpublished += header.head != (uint64_t)local_read(&ring.reserved);
	producing = true;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* Every other time that the ring is full, wait for the reader. */
static void wait_for_room(void)
{
	uint64_t before = __atomic_load_n(&tail.tail, __ATOMIC_RELAXED);

	if (lost[0] % 2)
		return;
	__atomic_store_n(&state.waiting, true, __ATOMIC_RELAXED);
	/* It may have read everything already. */
	while (__atomic_load_n(&tail.tail, __ATOMIC_RELAXED) == before &&
	       __atomic_load_n(&header.head, __ATOMIC_RELAXED) != before &&
	       !__atomic_load_n(&state.left, __ATOMIC_RELAXED))
		sched_yield();
	__atomic_store_n(&state.waiting, false, __ATOMIC_RELAXED);
}

static void timer_begin(int sig, long ns)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = sig };
	struct itimerspec spec = { .it_value.tv_nsec = ns, .it_interval.tv_nsec = ns };
	timer_t timer;

	event._sigev_un._tid = syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) ||
	    timer_settime(timer, 0, &spec, NULL)) {
		perror("timer");
		exit(1);
	}
}

struct order {
	uint64_t records;
	bool timers;
};

/* Write the requested number of records, and with timers as many in interrupts. */
static void *produce(void *arg)
{
	const struct order *order = arg;
	sigset_t none;

	by_timer = order->timers;
	sigemptyset(&none);
	pthread_sigmask(SIG_SETMASK, &none, NULL);
	if (by_timer) {
		timer_begin(SIGUSR1, 21000);
		timer_begin(SIGUSR2, 17000);
	}
	producing = true;
	while (made[0] < order->records || (by_timer && made[2] < order->records / 1000)) {
		if (!write_one())
			wait_for_room();
		if (!(made[0] % 8))
			look_for_unpublished();
	}
	sigfillset(&none);
	pthread_sigmask(SIG_BLOCK, &none, NULL);
	producing = false;
	__atomic_store_n(&state.done, true, __ATOMIC_RELEASE);
	return NULL;
}

static void *consume(void *arg)
{
	read_all(&tail, &header, data, &state, &found);
	/* Also after an error. */
	__atomic_store_n(&state.left, true, __ATOMIC_RELAXED);
	return arg;
}

static bool verdict(bool by_chance)
{
	bool good = !found.wrong && !unpublished && !ring.nest;
	uint64_t all = 0;
	int i;

	for (i = 0; i < LEVELS; i++) {
		uint64_t at_end = made[i] - found.last[i];

		printf("# level %d: %llu made, %llu read, %llu lost\n", i,
		       (unsigned long long)made[i], (unsigned long long)found.read[i],
		       (unsigned long long)lost[i]);
		good &= found.read[i] + lost[i] == made[i] &&
			found.skipped[i] + at_end == lost[i];
		/* What depends on the host's timing is no failure. */
		good &= by_chance || (found.read[i] && lost[i]);
		all += found.read[i];
	}
	good &= header.records == all;
	printf("# %llu wrong, %llu times not published; the header has %llu records\n",
	       (unsigned long long)found.wrong, (unsigned long long)unpublished,
	       (unsigned long long)header.records);
	return good;
}

int main(int argc, char **argv)
{
	struct order order = { .records = argc > 1 ? strtoul(argv[1], NULL, 0) : 0 };
	struct sigaction action = { .sa_handler = interrupt, .sa_flags = SA_RESTART };
	pthread_t producer, consumer;
	sigset_t all;
	int i;

	order.timers = argc > 2 && !strcmp(argv[2], "timer");
	/* A broken protocol may never terminate. */
	alarm(300);
	sigfillset(&all);
	sigdelset(&all, SIGALRM);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	/* A handler is interrupted by higher levels only. */
	for (i = LEVELS - 1; i > 0; i--) {
		sigaddset(&action.sa_mask, signals[i]);
		for (int below = 1; below < i; below++)
			sigaddset(&action.sa_mask, signals[below]);
		sigaction(signals[i], &action, NULL);
		sigemptyset(&action.sa_mask);
	}
	hwpmc_ring_init(&ring, &header, &tail.tail, data, RING_SIZE, 0);
	/* The positions wrap soon. */
	tail.tail = -64 * RING_SIZE;
	header.head = tail.tail;
	local_set(&ring.reserved, tail.tail);
	if (pthread_create(&consumer, NULL, consume, NULL) ||
	    pthread_create(&producer, NULL, produce, &order))
		return 1;
	pthread_join(producer, NULL);
	pthread_join(consumer, NULL);
	return verdict(order.timers) ? 0 : 1;
}
