//! `fpgacc report`: what it says holds together, and what it is asked for counts.

use fpgacc_tests::command::{Workshop, has};
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
    assert!(three.contains("SIMD width"), "{three}");
    assert!(three.contains("unrolled"), "{three}");
}

#[test]
fn requests_are_followed() {
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
    for outside in ["http:", "https:", "src=", "@import", "href=\"/"] {
        assert!(!page.contains(outside), "{outside}");
    }
    // What is drawn refers to nothing but the page itself, and nothing names the folder that it was made in.
    assert_eq!(page.matches("url(").count(), page.matches("url(#g").count());
    assert!(!page.contains(&shop.path("").display().to_string()));
    // Sources are escaped.
    assert!(page.contains("&lt;b&gt;doubles") && !page.contains("<b>doubles"));
    assert!(page.contains("prefers-color-scheme: dark"));
    // A plot of each kernel's forms, and the buffers.
    assert_eq!(page.matches("<svg").count(), 3);
    // Tags that open also close.
    for tag in [
        "div", "section", "table", "tr", "th", "td", "thead", "tbody", "span", "svg", "details",
        "p", "a", "i", "button", "ul", "li", "g", "path",
    ] {
        let opened =
            page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
        let empty = match tag {
            "path" => page.matches("/></marker>").count(),
            _ => 0,
        };
        assert_eq!(
            opened,
            page.matches(&format!("</{tag}>")).count() + empty,
            "{tag}"
        );
    }
}

/// The values of an attribute in a page.
fn attributes<'a>(page: &'a str, name: &str) -> Vec<&'a str> {
    let start = format!(" {name}=\"");
    let starts = page
        .match_indices(&start)
        .map(|(at, _)| &page[at + start.len()..]);
    starts.filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn links_of_the_page_lead_somewhere() {
    let shop = workshop();
    shop.fpgacc("report --html -fexecution-model=swi host.c k.cl -o out.html")
        .success();
    let page = shop.text("out.html");
    let mut ids = attributes(&page, "id");
    let links = attributes(&page, "href");
    for link in &links {
        let target = link.strip_prefix('#').expect("a place of the page");
        assert!(ids.contains(&target), "{link}");
    }
    // Lines of both sides are linked to, and no two things have one name.
    for side in ["#k1-2-o10", "#k1-2-r"] {
        assert!(
            links.iter().any(|link| link.starts_with(side)),
            "{side}: {links:?}"
        );
    }
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all);
}

#[test]
fn a_report_tells_what_it_was_made_of() {
    let shop = workshop();
    shop.fpgacc("report --json host.c k.cl -o out.json --kernel-opt=1")
        .success();
    let report: Value = serde_json::from_str(&shop.text("out.json")).expect("JSON");
    let words = ["report", "--json", "host.c", "k.cl", "--kernel-opt=1"];
    assert_eq!(report["command"], serde_json::json!(words));
    assert_eq!(
        report["tool"],
        format!("fpgacc {}", env!("CARGO_PKG_VERSION"))
    );
    let inputs = report["inputs"].as_array().expect("files");
    let files: Vec<_> = inputs
        .iter()
        .filter_map(|one| one["file"].as_str())
        .collect();
    assert_eq!(files, ["host.c", "k.cl"]);
    let digest = shop.sh("sha256sum <k.cl").success().stdout;
    assert_eq!(inputs[1]["sha256"].as_str(), digest.split(' ').next());
}

/// All kernels of a program are one image: they share a clock and the device, and their times add up.
#[test]
fn a_program_has_a_total() {
    let shop = workshop();
    let report = json(&shop, "-fexecution-model=auto");
    let (program, board) = (&report["programs"][0], &report["board"]);
    let total = &program["total"];
    let number = |value: &Value| value.as_f64().expect("a number");
    let mut alone = 0.0;
    let mut slowest = f64::MAX;
    for kernel in kernels(&report) {
        let chosen = kernel["chosen"].as_u64().expect("a place") as usize;
        alone += seconds(&kernel["candidates"][chosen]);
        slowest = slowest.min(number(&kernel["parts"][0]["clock_mhz"]["value"]));
    }
    assert!(number(&total["clock_mhz"]["value"]) <= slowest, "{total}");
    let together = number(&total["seconds"]["value"]);
    assert!(
        together >= alone * 0.999 && together < alone * 1.5,
        "{together} {alone}"
    );
    for resource in ["alut", "ff", "ram", "dsp"] {
        let sum = number(&total["area"][resource]) + number(&board["interface"][resource]);
        let used = sum / number(&board["device"][resource]);
        assert!(
            (number(&total["used"][resource]) - used).abs() < 1e-9,
            "{resource}"
        );
    }
    let gain = number(&total["before"]["value"]) / together;
    assert!((number(&total["gain"]) - gain).abs() < 1e-9 && gain >= 1.0);
}

#[test]
fn buffers_are_those_of_the_host() {
    let shop = workshop();
    let report = json(&shop, "-fexecution-model=auto");
    let buffers = report["programs"][0]["buffers"]
        .as_array()
        .expect("buffers");
    let output = |buffer: &Value| {
        let uses = buffer["uses"].as_array().expect("uses").iter();
        let uses = uses.map(|one| format!("{} {} {}", one["kernel"], one["loads"], one["stores"]));
        (buffer["bytes"].as_u64(), uses.collect::<Vec<_>>())
    };
    let both = |loads: bool| -> Vec<String> {
        let kernels = ["chain", "scale"].iter();
        kernels
            .map(|name| format!("\"{name}\" {loads} {}", !loads))
            .collect()
    };
    let expected = [(Some(4 << 20), both(true)), (Some(4 << 20), both(false))];
    assert_eq!(
        buffers.iter().map(output).collect::<Vec<_>>(),
        expected,
        "{buffers:?}"
    );
}

#[test]
fn lines_have_costs_and_loops_have_names() {
    let shop = workshop();
    let report = json(&shop, "-fexecution-model=swi");
    let chain = &kernels(&report)[1];
    let lines = chain["lines"].as_array().expect("lines");
    let own = lines
        .iter()
        .find(|one| one["position"]["line"] == 11)
        .expect("line 11");
    let output = own["operations"].to_string();
    assert!(
        output.contains("float addition") && output.contains("float multiplication"),
        "{output}"
    );
    assert!(
        own["latency"].as_f64() > Some(1.0) && own["area"]["dsp"].as_f64() > Some(0.0),
        "{own}"
    );
    let chosen = chain["chosen"].as_u64().expect("a place") as usize;
    for resource in ["alut", "ff", "ram", "dsp"] {
        let sum: f64 = lines
            .iter()
            .filter_map(|one| one["area"][resource].as_f64())
            .sum();
        let all = chain["candidates"][chosen]["area"][resource]
            .as_f64()
            .expect("a number");
        // The rest is what every kernel takes.
        assert!(
            sum <= all + 1e-6 && sum >= all * 0.2,
            "{resource}: {sum} of {all}"
        );
    }
    let loops = chain["parts"][0]["loops"].as_array().expect("loops");
    let names: Vec<_> = loops
        .iter()
        .filter_map(|one| one["name"].as_str())
        .collect();
    assert_eq!(names, ["for group_x", "for item_x", "for i"]);
    let rewritten = chain["rewritten"].as_array().expect("lines");
    for one in loops {
        let line = rewritten
            .iter()
            .find(|line| line["number"] == one["rewritten_line"]);
        let text = line.and_then(|line| line["text"].as_str()).expect("a line");
        assert!(
            text.contains(
                one["name"]
                    .as_str()
                    .expect("a name")
                    .trim_start_matches("for ")
            ),
            "{text}"
        );
    }
    // What both sides have is not said to differ.
    let changed = |side: &str, text: &str| {
        let lines = chain[side].as_array().expect("lines").iter();
        let mut found = lines.filter(|line| {
            line["text"]
                .as_str()
                .is_some_and(|line| line.contains(text))
        });
        found.next().expect(text)["changed"].as_bool()
    };
    assert_eq!(changed("rewritten", "x = x * x + in[i]"), Some(false));
    assert_eq!(changed("rewritten", "ndrange-to-loop"), Some(true));
    assert_eq!(changed("original", "get_global_id"), Some(true));
}

#[test]
fn operations_that_are_not_priced_are_named() {
    let shop = workshop();
    let text = KERNELS.replace(
        "out[i] = in",
        "printf(\"%d\", i);\n    out[i] = hypot(in[i], sin(in[i])) * in",
    );
    shop.write("k.cl", text);
    let report = json(&shop, "-fexecution-model=auto");
    let unpriced = kernels(&report)[0]["unpriced"]
        .as_array()
        .expect("operations");
    let names: Vec<_> = unpriced
        .iter()
        .filter_map(|one| one["name"].as_str())
        .collect();
    assert_eq!(names, ["printf", "hypot"]);
    assert_eq!(unpriced[1]["position"]["line"], 6);
    assert_eq!(kernels(&report)[1]["unpriced"], serde_json::json!([]));
    let page = shop.fpgacc("report --html host.c k.cl").success().stdout;
    let (summary, _) = page.split_once("<section id=\"k1-1\"").expect("a kernel");
    assert!(
        summary.contains("knows nothing of these operations")
            && summary.contains("<code>hypot</code>")
    );
    let table = shop.fpgacc("report host.c k.cl").success().stdout;
    assert!(
        table.contains("k.cl:6: the model knows nothing of 'hypot'"),
        "{table}"
    );
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
        .find(|one| one["position"]["line"] == 10)
        .expect("a loop");
    assert_eq!(own["ii"], 40.0);
    let chosen = |kernel: &Value| {
        let at = kernel["chosen"].as_u64().unwrap() as usize;
        kernel["candidates"][at].clone()
    };
    assert_eq!(chosen(&measured)["area"]["alut"], 4321.0);
    assert_eq!(chosen(&measured)["is_measured"], true);
    assert!(seconds(&chosen(&measured)) > seconds(&chosen(&predicted)));
    let output = measured["disagreements"].to_string();
    assert!(output.contains("line 10: aoc says II = 40"), "{output}");
    assert!(output.contains("clock: aoc says 250 MHz"), "{output}");
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
    let output = shop
        .fpgacc("--emit=kernels -Rpass-missed=decision k.cl")
        .success();
    assert!(
        output.stdout.contains("get_global_id(0)"),
        "{}",
        output.stdout
    );
    assert!(
        output.stderr.contains("too large to be priced"),
        "{}",
        output.stderr
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
    let output = shop
        .fpgacc("report --board-file old.yaml small.cl")
        .success()
        .stderr;
    assert!(
        output.contains("old.yaml: 'unrolls_small_loops' is a field of 'compiler' now")
            && output.contains("write 'unrolls_instructions: 140' in it"),
        "{output}"
    );
}

/// Of loops that are unrolled whole, those that fpgacc made are distinguished, and the others have their lines.
#[test]
fn unrolled_loops_have_an_origin() {
    let shop = Workshop::new();
    let text = "__kernel __attribute__((reqd_work_group_size(1, 1, 1)))\n\
                void f(__global float *restrict out, __global const float *restrict in, int n) {\n\
                float sum = 0;\n\
                for (int i = 0; i < n; i++) sum += in[i];\n\
                #pragma unroll\n\
                for (int u = 0; u < 4; u++) out[u] = sum * u;\n}\n";
    shop.write("k.cl", text);
    let report = shop.fpgacc("report --json -fexecution-model=swi k.cl");
    let report: Value = serde_json::from_str(&report.success().stdout).expect("JSON");
    let unrolled = kernels(&report)[0]["parts"][0]["unrolled"].as_array();
    let origin = |one: &Value| {
        let line = one["position"]["line"].as_u64();
        (one["name"].to_string(), line, one["is_made"] == true)
    };
    let origins: Vec<_> = unrolled.expect("loops").iter().map(origin).collect();
    assert!(
        origins.contains(&("\"for u\"".to_string(), Some(6), false)),
        "{origins:?}"
    );
    assert!(
        origins.contains(&("\"for j\"".to_string(), None, true)),
        "{origins:?}"
    );
}

/// RLBD's decompressor for FPGAs, as 64 MiB of numbers that do not compress were decompressed: 64 partitions take turns,
/// so an iteration starts each cycle, and external memory is busy for most of the time.
#[test]
fn partitions_in_turn_start_an_iteration_a_cycle() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../benchmarks/rlbd");
    let text = std::fs::read_to_string(format!("{folder}/rlbd_rows.cl")).expect("the kernel");
    let line = |what: &str| {
        let at = text.lines().position(|line| line.contains(what));
        at.unwrap_or_else(|| panic!("no line has {what}")) + 1
    };
    let (turns, loads) = (line("for (ulong i = 0;"), line("if (loads && next < end)"));
    let site = |line: usize, column: usize| {
        format!(
            "site: {{file: rlbd_rows.cl, line: {line}, column: {column}}}\n      function: rlbd_rows\n"
        )
    };
    let facts = format!(
        "version: 1\nprograms:\n- site: {{file: app, line: 0, column: 0}}\n  sources:\n    is:\n    \
         - file: rlbd_rows.cl\n  options:\n  - is: -DPARTITION=4096 -DSLOT=4384\n  kernels:\n  \
         - is: rlbd_rows\n  recorded:\n    hash: '0'\n    caller: app+0x1\n    loops:\n    - {}      \
         entries: 1\n      iterations: 1138688\n    branches:\n    - {}      kind: if\n      \
         evaluated: 1138688\n      taken: 1114112\n",
        site(turns, 5),
        site(loads, 9)
    );
    let shop = Workshop::new();
    shop.write("rlbd_rows.cl", &text);
    shop.write("facts.yaml", facts);
    let options = "--board=p385a_sch_ax115 --facts=facts.yaml rlbd_rows.cl";
    let report = shop.fpgacc(&format!("report --json {options}")).success();
    let report: Value = serde_json::from_str(&report.stdout).expect("JSON");
    let part = &kernels(&report)[0]["parts"][0];
    let loops = part["loops"].as_array().expect("loops");
    assert_eq!(loops.len(), 1, "{loops:?}");
    assert_eq!(loops[0]["ii"], 1.0);
    assert_eq!(loops[0]["trips"], 1_138_688.0);
    let share = part["memory_seconds"].as_f64().expect("seconds") / seconds(part);
    assert!((0.8..1.0).contains(&share), "{share}");
    let check = shop.fpgacc(&format!("check {options}"));
    assert!(!check.success().stderr.contains("warning"));
}

/// Nobody looks for a kernel that a report leaves out.
#[test]
fn kernels_that_are_too_large_are_named() {
    let sum = |times: usize| {
        let lines = (0..times).map(|at| format!("s += a[i + {at}] * {at}.5f;\n"));
        let lines: String = lines.collect();
        format!("{{ int i = get_global_id(0); float s = 0; {lines} b[i] = s; }}\n")
    };
    let kernel = |name: &str, times| {
        let head = format!("__kernel void {name}(__global const float *a, __global float *b)");
        head + &sum(times)
    };
    let shop = Workshop::new();
    shop.write("k.cl", kernel("small", 3) + &kernel("large", 1500));
    let said = "warning: kernel 'large': stays an NDRange: it is too large to be priced";
    let report = shop.fpgacc("report k.cl").success();
    assert!(report.stdout.contains("kernel small"), "{}", report.stdout);
    assert!(report.stderr.contains(said), "{}", report.stderr);
    assert!(
        report.stderr.contains("it is not in the report"),
        "{}",
        report.stderr
    );
    shop.write("k.cl", kernel("large", 1500));
    let report = shop.fpgacc("report k.cl").failure();
    assert!(report.stderr.contains(said), "{}", report.stderr);
    let asked = shop.fpgacc("report -fexecution-model=swi k.cl").failure();
    let said = "kernel 'large': forms are not compared: it is too large";
    assert!(asked.stderr.contains(said), "{}", asked.stderr);
}

#[test]
fn loops_of_which_the_same_is_said_are_one_row() {
    let shop = Workshop::new();
    shop.write(
        "sums.cl",
        "__kernel void sums(__global const float *a, __global float *out, int n)\n\
         {\n\
             float x = 0, y = 0;\n\
             for (int i = 0; i < n; i++)\n\
                 x += a[i];\n\
             for (int i = 0; i < n; i++)\n\
                 y += a[i] * a[i];\n\
             out[0] = x;\n\
             out[1] = y;\n\
         }\n",
    );
    let output = shop
        .fpgacc("report -fexecution-model=swi sums.cl")
        .success();
    let rows: Vec<_> = output
        .stdout
        .lines()
        .filter(|l| l.contains("whole"))
        .collect();
    assert_eq!(rows.len(), 1, "{}", output.stdout);
    has(rows[0], &["for j", "made by fpgacc", "whole, 6 times"]);
}
