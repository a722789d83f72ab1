unsigned hash(const unsigned char *p, int n) {
    unsigned h = 5381;
    for (int i = 0; i < n; i++) h = h * 33 + p[i];
    return h;
}
