/* A disk that fails, for any process: LD_PRELOAD=faulty_disk.so

   FAULTY_DISK_FOLDER   files below it are on that disk
   FAULTY_DISK_ORDERS   a file with a fault and how often it comes, as `ENOSPC 0.2`; empty: none

   The fault is EIO, ENOSPC, EDQUOT, ESTALE, short or slow. For each time that it came, the file
   beside the orders whose name ends with `.hits` grows by a byte. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#define LONGEST 4096
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define SHORT (-1)

static const struct { const char *name; int number; } faults[] = {
    {"EIO", EIO}, {"ENOSPC", ENOSPC}, {"EDQUOT", EDQUOT}, {"ESTALE", ESTALE}, {"short", SHORT},
};

static int is_below(const char *path) {
    const char *folder = getenv("FAULTY_DISK_FOLDER");
    return folder && path && strncmp(path, folder, strlen(folder)) == 0;
}

static int is_open_below(int file) {
    char name[64], path[LONGEST];
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    ssize_t length = readlink(name, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return is_below(path);
}

static void count_hit(const char *orders) {
    char path[LONGEST];
    snprintf(path, sizeof path, "%s.hits", orders);
    long file = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT, 0600);
    if (file < 0) return;
    syscall(SYS_write, file, ".", 1);
    syscall(SYS_close, file);
}

static double draw(void) {
    static __thread unsigned int state;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!state) state = (unsigned int)(now.tv_nsec ^ getpid());
    return rand_r(&state) / (double)RAND_MAX;
}

/* The number of the error to fail with, SHORT, or 0 where all is well. */
static int fault(int below) {
    const char *orders = getenv("FAULTY_DISK_ORDERS");
    char text[64], name[32] = "";
    double share = 0;
    int before = errno, number = 0;
    if (!below || !orders) return 0;
    long file = syscall(SYS_openat, AT_FDCWD, orders, O_RDONLY, 0);
    ssize_t length = file < 0 ? 0 : syscall(SYS_read, file, text, sizeof text - 1);
    if (file >= 0) syscall(SYS_close, file);
    errno = before;
    text[length > 0 ? length : 0] = 0;
    if (sscanf(text, "%31s %lf", name, &share) != 2 || draw() >= share) return 0;
    count_hit(orders);
    if (strcmp(name, "slow") == 0) usleep(30000);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (strcmp(name, faults[i].name) == 0) number = faults[i].number;
    if (number > 0) errno = number; else errno = before;
    return number;
}

ssize_t write(int file, const void *data, size_t length) {
    int number = fault(is_open_below(file));
    if (number > 0) return -1;
    return REAL(write)(file, data, number == SHORT && length > 1 ? length / 2 : length);
}

int fsync(int file) { return fault(is_open_below(file)) > 0 ? -1 : REAL(fsync)(file); }

int ftruncate(int file, off_t size) {
    return fault(is_open_below(file)) > 0 ? -1 : REAL(ftruncate)(file, size);
}

int ftruncate64(int file, off64_t size) {
    return fault(is_open_below(file)) > 0 ? -1 : REAL(ftruncate64)(file, size);
}

int rename(const char *old, const char *new) {
    return fault(is_below(new)) > 0 ? -1 : REAL(rename)(old, new);
}

int mkdir(const char *path, mode_t mode) {
    return fault(is_below(path)) > 0 ? -1 : REAL(mkdir)(path, mode);
}

static int is_snapshot(const char *path) {
    size_t length = strlen(path);
    return length > 9 && strcmp(path + length - 9, ".snapshot") == 0;
}

static mode_t mode_of(int flags, va_list more) {
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
}

/* Files are made, and snapshots are read, on the disk; what else is read is not looked at. */
static int opens_with_fault(const char *path, int flags) {
    return fault(is_below(path) && (flags & O_CREAT || is_snapshot(path))) > 0;
}

#define OPEN(name)                                              \
    int name(const char *path, int flags, ...) {                \
        va_list more;                                           \
        va_start(more, flags);                                  \
        mode_t mode = mode_of(flags, more);                     \
        va_end(more);                                           \
        if (opens_with_fault(path, flags)) return -1;           \
        return REAL(name)(path, flags, mode);                   \
    }
OPEN(open)
OPEN(open64)
