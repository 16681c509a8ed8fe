//! Ids and sizes keep their types, whatever they are rewritten to: overloads, `_Generic`, `sizeof` and arithmetic
//! see `size_t`.

use fpgacc_tests::command::{Workshop, implementations};

#[test]
fn ids_keep_their_types() {
    let shop = Workshop::new();
    shop.write("host.c", include_str!("inputs/types_of_ids.c"));
    shop.write("types_of_ids.cl", include_str!("inputs/types_of_ids.cl"));
    shop.sh("cc -w host.c -o plain -lOpenCL").success();
    for (name, choice) in implementations() {
        let plain = shop.sh(&format!("{choice} ./plain")).success().stdout;
        for options in [
            "",
            "--kernel-opt=3",
            "-fexecution-model=swi",
            "-fexecution-model=ndrange",
        ] {
            let line = format!("-w --platform={name} {options} host.c types_of_ids.cl -o app");
            let built = shop.fpgacc(&line).success().stderr;
            let ours = shop.sh("FPGACC_VERBOSE=1 ./app").success();
            assert_eq!(ours.stdout, plain, "{name} {options}: {built}");
            assert!(ours.stderr.contains("loaded app"), "{}", ours.stderr);
        }
    }
}
