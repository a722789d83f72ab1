void minmax(const signed char *a, int n, int *min, int *max) {
    *min = 127, *max = -128;
    for (int i = 0; i < n; i++) {
        if (a[i] < *min) *min = a[i];
        else if (a[i] > *max) *max = a[i];
    }
}
