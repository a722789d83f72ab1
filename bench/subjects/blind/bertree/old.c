/* Print a BER-like file as a tree.
 *
 * Every element is  tag length value.  Bit 0x20 of the tag says that the value
 * consists of elements.  A length byte of 0x81 or 0x82 is followed by one or
 * two bytes that hold the length.  */
#include <stdio.h>
#include <string.h>

#define CONSTRUCTED 0x20
#define MAXDEPTH 3

static unsigned char buf[4096];
static int depth;
static int elements;

static const char *error;

static int stop(const char *msg)
{
	if (!error) error = msg;
	return 0;
}

static void indent(void)
{
	int i;
	for (i = 0; i < depth; i++) printf("  ");
}

static void show_int(unsigned char *p, int n)
{
	long v = p[0] & 0x80 ? -1 : 0;
	while (n-- > 0) v = v * 256 + *p++;
	printf("integer %ld\n", v);
}

static void show_text(unsigned char *p, int n)
{
	int i;
	printf("text \"");
	for (i = 0; i < n; i++)
		if (p[i] >= 32 && p[i] < 127) putchar(p[i]);
		else printf("\\%03o", p[i]);
	printf("\"\n");
}

static int primitive(int tag, unsigned char *p, int n)
{
	switch (tag & 0x1f) {
	case 1:
		if (n != 1) return stop("bad boolean");
		printf("%s\n", *p ? "true" : "false");
		return 1;
	case 2:
		if (n < 1 || n > 4) return stop("bad integer");
		show_int(p, n);
		return 1;
	case 4: case 12:
		show_text(p, n);
		return 1;
	case 5:
		if (n != 0) return stop("bad null");
		printf("null\n");
		return 1;
	}
	printf("tag %d, %d bytes\n", tag & 0x1f, n);
	return 1;
}

/* All elements between p and end; 0 after an error */
static int tree(unsigned char *p, unsigned char *end)
{
	int tag, len;

	if (depth > MAXDEPTH) return stop("nested too deeply");
	while (p < end) {
		tag = *p++;
		if (p == end) return stop("length missing");
		len = *p++;
		if (len & 0x80) {
			int count = len & 0x7f;
			if (count < 1 || count > 2) return stop("bad length");
			if (end - p < count) return stop("length cut off");
			for (len = 0; count > 0; count--) len = len * 256 + *p++;
		}
		if (len > end - p) return stop("value cut off");
		elements++;
		indent();
		if (tag & CONSTRUCTED) {
			printf("[%d] %d\n", tag & 0x1f, len);
			depth++;
			if (len > 0 && !tree(p, p + len)) return 0;
			depth--;
		} else if (!primitive(tag, p, len))
			return 0;
		p += len;
	}
	return 1;
}

int main(int argc, char **argv)
{
	FILE *f;
	size_t n;

	if (argc != 2) {
		fprintf(stderr, "usage: bertree file\n");
		return 2;
	}
	if ((f = fopen(argv[1], "rb")) == NULL) {
		perror(argv[1]);
		return 2;
	}
	n = fread(buf, 1, sizeof buf, f);
	fclose(f);
	if (n == 0) {
		printf("empty\n");
		return 0;
	}
	if (!tree(buf, buf + n)) {
		printf("error: %s\n", error);
		return 1;
	}
	printf("%d elements\n", elements);
	return 0;
}
