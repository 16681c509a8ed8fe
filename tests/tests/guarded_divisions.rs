//! Divisions stay behind their conditions where the emulator's compiler would evaluate them before: a
//! divisor of 0, or the least integer divided by -1, ends the process.

use fpgacc_tests::command::{Workshop, implementations};

/// Launches a kernel with an argument, and prints what it writes.
const HOST: &str = include_str!("inputs/guarded_divisions.c");

/// `a`: a branch. `b`: a loop. `c`: the least integer by -1. `d`: a helper, `?:`, `%`. `e`: vectors. `f`:
/// assignments and narrow types. `g`: what the emulator does right by itself.
const KERNELS: &str = include_str!("inputs/guarded_divisions.cl");

fn workshop() -> Workshop {
    let shop = Workshop::new();
    shop.write("host.c", HOST);
    shop.write("k.cl", KERNELS);
    shop
}

#[test]
fn divisions_stay_under_their_conditions() {
    let shop = workshop();
    shop.sh("cc host.c -o plain -lOpenCL").success();
    let all = "a0 a7 a-1 b0 b7 b-1 c-1 c7 d0 d7 d-1 e0 e7 e-1 f0 f7 f-1 g0 g7 g-1";
    // The same original faults on the emulator, too, in some forms.
    let plain = shop.sh(&format!("./plain {all}")).success().stdout;
    for (name, _) in implementations() {
        let words = format!("-w -fexecution-model=swi --platform={name} host.c k.cl -o app");
        shop.fpgacc(&words).success();
        let app = shop.sh(&format!("FPGACC_VERBOSE=1 ./app {all}"));
        assert_eq!(app.stdout, plain, "{name}: {}", app.stderr);
        let tasks = app.stderr.matches("as one work-item").count();
        assert_eq!(tasks, all.split(' ').count(), "{}", app.stderr);
    }
}

#[test]
fn only_the_emulator_gets_divisors_that_are_not_constants() {
    let shop = workshop();
    let emit = "-w -fexecution-model=swi host.c k.cl --emit=kernels";
    let kernels = |platform: &str| shop.fpgacc(&format!("{emit} {platform}")).success().stdout;
    let emulator = kernels("--platform=intel");
    assert!(emulator.contains("u = 100 / (n + zero);"), "{emulator}");
    assert!(emulator.contains("g / n + g % n + n / 3"), "{emulator}");
    assert!(!kernels("--platform=pocl").contains("volatile"));
    let shop = workshop();
    shop.fpgacc("-w -fexecution-model=swi --target=source host.c k.cl -o out")
        .success();
    assert!(!shop.text("out/k.fpga.cl").contains("volatile"));
}
