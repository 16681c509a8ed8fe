//! Builds for a GPU: nothing is chosen there by the model of a board.

use fpgacc_tests::command::Workshop;

/// The model of the board coarsens the first one, and unrolls the loop of the other.
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
fn kernels_keep_their_form() {
    let shop = shop();
    let on_board = kernels(&shop, "--kernel-opt=3 --platform=intel");
    assert!(on_board.contains("work-items become one"), "{on_board}");
    assert!(on_board.contains("#pragma unroll 8"), "{on_board}");
    for target in ["emulator", "source"] {
        let words = format!("--kernel-opt=3 --platform=nvidia --target={target}");
        let own = kernels(&shop, &words);
        for line in OWN {
            assert!(own.contains(line), "{target}: {own}");
        }
        let changes = ["become one", "group_x", "lane", "unroll"];
        let is_changed = changes.iter().any(|word| own.contains(word));
        assert!(!is_changed, "{target}: {own}");
    }
    // Who asks for what a board would get has it, and PoCL stands in for an emulator.
    for words in [
        "--platform=nvidia --as-on-board",
        "--platform=nvidia -fexecution-model=auto",
        "--platform=pocl",
    ] {
        let made = kernels(&shop, &format!("--kernel-opt=3 {words}"));
        assert!(made.contains("work-items become one"), "{words}: {made}");
        assert!(made.contains("#pragma unroll 8"), "{words}: {made}");
    }
}

#[test]
fn who_asks_for_a_form_has_it() {
    let shop = shop();
    let coarsened = kernels(&shop, "--platform=nvidia --coarsen=0:4");
    assert!(coarsened.contains("4 work-items become one"), "{coarsened}");
    let single = kernels(&shop, "--platform=nvidia -fexecution-model=swi");
    assert!(!single.contains("get_global_id"), "{single}");
    let one = kernels(&shop, "--platform=nvidia -fexecution-model=copy:swi");
    assert!(one.contains("group_x") && one.contains(OWN[0]), "{one}");
}

#[test]
fn why_they_keep_it_is_said() {
    let line =
        "--platform=nvidia --kernel-opt=3 -Rpass-missed=decision --emit=kernels tune.c tune.cl";
    let output = shop().fpgacc(line).success();
    let said = "tune.cl:2:15: remark: kernel 'scale': keeps its form: it is built for a GPU, and what is predicted is \
                how fast forms are on ";
    for part in [said, "fpgacc tune measures"] {
        assert!(output.stderr.contains(part), "{}", output.stderr);
    }
}

#[test]
fn what_a_board_gets_is_reported_all_the_same() {
    let words = "report --json --kernel-opt=3 --platform=nvidia tune.c tune.cl";
    let reported = shop().fpgacc(words).success().stdout;
    assert!(reported.contains("single work-item"), "{reported}");
}
