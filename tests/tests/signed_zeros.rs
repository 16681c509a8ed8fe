//! Zeros of both signs and NaNs in minima, maxima and sums: with `--strict-fp`, and by default on emulators, a program
//! gives the bits that it gives without fpgacc.

use fpgacc_tests::command::{Workshop, implementations};

/// What does not depend on the order of operations only as long as all are numbers and no zero has a sign.
const KERNELS: &str = include_str!("inputs/signed_zeros.cl");

const HOST: &str = include_str!("inputs/signed_zeros.c");

#[test]
fn who_wants_the_order_kept_gets_the_same_bits() {
    let shop = Workshop::new();
    shop.write("host.c", HOST);
    shop.write("k.cl", KERNELS);
    shop.sh("cc -w host.c -o plain -lOpenCL -lm").success();
    for (name, choice) in implementations() {
        let plain = shop.sh(&format!("{choice} ./plain")).success().stdout;
        assert!(
            plain.contains("80000000") && plain.contains("nan"),
            "{plain}"
        );
        for order in ["--strict-fp --as-on-board", "--strict-fp", ""] {
            let line = format!(
                "--platform={name} -fexecution-model=swi {order} -Rpass host.c k.cl -o app -lm"
            );
            let built = shop.fpgacc(&line).success().stderr;
            assert_eq!(
                built.matches("[-Rpass=ndrange-to-loop]").count(),
                4,
                "{built}"
            );
            assert!(!built.contains("[-Rpass=reduction]"), "{built}");
            assert_eq!(shop.sh("./app").success().stdout, plain, "{name} {order}");
        }
    }
}

/// Boards get other orders, and who looks at what they get.
#[test]
fn without_it_reductions_are_reported() {
    let shop = Workshop::new();
    shop.write("host.c", HOST);
    shop.write("k.cl", KERNELS);
    for what in [
        "--emit=kernels -o k.out",
        "--as-on-board -o app",
        "-freduction -o app",
    ] {
        let line = format!("-fexecution-model=swi -Rpass host.c k.cl -lm {what}");
        let output = shop.fpgacc(&line).success().stderr;
        assert!(output.contains("[-Rpass=reduction]"), "{what}: {output}");
    }
}
