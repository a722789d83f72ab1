int find(const signed char *a, int n, signed char key) {
    int lo = 0, hi = n - 1;
    while (lo <= hi) {
        int mid = lo + (hi - lo) / 2;
        if (a[mid] == key) return 1;
        if (a[mid] < key) lo = mid + 1;
        else hi = mid - 1;
    }
    return 0;
}
