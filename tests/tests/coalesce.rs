//! Nested loops that become one, and loops over work-items in another order, leave results as they are; the
//! former are only asked of compilers that know how.

use fpgacc_device_passes::options::PassOptions;
use fpgacc_tests::command::Workshop;
use fpgacc_tests::compare::unchanged;
use fpgacc_tests::job::{Arg, Fill, Geometry, Job};
use fpgacc_tests::rewrite::{Knowledge, Rewrites, rewrite};

const KERNELS: &str = include_str!("inputs/coalesce.cl");

fn job() -> Job {
    let mut job = Job::new(KERNELS);
    let input = job.buffer(128 * 4, Fill::ints(11, -50, 50));
    for trips in [0, 7, 16] {
        let out = job.buffer(128 * 4, Fill::Zero);
        let args = [input.clone(), out, Arg::int(trips)];
        job.launch("planes", Geometry::range(&[16, 8], &[4, 2]), args.clone());
        let out = job.buffer(128 * 4, Fill::Zero);
        let args = [input.clone(), out, Arg::int(trips.min(14))];
        job.launch("alone", Geometry::range(&[1], &[1]), args);
    }
    job
}

#[test]
fn nests_that_become_one_in_another_order_compute_the_same_bytes() {
    let original = job();
    let options = PassOptions::default();
    let rewritten = rewrite(
        &original,
        |_| Knowledge::Local,
        &Rewrites::Coalesced,
        &options,
    )
    .unwrap();
    let text = &rewritten.job.source;
    // Groups and work-items of two dimensions; the nest that is no triangle.
    assert!(text.contains("#pragma loop_coalesce 4"), "{text}");
    assert!(text.contains("#pragma loop_coalesce 2"), "{text}");
    assert_eq!(text.matches("loop_coalesce").count(), 2, "{text}");
    // Of `planes`, the loops over rows are innermost.
    let [x, y] = ["for (int item_x", "for (int item_y"].map(|head| text.find(head));
    assert!(x < y, "{text}");
    unchanged(&original, &rewritten.job).unwrap();
}

const SHORT_INNER: &str = include_str!("inputs/coalesce_short_inner.cl");

/// Without these, copies and vectors gain more than joined loops do: they leave no loop inside.
const ALONE: &str = "-fno-unroll -fno-vectorise-loops";

/// The pragma is of SDK 17.1.
#[test]
fn compilers_that_know_no_joined_loops_get_none() {
    let shop = Workshop::new();
    shop.write("k.cl", SHORT_INNER);
    let rewritten = |options: &str| {
        let command = format!("-S --kernel-opt=3 {ALONE} --target=hardware {options} k.cl -o -");
        shop.fpgacc(&command).success().stdout
    };
    let [old, new] = ["16.1.0", "17.1.0"].map(|version| shop.aoc(version));
    assert!(!rewritten(&format!("--aoc={old}")).contains("loop_coalesce"));
    assert!(rewritten(&format!("--aoc={new}")).contains("#pragma loop_coalesce 2"));
    // Whoever asks for it gets it.
    let asked = rewritten(&format!("--aoc={old} -fcoalesce"));
    assert!(asked.contains("#pragma loop_coalesce 2"), "{asked}");
    assert!(!rewritten(&format!("--aoc={new} -fno-coalesce")).contains("loop_coalesce"));
}

const TURN: &str = "\
__kernel void turn(__global float *restrict a, __global const float *restrict t)
{
    int x = get_global_id(0), y = get_global_id(1);
    a[y * 1024 + x] = t[x * 8 + y] + t[x * 8 + y + 1];
}
";

const LAUNCH: &str = "\
version: 1
launches:
  - kernels: [turn]
    work_dim: 2
    global: [1024, 1024]
    local: [16, 16]
";

/// Two loads move word by word with the second dimension, but lie near each other with the first, too; the
/// store does not.
#[test]
fn the_order_of_loops_over_work_items_is_priced() {
    let shop = Workshop::new();
    shop.write("k.cl", TURN);
    shop.write("facts.yaml", LAUNCH);
    let innermost = |level: &str| {
        let command = format!("-S {level} -fexecution-model=swi k.cl --facts facts.yaml -o -");
        let text = shop.fpgacc(&command).success().stdout;
        let mut loops = text.lines().rev();
        let last = loops.find_map(|line| line.trim().strip_prefix("for (int item_"));
        last.and_then(|rest| rest.chars().next())
    };
    assert_eq!(innermost("--kernel-opt=2"), Some('y'));
    assert_eq!(innermost("--kernel-opt=3"), Some('x'));
}
