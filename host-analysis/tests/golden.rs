//! Whole hosts: their facts, and their patches.

use fpgacc_frontend::source::SourceMap;
use fpgacc_host_analysis::syntax::{HostFile, Language, Preprocessed};
use fpgacc_host_analysis::{Analysis, analyse, patch};

struct Hosts {
    sources: SourceMap,
    hosts: Vec<HostFile>,
    texts: Vec<(String, String)>,
}

fn hosts(names: &[&str], language: Language) -> Hosts {
    let mut sources = SourceMap::new();
    let mut hosts = Vec::new();
    let mut texts = Vec::new();
    for name in names {
        let path = format!("{}/tests/hosts/{name}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).unwrap();
        let file = sources.add(*name, text.clone());
        let output = preprocessed(name, &text);
        let pre = Preprocessed::read(&output);
        hosts.push(HostFile::parse(&sources, file, &[], Some(&pre), language));
        texts.push((name.to_string(), text));
    }
    Hosts {
        sources,
        hosts,
        texts,
    }
}

/// The output of `cc -E -dD` as far as it is read: which lines are live, and the macros. Here no
/// symbol that an `#if` asks for is defined, so `#else` branches live.
fn preprocessed(name: &str, text: &str) -> String {
    let mut out = format!("# 1 \"{name}\"\n");
    let mut stack: Vec<bool> = Vec::new();
    let mut define = false;
    for line in text.lines() {
        let word = line.trim_start();
        let mut shown = stack.iter().all(|live| *live);
        if word.starts_with("#if") {
            stack.push(false);
            shown = false;
        } else if word.starts_with("#else") {
            *stack.last_mut().unwrap() = true;
            shown = false;
        } else if word.starts_with("#endif") {
            stack.pop();
            shown = false;
        } else if word.starts_with("#include") {
            shown = false;
        }
        let joins = define || word.starts_with("#define");
        define = joins && line.ends_with('\\');
        out.push_str(if shown {
            line.trim_end_matches('\\')
        } else {
            ""
        });
        // The preprocessor writes a definition as one line.
        out.push(if define { ' ' } else { '\n' });
    }
    out
}

fn facts(hosts: &Hosts) -> String {
    let Analysis {
        facts, diagnostics, ..
    } = analyse(&hosts.hosts, &hosts.sources);
    let mut text = serde_yaml::to_string(&facts).unwrap();
    let again: fpgacc_launch_facts::Facts = serde_yaml::from_str(&text).unwrap();
    assert_eq!(again, facts);
    for diagnostic in &diagnostics {
        text.push_str(&format!(
            "# {}: {:?}\n",
            diagnostic.message, diagnostic.notes
        ));
    }
    text
}

fn patches(hosts: &Hosts) -> String {
    let mut all = String::new();
    for (host, (name, text)) in hosts.hosts.iter().zip(&hosts.texts) {
        let patched = patch::patch_bytes(text.as_bytes(), name, &host.main().lines);
        all.push_str(&patch::unified_diff(text.as_bytes(), &patched.text, name));
    }
    all
}

#[test]
fn saxpy() {
    let hosts = hosts(&["saxpy.c"], Language::C);
    insta::assert_snapshot!("saxpy_facts", facts(&hosts));
    insta::assert_snapshot!("saxpy_patch", patches(&hosts));
}

#[test]
fn stencil() {
    let hosts = hosts(&["stencil_main.cpp", "stencil_gpu.cpp"], Language::Cpp);
    insta::assert_snapshot!("stencil_facts", facts(&hosts));
    insta::assert_snapshot!("stencil_patch", patches(&hosts));
}
