//! Sites of small kernels whose sectors, turns and lanes are counted by hand.

use fpgacc_frontend::ir::Dialect;
use fpgacc_frontend::kernel::{Input, parse};
use fpgacc_frontend::source::{Location, SourceMap};
use fpgacc_gpu_model::check::{Findings, Thresholds, What, check};
use fpgacc_gpu_model::device::Device;
use fpgacc_gpu_model::recorded::Seen;
use fpgacc_launch_facts::{Arg, ArgValue, Launch, LocalSize, RecordedLaunch, Value};

/// A launch with these sizes; no local size is NULL. `scalars`: arguments by index.
fn launch(global: &[u64], local: &[u64], scalars: &[(u32, u64)]) -> Launch {
    let site = Location {
        file: "h.c".to_string(),
        line: 1,
        column: 1,
    };
    let mut launch = Launch::of(site, vec!["k".to_string()]);
    launch.work_dim = Value::Const(global.len() as u64);
    launch.offset = vec![Value::Const(0); global.len()];
    launch.global = global.iter().map(|size| Value::Const(*size)).collect();
    launch.local = match local {
        [] => LocalSize::Null,
        local => LocalSize::constants(local.iter().copied()),
    };
    let arg = |(index, value): &(u32, u64)| Arg {
        index: *index,
        value: ArgValue::Scalar(Value::Const(*value)),
    };
    launch.args = scalars.iter().map(arg).collect();
    launch
}

/// What is found of a kernel `k` with a body on one line a statement.
fn found(text: &str, launch: &Launch) -> (Findings, SourceMap) {
    let mut sources = SourceMap::new();
    let module =
        parse(&Input::new("k.cl", text, Dialect::Cl12), &mut sources).expect("it is valid");
    let kernel = module.kernels().next().expect("a kernel");
    let device = Device::named("warp32").expect("a device");
    let findings = check(
        &module,
        kernel,
        &[launch],
        &device,
        &Thresholds::default(),
        &Seen::default(),
    );
    (findings, sources)
}

/// A line a site: `LINE what verdict`, with `!` where it is worth a warning.
fn told(text: &str, launch: &Launch) -> Vec<String> {
    let (findings, sources) = found(text, launch);
    let line = |site: &fpgacc_gpu_model::check::Site| {
        let what = match &site.what {
            What::Global {
                write,
                sectors,
                ideal,
                ..
            } => format!(
                "{} {sectors:.1}/{ideal:.1}",
                if *write { "write" } else { "read" }
            ),
            What::Local { write, turns, .. } => {
                format!("local {} {turns:.1}", if *write { "write" } else { "read" })
            }
            What::Branch { diverged, .. } => format!("branch {diverged:.2}"),
            What::Barrier { waiting } => format!("barrier {waiting:.2}"),
        };
        let mark = if site.is_warning { " !" } else { "" };
        let at = sources.location(site.span).line;
        format!("{at} {what} {}{mark}", site.verdict.name())
    };
    findings.sites.iter().map(line).collect()
}

#[test]
fn neighbours_that_are_rows_apart_move_a_sector_each() {
    let text = "__kernel void k(__global float *a, __global float *b, int n) {\n\
                int i = get_global_id(0);\n\
                b[i] = a[i * 1024];\n\
                b[i] += a[i];\n\
                }\n";
    let told = told(text, &launch(&[4096], &[64], &[]));
    assert_eq!(
        told,
        [
            "3 write 4.0/4.0 proved",
            "3 read 32.0/4.0 proved !",
            "4 read 4.0/4.0 proved",
            "4 write 4.0/4.0 proved",
            "4 read 4.0/4.0 proved",
        ]
    );
}

#[test]
fn an_unknown_row_is_taken_to_be_long() {
    let text = "__kernel void k(__global float *a, __global float *b, int n) {\n\
                int i = get_global_id(0);\n\
                if (i < n)\n\
                b[i] = a[i * n + 3];\n\
                }\n";
    let told = told(text, &launch(&[4096], &[64], &[]));
    assert_eq!(
        told,
        [
            "3 branch 0.00 proved",
            "4 write 4.0/4.0 proved",
            "4 read 32.0/4.0 proved for large arguments !",
        ]
    );
}

#[test]
fn structures_that_are_read_whole_waste_nothing() {
    let whole = "struct p { float x, y; };\n\
                 __kernel void k(__global struct p *a, __global float *b) {\n\
                 int i = get_global_id(0);\n\
                 b[i] = a[i].x + a[i].y;\n\
                 }\n";
    let seen = told(whole, &launch(&[4096], &[64], &[]));
    assert!(seen.iter().all(|line| !line.ends_with('!')), "{seen:?}");
    assert!(
        seen.contains(&"4 read 8.0/4.0 proved".to_string()),
        "{seen:?}"
    );
    let part = "struct p { float x, y, z, u, v, w; };\n\
                __kernel void k(__global struct p *a, __global float *b) {\n\
                int i = get_global_id(0);\n\
                b[i] = a[i].x;\n\
                }\n";
    let seen = told(part, &launch(&[4096], &[64], &[]));
    assert_eq!(seen[1], "4 read 24.0/4.0 proved !");
}

#[test]
fn lanes_that_wait_are_counted() {
    let text = "__kernel void k(__global float *a) {\n\
                int l = get_local_id(0);\n\
                float s = 0;\n\
                if (l % 32 < 16)\n\
                for (int i = 0; i < 100; i++) s += i * s;\n\
                if (l < 64)\n\
                s *= 2;\n\
                for (int i = 0; i < l % 4; i++) s += i * s;\n\
                a[get_global_id(0)] = s;\n\
                }\n";
    let told = told(text, &launch(&[4096], &[128], &[]));
    assert!(
        told.contains(&"4 branch 1.00 proved !".to_string()),
        "{told:?}"
    );
    // Whole warps go one way.
    assert!(
        told.contains(&"6 branch 0.00 proved".to_string()),
        "{told:?}"
    );
    assert!(
        told.iter()
            .any(|line| line.starts_with("8 branch 1.00 proved")),
        "{told:?}"
    );
}

#[test]
fn columns_of_a_local_tile_share_banks() {
    let text = "__kernel void k(__global float *a, __global float *b) {\n\
                __local float plain[32][32], padded[32][33];\n\
                int x = get_local_id(0), y = get_local_id(1);\n\
                plain[y][x] = padded[y][x] = a[get_global_id(1) * 1024 + get_global_id(0)];\n\
                barrier(CLK_LOCAL_MEM_FENCE);\n\
                b[get_global_id(1) * 1024 + get_global_id(0)] = plain[x][y]\n\
                + padded[x][y];\n\
                }\n";
    let told = told(text, &launch(&[1024, 1024], &[32, 8], &[]));
    assert!(
        told.contains(&"6 local read 32.0 proved !".to_string()),
        "{told:?}"
    );
    assert!(
        told.contains(&"7 local read 1.0 proved".to_string()),
        "{told:?}"
    );
}

#[test]
fn what_depends_on_data_or_on_an_open_local_size_is_said() {
    let gather = "__kernel void k(__global float *a, __global int *at, __global float *b) {\n\
                  int i = get_global_id(0);\n\
                  b[i] = a[at[i]];\n\
                  if (at[i] > 3)\n\
                  b[i] = 0;\n\
                  }\n";
    let seen = told(gather, &launch(&[4096], &[64], &[]));
    assert!(
        seen.contains(&"3 read 0.0/0.0 depends on data".to_string()),
        "{seen:?}"
    );
    assert!(
        seen.contains(&"4 branch 0.00 depends on data".to_string()),
        "{seen:?}"
    );
    let column = "__kernel void k(__global float *a) {\n\
                  a[get_global_id(0) * 1024 + get_global_id(1)] = 0;\n\
                  }\n";
    let seen = told(column, &launch(&[1024, 1024], &[], &[]));
    assert_eq!(seen.len(), 1);
    assert!(seen[0].ends_with("unknown"), "{seen:?}");
}

#[test]
fn long_loops_count_whole() {
    let text = "__kernel void k(__global float *a, __global float *b, int n) {\n\
                int i = get_global_id(0);\n\
                float s = 0;\n\
                for (int j = 0; j < n; j++)\n\
                s += a[j * 4096 + i] * b[j];\n\
                for (int j = 1; j < 64; j *= 2)\n\
                s += b[j];\n\
                a[i] = s;\n\
                }\n";
    let launch = launch(&[4096], &[64], &[(2, 1000)]);
    let (findings, _) = found(text, &launch);
    // 128 warps read 4 sectors of `a` and 1 of `b` in each of 1000 iterations; 6 of `b`; and write 4.
    let sectors = 128.0 * (1000.0 * 5.0 + 6.0 + 4.0);
    let ratio = findings.traffic / (sectors * 32.0);
    assert!((0.999..1.001).contains(&ratio), "{ratio}");
}

#[test]
fn helpers_returns_and_selects_are_followed() {
    let text = "int row(int i, int w) { if (i % 2) return i / w * w; return i / w * w + 1; }\n\
                __kernel void k(__global float *a, __global float *b, int n) {\n\
                int i = get_global_id(0);\n\
                if (i >= n) return;\n\
                int at = min(row(i, 32) + (i & 31), n - 1);\n\
                b[i] = i > 5 ? a[at] : a[0];\n\
                }\n";
    let told = told(text, &launch(&[4096], &[64], &[(2, 4000)]));
    // Each lane of a warp reads its own position or the next: 32 or 33 floats in a row.
    let read = told
        .iter()
        .find(|line| line.starts_with("6 read 4"))
        .expect("a read");
    assert!(read.contains("proved") && !read.ends_with('!'), "{told:?}");
    // 4000 is no multiple of 64, but of 32: no warp is split there.
    assert!(
        told.contains(&"4 branch 0.00 proved".to_string()),
        "{told:?}"
    );
}

#[test]
fn guards_that_memory_decides_make_lanes_a_guess() {
    let text = "__kernel void k(__global int *d, __global float *a) {\n\
                int i = get_global_id(0);\n\
                if (d[i] > 3)\n\
                a[i * 16] = 1;\n\
                if (d[i] > 7) return;\n\
                a[i * 16 + 1] = 1;\n\
                }\n";
    let told = told(text, &launch(&[4096], &[64], &[]));
    for line in [
        "4 write 32.0/4.0 depends on data",
        "6 write 32.0/4.0 depends on data",
    ] {
        assert!(told.contains(&line.to_string()), "{told:?}");
    }
}

#[test]
fn without_a_launch_nothing_is_proved() {
    let text = "__kernel void k(__global float *a) { a[get_global_id(0) * 16] = 1; }\n";
    let mut sources = SourceMap::new();
    let module =
        parse(&Input::new("k.cl", text, Dialect::Cl12), &mut sources).expect("it is valid");
    let kernel = module.kernels().next().expect("a kernel");
    let device = Device::named("warp32").expect("a device");
    let findings = check(
        &module,
        kernel,
        &[],
        &device,
        &Thresholds::default(),
        &Seen::default(),
    );
    assert_eq!(findings.sites.len(), 1);
    assert_eq!(findings.sites[0].verdict.name(), "unknown");
    assert!(!findings.is_counted && !findings.sites[0].is_warning);
}

#[test]
fn lanes_that_memory_sent_apart_meet_again_after_the_function_or_loop() {
    let text = "int last(__global int *d, int at) {\n\
                if (d[at] > 3) return d[at]; else return 1;\n\
                }\n\
                __kernel void k(__global int *d, __global float *a) {\n\
                int i = get_global_id(0);\n\
                int v = last(d, i);\n\
                a[i * 16] = v;\n\
                for (int t = 0; t < 8; t++) {\n\
                if (d[i + t] == 5) break;\n\
                a[i * 16 + 1] = t;\n\
                }\n\
                a[i * 16 + 2] = 1;\n\
                }\n";
    let told = told(text, &launch(&[4096], &[64], &[]));
    for line in [
        "7 write 32.0/4.0 proved !",
        "10 write 32.0/4.0 depends on data",
        "12 write 32.0/4.0 proved !",
    ] {
        assert!(told.contains(&line.to_string()), "{told:?}");
    }
}

#[test]
fn arrays_of_a_caller_may_have_higher_numbers_than_a_function_has_variables() {
    let text = "void set(float *p, __global float *a, int i) { p[0] = a[i * 16]; }\n\
                __kernel void k(__global float *a) {\n\
                int i = get_global_id(0); int x; int y; int z; int w; float kept[4];\n\
                set(kept, a, i);\n\
                a[i] = kept[0];\n\
                }\n";
    let told = told(text, &launch(&[4096], &[64], &[]));
    let line = "1 read 32.0/4.0 proved !".to_string();
    assert!(told.contains(&line), "{told:?}");
}

/// A launch of a run in which the global size and the argument 1 had these values.
fn recorded(sizes: &[u64], strides: &[u64]) -> Launch {
    let mut launch = launch(&[sizes[0]], &[64], &[(1, strides[0])]);
    let all = |values: &[u64]| match values {
        [one] => Value::Const(*one),
        several => Value::OneOf(several.to_vec()),
    };
    launch.global = vec![all(sizes)];
    launch.args[0].value = ArgValue::Scalar(all(strides));
    launch.recorded = Some(RecordedLaunch::default());
    launch
}

#[test]
fn numbers_of_a_run_are_taken_together_only_if_one_is_open() {
    let text = "__kernel void k(__global float *a, int stride) {\n\
                a[get_global_id(0) * stride] = 1;\n\
                }\n";
    let of = |sizes: &[u64], strides: &[u64]| told(text, &recorded(sizes, strides));
    assert_eq!(of(&[4096], &[16]), ["2 write 32.0/4.0 measured !"]);
    assert_eq!(of(&[256, 4096], &[16]), ["2 write 32.0/4.0 measured !"]);
    assert_eq!(of(&[4096], &[1, 16]), ["2 write 32.0/4.0 measured !"]);
    assert_eq!(of(&[256, 4096], &[1, 16]), ["2 write 32.0/4.0 unknown"]);
    // It makes no difference.
    assert_eq!(of(&[256, 4096], &[8, 16]), ["2 write 32.0/4.0 measured !"]);
}

#[test]
fn warps_wait_at_barriers_for_the_last_of_their_group() {
    let kernel = |bound: &str| {
        format!(
            "__kernel void k(__global float *a, __global const int *d, __local float *t) {{\n\
             int l = get_local_id(0);\n\
             float s = 0;\n\
             for (int j = 0; j < {bound}; j++) s += j;\n\
             t[l] = s;\n\
             barrier(CLK_LOCAL_MEM_FENCE);\n\
             a[get_global_id(0)] = t[0];\n\
             }}\n"
        )
    };
    let barrier = |bound: &str, local: u64| {
        let told = told(&kernel(bound), &launch(&[4096], &[local], &[]));
        let found = told.iter().find(|line| line.starts_with("6 barrier"));
        found.cloned().unwrap_or_default()
    };
    assert_eq!(barrier("64", 256), "6 barrier 0.00 proved");
    // Warp w goes on until its last lane is done: 32 (w + 1) - 1 iterations of at most 255; on average 143.
    assert_eq!(barrier("l", 256), "6 barrier 0.43 proved !");
    // A group of one warp waits for nothing.
    assert_eq!(barrier("l", 32), "");
    assert_eq!(barrier("d[l]", 256), "6 barrier 0.00 depends on data");
}
