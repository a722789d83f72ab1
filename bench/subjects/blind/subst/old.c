/* subst s/regex/text/flags   -- the substitute command of ed, alone.
   Regex: . [] * + ? ^ $ \c ; text: & and \n \t ; flags: g i p or a number */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ctype.h>

#define MAXATOM 40
enum { LITERAL, ANY, CLASS, BOL, EOL };

struct atom {
	int type;
	int ch;
	unsigned char set[32];
	int min, max;          /* max < 0: no limit */
};

struct script {
	struct atom atoms[MAXATOM];
	int natoms;
	char text[128];
	int global, which, ignore, print;
};

static void fail(const char *msg)
{
	fprintf(stderr, "subst: %s\n", msg);
	exit(2);
}

static void setbit(unsigned char *set, int c) { set[c >> 3] |= (unsigned char)(1 << (c & 7)); }
static int getbit(const unsigned char *set, int c) { return set[c >> 3] >> (c & 7) & 1; }

static const char *parse_class(const char *p, struct atom *a)
{
	int neg = 0, i, c, d;

	if (*p == '^') { neg = 1; p++; }
	do {
		if (!*p) fail("unterminated [");
		c = d = (unsigned char)*p++;
		if (*p == '-' && p[1] && p[1] != ']') {
			d = (unsigned char)p[1];
			p += 2;
		}
		for (; c <= d; c++) setbit(a->set, c);
	} while (*p != ']');
	if (neg)
		for (i = 0; i < 32; i++) a->set[i] = (unsigned char)~a->set[i];
	return p + 1;
}

static const char *parse_regex(struct script *s, const char *p, char delim)
{
	while (*p && *p != delim) {
		struct atom *a;

		if (s->natoms == MAXATOM) fail("regex too long");
		a = &s->atoms[s->natoms];
		if ((*p == '*' || *p == '+' || *p == '?') && s->natoms > 0) {
			a--;
			if (a->type == BOL || a->type == EOL) fail("nothing to repeat");
			a->min = *p == '+' ? 1 : 0;
			a->max = *p == '?' ? 1 : -1;
			p++;
			continue;
		}
		memset(a, 0, sizeof *a);
		a->min = a->max = 1;
		s->natoms++;
		switch (*p) {
		case '.': a->type = ANY; p++; break;
		case '[': a->type = CLASS; p = parse_class(p + 1, a); break;
		case '^': a->type = BOL; p++; break;
		case '$': a->type = EOL; p++; break;
		case '\\':
			if (!*++p) fail("trailing backslash");
			/* fall through */
		default: a->type = LITERAL; a->ch = (unsigned char)*p++;
		}
	}
	if (*p != delim) fail("unterminated regex");
	return p + 1;
}

static void parse(struct script *s, const char *p)
{
	char delim;
	size_t n = 0;

	memset(s, 0, sizeof *s);
	s->which = 1;
	if (*p++ != 's' || !ispunct((unsigned char)*p)) fail("expected s/regex/text/");
	delim = *p++;
	p = parse_regex(s, p, delim);
	while (*p && *p != delim) {
		if (n + 2 >= sizeof s->text) fail("text too long");
		if (*p == '\\' && p[1]) s->text[n++] = *p++;
		s->text[n++] = *p++;
	}
	if (*p++ != delim) fail("unterminated text");
	for (; *p; p++) {
		if (*p == 'g') s->global = 1;
		else if (*p == 'i') s->ignore = 1;
		else if (*p == 'p') s->print = 1;
		else if (*p >= '1' && *p <= '9') s->which = *p - '0';
		else fail("unknown flag");
	}
}

static int one(const struct script *s, const struct atom *a, int c)
{
	if (c == 0) return 0;
	switch (a->type) {
	case ANY: return 1;
	case CLASS:
		return getbit(a->set, c) || (s->ignore && (getbit(a->set, tolower(c)) || getbit(a->set, toupper(c))));
	default: return s->ignore ? tolower(c) == tolower(a->ch) : c == a->ch;
	}
}

/* length of the match of atoms i.. at pos, or -1 */
static int try_at(const struct script *s, int i, const char *line, int pos)
{
	const struct atom *a;
	int n = 0, r;

	if (i == s->natoms) return 0;
	a = &s->atoms[i];
	if (a->type == BOL) return pos == 0 ? try_at(s, i + 1, line, pos) : -1;
	if (a->type == EOL) return line[pos] == 0 ? try_at(s, i + 1, line, pos) : -1;
	while ((a->max < 0 || n < a->max) && one(s, a, (unsigned char)line[pos + n])) n++;
	for (; n >= a->min; n--) {
		r = try_at(s, i + 1, line, pos + n);
		if (r >= 0) return n + r;
	}
	return -1;
}

static void emit_text(const char *t, const char *m, int len)
{
	for (; *t; t++) {
		if (*t == '&') printf("%.*s", len, m);
		else if (*t == '\\') {
			t++;
			putchar(*t == 'n' ? '\n' : *t == 't' ? '\t' : *t);
		} else putchar(*t);
	}
}

static int edit(const struct script *s, const char *line)
{
	int pos = 0, seen = 0, done = 0, len;

	for (;;) {
		len = try_at(s, 0, line, pos);
		if (len >= 0) {
			seen++;
			if (s->global ? seen >= s->which : seen == s->which) {
				emit_text(s->text, line + pos, len);
				done++;
			} else printf("%.*s", len, line + pos);
			pos += len;
		}
		if (!line[pos]) break;
		if (len <= 0) putchar(line[pos++]);
	}
	putchar('\n');
	return done;
}

int main(int argc, char **argv)
{
	struct script s;
	char line[300];
	int total = 0;

	if (argc != 2) {
		fprintf(stderr, "usage: subst s/regex/text/[gip1-9]\n");
		return 2;
	}
	parse(&s, argv[1]);
	while (fgets(line, sizeof line, stdin)) {
		line[strcspn(line, "\n")] = 0;
		total += edit(&s, line);
	}
	if (s.print) printf("%d replaced\n", total);
	return total ? 0 : 1;
}
