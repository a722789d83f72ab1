/* A reader of settings, about 200 lines: sections, `name = value` with numbers, booleans and strings,
 * comments; then a few checks and a report. Reads standard input. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SETTINGS 4096
#define MAX_LINE 256

enum type { TEXT, NUMBER, BOOLEAN };

struct setting {
    char section[16];
    char name[32];
    enum type type;
    long number;
    char text[64];
};

struct settings {
    struct setting all[MAX_SETTINGS];
    int count;
    int errors;
    int line;
};

static struct settings settings;

static void complain(const char *what) {
    settings.errors++;
    printf("line %d: %s\n", settings.line, what);
}

/* Removes blanks at both ends. */
static char *trim(char *s) {
    while (isspace((unsigned char)*s))
        s++;
    char *end = s + strlen(s);
    while (end > s && isspace((unsigned char)end[-1]))
        end--;
    *end = '\0';
    return s;
}

static int is_name(const char *s) {
    if (!isalpha((unsigned char)*s) && *s != '_')
        return 0;
    for (; *s; s++)
        if (!isalnum((unsigned char)*s) && *s != '_' && *s != '-')
            return 0;
    return 1;
}

static void cut_comment(char *line) {
    int quoted = 0;
    for (char *p = line; *p; p++) {
        if (*p == '"')
            quoted = !quoted;
        if (*p == '#' && !quoted) {
            *p = '\0';
            return;
        }
    }
}

static int parse_boolean(const char *s, long *value) {
    static const struct {
        const char *word;
        int value;
    } words[] = {{"yes", 1}, {"no", 0}, {"on", 1}, {"off", 0}, {"true", 1}, {"false", 0}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(s, words[i].word) == 0) {
            *value = words[i].value;
            return 1;
        }
    }
    return 0;
}

static int parse_number(const char *s, long *value) {
    char *end;
    *value = strtol(s, &end, 0);
    if (end == s)
        return 0;
    switch (*end) {
    case 'k':
    case 'K':
        *value *= 1024;
        end++;
        break;
    case 'm':
    case 'M':
        *value *= 1024 * 1024;
        end++;
        break;
    case '%':
        if (*value < 0 || *value > 100)
            complain("a percentage is between 0 and 100");
        end++;
        break;
    }
    return *end == '\0';
}

static int parse_text(char *s, char *out, size_t room) {
    size_t n = strlen(s);
    if (n < 2 || s[0] != '"' || s[n - 1] != '"')
        return 0;
    s[n - 1] = '\0';
    size_t to = 0;
    for (char *p = s + 1; *p && to + 1 < room; p++) {
        if (*p == '\\' && p[1]) {
            p++;
            out[to++] = *p == 'n' ? '\n' : *p == 't' ? '\t' : *p;
        } else {
            out[to++] = *p;
        }
    }
    out[to] = '\0';
    return 1;
}

static struct setting *find(const char *section, const char *name) {
    for (int i = 0; i < settings.count; i++) {
        struct setting *s = &settings.all[i];
        if (strcmp(s->section, section) == 0 && strcmp(s->name, name) == 0)
            return s;
    }
    return NULL;
}

static void add(const char *section, const char *name, char *value) {
    if (find(section, name)) {
        complain("set twice");
        return;
    }
    if (settings.count == MAX_SETTINGS) {
        complain("too many settings");
        return;
    }
    struct setting *s = &settings.all[settings.count];
    if (parse_boolean(value, &s->number))
        s->type = BOOLEAN;
    else if (parse_number(value, &s->number))
        s->type = NUMBER;
    else if (parse_text(value, s->text, sizeof s->text))
        s->type = TEXT;
    else {
        complain("neither number nor text nor yes or no");
        return;
    }
    snprintf(s->section, sizeof s->section, "%s", section);
    snprintf(s->name, sizeof s->name, "%s", name);
    settings.count++;
}

static void read_line(char *line, char *section, size_t room) {
    cut_comment(line);
    line = trim(line);
    if (!*line)
        return;
    if (*line == '[') {
        char *end = strchr(line, ']');
        if (!end || end[1]) {
            complain("a section ends with ]");
            return;
        }
        *end = '\0';
        snprintf(section, room, "%s", trim(line + 1));
        return;
    }
    char *equals = strchr(line, '=');
    if (!equals) {
        complain("no = in the line");
        return;
    }
    *equals = '\0';
    char *name = trim(line), *value = trim(equals + 1);
    if (!is_name(name))
        complain("this is not a name");
    else
        add(section, name, value);
}

int main(void) {
    char line[MAX_LINE], section[16] = "";
    while (fgets(line, sizeof line, stdin)) {
        settings.line++;
        read_line(line, section, sizeof section);
    }
    struct setting *size = find("", "size");
    if (size && (size->type != NUMBER || size->number <= 0))
        complain("size is a positive number");
    long sum = 0;
    for (int i = 0; i < settings.count; i++)
        sum += settings.all[i].type == TEXT ? (long)strlen(settings.all[i].text) : settings.all[i].number;
    printf("%d settings, %d errors, sum %ld\n", settings.count, settings.errors, sum);
    return settings.errors > 0;
}
