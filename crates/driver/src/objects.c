/* Memory that the input made, so that a pointer can be told by what it leads to. */
struct parallax_object {
    char *at;
    parallax_size bytes, step;
    const char *name;
    char letter, freed, seen;
};
static struct parallax_object parallax_objects[512];
static int parallax_known;

static struct parallax_object *parallax_remember(void *at, parallax_size count, parallax_size step, char letter, const char *name) {
    struct parallax_object *object = &parallax_objects[parallax_known];
    if (parallax_known >= (int)(sizeof parallax_objects / sizeof *parallax_objects)) return 0;
    parallax_known++;
    object->at = at;
    object->bytes = count * step;
    object->step = step;
    object->name = name;
    object->letter = letter;
    return object;
}

static void *parallax_new(parallax_size count, parallax_size step, char letter, const char *name) {
    void *at = parallax_calloc(count, step);
    if (!at) parallax_quiet();
    parallax_remember(at, count, step, letter, name);
    return at;
}

static struct parallax_object *parallax_find(const void *pointer) {
    for (int i = 0; i < parallax_known; i++) {
        struct parallax_object *object = &parallax_objects[i];
        if ((const char *)pointer >= object->at && (const char *)pointer <= object->at + object->bytes) return object;
    }
    return 0;
}

/* What the input made stays where it is, and is known to be gone. */
void parallax_free(void *pointer) {
    struct parallax_object *object = parallax_find(pointer);
    if (!object || object->at != pointer || object->freed) parallax_free_it(pointer);
    else object->freed = 1;
}

void *parallax_realloc(void *pointer, parallax_size bytes) {
    struct parallax_object *object = parallax_find(pointer);
    if (!pointer || !object || object->at != pointer || object->freed) return parallax_realloc_it(pointer, bytes);
    void *other = parallax_malloc(bytes);
    if (!other) return 0;
    parallax_copy(other, pointer, bytes < object->bytes ? bytes : object->bytes);
    object->freed = 1;
    return other;
}

/* Where a pointer leads to. Out: whether what is there can be looked at, and was not yet. */
static int parallax_pointer(const char *label, const void *pointer) {
    struct parallax_object *object = parallax_find(pointer);
    parallax_label(label, 'p');
    parallax_put(' ');
    if (!pointer) parallax_text("null");
    else if (!object) parallax_text("elsewhere");
    else {
        parallax_size offset = (const char *)pointer - object->at;
        parallax_text(object->freed ? "freed " : "");
        parallax_text(object->name);
        parallax_put('+');
        parallax_hex(&offset, 4);
    }
    parallax_put('\n');
    if (!pointer || (object && (object->freed || object->at != pointer || object->seen))) return 0;
    if (!object) object = parallax_remember((void *)pointer, 1, 1, 0, "result");
    if (object) object->seen = 1;
    return object != 0;
}

/* A string that is none of the input's: its characters. */
static void parallax_string(const char *label, const char *pointer) {
    if (!parallax_pointer(label, pointer) || parallax_find(pointer)->step != 1 || parallax_find(pointer)->letter) return;
    parallax_label(label, 's');
    parallax_put(' ');
    for (int i = 0; i < 256 && pointer[i]; i++) parallax_hex(pointer + i, 1);
    parallax_put('\n');
}

static int parallax_gone(const void *pointer) {
    struct parallax_object *object = parallax_find(pointer);
    return object && object->freed;
}

/* What is left in the buffers of the input. */
static void parallax_buffers(void) {
    int known = parallax_known;
    for (int i = 0; i < known; i++) {
        struct parallax_object *object = &parallax_objects[i];
        if (object->letter && !object->freed)
            parallax_block(object->name, object->at, object->step, object->bytes / object->step, object->letter);
    }
}

static void parallax_end(const char *name) {
    parallax_flush(0);
    for (parallax_size done = 0; done < parallax_used;) {
        long put = parallax_write(1, parallax_out + done, parallax_used - done);
        if (put <= 0) break;
        done += put;
    }
}
