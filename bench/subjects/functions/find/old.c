char *find(char *s, char c) {
    for (; *s; s++)
        if (*s == c) return s;
    return c == 0 ? s : 0;
}
