/* Pairs of streams on equal files, one for the real libc and one for the models.
 *
 * In: random numbers. Out: two streams with the same content, buffering and mode. Always holds:
 * whatever is done to both in the same way must leave them in the same state, which check_pair
 * looks at.
 */
#ifndef PLX_STREAMS_H
#define PLX_STREAMS_H

#include "hooks_io.h"

struct pair {
    FILE *real, *model;
    /* A pipe: no positions. */
    int is_pipe;
};

/* Content of the files: lines, long lines, bytes, numbers. */
size_t any_content(char *dst, size_t most);
/* Streams on files with this content, or on pipes that hold it. */
struct pair open_pair(const char *content, size_t n, const char *mode, int allow_pipe);
/* Streams on empty files that are written to; output events of the model's are recorded. */
struct pair open_output_pair(const char *mode);
/* A random buffering, the same for both. */
void set_buffering(struct pair *p);
/* Position, flags, buffered bytes. */
void check_pair(const char *after, struct pair *p);
/* Closes with the real and the modelled fclose, and compares the files. */
void close_pair(struct pair *p);
/* Likewise, and the output events must be the bytes of the file. */
void close_output_pair(struct pair *p);

#endif
