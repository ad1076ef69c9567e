// SPDX-License-Identifier: GPL-2.0-only
/*
 * MAP_FD needs the right to read the file, and to follow each thread of the process, also if the
 * process executes a set-id program meanwhile. rights_matrix has the other cases.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "file.h"
#include "test_class.h"

#define USER	1000
#define SETUID	"/tmp/map-fd-setuid"
#define SECRET	"/tmp/map-fd-secret"
#define ROUNDS	50

static const void *secret;		/* code in a file that only root may read; each child maps it */
static struct agent target;		/* of USER */

static const void *own(void)
{
	return own;
}

static void as_uid(void *arg)
{
	(void)arg;
	become(USER, 0);
}

static void map_secret(void)
{
	char bytes[] = "secret";
	int file = open(SECRET, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (file < 0 || write(file, bytes, sizeof(bytes)) != sizeof(bytes))
		die(SECRET ": %s", strerror(errno));
	secret = mmap(NULL, sizeof(bytes), PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
	if (secret == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	close(file);
}

/* The caller may follow a process that has mapped a file which the caller may not read. */
static void unreadable(void *arg)
{
	struct hwpmc_map_fd map;

	check(!close(dev_map_fd(user_fd, target.pid, 0, own, &map)), "%s: MAP_FD of a program",
	      (char *)arg);
	refused(user_fd, dev_map_fd(user_fd, target.pid, 0, secret, &map), EACCES, "read",
		"%s: MAP_FD of a file that it may not read", (char *)arg);
	check(map.fd == -1 && !strcmp(secret, "secret"), "%s: no descriptor, although the caller has mapped the file, too",
	      (char *)arg);
	refused(user_fd, dev_map_fd(user_fd, 0, 0, secret, &map), EACCES, "read",
		"%s: MAP_FD of its own mapping of that file", (char *)arg);
}

static void readable(void *arg)
{
	struct hwpmc_map_fd map;

	check(!close(dev_map_fd(user_fd, target.pid, 0, secret, &map)), "%s: MAP_FD of that file",
	      (char *)arg);
}

static void *idle(void *arg)
{
	for (;;)
		pause();
	return arg;
}

/* The first thread changes to USER; another one is still root. */
static void split(int ready)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, idle, NULL) ||
	    syscall(SYS_setgroups, 0, NULL) || syscall(SYS_setresgid, USER, USER, USER) ||
	    syscall(SYS_setresuid, USER, USER, USER) || prctl(PR_SET_DUMPABLE, 1) ||
	    write(ready, "", 1) != 1)
		_exit(1);
	idle(NULL);
}

static void of_split(void *arg)
{
	uint32_t id = class_pmc(user_fd, 0);
	pid_t pid = *(pid_t *)arg;
	struct hwpmc_map_fd map;

	refused(user_fd, dev_attach(user_fd, id, pid, 0), EPERM, NULL,
		"ATTACH to a process of the user with a thread of root");
	refused(user_fd, dev_map_fd(user_fd, pid, 0, own, &map), EPERM, "CAP_SYS_PTRACE",
		"MAP_FD of a process of the user with a thread of root");
}

static void each_thread(void)
{
	int ready[2];
	char byte;
	pid_t pid;

	if (pipe(ready))
		die("pipe: %s", strerror(errno));
	pid = fork_tied();
	if (!pid)
		split(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		die("a process with threads of two users");
	as_user("a process with threads of two users", USER, 0, of_split, &pid);
	kill(pid, SIGKILL);
	reap(pid);
	close(ready[0]);
	close(ready[1]);
}

/*
 * Calls MAP_FD until @p executes the set-id program. Returns the number of calls that opened that
 * program or failed otherwise than with EPERM.
 */
static unsigned int until_exec(const struct agent *p, const struct stat *set, unsigned int *opened)
{
	unsigned int wrong = 0;
	struct hwpmc_map_fd map;
	struct stat is;
	int got;

	for (;;) {
		got = dev_map_fd(user_fd, p->pid, 0, own, &map);
		if (got == -EPERM)
			return wrong;
		if (got < 0)
			return wrong + 1;
		wrong += fstat(got, &is) || (is.st_dev == set->st_dev && is.st_ino == set->st_ino);
		close(got);
		++*opened;
	}
}

/*
 * MAP_FD needs the right to follow the process that has the mapping at that time: it never opens
 * the set-id program.
 */
static void race(void *arg)
{
	unsigned int i, opened = 0, wrong = 0;
	struct stat set;

	(void)arg;
	if (stat(SETUID, &set))
		die(SETUID ": %s", strerror(errno));
	for (i = 0; i < ROUNDS; i++) {
		struct agent p = agent_start(NULL, NULL);

		agent_exec_begin(&p, SETUID);
		wrong += until_exec(&p, &set, &opened);
		agent_exec_end(&p);
		agent_reap(&p);
	}
	check(opened && !wrong,
	      "MAP_FD while a process executes a set-id program opens the old one or fails with EPERM: %u opened, %u wrong",
	      opened, wrong);
}

int main(int argc, char **argv)
{
	agent_main(argc, argv);
	close(class_open(120));
	file_copy_program(SETUID, 0, 04755);
	map_secret();
	target = agent_start(as_uid, NULL);
	as_user("a user", USER, 0, unreadable, "a user");
	as_user("CAP_SYS_PTRACE", USER, 1 << CAP_SYS_PTRACE, unreadable, "CAP_SYS_PTRACE");
	as_user("CAP_DAC_READ_SEARCH", USER, 1 << CAP_DAC_READ_SEARCH, readable,
		"CAP_DAC_READ_SEARCH");
	as_user("root", 0, ~0ULL >> 23, readable, "root");
	chmod(SECRET, 0644);
	as_user("a user", USER, 0, readable, "a user, once the file's mode permits it");
	agent_reap(&target);
	each_thread();
	as_user("a race with exec", USER, 0, race, NULL);
	return result();
}
