// Declarators, definitions of types in every place, storage classes, qualifiers.
struct tagged;
struct tagged {
    int a, b, c;
    struct { float x, y; };
    union { int i; float f; } u;
    float4 v[2];
} __attribute__((aligned(16)));

typedef struct { float x; int y; } plain, *plain_pointer, plains[4];
struct chain;
struct chain {
    struct chain *next;
    int value;
};

typedef struct node { int value; struct node *left, *right; } node;
typedef union { uint u; float f; uchar4 b; } bits;
typedef enum { RED, GREEN = 5, BLUE } color;
enum { LIMIT = 16, TWICE = LIMIT * 2 };
enum shape { ROUND, SQUARE = -1, LAST };
typedef float real;
typedef real row[LIMIT];
typedef unsigned int word;
typedef const __global float *input;
typedef __local int *shared_ints;
typedef struct __attribute__((packed)) { char c; int i; } tight;

__constant plain defaults[2] = {{1.0f, 2}, {.y = 3, .x = 4}};
__constant row weights = {1, 2, 3};
__constant int sparse[8] = {[2] = 1, [5] = 2, 3};
constant struct tagged nothing = {0};

float sum(real *values, int count);
real first(const row values, float more[restrict 4], const int table[][3]);
real first(const row values, float more[restrict 4], const int table[][3]) {
    return values[0] + more[1] + table[1][2];
}
static inline word rotate_left(word w, int by) { return w << by | w >> (32 - by); }

float sum(real *values, int count) {
    float total = 0, scale = 1, *at = values, **all = &at;
    const int last = count - 1;
    volatile int seen = 0;
    int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
    int (*line)[3] = grid, *cells[2] = {grid[0], grid[1]};
    int flat[] = {1, 2, 3};
    plain p = {1, 2}, *pp = &p;
    struct tagged t;
    t.x = 1;
    t.u.f = 2;
    pp->x = t.y;
    color paint = GREEN;
    enum shape form = SQUARE;
    bits view;
    view.f = 1.0f;
    struct { int here; } only = {4};
    union { int i; float f; } one, other;
    one.i = 1;
    other = one;
    for (int i = 0, *q = grid[1]; i <= last; i++, q++) {
        total += values[i] * scale + *q;
    }
    seen += line[1][2] + *cells[1] + flat[2] + paint + form + view.u + only.here + other.i;
    return total + seen + (*all)[0] + sizeof(struct tagged) + sizeof(row) + (int)LAST;
}

__kernel __attribute__((reqd_work_group_size(LIMIT, 1, 1)))
void declare(input in, __global float *restrict out, __constant float4 *c, __local float *scratch,
             const int n, volatile __global int *counter, float4 by_value, struct tagged record) {
    __local float tile[LIMIT][LIMIT + 1];
    __local int flag, *where;
    __local struct tagged shared;
    __private int own = 1;
    __global float *__local place;
    __global float *__private mine = out;
    __constant char *text = "a string";
    where = &flag;
    tile[0][0] = in[0];
    shared.a = record.a;
    place = out;
    mine[own] = tile[0][0] + place[0] + c[0].x + scratch[n] + by_value.y + text[0] + *where;
    atomic_add(counter, shared.a);
}
