//! The cache that a program's constant memory asks for.

#[path = "../../kernel-analysis/tests/common/module.rs"]
mod module;

use fpgacc_device_passes::pipeline::launches_by_kernel;
use fpgacc_frontend::ir::Module;
use fpgacc_kernel_analysis::constant_memory::cache_bytes;
use fpgacc_launch_facts::{
    Arg, ArgValue, Buffer, Facts, Known, Launch, LocalSize, Location, QueueOrder, Value,
};

use module::module;

const SOURCE: &str = "__constant float weights[256] = {1.0f};\n\
                      __kernel void a(__global float *x, __constant float *c) { x[0] = c[0]; }\n\
                      __kernel void b(__constant int *d, __global int *x) { x[0] = d[0]; }\n\
                      __kernel void plain(__global float *x) { x[0] = weights[1]; }\n";

fn cached(module: &Module, facts: &Facts) -> Option<u64> {
    cache_bytes(module, facts, &launches_by_kernel(module, facts))
}

fn site() -> Location {
    Location {
        file: "host.c".to_string(),
        line: 1,
        column: 1,
    }
}

fn launch(kernels: &[&str], buffers: [&str; 2]) -> Launch {
    let args = (0..).zip(buffers).map(|(index, name)| Arg {
        index,
        value: ArgValue::Memory(name.to_string()),
    });
    Launch {
        site: site(),
        kernels: Known::Is(kernels.iter().map(ToString::to_string).collect()),
        work_dim: Value::Const(1),
        offset: vec![Value::Const(0)],
        global: vec![Value::Const(64)],
        local: LocalSize::Null,
        args: args.collect(),
        queue: QueueOrder::Unknown,
        within: None,
        same: Vec::new(),
        recorded: None,
    }
}

fn buffer(name: &str, size: Value) -> Buffer {
    Buffer {
        site: site(),
        variable: Some(name.to_string()),
        use_host_ptr: false,
        sub_buffer: false,
        flags: None,
        parent: None,
        origin: None,
        size,
        recorded: None,
    }
}

/// `a` reads `c`, `b` reads `d`; `x` is not constant memory.
fn facts(c: Value, d: Value) -> Facts {
    Facts {
        buffers: vec![
            buffer("c", c),
            buffer("d", d),
            buffer("x", Value::Unknown("computed".to_string())),
        ],
        launches: vec![launch(&["a"], ["x", "c"]), launch(&["b"], ["d", "x"])],
        ..Facts::default()
    }
}

#[test]
fn the_cache_holds_every_buffer_once_and_the_constants_of_the_text() {
    let module = module(SOURCE);
    let mut facts = facts(Value::Const(20_000), Value::OneOf(vec![100, 4_000]));
    assert_eq!(cached(&module, &facts), Some(32_768));
    facts.launches.push(launch(&["a"], ["x", "c"]));
    assert_eq!(cached(&module, &facts), Some(32_768));
    // Another buffer at one of the launches.
    facts.buffers.push(buffer("e", Value::Const(9_000)));
    facts.launches.push(launch(&["a"], ["x", "e"]));
    assert_eq!(cached(&module, &facts), Some(65_536));
}

#[test]
fn small_constants_take_a_small_cache() {
    let module = module(SOURCE);
    let facts = facts(Value::Const(64), Value::Const(64));
    assert_eq!(cached(&module, &facts), Some(2_048));
}

#[test]
fn without_constants_or_with_too_many_nothing_is_asked_for() {
    let without = "__kernel void k(__global float *x) { x[0] = 1.0f; }\n";
    assert_eq!(cached(&module(without), &Facts::default()), None);
    let module = module(SOURCE);
    let much = facts(Value::Const(1 << 20), Value::Const(64));
    assert_eq!(cached(&module, &much), None);
}

#[test]
fn what_is_not_known_of_one_launch_leaves_the_default() {
    let module = module(SOURCE);
    let unknown = facts(Value::symbolic("n"), Value::Const(64));
    assert_eq!(cached(&module, &unknown), None);
    let known = || facts(Value::Const(64), Value::Const(64));
    let mut no_launch = known();
    no_launch.launches.pop();
    assert_eq!(cached(&module, &no_launch), None);
    let mut other_memory = known();
    other_memory.launches[0].args[1].value = ArgValue::Unknown("set elsewhere".to_string());
    assert_eq!(cached(&module, &other_memory), None);
    let mut any_kernel = known();
    any_kernel.launches[0].kernels = Known::Unknown("computed".to_string());
    assert_eq!(cached(&module, &any_kernel), None);
}
