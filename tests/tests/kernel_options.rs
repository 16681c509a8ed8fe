//! What the host's build options and the level do not do to rewritten kernels.

use fpgacc_tests::command::Workshop;

#[test]
fn warnings_of_what_fpgacc_writes_are_no_errors() {
    let shop = Workshop::with_fixture();
    let host = shop.text("host.c");
    let strict = host.replace(
        "clBuildProgram(g, 1, &d, NULL,",
        "clBuildProgram(g, 1, &d, \"-Werror\",",
    );
    assert_ne!(host, strict);
    shop.write("host.c", strict);
    for platform in ["intel", "pocl"] {
        for options in ["-fexecution-model=swi", "--kernel-opt=3"] {
            let line = format!("-w {options} --platform={platform} host.c k.cl -o app");
            shop.fpgacc(&line).success();
            shop.sh("./app").success();
        }
    }
    let source = "-w -fexecution-model=swi --target=source host.c k.cl -o out";
    shop.fpgacc(source).success();
    assert!(!shop.text("out/Makefile").contains("-Werror"));
    // A text of the user's own is built as the host says.
    shop.write(
        "k.cl",
        "#warning old\n__kernel void f(__global float *x) { x[0] = ({ 1.0f; }); }\n",
    );
    let refused = shop.fpgacc("host.c k.cl -o app").failure();
    assert!(refused.stderr.contains("#warning"), "{}", refused.stderr);
}

/// The kernel that calls another is one kernel to the decision, whatever the other would be.
#[test]
fn kernels_that_call_kernels_are_converted_at_each_level() {
    let shop = Workshop::new();
    shop.write(
        "k.cl",
        "__attribute__((reqd_work_group_size(8, 1, 1)))
__kernel void reversed(__global int *o, int by, __local int *s) {
    int l = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    s[l] = o[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = s[7 - l] + by;
}
__attribute__((reqd_work_group_size(8, 1, 1)))
__kernel void outer(__global int *o, int n) {
    __local int s[8];
    reversed(o, 1, s);
    for (int i = 0; i < n; i++) reversed(o, i - 2, s);
}
",
    );
    for level in 1..=3 {
        let line = format!("-w -fexecution-model=swi --kernel-opt={level} -S k.cl -o -");
        let text = shop.fpgacc(&line).success().stdout;
        let tasks = text.matches("max_global_work_dim(0)").count();
        assert_eq!(tasks, 1, "{level}: {text}");
        assert!(text.contains("outer(__global int *o, int n, int"), "{text}");
    }
}

/// An emulator's own compiler would take the other branch.
#[test]
fn tests_of_macros_that_differ_are_reported() {
    let shop = Workshop::with_fixture();
    let kernels = shop.text("k.cl");
    let tests = "#ifdef cl_khr_fp64\n#endif\n#if defined(cl_khr_fp16)\n#endif\n# ifdef __IMAGE_SUPPORT__\n#endif\n";
    shop.write("k.cl", format!("// cl_khr_fp16\n{tests}{kernels}"));
    let output = |words: &str| {
        shop.fpgacc(&format!("host.c k.cl -o app {words}"))
            .success()
            .stderr
    };
    let fp16 =
        "k.cl:4:1: warning: 'cl_khr_fp16' is not what the compiler of the Intel emulator has";
    let images = "k.cl:6:1: warning: '__IMAGE_SUPPORT__' is not what the compiler of PoCL has";
    let (intel, pocl) = (output("--platform=intel"), output("--platform=pocl"));
    assert!(
        intel.contains(fp16) && !intel.contains("__IMAGE_SUPPORT__"),
        "{intel}"
    );
    assert!(
        pocl.contains(images) && !pocl.contains("cl_khr_fp16' is"),
        "{pocl}"
    );
    assert!(!intel.contains("fp64' is"), "{intel}");
    shop.write("tests.h", "\n#if __OPTIMIZE__\n#endif\n");
    shop.write("k.cl", format!("#include \"tests.h\"\n{kernels}"));
    let intel = output("--platform=intel");
    let in_header =
        "tests.h:2:1: warning: '__OPTIMIZE__' is not what the compiler of the Intel emulator has";
    assert!(intel.contains(in_header), "{intel}");
}

/// OpenCL C extends C99, whatever the host's compiler preprocesses C for.
#[test]
fn kernels_are_c99() {
    let shop = Workshop::with_fixture();
    let kernels = shop.text("k.cl");
    let test = "#if __STDC_VERSION__ != 199901\n#error another C\n#endif\n";
    shop.write("k.cl", format!("{test}{kernels}"));
    shop.fpgacc("-w -S k.cl -o -").success();
}
