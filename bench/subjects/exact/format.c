/* Formats arguments by a template: %s text, %d number, %x hexadecimal, %c first letter, %% per cent. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
    char bytes[128];
    size_t len;
    int full;
};

static void add(struct text *t, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(t->bytes + t->len, sizeof t->bytes - t->len, format, arguments);
    va_end(arguments);
    if (n < 0 || t->len + (size_t)n >= sizeof t->bytes)
        t->full = 1;
    else
        t->len += (size_t)n;
}

static const char *pad(struct text *t, const char *p, const char *value) {
    int width = 0, left = 0;
    if (*p == '-') {
        left = 1;
        p++;
    }
    while (*p >= '0' && *p <= '9' && width < 100)
        width = width * 10 + (*p++ - '0');
    int fill = width - (int)strlen(value);
    for (int i = 0; !left && i < fill; i++)
        add(t, " ");
    switch (*p) {
    case 's': add(t, "%s", value); break;
    case 'd': add(t, "%d", atoi(value)); break;
    case 'x': add(t, "%lx", strtoul(value, NULL, 10)); break;
    case 'c': add(t, "%c", *value ? *value : '?'); break;
    default: return NULL;
    }
    for (int i = 0; left && i < fill; i++)
        add(t, " ");
    return p + 1;
}

int main(int argc, char **argv) {
    struct text t = {.len = 0};
    int used = 2;
    if (argc < 2)
        return 2;
    for (const char *p = argv[1]; p && *p;) {
        if (*p != '%') {
            add(&t, "%c", *p++);
        } else if (p[1] == '%') {
            add(&t, "%%");
            p += 2;
        } else {
            p = used < argc ? pad(&t, p + 1, argv[used++]) : NULL;
            if (!p) {
                fputs("bad template\n", stderr);
                return 1;
            }
        }
    }
    if (t.full)
        return 3;
    for (char *word = strtok(t.bytes, ","); word; word = strtok(NULL, ","))
        printf("[%s]\n", word);
    return 0;
}
