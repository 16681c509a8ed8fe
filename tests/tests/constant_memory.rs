//! Tables that become constant memory: random kernels, original against rewritten, with launches that
//! hold what the passes knew and launches that do not.

use fpgacc_tests::command::Workshop;
use fpgacc_tests::half_known;
use fpgacc_tests::run::Platform;
use fpgacc_tests::tables::job;

/// The first launch is known to the passes, the second passes other buffers.
#[test]
fn launches_that_hold_and_launches_that_do_not() {
    let test = "launches_that_hold_and_launches_that_do_not";
    let seen = half_known::check(test, "constant-memory", &[Platform::Pocl], job);
    assert!(seen.done > 0 && seen.missed > 0, "{seen:?}");
    assert!(seen.general > 0 && seen.refused == seen.general, "{seen:?}");
}

/// `app SIZE WRITABLE`: looks numbers up in a table of SIZE integers, which only given facts describe.
const HOST: &str = include_str!("inputs/constant_memory.c");

const KERNEL: &str =
    "__kernel void look(__global const int *table, __global const int *in, __global int *out)
{
    int i = get_global_id(0), x = in[i];
    for (int j = 0; j < 64; j++)
        x += table[(x + j) & 63];
    out[i] = x;
}
";

fn shop() -> Workshop {
    let shop = Workshop::new();
    shop.write("host.c", HOST);
    shop.write("look.cl", KERNEL);
    let line = 1 + HOST
        .lines()
        .position(|line| line.contains("cl_mem table"))
        .unwrap();
    let facts = format!(
        "version: 1\nbuffers:\n- site: {{file: host.c, line: {line}, column: 20}}\n  variable: \
         main::table\n  use_host_ptr: false\n  sub_buffer: false\n  flags: [READ_ONLY, \
         COPY_HOST_PTR]\n  size: {{const: 256}}\n"
    );
    shop.write("facts.yaml", facts);
    shop
}

/// Tables of other sizes and flags than was said are refused, or go to the kernel as it is.
#[test]
fn a_table_that_is_another_is_refused_or_read_as_before() {
    const RIGHT: &str = "0: 3644511808\n";
    let shop = shop();
    for platform in ["intel", "pocl"] {
        let fpgacc = |options: &str| {
            let line = format!("-w --platform {platform} {options} -o app");
            shop.fpgacc(&line).success()
        };
        fpgacc("-fno-constant-memory host.c look.cl facts.yaml");
        for arguments in ["64", "100", "64 1"] {
            let original = shop.sh(&format!("./app {arguments}")).success();
            assert_eq!(original.stdout, RIGHT);
        }
        let made = fpgacc("--as-on-board -Rpass=constant-memory host.c look.cl facts.yaml");
        let remark = "parameter 'table' is __constant: the launches pass 'main::table', at most 256 \
                      bytes that no kernel writes (checked at each launch)";
        assert!(made.stderr.contains(remark), "{}", made.stderr);
        let held = shop.sh("./app 64").success();
        assert_eq!((held.stdout.as_str(), held.stderr.as_str()), (RIGHT, ""));
        for (arguments, words) in [
            ("100", "it is a larger buffer"),
            ("64 1", "it is a buffer without CL_MEM_READ_ONLY"),
        ] {
            let broken = shop.sh(&format!("./app {arguments}")).success();
            assert_eq!(broken.stdout, "-52: 0\n");
            let message = format!("in this launch {words} (CL_INVALID_KERNEL_ARGS)");
            assert!(broken.stderr.contains(&message), "{}", broken.stderr);
        }
        fpgacc("--keep-general host.c look.cl facts.yaml");
        for arguments in ["64", "100", "64 1"] {
            let ran = shop.sh(&format!("./app {arguments}")).success();
            assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), (RIGHT, ""));
        }
    }
}

/// Whether a table becomes constant is the model's choice: it is not if the cache is filled for nothing.
#[test]
fn constant_memory_is_taken_where_the_model_finds_it_faster() {
    let shop = shop();
    let kernels = |options: &str, text: &str| {
        shop.write("look.cl", text);
        let line = format!("-w {options} --emit=kernels host.c look.cl facts.yaml");
        shop.fpgacc(&line).success().stdout
    };
    for model in ["", "-fexecution-model=ndrange", "-fexecution-model=swi"] {
        assert!(
            kernels(model, KERNEL).contains("__constant const int *"),
            "{model}"
        );
        let plain = format!("{model} -fno-constant-memory");
        assert!(!kernels(&plain, KERNEL).contains("__constant"), "{plain}");
    }
    // Each element is read once.
    let copy = KERNEL
        .replace("for (int j = 0; j < 64; j++)\n        ", "if (i < 64) ")
        .replace("(x + j) & 63", "i");
    assert!(!kernels("", &copy).contains("__constant"), "{copy}");
    let output =
        shop.fpgacc("-w -Rpass-missed=constant-memory --emit=kernels host.c look.cl facts.yaml");
    let output = output.success().stderr;
    let reason = "parameter 'table' stays __global: the performance model predicts no gain";
    assert!(output.contains(reason), "{output}");
    let forced = kernels("-fconstant-memory", &copy);
    assert!(forced.contains("__constant"), "{forced}");
}

/// Each table is judged on its own.
#[test]
fn of_two_tables_the_one_that_is_looked_up_becomes_constant() {
    let shop = shop();
    let host = HOST.replace(
        "CL_MEM_READ_WRITE | CL_MEM_COPY",
        "CL_MEM_READ_ONLY | CL_MEM_COPY",
    );
    shop.write("host.c", host);
    let kernels = |options: &str| {
        let line = format!("-w -fno-alignment {options} --emit=kernels host.c look.cl facts.yaml");
        shop.fpgacc(&line).success().stdout
    };
    let one = kernels("");
    assert!(
        one.contains("__constant const int *restrict table"),
        "{one}"
    );
    assert!(one.contains("__global const int *restrict in"), "{one}");
    let both = kernels("-fconstant-memory");
    assert!(both.contains("__constant const int *restrict in"), "{both}");
}
