/* Another host, for LD_PRELOAD: a name and a boot of its own, and file systems without locks. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *boot_of(const char *path) {
    const char *other = getenv("STRANGE_BOOT");
    return other && path && !strcmp(path, "/proc/sys/kernel/random/boot_id") ? other : path;
}

int flock(int file, int how) {
    (void)file;
    (void)how;
    errno = ENOLCK;
    return -1;
}

int gethostname(char *name, size_t length) {
    const char *other = getenv("STRANGE_HOST");
    strncpy(name, other ? other : "strange", length);
    return 0;
}

#define OPEN(called)                                                        \
    int called(const char *path, int flags, ...) {                          \
        va_list more;                                                       \
        va_start(more, flags);                                              \
        int mode = va_arg(more, int);                                       \
        va_end(more);                                                       \
        int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, #called);    \
        return real(boot_of(path), flags, mode);                            \
    }

OPEN(open)
OPEN(open64)
