/* inhconf - query an INI file with section inheritance and interpolation.
 *
 * usage: inhconf [-r] FILE SECTION KEY
 *
 *   [name]  or  [name : parent]
 *   key = value             value may contain ${key} and ${section.key}
 *   ; comment
 * -r prints the raw value.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ctype.h>

#define MAXSECT 16
#define MAXKEYS 16
#define NAMELEN 24
#define VALLEN 64
#define OUTLEN 256
#define MAXDEPTH 6

struct pair {
    char key[NAMELEN];
    char value[VALLEN];
};

struct section {
    char name[NAMELEN];
    int parent;                 /* index or -1; always an earlier section */
    int n;
    struct pair pair[MAXKEYS];
};

struct conf {
    int n;
    struct section sect[MAXSECT];
};

static int err(const char *msg, const char *what)
{
    fprintf(stderr, "inhconf: %s '%s'\n", msg, what);
    return -1;
}

static char *trim(char *s)
{
    char *end;

    while (isspace((unsigned char)*s))
        s++;
    end = s + strlen(s);
    while (end > s && isspace((unsigned char)end[-1]))
        end--;
    *end = '\0';
    return s;
}

static int valid_name(const char *s)
{
    size_t len = strlen(s);

    if (len == 0 || len >= NAMELEN)
        return 0;
    for (; *s; s++)
        if (!isalnum((unsigned char)*s) && *s != '_')
            return 0;
    return 1;
}

static int find_section(const struct conf *c, const char *name)
{
    int i;

    for (i = 0; i < c->n; i++)
        if (strcmp(c->sect[i].name, name) == 0)
            return i;
    return -1;
}

static int add_section(struct conf *c, char *s)
{
    char *colon = strchr(s, ':');
    char *name;
    int parent = -1;

    if (colon != NULL) {
        *colon = '\0';
        name = trim(colon + 1);
        if ((parent = find_section(c, name)) < 0)
            return err("unknown parent", name);
    }
    name = trim(s);
    if (!valid_name(name) || find_section(c, name) >= 0)
        return err("bad section", name);
    if (c->n == MAXSECT)
        return err("too many sections", name);
    strcpy(c->sect[c->n].name, name);
    c->sect[c->n].parent = parent;
    c->sect[c->n].n = 0;
    c->n++;
    return 0;
}

static int add_pair(struct conf *c, char *s)
{
    char *eq = strchr(s, '=');
    char *key, *value;
    struct section *t;
    int i;

    if (eq == NULL)
        return err("no '=' in", s);
    *eq = '\0';
    key = trim(s);
    value = trim(eq + 1);
    if (!valid_name(key) || strlen(value) >= VALLEN)
        return err("bad entry", key);
    if (c->n == 0)
        return err("entry outside a section", key);
    t = &c->sect[c->n - 1];
    for (i = 0; i < t->n && strcmp(t->pair[i].key, key) != 0; i++)
        ;
    if (i == MAXKEYS)
        return err("too many keys", key);
    if (i == t->n)
        t->n++;
    strcpy(t->pair[i].key, key);
    strcpy(t->pair[i].value, value);
    return 0;
}

static int load(struct conf *c, FILE *fp)
{
    char buf[160];

    while (fgets(buf, sizeof buf, fp) != NULL) {
        char *s = trim(buf);
        size_t len = strlen(s);

        if (len == 0 || *s == ';')
            continue;
        if (*s == '[') {
            if (s[len - 1] != ']')
                return err("bad section", s);
            s[len - 1] = '\0';
            if (add_section(c, s + 1) < 0)
                return -1;
        } else if (add_pair(c, s) < 0) {
            return -1;
        }
    }
    return 0;
}

/* The value of key in section s or one of its ancestors; *home is set to the
 * section that holds it. */
static const char *lookup(const struct conf *c, int s, const char *key,
                          int *home)
{
    int i;

    for (; s >= 0; s = c->sect[s].parent)
        for (i = 0; i < c->sect[s].n; i++)
            if (strcmp(c->sect[s].pair[i].key, key) == 0) {
                *home = s;
                return c->sect[s].pair[i].value;
            }
    return NULL;
}

static int expand(const struct conf *c, int s, const char *key, char *out,
                  int depth)
{
    int home;
    const char *v = lookup(c, s, key, &home);

    if (v == NULL)
        return err("no key", key);
    if (depth > MAXDEPTH)
        return err("recursion at", key);
    while (*v) {
        char ref[VALLEN], *dot, *name = ref;
        const char *close;
        int from = home;
        size_t len = strlen(out);

        if (v[0] != '$' || v[1] != '{') {
            if (len + 1 >= OUTLEN)
                return err("value too long", key);
            out[len] = *v++;
            out[len + 1] = '\0';
            continue;
        }
        if ((close = strchr(v, '}')) == NULL)
            return err("unclosed reference in", key);
        memcpy(ref, v + 2, close - v - 2);
        ref[close - v - 2] = '\0';
        v = close + 1;
        if ((dot = strchr(ref, '.')) != NULL) {
            *dot = '\0';
            name = dot + 1;
            if ((from = find_section(c, ref)) < 0)
                return err("no section", ref);
        }
        if (expand(c, from, name, out, depth + 1) < 0)
            return -1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    static struct conf conf;
    char out[OUTLEN] = "";
    FILE *fp;
    int raw = 0, rc, s, home;

    if (argc > 1 && strcmp(argv[1], "-r") == 0) {
        raw = 1;
        argv++;
        argc--;
    }
    if (argc != 4) {
        fprintf(stderr, "usage: inhconf [-r] file section key\n");
        return 2;
    }
    if ((fp = fopen(argv[1], "r")) == NULL) {
        err("cannot open", argv[1]);
        return 2;
    }
    rc = load(&conf, fp);
    fclose(fp);
    if (rc < 0)
        return 2;
    if ((s = find_section(&conf, argv[2])) < 0) {
        err("no section", argv[2]);
        return 1;
    }
    if (raw) {
        const char *v = lookup(&conf, s, argv[3], &home);

        if (v == NULL) {
            err("no key", argv[3]);
            return 1;
        }
        printf("%s.%s = %s\n", conf.sect[home].name, argv[3], v);
        return 0;
    }
    if (expand(&conf, s, argv[3], out, 0) < 0)
        return 1;
    puts(out);
    return 0;
}
