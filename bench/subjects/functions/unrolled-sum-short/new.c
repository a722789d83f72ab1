int sum(const int *a, int n) {
    int s = 0, i = 0;
    for (; i + 3 < n; i += 4) s += a[i] + a[i + 1] + a[i + 2] + a[i + 3];
    if (i < n) s += a[i++];
    if (i < n) s += a[i];
    return s;
}
