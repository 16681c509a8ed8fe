//! Builds for a processor or GPU that is named: nothing is chosen there by the model of a board.

use fpgacc_tests::command::Workshop;

/// The model of the board coarsens the first one, and makes a single work-item of the other.
const KERNELS: &str = "
__kernel void scale(__global int *a)
{
    int i = get_global_id(0);
    a[i] = 3 * a[i];
}

__kernel void copy(__global const int *a, __global int *b)
{
    int i = get_global_id(0);
    int found = 0;
    for (int j = 0; j < 64; j++)
        found += j == i % 64 ? a[i - i % 64 + j] : 0;
    b[i] = found;
}
";
const HOST: &str = include_str!("../fixture/tune.c");

fn shop() -> Workshop {
    let shop = Workshop::new();
    // Sizes that are known: the model of the board has a choice.
    let host = HOST.replace("argc > 1 ? strtoul(argv[1], NULL, 10) : 0", "4096");
    assert_ne!(host, HOST);
    shop.write("tune.c", host);
    shop.write("tune.cl", KERNELS);
    shop
}

/// The kernels that are made with options.
fn kernels(shop: &Workshop, words: &str) -> String {
    let words = format!("-w --emit=kernels tune.c tune.cl {words}");
    shop.fpgacc(&words).success().stdout
}

/// Lines of the kernels as they were written.
const OWN: [&str; 4] = [
    "int i = get_global_id(0);",
    "a[i] = 3 * a[i];",
    "found += j == i % 64 ? a[i - i % 64 + j] : 0;",
    "b[i] = found;",
];

#[test]
fn kernels_keep_their_form_where_they_run_elsewhere() {
    let shop = shop();
    let on_board = kernels(&shop, "--kernel-opt=3 --platform=intel");
    assert!(on_board.contains("work-items become one"), "{on_board}");
    assert!(on_board.contains("group_x"), "{on_board}");
    for platform in ["--platform=pocl", "--platform=nvidia"] {
        let own = kernels(&shop, &format!("--kernel-opt=3 {platform}"));
        for line in OWN {
            assert!(own.contains(line), "{platform}: {own}");
        }
        let is_changed = ["become one", "group_x", "lane", "unroll"];
        let is_changed = is_changed.iter().any(|word| own.contains(word));
        assert!(!is_changed, "{platform}: {own}");
        // Who asks for what a board would get has it.
        for words in ["--as-on-board", "-fexecution-model=auto"] {
            let words = format!("--kernel-opt=3 {platform} {words}");
            let made = kernels(&shop, &words);
            assert!(made.contains("work-items become one"), "{words}: {made}");
            assert!(made.contains("group_x"), "{words}: {made}");
        }
    }
}

#[test]
fn who_asks_for_a_form_has_it_elsewhere() {
    let shop = shop();
    let coarsened = kernels(&shop, "--platform=nvidia --coarsen=0:4");
    assert!(coarsened.contains("4 work-items become one"), "{coarsened}");
    let single = kernels(&shop, "--platform=nvidia -fexecution-model=swi");
    assert!(!single.contains("get_global_id"), "{single}");
    let one = kernels(&shop, "--platform=nvidia -fexecution-model=copy:swi");
    assert!(one.contains("group_x") && one.contains(OWN[0]), "{one}");
}

#[test]
fn why_they_keep_it_is_said_and_the_program_runs() {
    let shop = shop();
    let line = "--platform=pocl --kernel-opt=3 -Rpass-missed=decision tune.c tune.cl -o app";
    let output = shop.fpgacc(line).success();
    let said = "tune.cl:2:15: remark: kernel 'scale': keeps its form: it is built for PoCL, and what is predicted is how \
                fast forms are on ";
    assert!(output.stderr.contains(said), "{}", output.stderr);
    assert!(
        output.stderr.contains("fpgacc tune measures"),
        "{}",
        output.stderr
    );
    let ran = shop.sh("FPGACC_VERBOSE=1 ./app").success();
    assert_eq!(ran.stdout, "right\n");
    for kernel in ["scale", "copy"] {
        let launched = format!("kernel `{kernel}` launched as the host says");
        assert!(ran.stderr.contains(&launched), "{}", ran.stderr);
    }
}

#[test]
fn what_a_board_gets_is_verified_and_reported_on_pocl_all_the_same() {
    let shop = shop();
    let verified = shop
        .fpgacc("--verify --platform=pocl --kernel-opt=3 tune.c tune.cl")
        .success();
    let tasks = "kernel copy: 1 launch as one work-item";
    assert!(verified.stdout.contains(tasks), "{}", verified.stdout);
    let report = |platform: &str| {
        let words = format!("report --json --kernel-opt=3 {platform} tune.c tune.cl");
        shop.fpgacc(&words).success().stdout
    };
    for platform in ["--platform=intel", "--platform=pocl"] {
        let reported = report(platform);
        assert!(reported.contains("single work-item"), "{reported}");
    }
}

#[test]
fn sources_for_a_platform_that_is_named_keep_their_form() {
    let shop = shop();
    let made = |words: &str| {
        let line = format!("-w --target=source --kernel-opt=3 {words} tune.c tune.cl -o out");
        shop.fpgacc(&line).success();
        shop.text("out/tune.fpga.cl")
    };
    assert!(made("").contains("group_x"));
    let own = made("--platform=pocl");
    assert!(OWN.iter().all(|line| own.contains(line)), "{own}");
}
