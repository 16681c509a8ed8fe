//! Launches with local sizes in place of the host's.

use fpgacc_runtime::contract::ChosenLocal;
use fpgacc_runtime::guard::Guard;
use fpgacc_runtime::manifest::{Form, Kernel, ParamKind};

use crate::support::{Case, Implementation, Patch, kernel, on_both, param, program};

/// It writes down what it sees of its groups, so that a run shows them.
const TEXT: &str = include_str!("kernels/where.cl");
const HOST: &str = include_str!("hosts/where.c");
const QUERIES: &str = include_str!("hosts/group_limits.c");

fn chosen(sizes: &[([u64; 3], [u64; 3])]) -> Kernel {
    let params = vec![param("out", "int*", ParamKind::Global, 8)];
    let mut made = kernel("where", Form::NdRange, params);
    let sizes = sizes.iter();
    made.contract.local_sizes = sizes
        .map(|&(global, local)| ChosenLocal { global, local })
        .collect();
    made
}

fn link(case: &Case, kernel: Kernel, compiled: &str, host: &str) {
    case.write("where.cl", TEXT);
    case.aocx("app.aocx", compiled, "");
    let programs = vec![program("where.cl", TEXT, vec![kernel])];
    case.link(programs, host, Patch::Calls);
}

on_both!(
    in_place_of_the_host_s,
    errors_of_the_host_stay,
    stated_sizes,
    what_the_device_does_not_take,
    queries
);

/// The same launches with other local sizes, as a run of the original kernels shows them.
#[track_caller]
fn check_same(case: &Case, launches: &[(&str, &str)]) {
    let asked: Vec<&str> = launches.iter().map(|(asked, _)| *asked).collect();
    let meant: Vec<&str> = launches.iter().map(|(_, meant)| *meant).collect();
    assert_eq!(case.run(&asked).quiet(), case.run_original(&meant));
}

fn in_place_of_the_host_s(case: Case) {
    let sizes = [([8, 4, 1], [4, 2, 1]), ([8, 1, 1], [8, 1, 1])];
    link(&case, chosen(&sizes), TEXT, HOST);
    check_same(
        &case,
        &[
            ("2:-:8,4:1,1", "2:-:8,4:4,2"),
            ("2:3,5:8,4:-", "2:3,5:8,4:4,2"),
            // The sizes of one global size are for it alone, but where there are none.
            ("1:-:8:2", "1:-:8:8"),
            ("1:-:16:2", "1:-:16:8"),
            ("2:-:4,6:2,3", "2:-:4,6:4,2"),
            // Those that do not divide.
            ("2:-:6,3:2,3", "2:-:6,3:2,3"),
            ("3:-:2,2,2:1,2,1", "3:-:2,2,2:1,2,1"),
        ],
    );
}

/// A launch that the host gets wrong is wrong.
fn errors_of_the_host_stay(case: Case) {
    link(&case, chosen(&[([8, 1, 1], [4, 1, 1])]), TEXT, HOST);
    let launches = [
        "1:-:8:3",
        "1:-:8:0",
        "1:-:8:9999999",
        "4:-:8:2",
        "0:-:8:2",
        "1:-:-:2",
    ];
    assert_eq!(case.run(&launches).quiet(), case.run_original(&launches));
}

/// The kernel's attributes ask for the size that is passed; launches that it does not divide get the version
/// that asks for none.
fn stated_sizes(case: Case) {
    let attribute = "__attribute__((reqd_work_group_size(4, 1, 1)))\n";
    let stated = TEXT.replacen("__kernel", &format!("{attribute}__kernel"), 1);
    let plain = TEXT.replacen("void where(", "void general_where(", 1);
    let mut first = chosen(&[([8, 1, 1], [4, 1, 1])]);
    first.contract.guard(Guard::LocalSize([4, 1, 1]));
    first.others = vec![Kernel {
        name: "general_where".to_owned(),
        ..chosen(&[])
    }];
    link(&case, first, &format!("{stated}\n{plain}"), HOST);
    check_same(
        &case,
        &[
            ("1:-:8:2", "1:-:8:4"),
            ("1:-:8:-", "1:-:8:4"),
            ("1:-:12:6", "1:-:12:4"),
            ("1:-:6:3", "1:-:6:3"),
        ],
    );
}

/// A size that was chosen for a larger device than PoCL's. The emulator of FPGAs takes it.
fn what_the_device_does_not_take(case: Case) {
    let large = [128, 128, 1];
    link(&case, chosen(&[(large, large)]), TEXT, HOST);
    let meant = match case.on {
        Implementation::Intel => "2:-:128,128:128,128",
        Implementation::Pocl => "2:-:128,128:2,1",
    };
    let ran = case.run(&["2:-:128,128:2,1"]).quiet();
    assert!(ran == case.run_original(&[meant]), "not as in {meant}");
}

/// A host that asks for the largest group hears of the device's, not of the size that its kernel states.
fn queries(case: Case) {
    let attribute = "__attribute__((reqd_work_group_size(4, 1, 1)))\n";
    let stated = TEXT.replacen("__kernel", &format!("{attribute}__kernel"), 1);
    let mut made = chosen(&[([8, 1, 1], [4, 1, 1])]);
    made.contract.guard(Guard::LocalSize([4, 1, 1]));
    link(&case, made, &stated, QUERIES);
    let told = case.run(&[]).quiet();
    assert_eq!(told, case.run_original(&[]));
    assert!(told.ends_with("0 0 0\n"), "{told}");
}
