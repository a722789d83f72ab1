int trim(char *s) {
    int last = -1, i;
    for (i = 0; s[i]; i++)
        if (s[i] != ' ') last = i;
    for (int k = last + 1; k < i; k++) s[k] = 0;
    return last + 1;
}
