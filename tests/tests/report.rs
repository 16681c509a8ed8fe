//! `fpgacc report`: what it says holds together, and what it is asked for counts.

use fpgacc_tests::command::Workshop;
use serde_json::Value;

const HOST: &str = include_str!("inputs/report.c");

const KERNELS: &str = include_str!("inputs/report.cl");

fn workshop() -> Workshop {
    let shop = Workshop::new();
    shop.write("host.c", HOST);
    shop.write("k.cl", KERNELS);
    shop
}

fn json(shop: &Workshop, options: &str) -> Value {
    let text = shop
        .fpgacc(&format!("report --json host.c k.cl {options}"))
        .success()
        .stdout;
    serde_json::from_str(&text).expect("JSON")
}

fn kernels(report: &Value) -> &Vec<Value> {
    report["programs"][0]["kernels"]
        .as_array()
        .expect("kernels")
}

fn seconds(candidate: &Value) -> f64 {
    candidate["seconds"]["value"].as_f64().expect("seconds")
}

#[test]
fn what_is_decided_is_never_slower_than_the_input() {
    let shop = workshop();
    for level in ["--kernel-opt=1", "--kernel-opt=2", "--kernel-opt=3"] {
        let report = json(&shop, &format!("-fexecution-model=auto {level}"));
        assert_eq!(kernels(&report).len(), 2);
        for kernel in kernels(&report) {
            let candidates = kernel["candidates"].as_array().expect("candidates");
            let chosen = &candidates[kernel["chosen"].as_u64().expect("a place") as usize];
            assert!(
                seconds(chosen) <= seconds(&candidates[0]),
                "{level}: {kernel}"
            );
            assert_eq!(chosen["fits"], true);
            let labels: Vec<&str> = candidates
                .iter()
                .filter_map(|c| c["label"].as_str())
                .collect();
            let mut unique = labels.clone();
            unique.sort_unstable();
            unique.dedup();
            assert_eq!(unique.len(), labels.len(), "{labels:?}");
            for candidate in candidates {
                let range = &candidate["seconds"];
                let [low, value, high] = ["low", "value", "high"].map(|key| range[key].as_f64());
                assert!(low <= value && value <= high, "{candidate}");
            }
        }
    }
}

#[test]
fn levels_try_what_they_may() {
    let shop = workshop();
    let labels = |level: &str| -> String {
        let report = json(&shop, &format!("-fexecution-model=auto {level}"));
        let all = kernels(&report)
            .iter()
            .flat_map(|k| k["candidates"].as_array().unwrap().clone());
        all.map(|c| format!("{}\n", c["label"].as_str().unwrap()))
            .collect()
    };
    let (one, two, three) = (
        labels("--kernel-opt=1"),
        labels("--kernel-opt=2"),
        labels("--kernel-opt=3"),
    );
    assert!(one.contains("work-groups of 64 x 1 x 1"), "{one}");
    assert!(!one.contains("single work-item"), "{one}");
    assert!(
        two.contains("single work-item") && !two.contains("at a time"),
        "{two}"
    );
    assert!(three.contains("work-items at a time"), "{three}");
    assert!(three.contains("unrolled"), "{three}");
}

#[test]
fn wishes_are_followed() {
    let shop = workshop();
    let families = |options: &str| -> Vec<String> {
        let report = json(&shop, options);
        let family = |kernel: &Value| {
            let chosen = kernel["chosen"].as_u64().unwrap() as usize;
            kernel["candidates"][chosen]["family"]
                .as_str()
                .unwrap()
                .to_string()
        };
        kernels(&report).iter().map(family).collect()
    };
    let (ndrange, swi) = ("NDRange", "single work-item");
    assert_eq!(families("-fexecution-model=ndrange"), [ndrange, ndrange]);
    assert_eq!(families("-fexecution-model=swi"), [swi, swi]);
    let mixed = "-fexecution-model=ndrange -fexecution-model=chain:swi";
    assert_eq!(families(mixed), [ndrange, swi]);
    assert_eq!(families(""), families("-fexecution-model=auto"));
    // What stands before a kernel is stronger than what is said of all, and weaker than what is
    // said of it.
    let text = KERNELS.replace(
        "__kernel void chain",
        "#pragma fpgacc execution_model(ndrange)\n__kernel void chain",
    );
    shop.write("k.cl", text);
    assert_eq!(families("-fexecution-model=swi"), [swi, ndrange]);
    let stronger = "-fexecution-model=swi -fexecution-model=chain:swi";
    assert_eq!(families(stronger), [swi, swi]);
    // Facts stand between the two.
    shop.write("swi.yaml", "version: 1\nexecution_models: {chain: swi}\n");
    let given = "-fexecution-model=ndrange swi.yaml";
    assert_eq!(families(given), [ndrange, swi]);
    let stronger = "-fexecution-model=chain:ndrange swi.yaml";
    assert_eq!(families(stronger)[1], ndrange);
    shop.write(
        "other.yaml",
        "version: 1\nexecution_models: {chain: auto}\n",
    );
    let wrong = shop.fpgacc("report swi.yaml other.yaml host.c k.cl");
    assert_eq!(wrong.code, Some(1));
    let message =
        "error: kernel 'chain' is to be executed as swi by one file of facts, as auto by another";
    assert!(wrong.stderr.contains(message), "{}", wrong.stderr);
    let kernels = shop
        .fpgacc("-fexecution-model=swi --emit=kernels host.c k.cl")
        .success()
        .stdout;
    assert!(!kernels.contains("#pragma fpgacc"), "{kernels}");
    assert!(kernels.contains("get_global_id(0)"), "{kernels}");
    let wrong = shop.fpgacc("report -fexecution-model=gpu host.c k.cl");
    assert_eq!(wrong.code, Some(2));
    assert!(
        wrong.stderr.contains("ndrange, swi, auto"),
        "{}",
        wrong.stderr
    );
}

#[test]
fn the_same_input_gives_the_same_report_and_program() {
    let shop = workshop();
    for what in ["report --json", "report --html", "report", "--emit=kernels"] {
        let command = format!("{what} --kernel-opt=3 -fexecution-model=auto host.c k.cl");
        let first = shop.fpgacc(&command).success().stdout;
        assert_eq!(first, shop.fpgacc(&command).success().stdout, "{what}");
        assert!(!first.is_empty());
    }
}

/// What a report shows is what a build makes.
#[test]
fn the_report_shows_what_is_built() {
    let shop = workshop();
    for options in [
        "",
        "-fexecution-model=auto",
        "-fexecution-model=auto --kernel-opt=3",
    ] {
        let report = json(&shop, options);
        let built = shop
            .fpgacc(&format!("--emit=kernels host.c k.cl {options}"))
            .success()
            .stdout;
        for kernel in kernels(&report) {
            let lines = kernel["rewritten"].as_array().expect("lines");
            assert!(lines.len() > 3, "{kernel}");
            for line in lines {
                let text = line["text"].as_str().expect("a text");
                assert!(built.contains(text), "{text}\n{built}");
            }
        }
    }
}

#[test]
fn the_page_stands_alone() {
    let shop = workshop();
    shop.fpgacc("report --html -fexecution-model=auto host.c k.cl -o out.html")
        .success();
    let page = shop.text("out.html");
    for outside in ["http:", "https:", "src=", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    // Sources are escaped.
    assert!(page.contains("&lt;b&gt;doubles") && !page.contains("<b>doubles"));
    assert!(page.contains("prefers-color-scheme: dark"));
    assert_eq!(page.matches("<svg").count(), 2);
    for kernel in ["scale", "chain"] {
        assert!(page.contains(&format!("<h2>{kernel}</h2>")));
    }
    // Tags that open also close.
    for tag in [
        "div", "section", "table", "tr", "span", "svg", "details", "p",
    ] {
        let opened =
            page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
        assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
    }
}

#[test]
fn boards_are_named_or_described() {
    let shop = workshop();
    let report = json(&shop, "");
    assert_eq!(report["board"]["is_default"], true);
    let other = json(&shop, "--board=p385a_sch_ax115");
    assert_eq!(other["board"]["name"], "385a");
    let unknown = shop.fpgacc("report --board=zc706 host.c k.cl").success();
    assert!(
        unknown
            .stderr
            .contains("nothing is known of the board 'zc706'"),
        "{}",
        unknown.stderr
    );
    shop.write("mine.yaml", "name: mine\n");
    let wrong = shop
        .fpgacc("report --board-file mine.yaml host.c k.cl")
        .failure();
    assert!(
        wrong.stderr.contains("mine.yaml: missing field"),
        "{}",
        wrong.stderr
    );
    let missing = shop
        .fpgacc("report --board-file no.yaml host.c k.cl")
        .failure();
    assert!(
        missing.stderr.contains("no such file: 'no.yaml'"),
        "{}",
        missing.stderr
    );
}

#[test]
fn tables_name_form_loops_and_accesses() {
    let shop = workshop();
    let text = shop
        .fpgacc("report -fexecution-model=auto host.c k.cl")
        .success()
        .stdout;
    for words in [
        "kernel scale",
        "kernel chain",
        "Forms",
        "as it is",
        "k.cl:10",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    assert!(
        text.lines().all(|line| line.chars().count() <= 140),
        "{text}"
    );
    let help = shop.fpgacc("report --help").success().stdout;
    assert!(help.contains("--html") && help.contains("--json"), "{help}");
}

/// What `aoc -rtl` and Quartus leave of `chain` as a single work-item.
fn aoc_report(shop: &Workshop, ii: u32) {
    let loops = serde_json::json!({
        "columns": ["", "Pipelined", "II", "Bottleneck", "Details"],
        "children": [{"name": "Kernel: chain", "data": ["", "", ""], "children": [
            {"name": "chain.B1", "data": ["Yes", ">=1", "n/a"], "children": [
                {"name": "chain.B2", "data": ["Yes", format!("~{ii}"), "II"],
                 "debug": [[{"filename": "/build/k.cl", "line": 10}]]}]}]}]});
    let summary = serde_json::json!({
        "performanceSummary": {"children": [
            {"name": "chain", "data": ["Single work-item", "No", [1, 1, 1], 1]}]},
        "estimatedResources": {"children": [
            {"name": "chain", "data": [4321, 8765, 99, 7]},
            {"name": "Total", "data": [50000, 90000, 400, 7]}]}});
    shop.write("built/reports/lib/json/loops.json", loops.to_string());
    shop.write("built/reports/lib/json/summary.json", summary.to_string());
    let fitted = "ALUTs: 41262\nActual clock freq: 250.00\nKernel fmax: 251.3\n";
    shop.write("built/acl_quartus_report.txt", fitted);
}

#[test]
fn reports_of_aoc_replace_predictions() {
    let shop = workshop();
    let chain = |options: &str| kernels(&json(&shop, options))[1].clone();
    let of = |kernel: &Value, keys: [&str; 3]| {
        let part = &kernel["parts"][0];
        part[keys[0]][keys[1]][keys[2]]
            .as_f64()
            .or(part[keys[0]][keys[1]].as_f64())
    };
    let predicted = chain("-fexecution-model=swi --strict-fp");
    assert_eq!(predicted["disagreements"], Value::Null);
    aoc_report(&shop, 40);
    let with = "-fexecution-model=swi --strict-fp --use-report built";
    let measured = chain(with);
    assert_eq!(of(&measured, ["clock_mhz", "value", ""]), Some(250.0));
    let loops = measured["parts"][0]["loops"].as_array().unwrap();
    let own = loops
        .iter()
        .find(|one| one["place"]["line"] == 10)
        .expect("a loop");
    assert_eq!(own["ii"], 40.0);
    let chosen = |kernel: &Value| {
        let at = kernel["chosen"].as_u64().unwrap() as usize;
        kernel["candidates"][at].clone()
    };
    assert_eq!(chosen(&measured)["area"]["alut"], 4321.0);
    assert_eq!(chosen(&measured)["is_measured"], true);
    assert!(seconds(&chosen(&measured)) > seconds(&chosen(&predicted)));
    let told = measured["disagreements"].to_string();
    assert!(told.contains("line 10: aoc says II = 40"), "{told}");
    assert!(told.contains("clock: aoc says 250 MHz"), "{told}");
    // A slower loop is slower.
    aoc_report(&shop, 80);
    assert!(seconds(&chosen(&chain(with))) > seconds(&chosen(&measured)));
    // It is no report of an NDRange.
    let other = chain("-fexecution-model=ndrange --kernel-opt=1 --use-report built");
    assert_eq!(chosen(&other)["is_measured"], false);
    let none = shop.fpgacc("report --use-report . host.c k.cl").failure();
    assert!(
        none.stderr.contains("there is no report of aoc in '.'"),
        "{}",
        none.stderr
    );
}

#[test]
fn recorded_trip_counts_are_used() {
    let shop = workshop();
    let facts = "version: 1\nprograms:\n- site: {file: app, line: 0, column: 1}\n  sources: {unknown: no}\n  \
                 options: []\n  recorded:\n    hash: '0'\n    caller: app+0x1\n    loops:\n    - site: {file: \
                 /run/k.cl, line: 10, column: 5}\n      function: chain\n      entries: 4\n      \
                 iterations: 1000\n";
    shop.write("facts.yaml", facts);
    let report = json(&shop, "-fexecution-model=ndrange facts.yaml");
    let loops = kernels(&report)[1]["parts"][0]["loops"].as_array().unwrap();
    assert_eq!(loops[0]["trips"], 250.0, "{loops:?}");
    assert_eq!(loops[0]["trips_are"], "recorded");
}

#[test]
fn kernels_too_large_to_be_priced_stay_as_they_are() {
    let shop = Workshop::new();
    let sum = "x = x * 3 + 1; ".repeat(1200);
    shop.write(
        "k.cl",
        format!(
            "__kernel void k(__global int *a) {{ int x = a[get_global_id(0)]; {sum} a[0] = x; }}\n"
        ),
    );
    let told = shop
        .fpgacc("--emit=kernels -Rpass-missed=decision k.cl")
        .success();
    assert!(told.stdout.contains("get_global_id(0)"), "{}", told.stdout);
    assert!(
        told.stderr.contains("too large to be priced"),
        "{}",
        told.stderr
    );
    let asked = shop
        .fpgacc("--emit=kernels -fexecution-model=k:swi k.cl")
        .success();
    assert!(
        !asked.stdout.contains("get_global_id(0)"),
        "{}",
        asked.stdout
    );
}

/// An accumulator adds one number in each cycle; of two, only if aoc may add them first.
#[test]
fn what_aoc_may_reorder_counts() {
    let shop = workshop();
    let two = KERNELS.replace("x = x * x + in[i];", "x = x + in[i] + in[i + 1];");
    let two = two.replace("x = in[get_global_id(0)]", "x = 0.0f");
    shop.write("k.cl", two);
    let innermost = |options: &str| {
        let options = format!("--board de5a-net -fexecution-model=swi -fno-reduction {options}");
        let report = json(&shop, &options);
        let loops = kernels(&report)[1]["parts"][0]["loops"].clone();
        let last = loops.as_array().and_then(|loops| loops.last().cloned());
        last.expect("a loop")["ii"].as_f64().expect("cycles")
    };
    let kept = innermost("");
    assert!(kept > 2.0, "{kept}");
    for flag in ["-fp-relaxed", "--fp-relaxed", "-ffp-reassociate"] {
        assert_eq!(innermost(&format!("-Xaoc {flag}")), 1.0, "{flag}");
    }
}

/// Small loops are unrolled by aoc up to 18.1 and not by later ones.
fn loops_of_small(shop: &Workshop, options: &str) -> usize {
    let text = shop
        .fpgacc(&format!("report --json small.cl -w {options}"))
        .success()
        .stdout;
    let report: Value = serde_json::from_str(&text).expect("JSON");
    let loops = &kernels(&report)[0]["parts"][0]["loops"];
    loops.as_array().expect("loops").len()
}

fn small_loop() -> Workshop {
    let shop = Workshop::new();
    shop.write(
        "small.cl",
        "__kernel __attribute__((reqd_work_group_size(1, 1, 1)))\n\
         void small(__global const float *in, __global float *out)\n{\n\
         float sum = 0;\n  for (int i = 0; i < 4; i++)\n    sum += in[i];\n  out[0] = sum;\n}\n",
    );
    shop
}

#[test]
fn the_compiler_is_the_aoc_that_builds_or_the_boards() {
    let shop = small_loop();
    let [old, new] = ["14.1.0", "19.1.0"].map(|version| shop.aoc(version));
    assert_eq!(loops_of_small(&shop, "--board=de5-net"), 0);
    assert_eq!(loops_of_small(&shop, "--board=de5a-net"), 0);
    assert_eq!(loops_of_small(&shop, "--board=pac-d5005"), 1);
    let built_by = |aoc| format!("--board=de5-net --target=hardware --aoc={aoc}");
    assert_eq!(loops_of_small(&shop, &built_by(old)), 0);
    assert_eq!(loops_of_small(&shop, &built_by(new)), 1);
}

#[test]
fn older_board_files_are_read_with_a_hint() {
    let shop = small_loop();
    let board = include_str!("../../performance-model/boards/de5-net.yaml");
    shop.write(
        "old.yaml",
        board.replace("compiler: \"14.1\"", "unrolls_small_loops: true"),
    );
    assert_eq!(loops_of_small(&shop, "--board-file old.yaml"), 0);
    let told = shop
        .fpgacc("report --board-file old.yaml small.cl")
        .success()
        .stderr;
    assert!(
        told.contains("old.yaml: 'unrolls_small_loops' is a field of 'compiler' now")
            && told.contains("write 'unrolls_instructions: 170' in it"),
        "{told}"
    );
}
