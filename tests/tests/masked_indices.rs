//! Indices of which only the lowest bits count: PoCL's compiler makes wrong vectors of loops with them.

use fpgacc_tests::command::{Workshop, implementations};

/// Launches a kernel over four groups of 16 with an argument, and prints what it writes.
const HOST: &str = include_str!("inputs/guarded_divisions.c");

/// Each reads what its group has, in another order.
const KERNELS: &str = "
__kernel void a(__global int *o, int n) {
    __local int t[16];
    int l = get_local_id(0);
    t[l] = get_global_id(0) * 10 + n;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[l * 5 & 15];
}
__kernel void b(__global int *o, int n) {
    __local int t[16];
    uint l = get_local_id(0);
    t[l] = get_global_id(0) * 10 + n;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint from = l * 3 % 16;
    o[get_global_id(0)] = t[from];
}
";

#[test]
fn what_is_read_through_masks_is_right() {
    let shop = Workshop::new();
    shop.write("host.c", HOST.replace("local = 8", "local = 16"));
    shop.write("k.cl", KERNELS);
    let line = |name: &str, by: usize| {
        let value = |at: usize| (at / 16 * 16 + at % 16 * by % 16) * 10 + 7;
        let values = (0..64).map(|at| format!(" {}", value(at)));
        format!("{name}7:{}\n", values.collect::<String>())
    };
    let expected = line("a", 5) + &line("b", 3);
    for (name, _) in implementations() {
        let words = format!("-w -fexecution-model=swi --platform={name} host.c k.cl -o app");
        shop.fpgacc(&words).success();
        let app = shop.sh("./app a7 b7").success();
        assert_eq!(app.stdout, expected, "{name}");
    }
}
