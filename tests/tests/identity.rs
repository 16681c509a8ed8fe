//! Programs of one text: which compiled kernels a host gets is decided by all that the preprocessor
//! sees. The outputs are those of the C compiler's own build, or the user is informed.

use fpgacc_tests::command::{Outcome, Workshop, implementations};

/// `app OPTIONS..` builds k.cl with each of the options and prints what `fill` writes. It asks for any
/// device, like a host for GPUs that is tried on an emulator.
const HOST: &str = include_str!("inputs/identity.c");

fn host(builds: &str) -> String {
    HOST.replace("BUILDS", builds)
}

/// A program and the C compiler's build of it.
struct Both {
    shop: Workshop,
}

impl Both {
    fn new(kernels: &str, builds: &str) -> Self {
        let shop = Workshop::new();
        shop.write("k.cl", kernels);
        shop.write("host.c", host(builds));
        shop.sh("cc host.c -lOpenCL -o plain").success();
        Both { shop }
    }

    fn compile(&self, platform: &str) {
        let command = format!("--platform={platform} -fexecution-model=swi host.c k.cl -o app");
        self.shop.fpgacc(&command).success();
    }

    /// Whether both programs print the same, and what fpgacc's said.
    fn agree(&self, platform: &str, expected: &str) -> Outcome {
        let setting = implementations();
        let (_, words) = setting.iter().find(|(name, _)| *name == platform).unwrap();
        let plain = self.shop.sh(&format!("{words} ./plain")).success();
        let ours = self.shop.sh("./app").success();
        assert_eq!(
            plain.stdout, expected,
            "the C compiler's build on {platform}"
        );
        assert_eq!(ours.stdout, expected, "{platform}: {}", ours.stderr);
        ours
    }

    /// Both print this, and every build was one that fpgacc compiled.
    fn agree_in_silence(&self, expected: &str) {
        for platform in ["pocl", "intel"] {
            self.compile(platform);
            assert_eq!(self.agree(platform, expected).stderr, "", "{platform}");
        }
    }
}

const FILL: &str = "__kernel void fill(__global int *out) { out[get_global_id(0)] = VALUE; }\n";

#[test]
fn macros_that_only_a_header_names() {
    let kernels = format!("#include \"nn.h\"\n{FILL}");
    let both = Both::new(&kernels, "build(\"-DNN=3\"); build(\"-DNN=5\");");
    both.shop.write(
        "nn.h",
        "#if NN == 3\n#define VALUE 33\n#else\n#define VALUE 44\n#endif\n",
    );
    both.agree_in_silence("0: 33 33\n0: 44 44\n");
}

#[test]
fn macros_that_pasting_makes() {
    let kernels =
        format!("#define P_(a, b) a##b\n#define P(a, b) P_(a, b)\n#define VALUE P(N, N)\n{FILL}");
    let both = Both::new(&kernels, "build(\"-DNN=3\"); build(\"-DNN=5 -DOTHER\");");
    both.agree_in_silence("0: 3 3\n0: 5 5\n");
}

#[test]
fn macros_that_a_macro_names() {
    let both = Both::new(
        FILL,
        "build(\"-DVALUE=A -DA=3\"); build(\"-DVALUE=A -DA=5\");",
    );
    both.agree_in_silence("0: 3 3\n0: 5 5\n");
}

#[test]
fn folders_of_headers() {
    let kernels = format!("#include <value.h>\n{FILL}");
    let both = Both::new(
        &kernels,
        "build(\"-I a\"); build(\"-I b\"); build(\"-Ib -Ia\");",
    );
    both.shop.write("a/value.h", "#define VALUE 3\n");
    both.shop.write("b/value.h", "#define VALUE 5\n");
    both.agree_in_silence("0: 3 3\n0: 5 5\n0: 5 5\n");
}

#[test]
fn options_that_change_the_language() {
    let kernels = format!(
        "#if defined __FAST_RELAXED_MATH__\n#define VALUE 1\n\
         #elif __OPENCL_C_VERSION__ == 110\n#define VALUE 2\n\
         #else\n#define VALUE 3\n#endif\n{FILL}"
    );
    let builds = "build(\"\"); build(\"-cl-std=CL1.1\"); build(\"-cl-fast-relaxed-math\"); \
                  build(\"-cl-std=CL1.2 -w\");";
    let both = Both::new(&kernels, builds);
    both.agree_in_silence("0: 3 3\n0: 2 2\n0: 1 1\n0: 3 3\n");
}

#[test]
fn a_header_that_the_host_writes_before_it_builds() {
    let kernels = format!("#include \"value.h\"\n{FILL}");
    let builds = "build(\"-I.\");
        FILE *file = fopen(\"value.h\", \"w\");
        fprintf(file, \"#define VALUE 7\\n\");
        fclose(file);
        build(\"-I.\");";
    let both = Both::new(&kernels, builds);
    for platform in ["pocl", "intel"] {
        both.shop.write("value.h", "#define VALUE 6\n");
        both.compile(platform);
        both.shop.sh("cp plain keep && cp value.h keep.h").success();
        let said = both.shop.sh("./app").success();
        assert_eq!(said.stdout, "0: 6 6\n0: 7 7\n", "{}", said.stderr);
        assert!(
            said.stderr
                .contains("'value.h' is not the header that app.aocx was compiled with"),
            "{}",
            said.stderr
        );
    }
}

/// Nothing can be compiled of it yet, but it runs.
#[test]
fn a_header_that_only_the_host_makes() {
    let kernels = format!("#include \"made.h\"\n{FILL}");
    let builds = "FILE *file = fopen(\"made.h\", \"w\");
        fprintf(file, \"#define VALUE 7\\n\");
        fclose(file);
        build(\"-I.\");";
    let both = Both::new(&kernels, builds);
    for platform in ["pocl", "intel"] {
        let command = format!("--platform={platform} host.c k.cl -o app");
        let said = both.shop.fpgacc(&command).success().stderr;
        assert!(
            said.contains("'k.cl' includes 'made.h', which the host makes when it runs"),
            "{said}"
        );
        both.agree(platform, "0: 7 7\n");
        both.shop.sh("rm made.h").success();
    }
    let lost = both
        .shop
        .sh("grep -v fopen host.c | sed 's/file/stdout/' >other.c && fpgacc other.c k.cl -o lost");
    assert!(lost.failure().stderr.contains("made.h: No such file"));
}

#[test]
fn kernels_of_another_build_are_not_taken() {
    let both = Both::new(FILL, "build(\"-DVALUE=3\");");
    let shop = &both.shop;
    both.compile("intel");
    shop.sh("cp app.aocx old.aocx").success();
    shop.write("k.cl", FILL.replace("VALUE", "VALUE + 1"));
    both.compile("intel");
    assert_eq!(shop.sh("./app").success().stdout, "0: 4 4\n");
    // The same kernels with the same parameters, of the build before.
    shop.sh("mv app.aocx new.aocx && cp old.aocx app.aocx")
        .success();
    let stale = shop.sh("./app").success();
    assert!(!stale.stdout.contains("0: "), "{stale:?}");
    assert!(
        stale.stderr.contains("; the executable needs build "),
        "{stale:?}"
    );
    shop.sh("cp new.aocx app.aocx && printf x | dd of=app.aocx bs=1 seek=999 conv=notrunc")
        .success();
    let damaged = shop.sh("./app").success();
    assert!(!damaged.stdout.contains("0: "), "{damaged:?}");
    assert!(
        damaged.stderr.contains("app.aocx is damaged"),
        "{damaged:?}"
    );
}

#[test]
fn the_same_program_is_the_same_build() {
    let both = Both::new(FILL, "build(\"-DVALUE=3\");");
    let shop = &both.shop;
    both.compile("intel");
    shop.sh("mv app.aocx first.aocx").success();
    both.compile("intel");
    shop.sh("cmp first.aocx app.aocx && mv first.aocx app.aocx")
        .success();
    assert_eq!(shop.sh("./app").success().stdout, "0: 3 3\n");
}

/// The macros of a program whose options the host composes when it runs.
#[test]
fn macros_that_only_the_host_knows() {
    let builds = "char options[64];
        cl_uint units;
        clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
        sprintf(options, \"-DVALUE=%d\", (int)(units / units) + 4);
        build(options);";
    for kernels in [
        FILL.to_string(),
        format!("#ifndef VALUE\n#error no VALUE\n#endif\n{FILL}"),
    ] {
        let both = Both::new(&kernels, builds);
        for platform in ["pocl", "intel"] {
            let command = format!("--platform={platform} host.c k.cl -o app");
            let said = both.shop.fpgacc(&command).success().stderr;
            assert!(
                said.contains("the options with which the host builds 'k.cl' are not known"),
                "{said}"
            );
            both.agree(platform, "0: 5 5\n");
        }
        // What the host will pass can be said.
        let command = "-Xkernel -DVALUE=5 host.c k.cl -o app --platform=intel";
        both.shop.fpgacc(command).success();
        assert_eq!(both.agree("intel", "0: 5 5\n").stderr, "");
    }
}

/// A host that fpgacc did not link, as hosts for FPGAs are: it reads the .aocx itself.
const READER: &str = include_str!("inputs/identity_reader.c");

#[test]
fn kernels_that_rely_on_nothing_are_for_any_host() {
    let shop = Workshop::new();
    shop.write("k.cl", FILL.replace("VALUE", "7"));
    shop.write("reader.c", READER);
    shop.sh("cc reader.c -lOpenCL -o reader").success();
    for (platform, words) in implementations() {
        let build = |level: &str| {
            let command = format!("--platform={platform} {level} k.cl -o k.aocx");
            shop.fpgacc(&command).success();
            shop.sh(&format!("{words} ./reader"))
        };
        assert_eq!(
            build("--kernel-opt=0").success().stdout,
            "0: 7 7\n",
            "{platform}"
        );
        // What was rewritten is not launched by others.
        let rewritten = build("-fexecution-model=swi");
        assert!(
            !rewritten.stdout.contains("0: "),
            "{platform}: {rewritten:?}"
        );
    }
}
