//! Zeros of both signs and NaNs in minima, maxima and sums: with `--strict-fp` a program gives the bits that it gives
//! without fpgacc.

use fpgacc_tests::command::{Workshop, implementations};

/// What does not depend on the order of operations only as long as all are numbers and no zero has a sign.
const KERNELS: &str = include_str!("inputs/signed_zeros.cl");

const HOST: &str = include_str!("inputs/signed_zeros.c");

#[test]
fn strict_fp_keeps_signs_of_zeros_and_nans() {
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
        let line = format!(
            "--platform={name} -fexecution-model=swi --strict-fp -Rpass host.c k.cl -o app -lm"
        );
        let built = shop.fpgacc(&line).success().stderr;
        assert_eq!(
            built.matches("[-Rpass=ndrange-to-loop]").count(),
            4,
            "{built}"
        );
        assert!(!built.contains("[-Rpass=reduction]"), "{built}");
        assert_eq!(shop.sh("./app").success().stdout, plain, "{name}");
    }
}

/// Without it, the same program shows that this is no promise of the others: the sums above are in another order.
#[test]
fn without_it_reductions_are_reported() {
    let shop = Workshop::new();
    shop.write("host.c", HOST);
    shop.write("k.cl", KERNELS);
    let line = "-fexecution-model=swi -Rpass --emit=kernels host.c k.cl -o k.out";
    let output = shop.fpgacc(line).success().stderr;
    assert!(output.contains("[-Rpass=reduction]"), "{output}");
}
