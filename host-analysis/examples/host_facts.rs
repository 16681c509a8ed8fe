//! Prints the launch facts of hosts, as a help for work on the analysis:
//!
//!     cargo run --example host_facts -- -DN=4 -Iutil main.c gpu.cpp
//!
//! Options are passed to the preprocessor; `--diff` prints patches too, `--count` only counts.

use std::process::Command;

use fpgacc_frontend::diag::{Color, render};
use fpgacc_frontend::source::SourceMap;
use fpgacc_host_analysis::syntax::{HostFile, Language, Preprocessed};
use fpgacc_host_analysis::{Analysis, analyse, patch};
use fpgacc_launch_facts::{Facts, Known, LocalSize};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (flags, files): (Vec<_>, Vec<_>) =
        std::env::args().skip(1).partition(|a| a.starts_with('-'));
    let (own, flags): (Vec<_>, Vec<_>) = flags.into_iter().partition(|a| a.starts_with("--"));
    let mut sources = SourceMap::new();
    let mut hosts = Vec::new();
    let started = std::time::Instant::now();
    let mut in_cc = std::time::Duration::ZERO;
    for name in &files {
        let bytes = std::fs::read(name)?;
        let cpp = !name.ends_with(".c") || own.iter().any(|a| a == "--c++");
        let before = std::time::Instant::now();
        let mut cc = Command::new("cc");
        cc.args(["-E", "-dD", "-x", if cpp { "c++" } else { "c" }]);
        let output = cc.args(&flags).arg(name).output()?;
        in_cc += before.elapsed();
        let text = String::from_utf8_lossy(&output.stdout);
        let pre = output.status.success().then(|| Preprocessed::read(&text));
        if pre.is_none() {
            eprintln!("{}", String::from_utf8_lossy(&output.stderr));
        }
        let main = sources.add(name.clone(), String::from_utf8_lossy(&bytes).into_owned());
        let mut headers = Vec::new();
        for header in pre.iter().flat_map(|p| p.user_headers(name)) {
            if let Ok(bytes) = std::fs::read(&header) {
                headers.push(sources.add(header, String::from_utf8_lossy(&bytes).into_owned()));
            }
        }
        let language = if cpp { Language::Cpp } else { Language::C };
        let pre = pre.as_ref();
        let host = HostFile::parse(&sources, main, &headers, pre, language);
        if own.iter().any(|a| a == "--diff") {
            let patched = patch::patch_bytes(&bytes, name, &host.main().lines);
            print!("{}", patch::unified_diff(&bytes, &patched.text, name));
        }
        hosts.push(host);
    }
    let parsed = started.elapsed() - in_cc;
    let Analysis {
        facts, diagnostics, ..
    } = analyse(&hosts, &sources);
    if own.iter().any(|a| a == "--count") {
        println!("{} {}", count(&facts), files.join(" "));
    } else {
        print!("{}", serde_yaml::to_string(&facts)?);
        for diagnostic in &diagnostics {
            eprint!("{}", render(diagnostic, &sources, Color::Never));
        }
    }
    let all = started.elapsed() - in_cc;
    eprintln!("{parsed:?} parsing, {:?} analysis", all - parsed);
    Ok(())
}

fn count(facts: &Facts) -> String {
    let launches = &facts.launches;
    let kernels = launches.iter().filter(|l| l.kernels.get().is_some());
    let local = launches.iter().filter(|l| match &l.local {
        LocalSize::Null => true,
        LocalSize::Sizes(sizes) => sizes.iter().all(|s| s.constant().is_some()),
        LocalSize::Unknown(_) => false,
    });
    let options = facts.programs.iter().filter(|p| {
        let known = |o: &Known<String>| o.get().is_some();
        !p.options.is_empty() && p.options.iter().all(known)
    });
    let sources = facts.programs.iter().filter(|p| p.sources.get().is_some());
    format!(
        "launches {} kernels {} locals {} programs {} options {} sources {} buffers {}",
        launches.len(),
        kernels.count(),
        local.count(),
        facts.programs.len(),
        options.count(),
        sources.count(),
        facts.buffers.len()
    )
}
