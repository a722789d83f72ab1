/* Reads the head of an HTTP request and says how long its body is and what becomes of the connection. */
#include <stdio.h>

enum state { METHOD, TARGET, VERSION, LINE_END, FIELD_START, FIELD, COLON, VALUE_START, VALUE, VALUE_END, DONE, BAD };

enum header { H_GENERAL, H_C, H_CO, H_CON, H_CONNECTION, H_TRANSFER, H_LENGTH, H_UPGRADE,
              H_IS_CONNECTION, H_IS_TRANSFER, H_IS_LENGTH, H_IS_UPGRADE,
              V_GENERAL, V_CHUNKED, V_CLOSE, V_KEEP_ALIVE, V_UPGRADE, V_LENGTH,
              V_IS_CHUNKED, V_IS_CLOSE, V_IS_KEEP_ALIVE, V_IS_UPGRADE };

enum { F_CHUNKED = 1, F_CLOSE = 2, F_KEEP_ALIVE = 4, F_UPGRADE = 8, F_LENGTH = 16, F_HAS_UPGRADE = 32 };

struct parser {
    enum state state;
    enum header header;
    unsigned index;
    unsigned flags;
    unsigned long length;
    int fields;
};

static const char CONNECTION[] = "connection";
static const char CONTENT_LENGTH[] = "content-length";
static const char TRANSFER[] = "transfer-encoding";
static const char UPGRADE[] = "upgrade";
static const char CHUNKED[] = "chunked";
static const char CLOSE[] = "close";
static const char KEEP_ALIVE[] = "keep-alive";

static int lower(int c) { return c >= 'A' && c <= 'Z' ? c | 0x20 : c; }

static int token(int c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_'; }

static void follow(struct parser *p, int c, const char *word, unsigned last, enum header is, enum header other)
{
    p->index++;
    if (p->index > last || c != word[p->index])
        p->header = other;
    else if (p->index == last)
        p->header = is;
}

static void field(struct parser *p, int c)
{
    switch (p->header) {
    case H_C:
        p->index++;
        p->header = c == 'o' ? H_CO : H_GENERAL;
        break;
    case H_CO:
        p->index++;
        p->header = c == 'n' ? H_CON : H_GENERAL;
        break;
    case H_CON:
        p->index++;
        p->header = c == 'n' ? H_CONNECTION : c == 't' ? H_LENGTH : H_GENERAL;
        break;
    case H_CONNECTION:
        follow(p, c, CONNECTION, sizeof CONNECTION - 2, H_IS_CONNECTION, H_GENERAL);
        break;
    case H_LENGTH:
        follow(p, c, CONTENT_LENGTH, sizeof CONTENT_LENGTH - 2, H_IS_LENGTH, H_GENERAL);
        break;
    case H_TRANSFER:
        follow(p, c, TRANSFER, sizeof TRANSFER - 2, H_IS_TRANSFER, H_GENERAL);
        break;
    case H_UPGRADE:
        follow(p, c, UPGRADE, sizeof UPGRADE - 2, H_IS_UPGRADE, H_GENERAL);
        break;
    default:
        p->header = H_GENERAL;
    }
}

static void value_start(struct parser *p, int c)
{
    p->index = 0;
    switch (p->header) {
    case H_IS_CONNECTION:
        p->header = c == 'c' ? V_CLOSE : c == 'k' ? V_KEEP_ALIVE : c == 'u' ? V_UPGRADE : V_GENERAL;
        break;
    case H_IS_TRANSFER:
        p->header = c == 'c' ? V_CHUNKED : V_GENERAL;
        break;
    case H_IS_LENGTH:
        p->header = c >= '0' && c <= '9' ? V_LENGTH : V_GENERAL;
        if (p->header == V_LENGTH)
            p->length = c - '0';
        break;
    case H_IS_UPGRADE:
        p->flags |= F_HAS_UPGRADE;
        p->header = V_GENERAL;
        break;
    default:
        p->header = V_GENERAL;
    }
}

static void value(struct parser *p, int c)
{
    switch (p->header) {
    case V_CHUNKED:
        follow(p, c, CHUNKED, sizeof CHUNKED - 2, V_IS_CHUNKED, V_GENERAL);
        break;
    case V_CLOSE:
        follow(p, c, CLOSE, sizeof CLOSE - 2, V_IS_CLOSE, V_GENERAL);
        break;
    case V_KEEP_ALIVE:
        follow(p, c, KEEP_ALIVE, sizeof KEEP_ALIVE - 2, V_IS_KEEP_ALIVE, V_GENERAL);
        break;
    case V_UPGRADE:
        follow(p, c, UPGRADE, sizeof UPGRADE - 2, V_IS_UPGRADE, V_GENERAL);
        break;
    case V_LENGTH:
        if (c >= '0' && c <= '9')
            p->length = p->length * 10 + (c - '0');
        else
            p->header = V_GENERAL;
        break;
    default:
        p->header = V_GENERAL;
    }
}

static void value_end(struct parser *p)
{
    p->fields++;
    switch (p->header) {
    case V_IS_CHUNKED: p->flags |= F_CHUNKED; break;
    case V_IS_CLOSE: p->flags |= F_CLOSE; break;
    case V_IS_KEEP_ALIVE: p->flags |= F_KEEP_ALIVE; break;
    case V_IS_UPGRADE: p->flags |= F_UPGRADE; break;
    case V_LENGTH: p->flags |= F_LENGTH; break;
    default: break;
    }
}

static void feed(struct parser *p, int c)
{
    int l = lower(c);
    switch (p->state) {
    case METHOD:
        p->state = c == ' ' ? TARGET : c >= 'A' && c <= 'Z' ? METHOD : BAD;
        break;
    case TARGET:
        p->state = c == ' ' ? VERSION : c < ' ' ? BAD : TARGET;
        break;
    case VERSION:
        p->state = c == '\n' ? FIELD_START : VERSION;
        break;
    case FIELD_START:
        if (c == '\n') {
            p->state = DONE;
            break;
        }
        p->index = 0;
        p->header = l == 'c' ? H_C : l == 't' ? H_TRANSFER : l == 'u' ? H_UPGRADE : H_GENERAL;
        p->state = token(l) ? FIELD : BAD;
        break;
    case FIELD:
        if (c == ':')
            p->state = VALUE_START;
        else if (token(l))
            field(p, l);
        else
            p->state = BAD;
        break;
    case VALUE_START:
        if (c == ' ')
            break;
        if (c == '\n') {
            p->state = FIELD_START;
            break;
        }
        value_start(p, l);
        p->state = VALUE;
        break;
    case VALUE:
        if (c == '\n') {
            value_end(p);
            p->state = FIELD_START;
        } else
            value(p, l);
        break;
    default:
        break;
    }
}

int main(void)
{
    struct parser p = { METHOD, H_GENERAL, 0, 0, 0, 0 };
    int c;
    while (p.state != DONE && p.state != BAD && (c = getchar()) != EOF)
        feed(&p, c);
    if (p.state != DONE) {
        printf("bad request\n");
        return 1;
    }
    printf("%d fields\n", p.fields);
    if (p.flags & F_CHUNKED)
        printf(p.flags & F_CLOSE ? "body: chunked, last\n" : "body: chunked\n");
    else if (p.flags & F_LENGTH)
        printf("body: %lu\n", p.length);
    if ((p.flags & F_UPGRADE) && (p.flags & F_HAS_UPGRADE))
        printf("connection: upgrade\n");
    else
        printf("connection: %s\n", p.flags & F_CLOSE ? "close" : p.flags & F_KEEP_ALIVE ? "keep" : "default");
    return 0;
}
