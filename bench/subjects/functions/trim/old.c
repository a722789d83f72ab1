int trim(char *s) {
    int n = 0;
    while (s[n]) n++;
    while (n > 0 && s[n - 1] == ' ') s[--n] = 0;
    return n;
}
