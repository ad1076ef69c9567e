// SPDX-License-Identifier: GPL-2.0-only
/*
 * MAP_FD: the descriptor, and where the file is mapped; every kind of file that it finds, and every
 * kind of memory that has no file; processes that exit, execute a program, or are hidden.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "file.h"
#include "test_class.h"

#define PROGRAM		"/tmp/map-fd-program"
#define CODE		"/tmp/map-fd-code"
#define HIDDEN		"/tmp/map-fd-hidden"

static int fd;
static size_t page;

/* An address of this program's code. Other cases map copies of the program. */
static const void *own(void)
{
	return own;
}

static bool same_file(int got, const struct stat *want)
{
	struct stat is;

	return !fstat(got, &is) && is.st_dev == want->st_dev && is.st_ino == want->st_ino;
}

static bool of_program(int got)
{
	struct stat want;

	return !stat("/proc/self/exe", &want) && same_file(got, &want);
}

/* Whether @map matches /proc/self/maps. */
static bool as_maps(const struct hwpmc_map_fd *map)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start, end, offset;
	bool same = false;
	char line[512];

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 &&
		    start == map->start)
			same = end - start == map->length && offset == map->offset;
	if (maps)
		fclose(maps);
	return same;
}

/* Whether the file has the same bytes at @map->address as this program's memory. */
static bool same_bytes(const struct hwpmc_map_fd *map)
{
	const void *at = (const void *)(uintptr_t)map->address;
	char bytes[64];

	return pread(map->fd, bytes, sizeof(bytes),
		     (off_t)(map->offset + map->address - map->start)) == sizeof(bytes) &&
	       !memcmp(bytes, at, sizeof(bytes));
}

static bool for_reading(int got)
{
	return (fcntl(got, F_GETFL) & O_ACCMODE) == O_RDONLY && write(got, "", 1) < 0 &&
	       errno == EBADF && mmap(NULL, page, PROT_WRITE, MAP_SHARED, got, 0) == MAP_FAILED &&
	       errno == EACCES;
}

static void own_program(void)
{
	struct hwpmc_map_fd map;
	int got = dev_map_fd(fd, 0, 0, own, &map);

	if (!check(got >= 0, "MAP_FD of an address of this program: %d", got))
		return;
	check(of_program(got), "it opens the program");
	check(as_maps(&map), "it returns start, length and offset: %#llx, %#llx, %#llx", map.start,
	      map.length, map.offset);
	check(same_bytes(&map), "the file has the code at that offset");
	check(for_reading(got), "the descriptor is for reading only");
	check(fcntl(got, F_GETFD) & FD_CLOEXEC, "exec closes the descriptor");
	close(got);
}

/* A new file, each page of which has another byte. */
static void fill(int file, unsigned int pages)
{
	char *bytes = malloc(page);
	unsigned int i;

	for (i = 0; i < pages; i++) {
		memset(bytes, 'a' + i, page);
		if (write(file, bytes, page) != (ssize_t)page)
			die("a file: %s", strerror(errno));
	}
	free(bytes);
}

static char *map_file(void *at, int file, size_t offset, int prot)
{
	char *map = mmap(at, 2 * page, prot, MAP_PRIVATE | (at ? MAP_FIXED : 0), file,
			 (off_t)offset);

	if (map == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	return map;
}

/* Maps two pages of code, from the second page of @file on, with nothing before and after. */
static void mapped(int file, const char *what)
{
	char *around = mmap(NULL, 4 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *code = map_file(around + page, file, page, PROT_READ | PROT_EXEC);
	struct hwpmc_map_fd map;
	struct stat want;
	int got;

	fstat(file, &want);
	got = dev_map_fd(fd, 0, 0, code + page + 5, &map);
	check(got >= 0 && same_file(got, &want), "MAP_FD of %s: %d", what, got);
	check(map.start == (uintptr_t)code && map.length == 2 * page && map.offset == page &&
	      same_bytes(&map), "%s: start, length and offset", what);
	check(for_reading(got),
	      "%s, mapped from a writable file: the descriptor is for reading only", what);
	close(got);
	check(!close(dev_map_fd(fd, 0, 0, code, &map)), "%s: the first byte", what);
	check(!close(dev_map_fd(fd, 0, 0, code + 2 * page - 1, &map)), "%s: the last byte", what);
	refused(fd, dev_map_fd(fd, 0, 0, code - 1, &map), ENOENT, "mapping", "MAP_FD before %s",
		what);
	check(map.fd == -1 && !map.start && !map.length && !map.offset,
	      "a failed MAP_FD returns nothing");
	refused(fd, dev_map_fd(fd, 0, 0, code + 2 * page, &map), ENOENT, "mapping",
		"MAP_FD after %s", what);
	munmap(around, 4 * page);
}

static void kinds_of_files(void)
{
	int file = open(CODE, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0700), memfd;

	if (file < 0)
		die(CODE ": %s", strerror(errno));
	fill(file, 4);
	mapped(file, "a file");
	unlink(CODE);
	mapped(file, "a deleted file");
	memfd = open(CODE, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	mapped(file, "a file that another has replaced");
	unlink(CODE);
	close(memfd);
	close(file);
	memfd = memfd_create("code", MFD_CLOEXEC);
	fill(memfd, 4);
	mapped(memfd, "a memfd");
	close(memfd);
}

static void no_file(const void *at, const char *what)
{
	struct hwpmc_map_fd map;

	refused(fd, dev_map_fd(fd, 0, 0, at, &map), ENOENT, "mapping", "MAP_FD of %s", what);
}

/* Memory for which the kernel creates a file that nobody can open. */
static void kernels_files(void)
{
	int zero = open("/dev/zero", O_RDWR), id = shmget(IPC_PRIVATE, page, IPC_CREAT | 0700);
	void *at = mmap(NULL, page, PROT_READ | PROT_EXEC, MAP_SHARED, zero, 0);

	if (at == MAP_FAILED)
		skip("shared memory of /dev/zero: %s", strerror(errno));
	else
		no_file(at, "shared memory of /dev/zero");
	at = mmap(NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE, zero, 0);
	if (at == MAP_FAILED)
		skip("a device: %s", strerror(errno));
	else
		no_file(at, "a device");
	at = mmap(NULL, page, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	no_file(at, "shared anonymous memory");
	at = id < 0 ? (void *)-1 : shmat(id, NULL, SHM_EXEC);
	if (at == (void *)-1)
		skip("memory of shmget(2): %s", strerror(errno));
	else
		no_file(at, "memory of shmget(2)");
	shmctl(id, IPC_RMID, NULL);
	close(zero);
}

static void no_code(void)
{
	int file = open("/proc/self/exe", O_RDONLY);
	char *data = map_file(NULL, file, 0, PROT_READ);
	struct hwpmc_map_fd map;

	no_file(NULL, "address 0");
	no_file((void *)-1UL, "the last address");
	no_file((void *)0xffff800008000000UL, "the kernel's memory");
	no_file(&map, "the stack");
	no_file((void *)getauxval(AT_SYSINFO_EHDR), "[vdso]");
	no_file(data, "data of a file");
	mprotect(data, 2 * page, PROT_READ | PROT_EXEC);
	check(!close(dev_map_fd(fd, 0, 0, data, &map)), "MAP_FD of data that became code");
	mprotect(data, 2 * page, PROT_READ);
	no_file(data, "code that became data");
	munmap(data, 2 * page);
	no_file(data, "what was unmapped");
	no_file(mmap(NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
		"anonymous code");
	close(file);
	kernels_files();
}

static void no_process(void)
{
	struct agent p = agent_start(NULL, NULL);
	int pidfd = syscall(SYS_pidfd_open, p.pid, 0);
	struct hwpmc_map_fd map;

	refused(fd, dev_map_fd(fd, 0x3fffffff, 0, own, &map), ESRCH, "no process",
		"MAP_FD of no process");
	refused(fd, dev_map_fd(fd, -1, 0, own, &map), ESRCH, "no process", "MAP_FD of pid -1");
	refused(fd, dev_map_fd(fd, INT32_MIN, 0, own, &map), ESRCH, "no process",
		"MAP_FD of pid -2^31");
	refused(fd, dev_map_fd(fd, fd, HWPMC_ATTACH_PIDFD, own, &map), EBADF, "pidfd",
		"MAP_FD of a descriptor that is no pidfd");
	refused(fd, dev_map_fd(fd, -1, HWPMC_ATTACH_PIDFD, own, &map), EBADF, "pidfd",
		"MAP_FD of descriptor -1");
	refused(fd, dev_map_fd(fd, 2, 0, own, &map), ENOENT, "mapping",
		"MAP_FD of a kernel thread");
	check(!close(dev_map_fd(fd, pidfd, HWPMC_ATTACH_PIDFD, own, &map)), "MAP_FD by pidfd");
	agent_exit(&p);
	refused(fd, dev_map_fd(fd, p.pid, 0, own, &map), ESRCH, "exited", "MAP_FD of a zombie");
	agent_reap(&p);
	refused(fd, dev_map_fd(fd, p.pid, 0, own, &map), ESRCH, "no process",
		"MAP_FD of a reaped process");
	refused(fd, dev_map_fd(fd, pidfd, HWPMC_ATTACH_PIDFD, own, &map), ESRCH, "exited",
		"MAP_FD of a reaped process by pidfd");
	close(pidfd);
}

static void *idle(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static char state_of(pid_t pid)
{
	char path[64], state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "re");
	if (!file || fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		die("%s", path);
	fclose(file);
	return state;
}

static void threads(void)
{
	struct agent p = agent_start(NULL, NULL);
	struct hwpmc_map_fd map;
	pthread_t thread;
	pid_t pid;

	check(!close(dev_map_fd(fd, agent_thread(&p), 0, own, &map)),
	      "MAP_FD of a process by a thread's id");
	agent_reap(&p);
	pid = fork_tied();
	if (!pid) {
		if (pthread_create(&thread, NULL, idle, NULL))
			_exit(1);
		syscall(SYS_exit, 0);
	}
	check(SOON(state_of(pid) == 'Z'), "(the first thread of a process exits)");
	check(!close(dev_map_fd(fd, pid, 0, own, &map)),
	      "MAP_FD of a process whose first thread has exited and another lives");
	kill(pid, SIGKILL);
	reap(pid);
}

static void after_exec(void)
{
	struct agent p = agent_start(NULL, NULL);
	struct hwpmc_map_fd map;
	struct stat want;
	int before = dev_map_fd(fd, p.pid, 0, own, &map), after;

	check(of_program(before), "MAP_FD of a child: this program");
	check(agent_exec(&p, PROGRAM) && !stat(PROGRAM, &want), "(it executes a copy)");
	after = dev_map_fd(fd, p.pid, 0, own, &map);
	check(same_file(after, &want), "MAP_FD after exec: the copy");
	check(of_program(before), "the descriptor of before is that of this program still");
	close(before);
	close(after);
	agent_reap(&p);
}

/*
 * Runs in a mount namespace of its own, with a copy of this program that no other process can
 * reach.
 */
static void hide(void *arg)
{
	(void)arg;
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", HIDDEN, "tmpfs", 0, NULL) || system("cp " PROGRAM " " HIDDEN "/program"))
		die("a hidden program: %s", strerror(errno));
}

static void hidden(void)
{
	struct hwpmc_map_fd map;
	struct agent p;
	int got;

	mkdir(HIDDEN, 0700);
	p = agent_start(hide, NULL);
	check(agent_exec(&p, HIDDEN "/program") && access(HIDDEN "/program", F_OK),
	      "(a child executes a program that this one cannot reach)");
	got = dev_map_fd(fd, p.pid, 0, own, &map);
	check(got >= 0 && !of_program(got) && same_bytes(&map),
	      "MAP_FD of a program in another mount namespace: %d", got);
	close(got);
	agent_reap(&p);
	rmdir(HIDDEN);
}

static int lowest_fd(void)
{
	int lowest = dup(fd);

	close(lowest);
	return lowest;
}

/* A call that fails at its last step leaves no descriptor. */
static void no_leak(void)
{
	struct hwpmc_map_fd *map = mmap(NULL, page, PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct hwpmc_map_fd again;
	int lowest = lowest_fd();
	struct rlimit limit, few;

	*map = (struct hwpmc_map_fd) { .size = sizeof(*map), .address = (uintptr_t)own };
	mprotect(map, page, PROT_READ);
	refused_silent(ioctl(fd, HWPMC_IOC_MAP_FD, map) ? -errno : 0, EFAULT,
		       "MAP_FD that writes to a read-only page");
	check(lowest_fd() == lowest, "it leaves no descriptor: %d, %d before", lowest_fd(), lowest);
	getrlimit(RLIMIT_NOFILE, &limit);
	few = limit;
	few.rlim_cur = (rlim_t)lowest;
	setrlimit(RLIMIT_NOFILE, &few);
	refused(fd, dev_map_fd(fd, 0, 0, own, &again), EMFILE, "ulimit -n",
		"MAP_FD with no descriptor left");
	setrlimit(RLIMIT_NOFILE, &limit);
	check(dev_map_fd(fd, 0, 0, own, &again) == lowest, "MAP_FD with one takes the lowest");
	close(lowest);
}

int main(int argc, char **argv)
{
	agent_main(argc, argv);
	fd = class_open(60);
	page = (size_t)sysconf(_SC_PAGESIZE);
	file_copy_program(PROGRAM, 0, 0755);
	own_program();
	kinds_of_files();
	no_code();
	no_process();
	threads();
	after_exec();
	hidden();
	no_leak();
	return result();
}
