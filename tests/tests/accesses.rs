//! `fpgacc trace --accesses`: what warps access and which ways they go, and what `fpgacc check` makes of it.

use fpgacc_launch_facts::recorded::RecordedProgram;
use fpgacc_tests::command::implementations;
use fpgacc_tests::traced::{recorded, shop};
use serde_json::Value;

/// Accesses and ways of warps of 32 lanes, a line each, in order of places.
fn output(recorded: &RecordedProgram) -> Vec<String> {
    let accesses = recorded.accesses.iter().filter(|one| one.warp == 32);
    let accesses = accesses.map(|one| {
        let space = if one.local { "local" } else { "global" };
        let what = if one.write { "write" } else { "read" };
        let totals = [one.launches, one.warps, one.lanes, one.sectors, one.ideal];
        format!("{} {space} {what} {totals:?}", one.site.line)
    });
    let ways = recorded.ways.iter().filter(|one| one.warp == 32);
    let ways = ways.map(|one| {
        let totals = [one.launches, one.warps, one.diverged, one.rounds];
        format!("{} ways {totals:?} {:?}", one.site.line, one.idle)
    });
    accesses.chain(ways).collect()
}

/// Of two launches of 32 warps: lane `i` has 8 times its number, and one more if 4 divides it.
const SEEN: [&str; 19] = [
    "2 global read [2, 128, 3584, 3584, 448]",
    "9 global read [2, 64, 2048, 256, 256]",
    "10 global read [2, 64, 2048, 256, 256]",
    "12 local write [2, 64, 2048, 256, 64]",
    "12 global read [2, 64, 2048, 256, 256]",
    "14 global read [2, 64, 2048, 256, 256]",
    "16 local read [2, 64, 512, 256, 64]",
    "16 global read [2, 64, 512, 256, 64]",
    "17 global read [2, 64, 2048, 256, 256]",
    "17 global read [2, 64, 1536, 256, 192]",
    "18 global read [2, 64, 2048, 2048, 1024]",
    "18 global read [2, 64, 2048, 256, 256]",
    "19 global read [2, 64, 2048, 256, 256]",
    "19 global write [2, 64, 2048, 256, 256]",
    "20 global write [2, 64, 2048, 64, 64]",
    "20 global read [2, 64, 2048, 256, 256]",
    "10 ways [2, 64, 64, 64] [1536, 512]",
    "15 ways [2, 64, 64, 64] [1536, 0]",
    "17 ways [2, 64, 64, 64] [1536, 512]",
];

#[test]
fn what_memory_decides_is_measured_and_the_program_does_not_see_it() {
    let shop = shop("gather");
    for (name, environment) in implementations() {
        let plain = shop.sh(&format!("{environment} ./app")).success();
        let trace = format!("{environment} fpgacc trace --accesses --trip-counts -o facts.yaml");
        let run = shop.sh(&format!("{trace} -- ./app")).success();
        assert_eq!(run.stdout, plain.stdout, "{name}");
        assert!(!run.stderr.contains("note"), "{}", run.stderr);
        let recorded = recorded(&shop);
        assert_eq!(output(&recorded), SEEN, "{name}");
        // What keeps the log is not counted.
        let loops: Vec<_> = recorded.loops.iter().map(|one| one.iterations).collect();
        assert_eq!((loops, recorded.branches.len()), (vec![512], 1));
    }
}

#[test]
fn check_takes_what_runs_showed() {
    let shop = shop("gather");
    let verdicts = |facts: &str| -> Vec<String> {
        let check = format!("fpgacc check -w --json {facts} gather.c gather.cl");
        let report: Value = serde_json::from_str(&shop.sh(&check).success().stdout).unwrap();
        let sites = report["kernels"][0]["sites"].as_array().unwrap();
        let line = |site: &Value| {
            let text = |name: &str| site[name].as_str().unwrap_or_default().to_string();
            let verdict = text("verdict");
            format!(
                "{} {} {verdict} {}",
                site["line"],
                text("kind"),
                site["warning"]
            )
        };
        sites.iter().map(line).collect()
    };
    let before = verdicts("");
    for site in [
        "2 global depends on data false",
        "10 branch depends on data false",
        "17 branch depends on data false",
    ] {
        assert!(before.contains(&site.to_string()), "{before:?}");
    }
    shop.sh("fpgacc trace --accesses -o facts.yaml -- ./app")
        .success();
    let after = verdicts("--facts facts.yaml");
    for site in [
        "2 global measured true",
        "10 branch measured false",
        "12 local measured true",
        "15 branch measured true",
        "17 branch measured false",
    ] {
        assert!(after.contains(&site.to_string()), "{after:?}");
    }
}
