unsigned triangle(unsigned char n) {
    unsigned s = 0;
    for (unsigned i = 1; i <= n; i++) s += i;
    return s;
}
