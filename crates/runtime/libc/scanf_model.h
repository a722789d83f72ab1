/* What the files of the scanf models share: the source of characters and one conversion.
 *
 * Always holds: characters come one by one with their labels; one that does not belong to a
 * conversion goes back, as in glibc.
 */
#ifndef PLX_SCANF_MODEL_H
#define PLX_SCANF_MODEL_H

#include "stdio_model.h"

struct scan_source {
    /* Null: `s` is read, up to its terminator. */
    FILE *fp;
    const unsigned char *s;
    /* The character that was read last; after EOF nothing more is read. */
    int c;
    int eof_errno;
    size_t read_in;
};

enum scan_length { SCAN_INT, SCAN_CHAR, SCAN_SHORT, SCAN_LONG, SCAN_LONG_LONG };

struct conversion {
    int suppress, allocate, binary;
    /* -1: no limit. */
    int width;
    enum scan_length length;
    char kind;
    /* Where the result goes, null if suppressed. */
    void *target;
    /* For '[': the characters, and whether they are those that end the match. */
    unsigned char set[256];
    int inverted, endless;
};

enum scan_result {
    SCAN_OK,
    /* End of input before anything was read; text that does not match; bytes that are no
     * character; no memory. */
    SCAN_INPUT,
    SCAN_MISMATCH,
    SCAN_ENCODING,
    SCAN_MEMORY
};

int __plx_scan_next(struct scan_source *in);
void __plx_scan_back(struct scan_source *in);
enum scan_result __plx_scan_integer(struct scan_source *in, const struct conversion *conv);
enum scan_result __plx_scan_float(struct scan_source *in, const struct conversion *conv);
enum scan_result __plx_scan_text(struct scan_source *in, const struct conversion *conv);
enum scan_result __plx_scan_wide(struct scan_source *in, const struct conversion *conv);

#endif
