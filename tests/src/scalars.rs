//! Random kernels that do with scalar parameters what kernels do, and two launches of each that do not
//! pass the same.

use crate::job::{Arg, Fill, Geometry, Job};
use crate::random::Random;

const INTEGERS: [(&str, usize); 8] = [
    ("char", 1),
    ("uchar", 1),
    ("short", 2),
    ("ushort", 2),
    ("int", 4),
    ("uint", 4),
    ("long", 8),
    ("ulong", 8),
];

/// A scalar parameter and two values of it.
struct Scalar {
    ty: &'static str,
    values: [Vec<u8>; 2],
}

fn integer(random: &mut Random) -> Scalar {
    let (ty, size) = random.copy(&INTEGERS);
    let value = |random: &mut Random| {
        let edges = [
            0,
            1,
            2,
            7,
            u64::MAX,
            u64::MAX - 1,
            1 << 63,
            0x7f,
            0x80,
            0xffff,
            0x8000,
        ];
        let bits = match random.chance(50) {
            true => random.copy(&edges),
            false => random.bits(),
        };
        // The edges of each size.
        let bits = match random.chance(20) {
            true => 1 << (8 * size - 1),
            false => bits,
        };
        bits.to_le_bytes()[..size].to_vec()
    };
    Scalar {
        ty,
        values: [value(random), value(random)],
    }
}

fn float(random: &mut Random) -> Scalar {
    let mut value = || random.copy(&[0.5, -0.25, 3.0, 0.0, -0.0, 1e-3, 65536.0, 0.1]);
    let (a, b): (f64, f64) = (value(), value());
    match random.chance(50) {
        true => Scalar {
            ty: "float",
            values: [a, b].map(|v| (v as f32).to_le_bytes().to_vec()),
        },
        false => Scalar {
            ty: "double",
            values: [a, b].map(|v| v.to_le_bytes().to_vec()),
        },
    }
}

/// A kernel `k` with arithmetic, bounds of loops, conditions, calls, assignments and addresses of its
/// parameters; and two launches, of which the second may differ in scalars and local size.
pub fn job(random: &mut Random) -> Job {
    let mut scalars: Vec<Scalar> = (0..2 + random.below(4)).map(|_| integer(random)).collect();
    scalars.extend((0..random.below(3)).map(|_| float(random)));
    let params: Vec<String> = scalars
        .iter()
        .enumerate()
        .map(|(i, scalar)| format!(", {} p{i}", scalar.ty))
        .collect();
    let body: String = (0..scalars.len())
        .map(|i| uses(random, i, &scalars[i]))
        .collect();
    let barrier = match random.chance(50) {
        true => {
            "    barrier(CLK_LOCAL_MEM_FENCE);\n    bits += tile[(l + 1) % get_local_size(0)];\n"
        }
        false => "",
    };
    let mut job = Job::new(format!(
        "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n\
         ulong mixed(long a, int b) {{\n    return (ulong)a * 31 + b;\n}}\n\
         __kernel void k(__global ulong *out, __global const uint *in{}) {{\n    \
         __local uint tile[16];\n    int g = get_global_id(0), l = get_local_id(0);\n    \
         ulong bits = in[g];\n    tile[l] = in[g] + l;\n{body}{barrier}    out[g] = bits;\n}}\n",
        params.concat()
    ));
    launch_twice(&mut job, &scalars, random);
    job
}

/// Statements that use a parameter.
fn uses(random: &mut Random, i: usize, scalar: &Scalar) -> String {
    let mut body = String::new();
    let is_float = matches!(scalar.ty, "float" | "double");
    // What overflows is not defined for signed numbers.
    if scalar.ty.starts_with('u') {
        body.push_str(&format!(
            "    bits ^= (ulong)-p{i};\n    p{i}++;\n    bits += (ulong)p{i};\n"
        ));
    }
    let lines: &[&str] = match is_float {
        true => &[
            "    bits ^= as_T(P) * 3u;\n",
            "    if (P < 1) bits += 5;\n",
            "    P += 1; bits ^= (ulong)as_T(P);\n",
            "    bits += as_T(-P);\n",
        ],
        false => &[
            "    bits ^= (ulong)P;\n",
            "    for (int j = 0; j < (int)(P & 7); j++) bits = bits * 3 + mixed(P, j);\n",
            "    if (P > 1) bits += 11;\n",
            "    bits += (ulong)(P >> 1) ^ (ulong)(P / 3) ^ (ulong)~P;\n",
            "    P ^= 5; bits ^= (ulong)P;\n",
            "    { private T *q = &P; *q = *q ^ 2; bits += (ulong)P; }\n",
            "    bits += mixed((long)P, 1) + sizeof(P);\n",
            "    bits = P % 2 ? bits : bits * 5;\n",
            "    if (l < (int)(P & 3)) bits += 1;\n",
        ],
    };
    let bits = if scalar.ty == "float" {
        "uint"
    } else {
        "ulong"
    };
    for _ in 0..1 + random.below(3) {
        let line = random
            .pick(&lines.iter().map(|l| &**l).collect::<Vec<&str>>())
            .to_string();
        let line = match is_float {
            true => line.replace("as_T", &format!("as_{bits}")),
            false => line.replace('T', scalar.ty),
        };
        body.push_str(&line.replace('P', &format!("p{i}")));
    }
    body
}

/// Two launches, of which the second may differ.
fn launch_twice(job: &mut Job, scalars: &[Scalar], random: &mut Random) {
    let groups = random.copy(&[4u64, 8]);
    for which in 0..2 {
        let out = job.buffer(32 * 8, Fill::Zero);
        let input = job.buffer(
            32 * 4,
            Fill::Ints {
                seed: random.bits(),
                low: 0,
                high: 1000,
            },
        );
        let other = |random: &mut Random| which == 1 && random.chance(60);
        let local = match other(random) {
            true => 16,
            false => groups,
        };
        let mut args = vec![out, input];
        for scalar in scalars {
            args.push(Arg::Value(
                scalar.values[usize::from(other(random))].clone(),
            ));
        }
        job.launch("k", Geometry::range(&[32], &[local]), args);
    }
}
