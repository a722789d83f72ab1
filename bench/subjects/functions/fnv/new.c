unsigned hash(const unsigned char *p, int n) {
    unsigned h = 2166136261u;
    for (int i = 0; i < n; i++) h = (h * 16777619u) ^ p[i];
    return h;
}
