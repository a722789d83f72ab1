int clamp_sum(short a, short b) {
    int s = a + b;
    if (s > 100) s = 100;
    if (s < -100) s = -100;
    return s;
}
