float4 of_cast(float4 x) { return ((float4)(float)(1)) / x; }
float4 of_casts(int x) { return (float4)(float)(char)(x); }
float4 of_literal(float x) { return (float4)(float4)(x, 1, 2, 3); }
float4 of_component(float x) { return (float4)(float4)(x, 1, 2, 3).y; }
float4 of_compound(float x) { return (float4)(float4){ x, 1, 2, 3 }; }
kernel void f(global float4 *a) { a[0] = of_cast(a[1]) + (float4)(float)(2) * a[2]; }
