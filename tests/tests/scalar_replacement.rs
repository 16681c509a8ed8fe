//! Places that loops keep in registers: what the kernels compute stays, and what is not sure to be the
//! same place, or the only access to it, stays in memory.

use fpgacc_device_passes::pass::PassOptions;
use fpgacc_tests::compare::{Bound, certify, same};
use fpgacc_tests::job::{Arg, Fill, Geometry, Job};
use fpgacc_tests::rewrite::{Rewrites, Told, rewrite};
use fpgacc_tests::run::Platform;

/// The name of the pass.
const PASS: &str = "scalar-replacement";

const KERNELS: &str = "
__kernel void product(__global const int *restrict a, __global const int *restrict b,
                      __global int *restrict c, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    c[y * 8 + x] = 0;
    for (int k = 0; k < n; k++)
        c[y * 8 + x] += a[y * 8 + k] * b[k * 8 + x];
}

__kernel void minimum(__global const int *restrict v, __global const int *restrict scale,
                      __global int *restrict low, int n)
{
    int g = get_global_id(0) + 8 * get_global_id(1);
    for (int k = 0; k < n; k++) {
        int e = v[(g * 3 + k) & 63] * scale[0];
        if (e < low[g])
            low[g] = e;
    }
}

__kernel void beyond(__global const int *restrict v, __global const int *restrict unused,
                     __global int *restrict o, int n)
{
    int g = get_global_id(0) + 8 * get_global_id(1);
    for (int k = n; k < 3; k++)
        o[g + (n > 3 ? 1000000 : 0)] += v[k];
}

__kernel void by_count(__global const int *restrict v, __global const int *restrict count,
                       __global int *restrict o, int n)
{
    int g = get_global_id(0) + 8 * get_global_id(1);
    for (int k = 0; k < (count[3] & 7); k++)
        o[g] += v[k] * n;
    int k = 0;
    while (k < (count[4] & 7) && v[5] != 77)
        k++;
    o[g] += k;
}

__kernel void nested(__global const float *restrict v, __global const int *restrict unused,
                     __global float *restrict o, int n)
{
    int g = get_global_id(0) + 8 * get_global_id(1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 4; j++)
            o[g] = o[g] * v[i] - v[j + 1];
}

__kernel void leaves(__global const int *restrict v, __global const int *restrict unused,
                     __global int *restrict o, int n)
{
    int g = get_global_id(0) + 8 * get_global_id(1);
    for (int i = 0; i < n; i++) {
        o[g] = v[i] * g;
        if (v[i + 1] & 1)
            continue;
        if (i == 5)
            break;
        o[g] -= i;
    }
    switch (n & 1) {
    case 0:
        do o[g] = o[g] * 3 + 1; while (o[g] < 100 && o[g] > 0);
    default:
        o[g] ^= 1;
    }
}

__kernel void groups(__global const int *restrict v, __global const int *restrict unused,
                     __global int *restrict o, int n)
{
    __local int s[16];
    int l = get_local_id(0) + 4 * get_local_id(1), g = get_global_id(0) + 8 * get_global_id(1);
    s[l] = v[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < n; i++)
        o[g] += s[i & 15] * s[1];
}

__kernel void twice(__global const int *v, __global int *other, __global int *o, int n)
{
    int g = get_global_id(0) + 8 * get_global_id(1);
    for (int i = 0; i < n; i++) {
        o[g] += v[i];
        other[g + (i == 2)] += i;
        o[g] *= 3;
    }
}

__kernel void elsewhere(__global const int *restrict v, __global int *restrict unused,
                        __global int *restrict o, int n)
{
    int g = 4 * (get_global_id(0) + 8 * get_global_id(1));
    __global int *p = o + g + (n & 1);
    for (int i = 0; i < n; i++) {
        o[g] += v[i];
        *p += 2;
        o[g + 1] ^= o[g];
    }
}
";

fn job() -> Job {
    let mut job = Job::new(KERNELS);
    let ints = |seed, low, high| Fill::Ints { seed, low, high };
    let a = job.buffer(256, ints(1, -20, 20));
    let b = job.buffer(256, ints(2, -20, 20));
    let o = job.buffer(1280, ints(3, -50, 50));
    let range = || Geometry::range(&[8, 8], &[4, 4]);
    for kernel in [
        "product", "minimum", "beyond", "by_count", "nested", "leaves", "groups",
    ] {
        for n in [0, 1, 7] {
            let memory = [a.clone(), b.clone(), o.clone()];
            job.launch(kernel, range(), memory.into_iter().chain([Arg::int(n)]));
        }
    }
    // In a kernel of one work-item, other work-items cannot be met.
    let one = || Geometry::range(&[1, 1], &[1, 1]);
    for n in [0, 1, 6] {
        let memory = [a.clone(), o.clone(), o.clone()];
        job.launch("twice", one(), memory.into_iter().chain([Arg::int(n)]));
        let memory = [a.clone(), b.clone(), o.clone()];
        job.launch(
            "elsewhere",
            range(),
            memory.into_iter().chain([Arg::int(n)]),
        );
    }
    job
}

#[test]
fn kernels_with_registers_do_the_same() {
    let job = job();
    if let Err(problem) = certify(&job) {
        panic!("not certified: {problem}");
    }
    let alone = Rewrites::Only(PASS.to_string());
    for told in [Told::Nothing, Told::Local, Told::All] {
        for rewrites in [&alone, &Rewrites::Wide, &Rewrites::All] {
            let made = rewrite(&job, |_| told, rewrites, &PassOptions::default())
                .unwrap_or_else(|error| panic!("{told:?}: {rewrites}: {error}"));
            let mut remarks = made.remarks.iter();
            assert!(remarks.any(|remark| remark.pass == PASS && !remark.missed));
            let platforms = [Platform::Intel, Platform::Pocl, Platform::Oclgrind];
            if let Err(difference) = same(&job, &made.job, &platforms, &Bound::Exact) {
                panic!("{told:?}: {rewrites}: {difference}");
            }
        }
    }
}

#[test]
fn what_is_kept_and_what_is_not_is_told() {
    let rewrites = Rewrites::Only(PASS.to_string());
    let made = rewrite(
        &job(),
        |_| Told::Nothing,
        &rewrites,
        &PassOptions::default(),
    )
    .unwrap_or_else(|error| panic!("{error}"));
    let mut told: Vec<&str> = made.remarks.iter().map(|remark| &*remark.text).collect();
    told.sort_unstable();
    told.dedup();
    insta::assert_snapshot!(told.join("\n"));
}
