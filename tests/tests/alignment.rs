//! Parameters that state their alignment: random kernels, original against rewritten, with launches that
//! hold what the passes knew and launches that do not; and whole programs.

use fpgacc_tests::aligned::job;
use fpgacc_tests::command::Workshop;
use fpgacc_tests::half_known;
use fpgacc_tests::run::Platform;

/// The first launch is known to the passes, the second passes other memory.
#[test]
fn launches_that_hold_and_launches_that_do_not() {
    let test = "launches_that_hold_and_launches_that_do_not";
    let seen = half_known::check(test, "alignment", &[Platform::Intel, Platform::Pocl], job);
    assert!(seen.done > 0 && seen.missed > 0, "{seen:?}");
    assert!(seen.held > 0 && seen.general > 0, "{seen:?}");
    assert_eq!(seen.refused, seen.general, "{seen:?}");
}

/// `app [OFFSET]`: computes from a copy, or from memory of the host so many bytes after a page, of which only
/// given facts state.
const HOST: &str = include_str!("inputs/alignment.c");

const KERNEL: &str = "__kernel void add(__global const int *in, __global int *out)
{
    int i = get_global_id(0);
    for (int j = 0; j < 4; j++)
        out[4 * i + j] = in[4 * i + j] * 2 + 1;
}
";

fn shop() -> Workshop {
    let shop = Workshop::new();
    let host = HOST.replace("ORIGIN", "256");
    let line = 1 + host
        .lines()
        .position(|line| line.contains("cl_mem in"))
        .unwrap();
    shop.write("host.c", host);
    shop.write("add.cl", KERNEL);
    let facts = format!(
        "version: 1\nbuffers:\n- site: {{file: host.c, line: {line}, column: 17}}\n  variable: \
         main::in\n  use_host_ptr: false\n  sub_buffer: false\n  flags: [READ_WRITE, \
         COPY_HOST_PTR]\n  size: {{const: 4096}}\n"
    );
    shop.write("facts.yaml", facts);
    shop
}

/// Memory elsewhere than was said is refused, or goes to the kernel as it is.
#[test]
fn memory_at_another_address_is_refused_or_used_as_before() {
    const RIGHT: &str = "0: 124800000\n";
    let shop = shop();
    for platform in ["intel", "pocl"] {
        let fpgacc = |options: &str| {
            let line = format!("-w --platform {platform} {options} -o app");
            shop.fpgacc(&line).success()
        };
        let prints = |arguments: &str| {
            let ran = shop.sh(&format!("./app {arguments}")).success();
            (ran.stdout, ran.stderr)
        };
        let right = (RIGHT.to_string(), String::new());
        fpgacc("-fno-alignment host.c add.cl facts.yaml");
        for arguments in ["", "0", "64", "4", "32"] {
            assert_eq!(prints(arguments), right);
        }
        let made = fpgacc("-Rpass=alignment host.c add.cl facts.yaml");
        let remark = "parameters 'in' and 'out' are aligned to 64 bytes, as the buffers of the launches \
                      are (checked at each launch)";
        assert!(made.stderr.contains(remark), "{}", made.stderr);
        for arguments in ["", "0", "64", "128"] {
            assert_eq!(prints(arguments), right);
        }
        let why = "compiled with argument 0 (`in`) aligned to 64 bytes, in this launch it is a buffer in the \
                   host's memory at another address";
        // Given facts count as proved: an emulator's spare version runs.
        for arguments in ["4", "32"] {
            let (printed, output) = prints(arguments);
            assert_eq!(printed, right.0);
            let message = format!("kernel `add` runs as it was written: rewritten it was {why}\n");
            assert!(output.contains(&message), "{output}");
        }
        fpgacc("--as-on-board host.c add.cl facts.yaml");
        for arguments in ["4", "32"] {
            let (printed, output) = prints(arguments);
            assert_eq!(printed, "-52: 0\n");
            let message =
                format!("kernel `add` is not launched: it was {why} (CL_INVALID_KERNEL_ARGS)\n");
            assert!(output.contains(&message), "{output}");
        }
        fpgacc("--keep-general host.c add.cl facts.yaml");
        for arguments in ["", "64", "4", "32"] {
            assert_eq!(prints(arguments), right);
        }
    }
}

/// What is stated follows from the host's text: for parts from their origins, for memory of the host nothing.
#[test]
fn hosts_tell_of_alignment() {
    let shop = shop();
    let kernels = |options: &str| {
        let line = format!("-w --emit=kernels {options} host.c add.cl");
        shop.fpgacc(&line).success()
    };
    let output = kernels("-Rpass-missed=alignment");
    let reason = "the alignment of parameter 'in' is not stated: the launch at host.c:";
    assert!(output.stderr.contains(reason), "{}", output.stderr);
    assert!(
        output
            .stderr
            .contains("lies in the host's memory (CL_MEM_USE_HOST_PTR at host.c:")
    );
    assert!(
        output.stdout.contains("__global const int *restrict in"),
        "{}",
        output.stdout
    );
    for (origin, bytes) in [
        ("4096", Some(64)),
        ("argc > 1 ? 32 : 64", Some(32)),
        ("12", None),
    ] {
        shop.write("host.c", HOST.replace("ORIGIN", origin));
        let text = kernels("").stdout;
        let attribute = bytes.map_or(String::new(), |bytes| {
            format!("__attribute__((align_value({bytes}))) ")
        });
        let out = format!("__global int *restrict {attribute}out");
        assert!(text.contains(&out), "{text}");
    }
    for options in ["--kernel-opt=1", "-fno-alignment"] {
        let text = kernels(options).stdout;
        assert!(!text.contains("align_value"), "{text}");
    }
}

/// No document of aoc's names the attribute: it is left to compilers that are not old.
#[test]
fn old_compilers_get_no_attribute() {
    let shop = shop();
    let kernels = |options: &str| {
        let line = format!("-w --emit=kernels --target=hardware {options} host.c add.cl");
        shop.fpgacc(&line).success().stdout
    };
    let [old, new] = ["18.1.0", "19.1.0"].map(|version| shop.aoc(version));
    assert!(!kernels(&format!("--aoc={old}")).contains("align_value"));
    assert!(kernels(&format!("--aoc={new}")).contains("align_value(64)"));
    // Whoever asks for it gets it.
    assert!(kernels(&format!("--aoc={old} -falignment")).contains("align_value(64)"));
}

/// What a compiler makes of it: clang gives the accesses of `in[4 * i]` the alignment of four elements.
#[test]
fn compilers_align_accesses_by_it() {
    let shop = Workshop::new();
    shop.write(
        "host.c",
        HOST.replace("argc > 1", "0").replace("ORIGIN", "128"),
    );
    // A loop of single work-items, whose index clang sees.
    shop.write(
        "add.cl",
        KERNEL
            .replace("get_global_id(0);", "n;")
            .replace("out)", "out, int n)"),
    );
    let aligned_loads = |options: &str| {
        let line = format!("-w {options} -fno-unroll --emit=kernels -o out.cl host.c add.cl");
        shop.fpgacc(&line).success();
        let line = "clang-14 -cl-std=CL1.2 -target spir64 -O2 -emit-llvm -S -Xclang \
                    -finclude-default-header out.cl -o -";
        let text = shop.sh(line).success().stdout;
        let loads = text
            .lines()
            .filter(|line| line.contains(" = load i32, i32 addrspace(1)*"));
        loads.filter(|line| line.contains("align 16")).count()
    };
    assert_eq!(aligned_loads("-fno-alignment"), 0);
    assert_eq!(aligned_loads(""), 1);
}
