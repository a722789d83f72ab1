/* Decompresses standard input (zlib or gzip format) to standard output; prints what zlib says of it. */
#include <stdio.h>
#include <string.h>
#include "zlib.h"

int main(void)
{
    unsigned char in[4096], out[1 << 16];
    z_stream stream;
    gz_header header;
    unsigned char name[64] = "", comment[64] = "";
    memset(&stream, 0, sizeof stream);
    memset(&header, 0, sizeof header);
    header.name = name;
    header.name_max = sizeof name - 1;
    header.comment = comment;
    header.comm_max = sizeof comment - 1;
    stream.next_in = in;
    stream.avail_in = fread(in, 1, sizeof in, stdin);
    stream.next_out = out;
    stream.avail_out = sizeof out;
    if (inflateInit2(&stream, 15 + 32) != Z_OK)
        return 2;
    inflateGetHeader(&stream, &header);
    int result = inflate(&stream, Z_FINISH);
    fwrite(out, 1, sizeof out - stream.avail_out, stdout);
    fprintf(stderr, "zlib: %d, %s, %lu in, %lu out, header %d, name %s\n", result, stream.msg ? stream.msg : "no message",
            stream.total_in, stream.total_out, header.done, (char *)name);
    inflateEnd(&stream);
    return result != Z_STREAM_END;
}
