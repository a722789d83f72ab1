extern int parallax_function(const unsigned char *, parallax_size) __asm__("LLVMFuzzerTestOneInput");

int main(void) {
    parallax_take_all();
    /* Memory of exactly this size, as a fuzzer gives it. */
    unsigned char *data = parallax_malloc(parallax_given ? parallax_given : 1);
    parallax_copy(data, parallax_input, parallax_given);
    int result = parallax_function(data, parallax_given);
    parallax_scalar("return", &result, sizeof result, 'd');
    parallax_end("LLVMFuzzerTestOneInput");
    return 0;
}
