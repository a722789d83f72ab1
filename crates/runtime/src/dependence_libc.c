/* libc functions in the dependence mode: the real ones, and what they read, wrote, handed out or took back.
 *
 * The instrumenter replaces NAME by __plx_dep_NAME (instrument/src/outside.rs lists the names). Always: behaviour,
 * results and errno are the real function's. */
#define _GNU_SOURCE
#include "dependence.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEP(name) __plx_dep_##name

static inline size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* ---- memory ---- */

void *DEP(memcpy)(void *to, const void *from, size_t n) {
    dep_copies(to, from, n);
    return memcpy(to, from, n);
}
void *DEP(memmove)(void *to, const void *from, size_t n) {
    dep_copies(to, from, n);
    return memmove(to, from, n);
}
void *DEP(mempcpy)(void *to, const void *from, size_t n) {
    dep_copies(to, from, n);
    return mempcpy(to, from, n);
}
void DEP(bcopy)(const void *from, void *to, size_t n) {
    dep_copies(to, from, n);
    memmove(to, from, n);
}
void *DEP(memset)(void *to, int c, size_t n) {
    dep_writes(to, n);
    return memset(to, c, n);
}
void DEP(bzero)(void *to, size_t n) {
    dep_writes(to, n);
    memset(to, 0, n);
}
/* Bytes up to the first difference, at most n. */
static size_t common(const unsigned char *a, const unsigned char *b, size_t n) {
    size_t i = 0;
    while (i < n && a[i] == b[i]) i++;
    return least(n, i + 1);
}
int DEP(memcmp)(const void *a, const void *b, size_t n) {
    size_t seen = common(a, b, n);
    dep_reads(a, seen);
    dep_reads(b, seen);
    return memcmp(a, b, n);
}
void *DEP(memchr)(const void *p, int c, size_t n) {
    void *found = memchr(p, c, n);
    dep_reads(p, found ? (size_t)((char *)found - (const char *)p) + 1 : n);
    return found;
}
void *DEP(memrchr)(const void *p, int c, size_t n) {
    char *found = memrchr(p, c, n);
    const char *from = found ? found : p;
    dep_reads(from, (size_t)((const char *)p + n - from));
    return found;
}
void *DEP(rawmemchr)(const void *p, int c) {
    char *found = rawmemchr(p, c);
    dep_reads(p, (size_t)(found - (const char *)p) + 1);
    return found;
}

/* ---- strings ---- */

size_t DEP(strlen)(const char *s) {
    size_t n = strlen(s);
    dep_reads(s, n + 1);
    return n;
}
size_t DEP(strnlen)(const char *s, size_t most) {
    size_t n = strnlen(s, most);
    dep_reads(s, least(n + 1, most));
    return n;
}
char *DEP(strcpy)(char *to, const char *from) {
    dep_copies(to, from, strlen(from) + 1);
    return strcpy(to, from);
}
char *DEP(stpcpy)(char *to, const char *from) {
    dep_copies(to, from, strlen(from) + 1);
    return stpcpy(to, from);
}
static void bounded_copy(char *to, const char *from, size_t n) {
    size_t len = strnlen(from, n);
    dep_copies(to, from, least(len + 1, n));
    if (len < n) dep_writes(to + len, n - len);
}
char *DEP(strncpy)(char *to, const char *from, size_t n) {
    bounded_copy(to, from, n);
    return strncpy(to, from, n);
}
char *DEP(stpncpy)(char *to, const char *from, size_t n) {
    bounded_copy(to, from, n);
    return stpncpy(to, from, n);
}
char *DEP(strcat)(char *to, const char *from) {
    size_t before = strlen(to);
    dep_reads(to, before + 1);
    dep_copies(to + before, from, strlen(from) + 1);
    return strcat(to, from);
}
char *DEP(strncat)(char *to, const char *from, size_t n) {
    size_t before = strlen(to), len = strnlen(from, n);
    dep_reads(to, before + 1);
    dep_copies(to + before, from, len);
    dep_writes(to + before + len, 1);
    return strncat(to, from, n);
}
static void compared(const char *a, const char *b, size_t most) {
    size_t i = 0;
    while (i < most && a[i] == b[i] && a[i]) i++;
    size_t seen = least(most, i + 1);
    dep_reads(a, seen);
    dep_reads(b, seen);
}
/* Where the order is not the bytes' the whole strings matter. */
static void both(const char *a, const char *b, size_t most) {
    dep_reads(a, least(most, strnlen(a, most) + 1));
    dep_reads(b, least(most, strnlen(b, most) + 1));
}
int DEP(strcmp)(const char *a, const char *b) {
    compared(a, b, SIZE_MAX);
    return strcmp(a, b);
}
int DEP(strncmp)(const char *a, const char *b, size_t n) {
    compared(a, b, n);
    return strncmp(a, b, n);
}
int DEP(strcasecmp)(const char *a, const char *b) {
    both(a, b, SIZE_MAX / 2);
    return strcasecmp(a, b);
}
int DEP(strncasecmp)(const char *a, const char *b, size_t n) {
    both(a, b, n);
    return strncasecmp(a, b, n);
}
int DEP(strcoll)(const char *a, const char *b) {
    both(a, b, SIZE_MAX / 2);
    return strcoll(a, b);
}
char *DEP(strchr)(const char *s, int c) {
    char *found = strchr(s, c);
    dep_reads(s, found ? (size_t)(found - s) + 1 : strlen(s) + 1);
    return found;
}
char *DEP(index)(const char *s, int c) { return DEP(strchr)(s, c); }
char *DEP(strchrnul)(const char *s, int c) {
    char *found = strchrnul(s, c);
    dep_reads(s, (size_t)(found - s) + 1);
    return found;
}
/* Functions that look at whole strings and only read. */
#define READS_STRING(result, name)                        \
    result DEP(name)(const char *s, int c) {              \
        dep_reads(s, strlen(s) + 1);                      \
        return name(s, c);                                \
    }
#define READS_STRINGS(result, name)                       \
    result DEP(name)(const char *a, const char *b) {      \
        both(a, b, SIZE_MAX / 2);                         \
        return name(a, b);                                \
    }
READS_STRING(char *, strrchr)
READS_STRING(char *, rindex)
READS_STRINGS(char *, strstr)
READS_STRINGS(char *, strcasestr)
READS_STRINGS(char *, strpbrk)
READS_STRINGS(size_t, strspn)
READS_STRINGS(size_t, strcspn)

#define READS_NUMBER(result, name)                                   \
    result DEP(name)(const char *s, char **end, int base) {          \
        char *stop;                                                  \
        result value = name(s, &stop, base);                         \
        dep_reads(s, (size_t)(stop - s) + 1);                        \
        if (end) {                                                   \
            *end = stop;                                             \
            dep_writes(end, sizeof *end);                            \
        }                                                            \
        return value;                                                \
    }
READS_NUMBER(long, strtol)
READS_NUMBER(unsigned long, strtoul)
READS_NUMBER(long long, strtoll)
READS_NUMBER(unsigned long long, strtoull)
int DEP(atoi)(const char *s) {
    dep_reads(s, strlen(s) + 1);
    return atoi(s);
}
long DEP(atol)(const char *s) {
    dep_reads(s, strlen(s) + 1);
    return atol(s);
}

/* ---- the heap ---- */

void *DEP(malloc)(size_t n) { return dep_allocated(malloc(n), n); }
void *DEP(calloc)(size_t n, size_t size) {
    void *p = dep_allocated(calloc(n, size), n * size);
    if (p) dep_writes(p, n * size);
    return p;
}
void DEP(free)(void *p) {
    dep_freed(p);
    free(p);
}
void *DEP(realloc)(void *p, size_t n) {
    size_t kept = p ? least(malloc_usable_size(p), n) : 0;
    void *new = realloc(p, n);
    if (!new && n) return new;
    /* Also in place it is a new object, with the old content. */
    dep_reads(p, kept);
    dep_freed(p);
    dep_allocated(new, n);
    if (new) dep_writes(new, kept);
    return new;
}
void *DEP(reallocarray)(void *p, size_t n, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return DEP(realloc)(p, bytes);
}
int DEP(posix_memalign)(void **p, size_t alignment, size_t n) {
    int failed = posix_memalign(p, alignment, n);
    if (!failed) {
        dep_allocated(*p, n);
        dep_writes(p, sizeof *p);
    }
    return failed;
}
void *DEP(aligned_alloc)(size_t alignment, size_t n) { return dep_allocated(aligned_alloc(alignment, n), n); }
void *DEP(memalign)(size_t alignment, size_t n) { return dep_allocated(memalign(alignment, n), n); }
static char *copied(char *new, const char *from, size_t len) {
    if (!new) return new;
    dep_allocated(new, len + 1);
    dep_copies(new, from, len);
    dep_writes(new + len, 1);
    return new;
}
char *DEP(strdup)(const char *s) { return copied(strdup(s), s, strlen(s)); }
char *DEP(strndup)(const char *s, size_t n) { return copied(strndup(s, n), s, strnlen(s, n)); }

/* ---- input and output ---- */

ssize_t DEP(read)(int fd, void *p, size_t n) {
    ssize_t got = read(fd, p, n);
    if (got > 0) dep_writes(p, (size_t)got);
    return got;
}
ssize_t DEP(pread)(int fd, void *p, size_t n, off_t at) {
    ssize_t got = pread(fd, p, n, at);
    if (got > 0) dep_writes(p, (size_t)got);
    return got;
}
ssize_t DEP(write)(int fd, const void *p, size_t n) {
    dep_reads(p, n);
    return write(fd, p, n);
}
ssize_t DEP(pwrite)(int fd, const void *p, size_t n, off_t at) {
    dep_reads(p, n);
    return pwrite(fd, p, n, at);
}
#define STREAM_BLOCK(read_name, write_name)                                         \
    size_t DEP(read_name)(void *p, size_t size, size_t n, FILE *f) {                \
        size_t got = read_name(p, size, n, f);                                      \
        dep_writes(p, got *size);                                                   \
        return got;                                                                 \
    }                                                                               \
    size_t DEP(write_name)(const void *p, size_t size, size_t n, FILE *f) {         \
        dep_reads(p, size *n);                                                      \
        return write_name(p, size, n, f);                                           \
    }
STREAM_BLOCK(fread, fwrite)
STREAM_BLOCK(fread_unlocked, fwrite_unlocked)
#define STREAM_LINE(get, put)                                                       \
    char *DEP(get)(char *p, int n, FILE *f) {                                       \
        char *got = get(p, n, f);                                                   \
        if (got) dep_writes(p, strlen(p) + 1);                                      \
        return got;                                                                 \
    }                                                                               \
    int DEP(put)(const char *s, FILE *f) {                                          \
        dep_reads(s, strlen(s) + 1);                                                \
        return put(s, f);                                                           \
    }
STREAM_LINE(fgets, fputs)
STREAM_LINE(fgets_unlocked, fputs_unlocked)
int DEP(puts)(const char *s) {
    dep_reads(s, strlen(s) + 1);
    return puts(s);
}
ssize_t DEP(getdelim)(char **line, size_t *size, int delimiter, FILE *f) {
    char *before = *line;
    size_t capacity = *size;
    ssize_t got = getdelim(line, size, delimiter, f);
    dep_reads(line, sizeof *line);
    dep_reads(size, sizeof *size);
    if (*line != before || *size != capacity) {
        dep_freed(before);
        dep_allocated(*line, *size);
        dep_writes(line, sizeof *line);
        dep_writes(size, sizeof *size);
    }
    if (got >= 0) dep_writes(*line, (size_t)got + 1);
    return got;
}
ssize_t DEP(getline)(char **line, size_t *size, FILE *f) { return DEP(getdelim)(line, size, '\n', f); }
ssize_t DEP(readlink)(const char *path, char *p, size_t n) {
    ssize_t got = readlink(path, p, n);
    dep_reads(path, strlen(path) + 1);
    if (got > 0) dep_writes(p, (size_t)got);
    return got;
}
char *DEP(getcwd)(char *p, size_t n) {
    char *got = getcwd(p, n);
    if (got && p) dep_writes(got, strlen(got) + 1);
    if (got && !p) copied(got, got, strlen(got));
    return got;
}
int DEP(stat)(const char *path, struct stat *s) {
    dep_reads(path, strlen(path) + 1);
    int failed = stat(path, s);
    if (!failed) dep_writes(s, sizeof *s);
    return failed;
}
int DEP(lstat)(const char *path, struct stat *s) {
    dep_reads(path, strlen(path) + 1);
    int failed = lstat(path, s);
    if (!failed) dep_writes(s, sizeof *s);
    return failed;
}
int DEP(fstat)(int fd, struct stat *s) {
    int failed = fstat(fd, s);
    if (!failed) dep_writes(s, sizeof *s);
    return failed;
}

/* ---- sorting ---- */

void DEP(qsort)(void *base, size_t n, size_t size, int (*compare)(const void *, const void *)) {
    qsort(base, n, size, compare);
    dep_reads(base, n * size);
    dep_writes(base, n * size);
}
