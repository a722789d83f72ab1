/* Wide-character stdio.
 *
 * In: wide streams and characters. Out: what the real libc does; labels are lost in its
 * conversions, which is an escape event. Output events hold the multibyte form of what was
 * written. Always holds: the stream itself is handled by the real libc only.
 */
#define _GNU_SOURCE
#include "stdio_model.h"
#include <limits.h>
#include <stdlib.h>
#include <wchar.h>

/* Wide reading is left to the real libc: the characters come without labels. One escape for
 * every block that it reads. */
static void wide_read(const char *name, FILE *fp, const char *old_end, off_t old_offset) {
    int filled = fp->_IO_read_end != old_end || fp->_offset != old_offset;
    if (filled && fp->_IO_read_base < fp->_IO_read_end) {
        __plx_stream_filled(fp);
        __plx_escape(name, fp->_IO_read_base, fp->_IO_read_end - fp->_IO_read_base);
    }
    if (feof_unlocked(fp))
        __plx_stream_ended(fp);
}

wint_t MODEL(fgetwc)(FILE *fp) {
    const char *end = fp->_IO_read_end;
    off_t offset = fp->_offset;
    wint_t c = fgetwc(fp);
    wide_read("fgetwc", fp, end, offset);
    return c;
}
wint_t MODEL(getwc)(FILE *fp) { return MODEL(fgetwc)(fp); }
wint_t MODEL(getwchar)(void) { return MODEL(fgetwc)(stdin); }
wint_t MODEL(fgetwc_unlocked)(FILE *fp) { return MODEL(fgetwc)(fp); }
wint_t MODEL(getwc_unlocked)(FILE *fp) { return MODEL(fgetwc)(fp); }
wint_t MODEL(getwchar_unlocked)(void) { return MODEL(fgetwc)(stdin); }

wchar_t *MODEL(fgetws)(wchar_t *dst, int n, FILE *fp) {
    const char *end = fp->_IO_read_end;
    off_t offset = fp->_offset;
    wchar_t *result = fgetws(dst, n, fp);
    if (result)
        __plx_clear_labels(dst, (wcslen(dst) + 1) * sizeof *dst);
    wide_read("fgetws", fp, end, offset);
    return result;
}
wchar_t *MODEL(fgetws_unlocked)(wchar_t *dst, int n, FILE *fp) { return MODEL(fgetws)(dst, n, fp); }

/* The event for one character: its multibyte form, if it has one. */
static void emit_wide(FILE *fp, wchar_t c) {
    char bytes[MB_LEN_MAX];
    mbstate_t state = {0};
    size_t n = wcrtomb(bytes, c, &state);
    if (n != (size_t)-1 && fp->_fileno >= 0 && !(fp->_flags & PLX_NO_WRITES) && fp->_mode >= 0)
        __plx_output(fp->_fileno, bytes, n);
}

wint_t MODEL(fputwc)(wchar_t c, FILE *fp) {
    __plx_escape_value("fputwc", (uint64_t)c);
    emit_wide(fp, c);
    return fputwc(c, fp);
}
wint_t MODEL(putwc)(wchar_t c, FILE *fp) { return MODEL(fputwc)(c, fp); }
wint_t MODEL(putwchar)(wchar_t c) { return MODEL(fputwc)(c, stdout); }
wint_t MODEL(fputwc_unlocked)(wchar_t c, FILE *fp) { return MODEL(fputwc)(c, fp); }
wint_t MODEL(putwc_unlocked)(wchar_t c, FILE *fp) { return MODEL(fputwc)(c, fp); }
wint_t MODEL(putwchar_unlocked)(wchar_t c) { return MODEL(fputwc)(c, stdout); }

int MODEL(fputws)(const wchar_t *s, FILE *fp) {
    size_t n = wcslen(s);
    __plx_escape("fputws", s, (n + 1) * sizeof *s);
    for (size_t i = 0; i < n; i++)
        emit_wide(fp, s[i]);
    return fputws(s, fp);
}
int MODEL(fputws_unlocked)(const wchar_t *s, FILE *fp) { return MODEL(fputws)(s, fp); }

/* The real function formats; it is asked twice because only into memory can it be listened to. */
int MODEL(vfwprintf)(FILE *fp, const wchar_t *format, va_list args) {
    enum { FIRST_ROOM = 256, MOST = 1 << 24 };
    __plx_escape("vfwprintf", format, (wcslen(format) + 1) * sizeof *format);
    for (size_t room = FIRST_ROOM; room <= MOST; room *= 4) {
        wchar_t *text = malloc(room * sizeof *text);
        va_list copy;
        va_copy(copy, args);
        int n = text ? vswprintf(text, room, format, copy) : -1;
        va_end(copy);
        for (int i = 0; i < n; i++)
            emit_wide(fp, text[i]);
        free(text);
        if (n >= 0)
            break;
    }
    return vfwprintf(fp, format, args);
}

int MODEL(vwprintf)(const wchar_t *format, va_list args) {
    return MODEL(vfwprintf)(stdout, format, args);
}
int MODEL(wprintf)(const wchar_t *format, ...) {
    va_list args;
    va_start(args, format);
    int result = MODEL(vfwprintf)(stdout, format, args);
    va_end(args);
    return result;
}
int MODEL(fwprintf)(FILE *fp, const wchar_t *format, ...) {
    va_list args;
    va_start(args, format);
    int result = MODEL(vfwprintf)(fp, format, args);
    va_end(args);
    return result;
}
