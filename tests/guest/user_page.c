// SPDX-License-Identifier: GPL-2.0-only
/*
 * USER_READ and its page: refused requests, permitted mappings, and the contents of the page when
 * its PMCs start, stop, lose their target, are evicted by an administrator, and are released.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <hwpmc_user.h>

#include "file.h"
#include "test_class.h"

#define USER	1000
#define SETUID	"/tmp/user-page-setuid"

static int fd;
static size_t page_size;

static int make(int owner, const uint32_t *ids, unsigned int count, uint64_t *offset)
{
	struct hwpmc_user_read a = { .count = count, .ids = (uintptr_t)ids };
	int err = dev_call(owner, HWPMC_IOC_USER_READ, &a, sizeof(a));

	if (offset)
		*offset = a.offset;
	return err;
}

/* Allocates a PMC that follows one thread: the caller, or @pid. */
static uint32_t followed(int owner, pid_t pid)
{
	uint32_t id = class_pmc(owner, HWPMC_F_THREAD);

	if (dev_attach(owner, id, pid, 0))
		die("attach: %s", dev_sentence(owner));
	return id;
}

static struct hwpmc_user_reader mapped(int owner, const uint32_t *ids, unsigned int count)
{
	struct hwpmc_user_reader reader;

	if (hwpmc_user_map(&reader, owner, ids, count))
		die("map: %s", strerror(errno));
	return reader;
}

/* Returns the value of the page's first entry. */
static uint64_t last(const struct hwpmc_user_reader *reader)
{
	__u64 values[HWPMC_USER_MAX];

	hwpmc_user_last(reader, values, NULL);
	return values[0];
}

static void refused_ids(void)
{
	uint32_t many[HWPMC_USER_MAX + 1] = { 0 }, id = followed(fd, 0);

	refused(fd, make(fd, many, 0, NULL), EINVAL, "empty", "USER_READ of no id");
	refused(fd, make(fd, many, HWPMC_USER_MAX + 1, NULL), EINVAL, "room", "USER_READ of 64 ids");
	refused(fd, make(fd, &(uint32_t){ 0x7fffffff }, 1, NULL), ENOENT, "id", "USER_READ of an unknown id");
	refused(fd, make(fd, (uint32_t[]){ id, id }, 2, NULL), EINVAL, "twice", "USER_READ of an id twice");
	dev_release(fd, id);
	refused(fd, make(fd, &id, 1, NULL), ENOENT, "id", "USER_READ of a released id");
}

static void refused_pmcs(void)
{
	int64_t cpu = class_allocate(fd, HWPMC_MODE_SC, 0, 0);
	uint32_t ids[2] = { cpu }, whole;

	refused(fd, make(fd, ids, 1, NULL), EINVAL, "counts a CPU", "USER_READ of a PMC of a CPU");
	dev_release(fd, ids[0]);
	ids[0] = class_pmc(fd, HWPMC_F_THREAD);
	refused(fd, make(fd, ids, 1, NULL), EINVAL, "attach", "USER_READ without a target");
	dev_release(fd, ids[0]);
	whole = class_pmc(fd, 0);
	if (dev_attach(fd, whole, 0, 0))
		die("attach: %s", dev_sentence(fd));
	refused(fd, make(fd, &whole, 1, NULL), EINVAL, "one thread", "USER_READ of a process");
	dev_release(fd, whole);
	ids[0] = followed(fd, 0);
	dev_start(fd, ids[0]);
	refused(fd, make(fd, ids, 1, NULL), EBUSY, "stop", "USER_READ of a PMC that runs");
	dev_stop(fd, ids[0]);
	check(!make(fd, ids, 1, NULL), "USER_READ succeeds once the PMC is stopped");
	refused(fd, make(fd, ids, 1, NULL), EEXIST, "already", "a second USER_READ");
	dev_release(fd, ids[0]);
}

static void refused_targets(void)
{
	struct agent agent = agent_start(NULL, NULL), other = agent_start(NULL, NULL);
	uint32_t ids[3] = { followed(fd, agent.pid), followed(fd, other.pid), followed(fd, other.pid) };
	struct hwpmc_user_reader reader = mapped(fd, &ids[2], 1);

	refused(fd, make(fd, ids, 2, NULL), EINVAL, "another", "USER_READ of two threads");
	check(!make(fd, ids, 1, NULL), "USER_READ of one of them: %s", dev_sentence(fd));
	agent_reap(&other);
	check(SOON(hwpmc_user_state(&reader, 0) == HWPMC_USER_GONE), "(the other thread exits)");
	refused(fd, make(fd, &ids[1], 1, NULL), ESRCH, "gone", "USER_READ of a target that is gone");
	hwpmc_user_unmap(&reader);
	refused(fd, dev_attach(fd, ids[0], 0, 0), EPERM, "page", "ATTACH of another target");
	refused(fd, dev_write(fd, ids[0], 5), EPERM, "page", "RW of a new value for a PMC with a page");
	refused(fd, dev_set_count(fd, ids[0], 5), EPERM, "page", "SET_COUNT of a PMC with a page");
	check(!dev_detach(fd, ids[0], agent.pid, 0), "DETACH of a PMC with a page succeeds");
	refused(fd, dev_attach(fd, ids[0], agent.pid, 0), EPERM, "page", "ATTACH of the same target");
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, 3);
	agent_reap(&agent);
}

/* Maps @size bytes at @offset, and unmaps them. Returns 0 or -errno. */
static int map_as(uint64_t offset, size_t size, int prot, int flags)
{
	void *at = mmap(NULL, size, prot, flags, fd, (off_t)offset);

	if (at == MAP_FAILED)
		return -errno;
	munmap(at, size);
	return 0;
}

static void mappings(void)
{
	uint32_t id = followed(fd, 0), other = followed(fd, 0);
	uint64_t at, next;
	void *page;

	if (make(fd, &id, 1, &at) || make(fd, &other, 1, &next))
		die("USER_READ: %s", dev_sentence(fd));
	check(at != next, "two pages have two offsets");
	check(!map_as(at, page_size, PROT_READ, MAP_SHARED), "mmap of a page for reading succeeds");
	check(map_as(at, page_size, PROT_READ | PROT_WRITE, MAP_SHARED) == -EPERM, "writable mmap fails with EPERM");
	check(map_as(at, page_size, PROT_READ | PROT_EXEC, MAP_SHARED) == -EPERM, "executable mmap fails with EPERM");
	check(map_as(at, page_size, PROT_READ, MAP_PRIVATE) == -EINVAL, "mmap with MAP_PRIVATE fails with EINVAL");
	check(map_as(at, 2 * page_size, PROT_READ, MAP_SHARED) == -EINVAL, "mmap of two pages fails with EINVAL");
	check(map_as(at + 64 * page_size, page_size, PROT_READ, MAP_SHARED) == -EINVAL,
	      "mmap at an offset without a page fails with EINVAL");
	page = mmap(NULL, page_size, PROT_READ, MAP_SHARED, fd, (off_t)at);
	check(mprotect(page, page_size, PROT_READ | PROT_WRITE) && errno == EACCES,
	      "mprotect to writable fails with EACCES");
	check(mremap(page, page_size, 2 * page_size, MREMAP_MAYMOVE) == MAP_FAILED, "mremap to two pages fails");
	munmap(page, page_size);
	dev_release(fd, id);
	check(map_as(at, page_size, PROT_READ, MAP_SHARED) == -EINVAL, "after RELEASE mmap fails with EINVAL");
	id = followed(fd, 0);
	check(!make(fd, &id, 1, &next) && at != next, "a new page does not get an old offset");
	dev_release(fd, id);
	dev_release(fd, other);
}

static void states(void)
{
	struct agent agent = agent_start(NULL, NULL);
	uint32_t ids[2] = { followed(fd, agent.pid), followed(fd, agent.pid) };
	struct hwpmc_user_reader reader = mapped(fd, ids, 2);
	uint64_t values[2];
	bool same;

	check(reader.page->count == 2 && reader.page->counts[0].id == ids[0] &&
	      reader.page->counts[1].id == ids[1], "the entries are in the order of the ids");
	check(hwpmc_user_state(&reader, 0) == HWPMC_USER_STOPPED && !last(&reader),
	      "before START the state is STOPPED, and the value 0");
	dev_start(fd, ids[0]);
	check(hwpmc_user_state(&reader, 0) == HWPMC_USER_RUNNING &&
	      hwpmc_user_state(&reader, 1) == HWPMC_USER_STOPPED, "START of one PMC sets its state only");
	agent_spin(&agent);
	check(!hwpmc_user_now(&reader, (__u64 *)values) && values[0] && !values[1],
	      "a call of the reader returns the values of the page: %llu, %llu", (unsigned long long)values[0],
	      (unsigned long long)values[1]);
	dev_stop(fd, ids[0]);
	same = last(&reader) == dev_value(fd, ids[0]);
	check(hwpmc_user_state(&reader, 0) == HWPMC_USER_STOPPED && same, "STOP sets the state, and the value is that of READ");
	dev_start(fd, ids[0]);
	agent_spin(&agent);
	agent_reap(&agent);
	check(SOON(hwpmc_user_state(&reader, 0) == HWPMC_USER_GONE) &&
	      last(&reader) == dev_value(fd, ids[0]) && last(&reader) > values[0],
	      "when the target is reaped the state is GONE, and the value is that of READ");
	values[0] = last(&reader);
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, 1);
	check(hwpmc_user_state(&reader, 0) == HWPMC_USER_RELEASED && last(&reader) == values[0],
	      "after RELEASE the state is RELEASED, and the value is kept");
	check(hwpmc_user_state(&reader, 1) == HWPMC_USER_GONE, "the state of the other PMC is not RELEASED");
	check(hwpmc_user_now(&reader, (__u64 *)values) && errno == ENOENT, "a call of the reader fails with ENOENT");
	dev_ids(fd, HWPMC_IOC_RELEASE, &ids[1], 1);
	check(hwpmc_user_state(&reader, 1) == HWPMC_USER_RELEASED, "the page stays mapped after its last PMC");
	hwpmc_user_unmap(&reader);
}

static void detached(void)
{
	struct agent agent = agent_start(NULL, NULL);
	uint32_t id = followed(fd, agent.pid);
	struct hwpmc_user_reader reader = mapped(fd, &id, 1);
	uint64_t value;

	dev_start(fd, id);
	agent_spin(&agent);
	check(!dev_detach(fd, id, agent.pid, 0) && hwpmc_user_state(&reader, 0) == HWPMC_USER_GONE,
	      "after DETACH the state is GONE");
	value = last(&reader);
	agent_spin(&agent);
	check(value && value == dev_value(fd, id) && value == last(&reader), "the value does not change after DETACH: %llu",
	      (unsigned long long)value);
	dev_release(fd, id);
	hwpmc_user_unmap(&reader);
	agent_reap(&agent);
}

static void evicted(void)
{
	struct agent agent = agent_start(NULL, NULL);
	uint32_t id = followed(fd, agent.pid);
	struct hwpmc_user_reader reader = mapped(fd, &id, 1);
	uint64_t value;

	dev_start(fd, id);
	agent_spin(&agent);
	dev_evict(fd, id);
	value = last(&reader);
	agent_spin(&agent);
	check(hwpmc_user_state(&reader, 0) == HWPMC_USER_ENDED && value && last(&reader) == value,
	      "after an administrator evicts the PMC the state is ENDED, and the value does not change");
	dev_release(fd, id);
	hwpmc_user_unmap(&reader);
	agent_reap(&agent);
}

/* A page may have PMCs of any class: here one of a thread's CPU time. */
static void soft_clock(void)
{
	struct agent agent = agent_start(NULL, NULL);
	int64_t id = dev_allocate(fd, HWPMC_CLASS_SOFT, HWPMC_MODE_TC, -1, HWPMC_SOFT_CLOCK,
				  0, HWPMC_F_THREAD);
	struct hwpmc_user_reader reader;
	uint32_t ids[2] = { id };
	uint64_t value;

	if (id < 0 || dev_attach(fd, ids[0], agent.pid, 0))
		die("the clock: %s", dev_sentence(fd));
	ids[1] = followed(fd, agent.pid);
	reader = mapped(fd, ids, 2);
	dev_ids(fd, HWPMC_IOC_START, ids, 2);
	agent_spin(&agent);
	dev_ids(fd, HWPMC_IOC_STOP, ids, 2);
	value = last(&reader);
	check(value && value == dev_value(fd, ids[0]), "a page has the value of a software clock: %llu ns",
	      (unsigned long long)value);
	dev_ids(fd, HWPMC_IOC_RELEASE, ids, 2);
	hwpmc_user_unmap(&reader);
	agent_reap(&agent);
}

/* A child does not inherit the mapping: its access faults. */
static void forked(void)
{
	uint32_t id = followed(fd, 0);
	struct hwpmc_user_reader reader = mapped(fd, &id, 1);
	pid_t pid = fork_tied();

	if (!pid) {
		signal(SIGSEGV, SIG_DFL);
		_exit((int)last(&reader) & 1);
	}
	check(reap(pid) == -SIGSEGV, "a child that reads its parent's page faults");
	dev_release(fd, id);
	hwpmc_user_unmap(&reader);
}

/* The mapping keeps the file open: its PMC counts until the page is unmapped. */
static void closed(void)
{
	struct agent agent = agent_start(NULL, NULL);
	int owner = dev_open();
	uint32_t id = followed(owner, agent.pid);
	struct hwpmc_user_reader reader = mapped(owner, &id, 1);
	uint64_t owners = dev_stats(fd).owners, before;

	dev_start(owner, id);
	agent_spin(&agent);
	close(owner);
	before = last(&reader);
	agent_spin(&agent);
	check(SOON(last(&reader) > before) && dev_stats(fd).owners == owners,
	      "while a page is mapped, its PMC continues to count after close(2)");
	hwpmc_user_unmap(&reader);
	check(SOON(dev_stats(fd).owners == owners - 1), "the owner exists until the page is unmapped");
	agent_reap(&agent);
}

/* As an ordinary user: the target executes a set-id program. */
static void exec_loses(void *arg)
{
	struct agent agent = agent_start(NULL, NULL);
	uint32_t id = followed(user_fd, agent.pid);
	struct hwpmc_user_reader reader = mapped(user_fd, &id, 1);
	uint64_t value;

	(void)arg;
	dev_start(user_fd, id);
	agent_spin(&agent);
	check(hwpmc_user_state(&reader, 0) == HWPMC_USER_RUNNING, "(a user reads the page of its child)");
	check(agent_exec(&agent, SETUID), "(the child executes a set-id program)");
	value = last(&reader);
	check(hwpmc_user_state(&reader, 0) == HWPMC_USER_GONE && value && value == dev_value(user_fd, id),
	      "the state of a target that was lost by exec is GONE");
	agent_spin(&agent);
	check(last(&reader) == value, "later events of that target are not in the page");
	dev_release(user_fd, id);
	hwpmc_user_unmap(&reader);
	agent_reap(&agent);
}

int main(int argc, char **argv)
{
	struct hwpmc_stats before;

	agent_main(argc, argv);
	fd = class_open(60);
	page_size = sysconf(_SC_PAGESIZE);
	before = dev_stats(fd);
	file_copy_program(SETUID, 0, 04755);
	refused_ids();
	refused_pmcs();
	refused_targets();
	mappings();
	states();
	detached();
	evicted();
	soft_clock();
	forked();
	closed();
	as_user("a user reads a page", USER, 0, exec_loses, NULL);
	unlink(SETUID);
	check(dev_stats(fd).pmcs == before.pmcs && dev_stats(fd).owners == before.owners, "nothing is left");
	return result();
}
