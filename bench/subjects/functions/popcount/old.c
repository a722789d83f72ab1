int bits(unsigned short x) {
    int n = 0;
    for (; x; x &= x - 1) n++;
    return n;
}
