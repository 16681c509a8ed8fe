//! What a kernel does with its pointer parameters.

use common::module;
use fpgacc_kernel_analysis::alias::called_functions;
use fpgacc_kernel_analysis::usage::Usage;

#[path = "common/module.rs"]
mod common;

/// The names of the parameters that the last kernel of a text may write through.
fn written(text: &str) -> Vec<String> {
    let module = module(text);
    let kernel = module.kernels().last().expect("a kernel");
    let usage = Usage::of(&module, kernel, &called_functions(&module));
    let vars = &module.functions[kernel].vars;
    let names = usage.written.iter().map(|var| vars[*var].name.to_string());
    names.collect()
}

#[test]
fn a_private_pointer_points_to_no_buffer() {
    let text = "__kernel void f(__global int *a, __local int *b, int n) {
            int x = 0, y = 0;
            int *of[2] = { &x, &y };
            *of[n & 1] = 1;
            b[0] = x + y;
        }";
    assert_eq!(written(text), ["b"]);
}

#[test]
fn the_pointer_that_a_function_returns_is_not_all_that_it_writes_through() {
    let text = "struct both { __global int *g; __local int *l; };
        __local int *put(struct both *all) { all->g[0] = 1; return all->l; }
        __kernel void f(__global int *a, __local int *b) {
            struct both all;
            all.g = a;
            all.l = b;
            put(&all);
        }";
    assert_eq!(written(text), ["a", "b"]);
}

#[test]
fn an_asynchronous_copy_reads_its_second_argument() {
    let text = "__kernel void f(__global int *a, __global const int *b, __local int *c) {
            event_t in = async_work_group_copy(c, b, 16, 0);
            event_t out = async_work_group_strided_copy(a, c, 16, 2, 0);
            wait_group_events(1, &in);
            wait_group_events(1, &out);
        }";
    assert_eq!(written(text), ["a", "c"]);
}
