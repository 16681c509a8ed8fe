//! Optimization records: what LLVM's tools and `-Rpass` know of the same rewrites is the same.

use std::path::PathBuf;

use fpgacc_tests::command::Workshop;

const KERNELS: &str = include_str!("inputs/opt_record.cl");

fn workshop() -> Workshop {
    let shop = Workshop::new();
    shop.write("it's #1.cl", KERNELS);
    shop.write("k.cl", KERNELS);
    shop
}

/// Each document as YAML reads it, with its tag.
fn documents(text: &str) -> Vec<(String, serde_yaml::Value)> {
    let documents = text.split_inclusive("...\n").map(|document| {
        let value: serde_yaml::Value = serde_yaml::from_str(document).expect("YAML");
        match value {
            serde_yaml::Value::Tagged(tagged) => (tagged.tag.to_string(), tagged.value),
            other => panic!("no tag: {other:?}"),
        }
    });
    documents.collect()
}

/// `k.cl:1:2: kernel 'k': text; label`, as the record has it.
fn output(value: &serde_yaml::Value) -> String {
    let text = |value: &serde_yaml::Value, key: &str| {
        let value = &value[key];
        let number = value.as_u64().map(|number| number.to_string());
        value.as_str().map(String::from).or(number).expect(key)
    };
    let args = value["Args"].as_sequence().expect("arguments");
    let message: String = args
        .iter()
        .map(|arg| {
            let keys = arg.as_mapping().unwrap().keys();
            let mut keys = keys.filter(|key| key.as_str() != Some("DebugLoc"));
            let key = keys.next().and_then(|key| key.as_str()).expect("a key");
            assert!(keys.next().is_none(), "{arg:?}");
            text(arg, key)
        })
        .collect();
    let at = &value["DebugLoc"];
    format!(
        "{}:{}:{}: kernel '{}': {message} [{}]",
        text(at, "File"),
        text(at, "Line"),
        text(at, "Column"),
        text(value, "Function"),
        text(value, "Pass"),
    )
}

#[test]
fn a_record_says_what_the_remarks_say() {
    let shop = workshop();
    let flags = "-fsave-optimization-record -Rpass -Rpass-missed -Rpass-analysis";
    let shown = shop
        .sh(&format!(
            "fpgacc --emit=kernels {flags} \"it's #1.cl\" -o out.cl"
        ))
        .success()
        .stderr;
    let record = shop.text("out.opt.yaml");
    let documents = documents(&record);
    let tags: Vec<&str> = documents.iter().map(|(tag, _)| tag.as_str()).collect();
    assert!(
        tags.contains(&"!Passed") && tags.contains(&"!Missed"),
        "{record}"
    );
    let first_lines = shown.lines().filter(|line| line.contains(": remark: "));
    let mut shown: Vec<String> = first_lines
        .map(|line| {
            let line = line.replacen("remark: ", "", 1);
            let (text, option) = line.rsplit_once(" [").expect("an option");
            let pass = option.split_once('=').expect("a pass").1;
            format!("{text} [{pass}")
        })
        .collect();
    // Further places stand in the message of a record, and at source lines on the terminal.
    let mut recorded: Vec<String> = documents
        .iter()
        .map(|(_, value)| {
            let line = output(value);
            let (text, pass) = line.rsplit_once(" [").expect("a pass");
            match value["Args"].as_sequence().expect("arguments").len() {
                1 => line.clone(),
                _ => format!("{} [{pass}", text.split("; ").next().unwrap_or(text)),
            }
        })
        .collect();
    shown.sort();
    recorded.sort();
    assert_eq!(recorded, shown, "{record}");
}

#[test]
fn records_are_named_as_clang_names_them() {
    let shop = workshop();
    shop.fpgacc("--emit=kernels -fsave-optimization-record=yaml k.cl")
        .success();
    assert!(shop.path("k.opt.yaml").is_file());
    shop.fpgacc("--emit=kernels -foptimization-record-file=all.yaml k.cl")
        .success();
    let all = shop.text("all.yaml");
    assert_eq!(all, shop.text("k.opt.yaml"));
    shop.fpgacc(
        "--emit=kernels -foptimization-record-file=some.yaml -foptimization-record-passes=loop k.cl",
    )
    .success();
    let some = documents(&shop.text("some.yaml"));
    assert!(!some.is_empty());
    assert!(
        some.iter()
            .all(|(_, value)| value["Pass"] == "ndrange-to-loop")
    );
    assert!(some.len() < documents(&all).len());
    shop.fpgacc("-S -fsave-optimization-record k.cl -o rewritten.cl")
        .success();
    assert!(shop.path("rewritten.opt.yaml").is_file());
    shop.fpgacc(
        "--emit=kernels -fsave-optimization-record -fno-save-optimization-record k.cl -o no.cl",
    )
    .success();
    assert!(!shop.path("no.opt.yaml").exists());
    let wrong = shop.fpgacc("--emit=kernels -fsave-optimization-record=bitstream k.cl");
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.stderr.contains("yaml"), "{}", wrong.stderr);
}

#[test]
fn a_program_has_one_record_for_all_its_kernels() {
    let shop = Workshop::with_fixture();
    shop.fpgacc("host.c k.cl -o app -fsave-optimization-record")
        .success();
    let documents = documents(&shop.text("app.opt.yaml"));
    assert!(!documents.is_empty());
    for (_, value) in &documents {
        assert_eq!(value["DebugLoc"]["File"], "k.cl");
    }
    shop.fpgacc("-c host.c").success();
    shop.fpgacc("-c k.cl").success();
    shop.fpgacc("host.o k.o -o other -fsave-optimization-record")
        .success();
    assert_eq!(shop.text("other.opt.yaml"), shop.text("app.opt.yaml"));
}

/// Where they are installed.
#[test]
fn llvms_own_tools_read_records() {
    let shop = workshop();
    shop.fpgacc("--emit=kernels -fsave-optimization-record k.cl -o out.cl")
        .success();
    let tools =
        shop.sh("ls -d /usr/lib/llvm-*/share/opt-viewer /usr/lib/llvm-*/bin/llvm-opt-report");
    for tool in tools.stdout.lines().map(PathBuf::from) {
        let tool = tool.display();
        if tool.to_string().ends_with("llvm-opt-report") {
            // It shows what was inlined, unrolled and vectorised, and reads all.
            let report = shop.sh(&format!("{tool} out.opt.yaml")).success();
            assert_eq!(report.stderr, "");
            continue;
        }
        if shop.sh("python3 -c 'import yaml, pygments'").code != Some(0) {
            continue;
        }
        shop.sh(&format!(
            "python3 {tool}/opt-viewer.py -o html out.opt.yaml"
        ))
        .success();
        let page = shop.text("html/k.cl.html");
        assert!(page.contains("ndrange-to-loop"), "{page}");
        let stats = shop
            .sh(&format!("python3 {tool}/opt-stats.py out.opt.yaml"))
            .success();
        assert!(stats.stdout.contains("ndrange-to-loop"), "{}", stats.stdout);
    }
}
