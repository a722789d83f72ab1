static unsigned char count;
int next(int step) {
    count += step & 3;
    if (count > 250) count = 0;
    return count;
}
