__kernel void scale(__global float *a, float f) { a[get_global_id(0)] *= f; }
// case: groups that do not divide
// with: coarsen=0:4
// host: dim=1 global=96 local=6
// case: groups that do not divide with such a stride
// with: coarsen=0:4:8
// host: dim=1 global=96 local=16
// case: a dimension that there is not
// with: coarsen=1:4
// host: dim=1 global=96 local=16
// case: neither local size nor a global size that divides
// with: coarsen=0:4
// host: dim=1 global=98 local=null
// case: a stride wants a local size
// with: coarsen=0:4:local
// host: dim=1 global=96 local=null
// case: a stride that is no power of two
// with: coarsen=0:4:3
// host: dim=1 global=96 local=24
// case: too many
// with: coarsen=0:128
// host: dim=1 global=1024 local=256
