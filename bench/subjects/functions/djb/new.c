unsigned hash(const unsigned char *p, int n) {
    unsigned h = 5381;
    const unsigned char *end = p + n;
    while (p < end) h = (h << 5) + h + *p++;
    return h;
}
