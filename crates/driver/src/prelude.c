/* What a driver needs besides the types of its function. No header: names of the version must stay free. */
typedef __SIZE_TYPE__ parallax_size;
extern long parallax_read(int, void *, parallax_size) __asm__("read");
extern long parallax_write(int, const void *, parallax_size) __asm__("write");
extern void *parallax_calloc(parallax_size, parallax_size) __asm__("calloc");
extern void *parallax_malloc(parallax_size) __asm__("malloc");
extern void parallax_free_it(void *) __asm__("free");
extern void *parallax_realloc_it(void *, parallax_size) __asm__("realloc");
extern void parallax_leave(int) __asm__("_exit");
extern int parallax_flush(void *) __asm__("fflush");

static unsigned char parallax_input[PARALLAX_INPUT + 1];
static parallax_size parallax_given;
static char parallax_out[1 << 16];
static parallax_size parallax_used;

static void parallax_copy(void *to, const void *from, parallax_size bytes) {
    for (parallax_size i = 0; i < bytes; i++) ((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
}

static void parallax_take_all(void) {
    long got;
    while (parallax_given < PARALLAX_INPUT
           && (got = parallax_read(0, parallax_input + parallax_given, PARALLAX_INPUT - parallax_given)) > 0)
        parallax_given += got;
}

static void parallax_take(void *to, parallax_size at, parallax_size bytes) {
    parallax_copy(to, parallax_input + at, bytes);
}

/* The assumption does not hold: nothing is compared. */
static void parallax_quiet(void) { parallax_leave(0); }

static void parallax_put(char c) {
    if (parallax_used < sizeof parallax_out) parallax_out[parallax_used++] = c;
}

static void parallax_text(const char *text) {
    while (*text) parallax_put(*text++);
}

/* Digits without branches: a formula of them stays small. */
static void parallax_digit(unsigned value) { parallax_put((char)('0' + value + (((9 - (int)value) >> 31) & 39))); }

/* Highest byte first, as a number is read. */
static void parallax_hex(const void *from, parallax_size bytes) {
    while (bytes--) {
        unsigned byte = ((const unsigned char *)from)[bytes];
        parallax_digit(byte >> 4);
        parallax_digit(byte & 15);
    }
}

static void parallax_label(const char *label, char letter) {
    parallax_text(label);
    parallax_put(' ');
    parallax_put(letter);
}

/* Not-a-number is one value, whatever its sign and payload. */
static int parallax_nan(const void *from, parallax_size bytes, char letter) {
    float single;
    double number;
    if (letter != 'f') return 0;
    if (bytes == 4) {
        parallax_copy(&single, from, 4);
        number = single;
    } else {
        parallax_copy(&number, from, 8);
    }
    return number != number;
}

static void parallax_number(const void *from, parallax_size bytes, char letter) {
    parallax_put(' ');
    if (parallax_nan(from, bytes, letter)) parallax_text("nan");
    else parallax_hex(from, bytes);
}

static void parallax_block(const char *label, const void *from, parallax_size bytes, parallax_size count, char letter) {
    parallax_label(label, letter);
    for (parallax_size i = 0; i < count; i++) parallax_number((const char *)from + i * bytes, bytes, letter);
    parallax_put('\n');
}

static void parallax_scalar(const char *label, const void *from, parallax_size bytes, char letter) {
    parallax_block(label, from, bytes, 1, letter);
}
