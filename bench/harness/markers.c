/* The first and the last object of the versions' data: the linker keeps the order of its arguments. */
#ifdef PLX_BEGIN
char plx_data_begin[16] __attribute__((aligned(64))) = {1};
char plx_bss_begin[16] __attribute__((aligned(64)));
#else
char plx_data_end[16] __attribute__((aligned(64))) = {1};
char plx_bss_end[16] __attribute__((aligned(64)));
#endif
