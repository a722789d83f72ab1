/* What the tests of stdio and descriptor models ask of the hooks: see hooks_io.c. */
#ifndef PLX_HOOKS_IO_H
#define PLX_HOOKS_IO_H

#include "harness.h"

/* Calls of __plx_stream_filled, __plx_stream_ended and __plx_fd_read so far. */
extern unsigned hook_filled, hook_ended, hook_fd_reads;
/* From now on the output events of this descriptor are kept. */
void record_output(int fd);
/* What was kept. */
const char *recorded_output(size_t *n);

#endif
