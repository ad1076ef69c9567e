// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: 32-bit callers use the same structures and numbers. A 64-bit program makes the calls by
 * int 0x80, as 32-bit programs do.
 */
#include <sys/mman.h>

#include "test_class.h"

#if defined(__x86_64__)
#define NR_IOCTL_32	54

static int fd;
static char *low;

/* The structure is copied below 4 GiB. */
static int ioctl_32(unsigned int cmd, void *args, uint32_t size)
{
	long ret;

	memcpy(low, args, size);
	*(uint32_t *)low = size;
	asm volatile("int $0x80"
		     : "=a" (ret)
		     : "a" (NR_IOCTL_32), "b" (fd), "c" (cmd), "d" ((uint32_t)(uintptr_t)low)
		     : "memory", "r8", "r9", "r10", "r11");
	memcpy(args, low, size);
	return ret;
}

static uint64_t in_low(size_t offset)
{
	return (uintptr_t)low + 2048 + offset;
}

int main(void)
{
	struct hwpmc_allocate a = {
		.class_id = HWPMC_CLASS_TSC, .mode = HWPMC_MODE_TC, .cpu = -1,
	};
	struct hwpmc_version v = { .abi = HWPMC_ABI(HWPMC_ABI_MAJOR, 0) };
	struct hwpmc_cpu_info cpus = {};
	struct hwpmc_ids ids = { .count = 1, .ids = 0 };
	struct hwpmc_rw rw = { .flags = HWPMC_RW_OLD, .count = 1 };
	struct hwpmc_map_fd map = { .address = (uintptr_t)ioctl_32 };
	uint64_t first, second;
	char byte = 0;

	fd = class_open(60);
	low = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1,
		   0);
	if (low == MAP_FAILED)
		die("mmap: %s", strerror(errno));
	check(!ioctl_32(HWPMC_IOC_VERSION, &v, sizeof(v)) && v.release[0], "VERSION: %s",
	      v.release);
	check(!ioctl_32(HWPMC_IOC_CPU_INFO, &cpus, sizeof(cpus)) && cpus.rows == test_class.all,
	      "CPU_INFO: %u rows", cpus.rows);
	if (!check(!ioctl_32(HWPMC_IOC_ALLOCATE, &a, sizeof(a)) && a.id, "ALLOCATE: id 0x%x", a.id))
		return result();
	*(uint32_t *)in_low(0) = a.id;
	ids.ids = in_low(0);
	ids.error_text = in_low(1024);
	ids.error_size = 1024;
	rw.ids = in_low(0);
	rw.values = in_low(8);
	check(!ioctl_32(HWPMC_IOC_START, &ids, sizeof(ids)), "START");
	check(!ioctl_32(HWPMC_IOC_RW, &rw, sizeof(rw)), "READ");
	first = *(uint64_t *)in_low(8);
	spin(1);
	check(!ioctl_32(HWPMC_IOC_RW, &rw, sizeof(rw)), "a second READ");
	second = *(uint64_t *)in_low(8);
	check(second > first, "the PMC counts: %llu, %llu", (unsigned long long)first,
	      (unsigned long long)second);
	check(!ioctl_32(HWPMC_IOC_STOP, &ids, sizeof(ids)), "STOP");
	check(!ioctl_32(HWPMC_IOC_RELEASE, &ids, sizeof(ids)), "RELEASE");
	check(ioctl_32(HWPMC_IOC_RELEASE, &ids, sizeof(ids)) == -ENOENT, "a second RELEASE fails with ENOENT");
	check(!strncmp((char *)in_low(1024), "id 0x", 5) &&
	      ids.error_length == strlen((char *)in_low(1024)) + 1,
	      "that RELEASE returns its sentence: %s", (char *)in_low(1024));
	ids.ids = 0xffffffff00000000ULL | in_low(0);
	check(ioctl_32(HWPMC_IOC_RELEASE, &ids, sizeof(ids)) == -EFAULT,
	      "a pointer with bits above the 32nd fails with EFAULT");
	check(!ioctl_32(HWPMC_IOC_MAP_FD, &map, sizeof(map)) &&
	      pread(map.fd, &byte, 1, map.offset + map.address - map.start) == 1 &&
	      byte == *(char *)ioctl_32, "MAP_FD: the program's own file");
	check(ioctl_32(0x12345678, &v, sizeof(v)) == -ENOTTY, "an ioctl with another magic fails with ENOTTY");
	return result();
}
#else
int main(void)
{
	skip("32-bit callers: int 0x80 exists on x86 only");
	return result();
}
#endif
