// Parentheses: what the grammar needs and nothing that changes the meaning.
int ints(int a, int b, int c, int *p) {
    int r = a - (b - c);
    r += (a - b) - c;
    r ^= a * (b + c) / (b * c);
    r += - - a - -(-b) + +(+c);
    r += -(--a) - - --b + + ++c;
    r += a-- - --b;
    r += !(a && b) || (c && !a) && b;
    r += ~(~a & b | c ^ a) << (b & 7) + 1;
    r += (a < b) == (c > a) != (a <= c);
    r += a < b < c;
    r += a == (b == c);
    r += a & b == c;
    r += (a & b) == c;
    r += a ? b ? 1 : 2 : c ? 3 : 4;
    r += (a ? b : c) ? a : b;
    r += a ? (b, c) : (c, a);
    r = a = b = c;
    r = (a = b) + (c += a);
    r += (a, b, c);
    r += *p++ + (*p)++ + *++p + ++*p;
    r += *&a + *(p + 1) + p[a, b] + (&p[1])[1] + -p[0];
    r += sizeof(int) + sizeof a + sizeof(a + b) + sizeof(int[3]) + sizeof(float4 *);
    r += (int)(a + b) + (int)a + b + (short)-1 + (char)~a + (int)sizeof(a);
    r += (uint)a >> 3 | (uint)(b << 2);
    r += a % b % c - a / (b / c) * a;
    r -= a -(-1);
    r += (a > b ? a : b) * 2;
    if ((a = b)) r++;
    while ((a = *p++) != 0) r--;
    if (a == b) r++;
    return r;
}

float floats(float x, double y, float4 v, float4 *q) {
    float r = ((float4)(1.0f, 2.0f, x, x + 1.0f)).y;
    r += (float4)(1.0f, 2.0f, x, 4.0f).z + ((float4)(x)).x + (float4)(v.xy, v.zw).w;
    r += (v + 1.0f).x + (-v).y + (v * v).xyzw.s3 + v.lo.x + v.hi.hi;
    r += q->x + (*q).y + q[1].z + (q + 1)->w;
    r += (float4){1, 2, 3, 4}.x;
    r += ((float2)(v.x, v.y) * (float2)(2)).x;
    r += x < 0 ? -x : x;
    r += (float)(int)x + (int)(float)y + (float)1;
    r += -1.0f + 1.f + .5f + 1e3f + 0x1p3f + 1.5e-7f;
    v.xy = v.yx;
    v.s0 += v.s1;
    v.even = v.odd;
    (*q).lo = (float2)(x, (float)y);
    return r + fma(x, x, x) + dot(v, *q) + as_float(0x3f800000);
}

int4 compare(int4 a, int4 b, float4 f) {
    int4 r = a < b;
    r |= f == f.wzyx;
    r = a < b && b < a || !a;
    r = r ? a : b;
    r = select(a, b, a > b) + (a ? b : a) + convert_int4_sat(f);
    r += (int4)(1) + (int4)(1, 2, 3, 4) + (int4)((int2)(1, 2), 3, 4) + (int4)a;
    return ~r + -a;
}
