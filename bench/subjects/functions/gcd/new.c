unsigned gcd(unsigned char a, unsigned char b) {
    while (b) {
        unsigned char rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}
