//! Launch facts as users meet them: explained, compared, given, and held against what runs show.

use std::path::{Path, PathBuf};

use fpgacc_tests::command::{Workshop, has};

const HOST: &str = include_str!("inputs/facts.c");

const DEVICE: &str = include_str!("inputs/facts_device.cl");

fn shop() -> Workshop {
    let shop = Workshop::new();
    shop.write("host.c", HOST);
    shop.write("device.h", DEVICE);
    shop
}

#[test]
fn a_launch_is_explained() {
    let shop = shop();
    let output = shop.fpgacc("facts explain host.c:18").success().stdout;
    has(
        &output,
        &[
            "host.c:18: a kernel is launched\n",
            "kernel            scale\n",
            "a multiple of 64",
            "at least `n`",
            "where `n`: the result of a function of the library (host.c:11)",
            "local size 0      64\n",
            "argument 0        the memory object `main::data`\n",
            "created at host.c:14: READ_WRITE, ",
            "argument 1        `step`, a multiple of 300\n",
            "where `step`: it changes in the loop at host.c:16\n",
            "queue             in order\n",
            "loop              host.c:16; between its rounds change: argument 1\n",
            "times             4, as the loops around it say\n",
        ],
    );
    let program = shop.fpgacc("facts explain device.h:14 host.c").success();
    has(
        &program.stdout,
        &["build options     \"-DSCALE=3\"", "kernel            scale"],
    );
    let wrong = shop.fpgacc("facts explain host.c:2").failure();
    has(
        &wrong.stderr,
        &["at host.c:2", "such calls are in lines 14, 18"],
    );
    for words in ["facts", "facts explain host.c", "facts what"] {
        let wrong = shop.fpgacc(words);
        assert_eq!(wrong.code, Some(2), "{words}");
        has(&wrong.stderr, &["fpgacc facts explain "]);
    }
}

#[test]
fn given_facts_fill_what_is_unknown_and_must_not_contradict() {
    let shop = shop();
    let known = shop.fpgacc("--emit=facts host.c").success().stdout;
    let given = |from: &str, to: &str| {
        assert!(known.contains(from), "no {from:?} in:\n{known}");
        shop.write("given.yaml", known.replacen(from, to, 1));
        shop.fpgacc("--emit=facts host.c --facts given.yaml")
    };
    // The size as the user knows it: a multiple of the local size.
    let symbolic = &known[known.find("  global:\n").expect("a size")..];
    let symbolic = &symbolic[..symbolic.find("  local:").expect("its end")];
    let filled = given(symbolic, "  global:\n  - const: 1024\n")
        .success()
        .stdout;
    has(
        &filled,
        &["  global:\n  - const: 1024\n", "    - const: 64\n"],
    );
    let wrong = given(symbolic, "  global:\n  - const: 1000\n").failure();
    has(
        &wrong.stderr,
        &[
            "host.c:18",
            "global size 0 is 1000 in the given facts",
            "a multiple of 64",
        ],
    );
    let wrong = given(
        "    sizes:\n    - const: 64\n",
        "    sizes:\n    - const: 32\n",
    )
    .failure();
    has(
        &wrong.stderr,
        &["local size 0 is 32 in the given facts, but the host says 64"],
    );
    let wrong = given("    - scale\n", "    - other\n").failure();
    has(
        &wrong.stderr,
        &["the kernel is other in the given facts, but the host says scale"],
    );
}

#[test]
fn the_schema_tells_of_every_entry() {
    let shop = shop();
    let schema = shop.fpgacc("facts schema").success().stdout;
    let schema: serde_json::Value = serde_json::from_str(&schema).expect("it is JSON");
    for name in ["version", "programs", "buffers", "launches", "recording"] {
        assert!(schema["properties"][name].is_object(), "{name}");
    }
    for name in [
        "Launch", "Buffer", "Program", "Value", "ArgValue", "Location",
    ] {
        assert!(schema["$defs"][name].is_object(), "{name}");
    }
    assert_eq!(schema["$defs"]["Launch"]["additionalProperties"], false);
}

/// What is analysed of a host and what a run shows of it must both be true, and every launch of the
/// run must have been found.
#[track_caller]
fn holds(shop: &Workshop, sources: &str, compile: &str, run: &str) {
    shop.sh(compile).success();
    shop.fpgacc(&format!("--emit=facts {sources} -o analysed.yaml"))
        .success();
    shop.sh(&format!(
        "fpgacc trace --quiet -o seen.yaml -- {run} >run.log 2>&1"
    ))
    .success();
    let compared = shop.fpgacc("facts compare analysed.yaml seen.yaml");
    assert_eq!(compared.stdout, "", "{}", shop.text("analysed.yaml"));
    compared.success();
    assert!(
        shop.text("seen.yaml").contains("count:"),
        "nothing was launched"
    );
}

#[test]
fn runs_do_not_contradict_the_analysis() {
    let shop = shop();
    holds(&shop, "host.c", "cc -g host.c -o app -lOpenCL", "./app 700");
    holds(&shop, "host.c", "cc -g host.c -o app -lOpenCL", "./app");
    // A host that does something else than the one that was analysed.
    shop.write("host.c", HOST.replace("local = 64", "local = 32"));
    shop.sh("cc -g host.c -o app -lOpenCL").success();
    shop.fpgacc("trace --quiet -o seen.yaml -- ./app").success();
    let compared = shop
        .fpgacc("facts compare analysed.yaml seen.yaml")
        .failure();
    has(
        &compared.stdout,
        &["host.c:18:9: local size 0: analysed.yaml says 64, seen.yaml says 32"],
    );
}

#[test]
fn launches_that_were_not_found_are_reported() {
    let shop = shop();
    shop.sh("cc -g host.c -o app -lOpenCL").success();
    shop.fpgacc("trace --quiet -o seen.yaml -- ./app").success();
    shop.fpgacc("--emit=facts host.c -o analysed.yaml")
        .success();
    let text = shop.text("analysed.yaml");
    let cut = &text[..text.find("launches:").expect("launches")];
    shop.write("analysed.yaml", cut);
    let compared = shop
        .fpgacc("facts compare analysed.yaml seen.yaml")
        .failure();
    has(
        &compared.stdout,
        &["host.c:18:1: the launch: analysed.yaml has none"],
    );
}

fn benchmarks() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../benchmarks")
}

#[test]
fn runs_of_the_benchmarks_do_not_contradict_the_analysis() {
    let programs = [
        ("gaussian", "gaussian.c", "--n 20"),
        (
            "hotspot3d",
            "hotspot3d.cpp",
            "--nx 20 --ny 10 --layers 4 --steps 2",
        ),
        ("kmeans", "kmeans.c", "--iterations 2"),
        ("nn", "nn.cpp", "--generated 50 --neighbours 2"),
        ("srad", "srad.c", "--rows 17 --columns 19 --iterations 2"),
    ];
    for (name, host, args) in programs {
        let shop = Workshop::new();
        let folder = benchmarks().join(name);
        let folder = folder.display();
        let source = format!("{folder}/{host}");
        let common = benchmarks().join("common");
        let flags = format!("-I{}", common.display());
        holds(
            &shop,
            &format!("{source} {flags}"),
            &format!(
                "g++ -g -x {} {source} {flags} -o app -lOpenCL -lm",
                language(host)
            ),
            &format!("sh -c 'here=$PWD && cd {folder} && exec $here/app {args}'"),
        );
    }
}

fn language(host: &str) -> &'static str {
    match host.ends_with(".c") {
        true => "c",
        false => "c++",
    }
}

#[test]
fn a_given_launch_that_contradicts_the_required_size_is_refused() {
    let shop = shop();
    let required = "\"__kernel __attribute__((reqd_work_group_size(SIZE, 1, 1)))\n\"\n\" ";
    shop.write("device.h", DEVICE.replace("\"__kernel ", required));
    let with_size = |size: &str, facts: &str| {
        let options = format!("-DSCALE=3 -DSIZE={size}");
        shop.write("host.c", HOST.replace("-DSCALE=3", &options));
        shop.fpgacc(&format!("--emit=kernels host.c {facts} -o kernels.cl"))
    };
    let right = with_size("64", "").success();
    assert!(!right.stderr.contains("requires"), "{}", right.stderr);
    let what = "kernel 'scale' is launched with work-groups of 64, but it requires 32 x 1 x 1";
    // A host may expect that this launch fails.
    let warned = with_size("32", "").success().stderr;
    has(
        &warned,
        &[
            &format!("host.c:18:9: warning: {what} [-Wwork-group-size]"),
            "reqd_work_group_size of this kernel",
            "note: the launch returns CL_INVALID_WORK_GROUP_SIZE",
        ],
    );
    let known = shop.fpgacc("--emit=facts host.c -o given.yaml");
    known.success();
    let refused = with_size("32", "--facts given.yaml").failure().stderr;
    has(
        &refused,
        &[&format!("error: {what}"), "in the file of facts"],
    );
}

#[test]
fn options_for_kernels_reach_those_in_strings_of_the_host() {
    let shop = shop();
    shop.write("host.c", HOST.replace("\"-DSCALE=3\"", "argv[2]"));
    let kernels = shop.fpgacc("--emit=kernels host.c -Xkernel -DSCALE=7");
    has(&kernels.success().stdout, &["7 * step"]);
}
