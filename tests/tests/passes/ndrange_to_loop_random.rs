//! Random kernels through `ndrange-to-loop`: whatever it does to them, every byte stays.

use std::fmt::Write;

use fpgacc_tests::compare::{Bound, certify, difference};
use fpgacc_tests::job::{Arg, Fill, Geometry, Job};
use fpgacc_tests::random::Random;
use fpgacc_tests::rewrite::Knowledge;
use fpgacc_tests::run::{Platform, run};
use fpgacc_tests::seeds::{fail, seeds};

use super::as_tasks::as_tasks;

/// Kernels in one program: building costs more than running.
const BATCH: u64 = 10;

/// An integer expression over ids, sizes and parameters, without undefined behaviour as long as
/// signed values are small.
fn id_expr(random: &mut Random, depth: usize) -> String {
    if depth == 0 || random.below(5) == 0 {
        return random
            .pick(&[
                "get_global_id(0)",
                "get_global_id(0)",
                "get_local_id(0)",
                "get_global_id(1)",
                "get_local_id(1)",
                "get_group_id(0)",
                "get_group_id(1)",
                "get_local_size(0)",
                "get_global_size(0)",
                "get_num_groups(1)",
                "get_global_offset(0)",
                "get_work_dim()",
                "i",
                "n",
                "u",
                "m",
                "c",
                "3",
                "-2",
                "7u",
                "5L",
            ])
            .to_string();
    }
    let a = id_expr(random, depth - 1);
    match random.below(14) {
        0 => format!("({a} / (({}) & 7 | 1))", id_expr(random, depth - 1)),
        1 => format!("({a} % (({}) & 7 | 1))", id_expr(random, depth - 1)),
        2 => format!("(({a} & 255) << (({}) & 3))", id_expr(random, depth - 1)),
        3 => format!("({a} >> {})", random.below(4)),
        4 => format!(
            "({})({a})",
            random.pick(&["size_t", "int", "uint", "long", "short", "uchar"])
        ),
        5 => format!("{}({a})", random.pick(&["-", "~", "!", "+"])),
        6 => {
            let (b, c) = (id_expr(random, depth - 1), id_expr(random, depth - 1));
            format!("({a} ? {b} : {c})")
        }
        7 | 8 => {
            let op = random.pick(&["<", ">", "<=", ">=", "==", "!=", "&&", "||"]);
            format!("({a} {op} {})", id_expr(random, depth - 1))
        }
        // A narrow factor keeps signed products from overflowing.
        9 => format!("({a} * (uchar)({}))", id_expr(random, depth - 1)),
        _ => {
            let op = random.pick(&["+", "-", "&", "|", "^"]);
            format!("({a} {op} {})", id_expr(random, depth - 1))
        }
    }
}

/// A kernel that computes with ids in variables of all types.
fn id_kernel(random: &mut Random, number: u64) -> String {
    let mut body = String::new();
    let types = ["int", "uint", "long", "ulong", "size_t", "short", "bool"];
    for slot in 0..4 {
        let ty = random.pick(&types);
        let expr = id_expr(random, 3);
        let _ = writeln!(body, "    {ty} v{slot} = {expr};");
        let target = random.pick(&types[..5]);
        let op = random.pick(&["=", "+=", "-=", "&=", "|=", "^="]);
        let expr = id_expr(random, 2);
        let _ = writeln!(
            body,
            "    {target} w{slot} = {slot};\n    w{slot} {op} {expr};"
        );
        let _ = writeln!(body, "    o[at * 8 + {slot}] = v{slot};");
        let _ = writeln!(body, "    o[at * 8 + {}] = w{slot};", slot + 4);
    }
    let cond = id_expr(random, 2);
    let index = id_expr(random, 2);
    let _ = writeln!(
        body,
        "    if ({cond})\n        o[at * 8] += (long)o[at * 8 + (({index}) & 7)];"
    );
    format!(
        "__kernel void k{number}(__global long *o, int n, uint u, long m, char c) {{
    int i = get_global_id(0);
    int at = (get_global_id(1) - get_global_offset(1)) * get_global_size(0) + get_global_id(0) - get_global_offset(0);
{body}}}
"
    )
}

/// Unsigned arithmetic over the variables in scope of a barrier kernel.
fn value(random: &mut Random, depth: usize, shared: usize) -> String {
    if depth == 0 || random.below(4) == 0 {
        let own = [
            "a",
            "b",
            "t",
            "g",
            "l",
            "n",
            "base",
            "v.x",
            "v.y",
            "w[1]",
            "w[l & 3]",
            "r.p",
            "r.q.x",
            "*p",
            "in[g]",
            "*ptr",
            "q[0]",
            "37u",
            "get_local_id(0)",
            "get_group_id(0)",
            "twice(a)",
        ];
        let pick = random.below(own.len() + shared);
        return match own.get(pick) {
            Some(text) => (*text).to_string(),
            None => format!("s{}[(l + {}) % 8]", pick - own.len(), random.below(8)),
        };
    }
    let a = value(random, depth - 1, shared);
    let b = value(random, depth - 1, shared);
    match random.below(6) {
        0 => format!("({a} > {b} ? {a} : {b})"),
        1 => format!("({a} * {b})"),
        _ => format!("({a} {} {b})", random.pick(&["+", "-", "^", "|", "&"])),
    }
}

const PLACES: [&str; 15] = [
    "a", "b", "t", "v.x", "v.y", "w[0]", "w[l & 3]", "r.p", "r.q.y", "*p", "b", "a", "n", "d", "e",
];

fn statement(random: &mut Random, depth: usize, shared: usize) -> String {
    let place = PLACES[random.below(PLACES.len())];
    let op = random.pick(&["=", "+=", "^=", "-="]);
    match random.below(if depth == 0 { 4 } else { 9 }) {
        0..=3 => format!("{place} {op} {};", value(random, 2, shared)),
        4 => format!(
            "if ({}) {{ {} }}",
            value(random, 1, shared),
            statement(random, depth - 1, shared)
        ),
        5 => format!(
            "if ({} & 1) {{ {} }} else {{ {} }}",
            value(random, 1, shared),
            statement(random, depth - 1, shared),
            statement(random, depth - 1, shared)
        ),
        6 => format!(
            "for (uint j = 0; j < {}; j++) {{ uint t = j; {} if (a & 64) break; {} }}",
            1 + random.below(4),
            statement(random, depth - 1, shared),
            statement(random, depth - 1, shared)
        ),
        7 => format!(
            "for (i{depth} = 0; i{depth} < {}; i{depth}++) {{ {} }}",
            1 + random.below(4),
            statement(random, depth - 1, shared)
        ),
        _ => format!(
            "switch ({} & 3) {{ case 0: {} break; case 1: {} default: {} }}",
            value(random, 1, shared),
            statement(random, 0, shared),
            statement(random, 0, shared),
            statement(random, 0, shared)
        ),
    }
}

/// A kernel with barriers at the top level: what it writes to local memory in one part it reads in
/// later parts only.
fn barrier_kernel(random: &mut Random, number: u64) -> String {
    let parts = 2 + random.below(4);
    let mut text =
        format!("__kernel void k{number}(__global uint *o, __global const uint *in, uint n) {{\n");
    for part in 0..parts - 1 {
        let _ = writeln!(text, "    __local uint s{part}[8];");
    }
    text.push_str(
        "    uint i1, i2, e, d, t = 3;
    uint l = get_local_id(0), g = get_global_id(0);
    uint base = get_group_id(0) * 8 + n;
    uint a = in[g], b = base * 2;
    uint2 v = (uint2)(a, l);
    uint w[4] = { 1, 2, l };
    struct pair r = { a, (uint2)(l, b) };
    uint *p = a & 1 ? &b : &w[2];
    __global const uint *ptr = in + g;
    __global const uint *q;
    q = &in[l];
    e = a ^ l;
    d = 5;
",
    );
    for part in 0..parts {
        for _ in 0..1 + random.below(4) {
            let _ = writeln!(text, "    {}", statement(random, 2, part));
        }
        if part + 1 == parts {
            break;
        }
        if random.below(3) == 0 {
            let late = random.pick(&["uint", "const uint"]);
            let init = value(random, 2, part);
            let _ = writeln!(text, "    {late} z{part} = {init};\n    a += z{part};");
        }
        let _ = writeln!(text, "    s{part}[l] = {};", value(random, 2, part));
        text.push_str("    barrier(CLK_LOCAL_MEM_FENCE);\n");
    }
    if random.below(3) == 0 {
        text.push_str("    if (a & 4) {\n        o[g * 4] = b;\n        return;\n    }\n");
    }
    text.push_str(
        "    o[g * 4] = a + d + e;
    o[g * 4 + 1] = b ^ t ^ n;
    o[g * 4 + 2] = v.x + v.y * 3 + w[0] + w[1] + w[2] + w[3];
    o[g * 4 + 3] = r.p + r.q.x + r.q.y + *p;
}
",
    );
    text
}

const BARRIER_HEAD: &str = "struct pair { uint p; uint2 q; };
uint twice(uint x) { return x * 2 + get_local_id(0); }
";

/// Compares a job with its rewritten forms on both emulators.
fn check(test: &str, job: &Job, seed: u64) {
    let run_on = |job: &Job, platform| {
        run(job, platform).unwrap_or_else(|e| fail(test, seed, &job.source, &e.to_string()))
    };
    let before = Platform::EMULATORS.map(|platform| run_on(job, platform));
    for knowledge in [Knowledge::Nothing, Knowledge::Local, Knowledge::All] {
        let rewritten =
            as_tasks(job, knowledge).unwrap_or_else(|e| fail(test, seed, &job.source, &e));
        for (platform, before) in Platform::EMULATORS.into_iter().zip(&before) {
            let after = run_on(&rewritten, platform);
            if let Some(what) = difference(&before.buffers, &after.buffers, &Bound::Exact) {
                let why = format!(
                    "{knowledge:?}, {platform:?}: {what}\nrewritten:\n{}\noriginal:",
                    rewritten.source
                );
                fail(test, seed, &job.source, &why);
            }
        }
    }
}

#[test]
fn arithmetic_with_ids_stays() {
    for seed in seeds(1) {
        let mut random = Random::new(seed);
        let text: String = (0..BATCH)
            .map(|number| id_kernel(&mut random, number))
            .collect();
        let mut job = Job::new(text);
        for number in 0..BATCH {
            let out = job.buffer(12 * 6 * 64, Fill::Zero);
            let n = random.below(20) as i32 - 9;
            let u = random
                .pick(&["4", "4294967290", "0"])
                .parse()
                .expect("a number");
            let m = random.below(9) as i64 - 4;
            let args = [
                out,
                Arg::int(n),
                Arg::uint(u),
                Arg::long(m),
                Arg::Value(vec![0xfd]),
            ];
            let geometry = Geometry::offset_range(&[5, 0], &[12, 6], &[4, 2]);
            job.launch(&format!("k{number}"), geometry, args);
        }
        check("arithmetic_with_ids_stays", &job, seed);
    }
}

#[test]
fn values_across_barriers_stay() {
    for seed in seeds(1) {
        let mut random = Random::new(seed);
        let kernels: String = (0..BATCH)
            .map(|number| barrier_kernel(&mut random, number))
            .collect();
        let mut job = Job::new(format!("{BARRIER_HEAD}{kernels}"));
        let input = job.buffer(32 * 4, Fill::ints(seed, 0, 1000));
        for number in 0..BATCH {
            let out = job.buffer(32 * 16, Fill::Zero);
            let args = [out, input.clone(), Arg::uint(number as u32)];
            job.launch(&format!("k{number}"), Geometry::range(&[32], &[8]), args);
        }
        if seed == 1 {
            // Free of races by construction; the first few show that the construction is right.
            let mut few = job.clone();
            few.launches.truncate(6);
            certify(&few).unwrap_or_else(|e| panic!("{e}\n{}", job.source));
        }
        check("values_across_barriers_stay", &job, seed);
    }
}
