//! Loops over lanes stay loops where PoCL's compiler would lose work-items' stores: in kernels with barriers in
//! loops that may not run.

use fpgacc_tests::command::{Workshop, implementations};

/// `app ROWS`: launches a kernel over so many rows, at most 4, and prints what it writes.
const HOST: &str = include_str!("inputs/rows_folded.c");

/// How many rows there are is not known: a work-group may get none. The loops over 8 elements become branches.
const KERNEL: &str = include_str!("inputs/rows_folded.cl");

#[test]
fn coarsened_kernels_with_barriers_in_loops_compute_the_same() {
    let shop = Workshop::new();
    shop.write("host.c", HOST);
    shop.write("rows_folded.cl", KERNEL);
    shop.sh("cc host.c -o plain -lOpenCL").success();
    let plain = |rows| shop.sh(&format!("./plain {rows}")).success().stdout;
    assert!(plain(4).starts_with("224 232 240 248 256 264 272 280 736 "));
    for (name, _) in implementations() {
        for factor in [2, 4] {
            let form = format!("-fexecution-model=ndrange --coarsen 0:{factor}");
            let words = format!("-w {form} --platform={name} host.c rows_folded.cl -o app");
            shop.fpgacc(&words).success();
            for rows in [1, 4] {
                let app = shop.sh(&format!("./app {rows}")).success();
                assert_eq!(app.stdout, plain(rows), "{words}: {}", app.stderr);
            }
        }
    }
    let emit = "-w -fexecution-model=ndrange --coarsen 0:2 host.c rows_folded.cl --emit=kernels";
    let kernel = |platform: &str| shop.fpgacc(&format!("{emit} {platform}")).success().stdout;
    let rolled = "#pragma clang loop unroll(disable)";
    let pocl = kernel("--platform=pocl");
    assert!(pocl.contains(rolled) && pocl.contains("lane < 2"), "{pocl}");
    let intel = kernel("--platform=intel");
    assert!(
        !intel.contains(rolled) && intel.contains("#pragma unroll"),
        "{intel}"
    );
}
