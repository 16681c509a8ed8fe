//! Hosts that launch a stencil again and again: several launches become one, and the whole program prints the same.

use fpgacc_tests::command::{Workshop, implementations};
use fpgacc_tests::random::Random;
use fpgacc_tests::time_loops::{KERNELS, host};

const LOOPS: usize = 60;

fn check(seed: u64) {
    let shop = Workshop::new();
    shop.write("k.cl", KERNELS);
    shop.write("host.c", host(&mut Random::new(seed), LOOPS));
    shop.sh("cc -std=gnu99 -w host.c -lOpenCL -o plain")
        .success();
    for (name, environment) in implementations() {
        let expected = shop.sh(&format!("{environment} ./plain")).success().stdout;
        assert_eq!(expected.lines().count(), LOOPS);
        shop.fpgacc(&format!(
            "-w --platform {name} -std=gnu99 -fndrange-to-loop -fwindow --time-steps=3 host.c k.cl -o app"
        ))
        .success();
        let ran = shop.sh("FPGACC_VERBOSE=1 ./app").success();
        assert_eq!(ran.stdout, expected, "{name}, seed {seed}");
        let rows = ran.stderr.matches("launches in a row as one").count();
        // About a third of the loops have rows, of two or so: the others read, break off, or have events.
        assert!(rows > LOOPS / 2, "{name}, seed {seed}: {rows} rows");
    }
}

#[test]
fn random_loops_over_time() {
    check(1);
    check(2);
}
