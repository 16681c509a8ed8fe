//! The cache that a program's constant memory asks for.

// Its options of passes are for the golden texts.
#[allow(dead_code)]
#[path = "common/header.rs"]
mod header;
#[path = "../../kernel-analysis/tests/common/module.rs"]
mod module;

use fpgacc_device_passes::pipeline::launches_by_kernel;
use fpgacc_kernel_analysis::constant_memory::cache_bytes;
use module::module;

const SOURCE: &str = "__constant float weights[256] = {1.0f};\n\
                      __kernel void a(__global float *x, __constant float *c) { x[0] = c[0]; }\n\
                      __kernel void b(__constant int *d, __global int *x) { x[0] = d[0]; }\n\
                      __kernel void plain(__global float *x) { x[0] = weights[1]; }\n";

/// Launches of `a` and of `b`; `x` is not constant memory.
const LAUNCHES: [&str; 2] = ["host: kernel=a args=x,c", "host: kernel=b args=d,x"];

/// What the kernels ask for, where `c` and `d` are of these sizes, with further facts.
fn cached(c: &str, d: &str, more: &[&str]) -> Option<u64> {
    let buffers = format!("// buffer: x ? ?\n// buffer: c {c} ?\n// buffer: d {d} ?\n");
    let more = LAUNCHES
        .iter()
        .chain(more)
        .map(|line| format!("// {line}\n"));
    asked(SOURCE, &(buffers + &more.collect::<String>()))
}

fn asked(source: &str, facts: &str) -> Option<u64> {
    let (module, facts) = (module(source), header::facts(facts, &[]));
    cache_bytes(&module, &facts, &launches_by_kernel(&module, &facts))
}

#[test]
fn the_cache_holds_every_buffer_once_and_the_constants_of_the_text() {
    let cached = |more: &[&str]| cached("20000", "100/4000", more);
    assert_eq!(cached(&[]), Some(32_768));
    let again = "host: kernel=a args=x,c";
    assert_eq!(cached(&[again]), Some(32_768));
    // Another buffer at one of the launches.
    let other = "host: kernel=a args=x,e";
    assert_eq!(cached(&[again, "buffer: e 9000 ?", other]), Some(65_536));
}

#[test]
fn small_constants_take_a_small_cache() {
    assert_eq!(cached("64", "64", &[]), Some(2_048));
}

#[test]
fn without_constants_or_with_too_many_nothing_is_asked_for() {
    let without = "__kernel void k(__global float *x) { x[0] = 1.0f; }\n";
    assert_eq!(asked(without, ""), None);
    assert_eq!(cached("1048576", "64", &[]), None);
}

#[test]
fn what_is_not_known_of_one_launch_leaves_the_default() {
    assert_eq!(cached("n", "64", &[]), None);
    let sizes = "// buffer: c 64 ?\n// buffer: d 64 ?\n";
    let no_launch_of_b = format!("{sizes}// host: kernel=a args=x,c\n");
    assert_eq!(asked(SOURCE, &no_launch_of_b), None);
    let other_memory = format!("{sizes}// host: kernel=a args=x,?\n// host: kernel=b args=d,x\n");
    assert_eq!(asked(SOURCE, &other_memory), None);
    assert_eq!(cached("64", "64", &["host: kernel=? args=x,c"]), None);
}
