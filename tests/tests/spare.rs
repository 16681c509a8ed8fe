//! Launches that the analysis of hosts does not see, on emulators; and kernels of which there can be one version
//! only.

use fpgacc_tests::command::Workshop;

/// A jump that is not followed sets `n` anew.
const UNSEEN: &str = "static void *ways[] = {&&one, &&other};
    goto *ways[argc > 1];
other:
    n = 60;
one:";

/// `app [any]`: launches `sum` with `n`; `{between}` stands before that.
fn host(between: &str) -> String {
    include_str!("inputs/spare.c").replace("BETWEEN", between)
}

const SUM: &str = "__kernel void sum(__global const int *in, __global int *out, int n)
{
    int all = 0;
    for (int i = 0; i < n; i++)
        all += in[i] * (int)get_global_id(0);
    out[get_global_id(0)] = all;
}
";

#[test]
fn emulators_run_what_nobody_foresaw() {
    let shop = Workshop::new();
    shop.write("host.c", host(UNSEEN));
    shop.write("sum.cl", SUM);
    for platform in ["intel", "pocl"] {
        let build = |options: &str| {
            let line = format!("-w --platform {platform} {options} host.c sum.cl -o app");
            shop.fpgacc(&line).success()
        };
        build("");
        let ran = shop.sh("./app && ./app other").success();
        assert_eq!(ran.stdout, "0: 2016 4032\n0: 1770 3540\n");
        let first = "warning: kernel `sum` runs as it was written: rewritten it was compiled with the value 60 \
                     for argument 2 (`n`), in this launch it is 64\n\
                     fpgacc: note: on a board this launch would fail (CL_INVALID_KERNEL_ARGS)\n";
        assert!(ran.stderr.contains(first), "{}", ran.stderr);
        assert_eq!(ran.stderr.matches("warning: ").count(), 1, "{}", ran.stderr);
        build("--as-on-board");
        let ran = shop.sh("./app && ./app other").success();
        assert_eq!(ran.stdout, "-52: 0 0\n0: 1770 3540\n");
    }
    // Neither who reads the kernels nor who compares them looks at these versions.
    let kernels = shop.fpgacc("-w --emit=kernels host.c sum.cl").success();
    assert!(!kernels.stdout.contains("general"), "{}", kernels.stdout);
    let verified = shop.fpgacc("-w --verify host.c sum.cl -o app").failure();
    assert!(
        verified.stderr.contains("is not launched"),
        "{}",
        verified.stderr
    );
}

/// The emulator refuses kernels with a width of vectors of their own, on CPUs for which it is given another one.
#[test]
fn widths_of_vectors_that_kernels_state_are_kept() {
    let shop = Workshop::new();
    shop.write("host.c", host(""));
    for attribute in ["intel_reqd_sub_group_size(8)", "intel_vec_len_hint(4)"] {
        shop.write("sum.cl", format!("__attribute__(({attribute}))\n{SUM}"));
        shop.fpgacc("-w --platform intel host.c sum.cl -o app")
            .success();
        assert_eq!(shop.sh("./app").success().stdout, "0: 2016 4032\n");
    }
}

/// The emulator has no such square root for the 16 elements that it is given on CPUs without AVX-512.
#[test]
fn functions_that_vectors_lack_are_computed_without_them() {
    let shop = Workshop::new();
    shop.write("host.c", host(""));
    let root = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n".to_string()
        + &SUM.replace("= all;", "= convert_int_rte(sqrt((double)all * all));");
    assert!(root.contains("sqrt"));
    shop.write("sum.cl", root);
    for platform in ["intel", "pocl"] {
        let line =
            format!("-w --platform {platform} -Xkernel -cl-fast-relaxed-math host.c sum.cl -o app");
        shop.fpgacc(&line).success();
        assert_eq!(shop.sh("./app").success().stdout, "0: 2016 4032\n");
    }
}

/// Each end of the channel is in one kernel. What is copied through it is printed.
const CHANNEL: &str = "#pragma OPENCL EXTENSION cl_intel_channels : enable
channel int values __attribute__((depth(64)));
__kernel void sum(__global const int *in, __global int *out, int n)
{
    for (int i = 0; i < n; i++)
        write_channel_nb_intel(values, in[i]);
    for (int i = 0; i < 2; i++)
        out[i + 1] = in[i + 1] * n;
}
__kernel void drain(__global int *out)
{
    out[0] = read_channel_intel(values);
}
";

/// That the two buffers are distinct is assumed then.
const SWAPS: &str = "for (int i = 1; i < argc; i++) {
        cl_mem other = in;
        in = out;
        out = other;
    }";

#[test]
fn ends_of_channels_are_built_once() {
    let shop = Workshop::new();
    shop.write("sum.cl", CHANNEL);
    let remark = "kernel 'sum': stays as it is: rewritten, not all launches could take it";
    // Proved, assumed, and two ways of launching.
    for (between, options, stays, printed) in [
        ("", "", false, "0: 64 128\n"),
        ("", "--keep-general", true, "0: 64 128\n"),
        ("", "--no-general", false, "0: 64 128\n"),
        (SWAPS, "", true, "0: 64 128\n"),
        ("n = argc > 1 ? 32 : 16;", "", false, "0: 16 32\n"),
    ] {
        shop.write("host.c", host(between));
        let line =
            format!("-w --platform intel -Rpass-missed=general {options} host.c sum.cl -o app");
        let made = shop.fpgacc(&line).success();
        assert_eq!(
            made.stderr.contains(remark),
            stays,
            "{between} {options}: {}",
            made.stderr
        );
        let ran = shop.sh("./app").success();
        assert_eq!(
            (&*ran.stdout, &*ran.stderr),
            (printed, ""),
            "{between} {options}"
        );
    }
}
