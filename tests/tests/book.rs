//! The pages of the documentation: their commands run, and print what the pages say.

use std::path::PathBuf;

use fpgacc_tests::book::{check, repository};
use fpgacc_tests::reference;

#[test]
fn the_readme_says_what_comes_out() {
    check("README.md");
}

#[test]
fn the_examples_page_says_what_comes_out() {
    check("examples/README.md");
}

#[test]
fn the_tutorial_says_what_comes_out() {
    check("docs/tutorial.md");
}

#[test]
fn the_answers_say_what_comes_out() {
    check("docs/faq.md");
}

#[test]
fn the_page_on_checks_says_what_comes_out() {
    check("docs/check.md");
}

#[test]
fn the_page_on_sizes_of_groups_says_what_comes_out() {
    check("docs/geometry.md");
}

#[test]
fn the_page_on_boards_says_what_comes_out() {
    check("docs/how-to/board.md");
}

#[test]
fn the_page_on_makefiles_says_what_comes_out() {
    check("docs/how-to/makefile.md");
}

#[test]
fn the_page_on_cmake_says_what_comes_out() {
    check("docs/how-to/cmake.md");
}

#[test]
fn the_page_on_ci_says_what_comes_out() {
    check("docs/how-to/ci.md");
}

#[test]
fn the_page_on_recorded_facts_says_what_comes_out() {
    check("docs/how-to/recorded-facts.md");
}

#[test]
fn the_page_on_tuning_says_what_comes_out() {
    check("docs/how-to/tune.md");
}

#[test]
fn what_the_template_for_a_ci_runs_works() {
    let template = repository().join("packaging/ci-of-a-program.yml");
    let template = std::fs::read_to_string(template).expect("the template");
    let workflow: serde_yaml::Value = serde_yaml::from_str(&template).expect("YAML");
    let steps = workflow["jobs"]["emulator"]["steps"].as_sequence();
    let steps = steps.expect("steps");
    let lines: Vec<&str> = steps
        .iter()
        .filter_map(|step| step["run"].as_str())
        .collect();
    // What is installed here is what was built here.
    let (installs, runs): (Vec<&str>, Vec<&str>) =
        lines.into_iter().partition(|line| line.contains("apt-get"));
    assert!(
        installs.len() == 1 && runs.len() == 2,
        "{installs:?} {runs:?}"
    );
    let shop = reference::folder();
    for line in runs {
        shop.sh(line).success();
    }
    let kept = steps.last().and_then(|step| step["with"]["path"].as_str());
    for name in kept.expect("what is kept").lines() {
        assert!(shop.path(name).is_file(), "{name}");
    }
}

/// The paths that a page links to, without the part of the page.
fn links(text: &str) -> Vec<&str> {
    let ends = text.match_indices("](").map(|(at, _)| &text[at + 2..]);
    let targets = ends.filter_map(|rest| rest.split(')').next());
    let targets = targets.filter(|target| !target.contains("://") && !target.starts_with('#'));
    targets
        .filter_map(|target| target.split('#').next())
        .collect()
}

/// All pages.
fn pages() -> Vec<PathBuf> {
    let root = repository();
    let mut pages = vec![
        root.join("README.md"),
        root.join("CONTRIBUTING.md"),
        root.join("examples/README.md"),
        root.join("benchmarks/README.md"),
    ];
    for folder in ["docs", "docs/how-to"] {
        let entries = std::fs::read_dir(root.join(folder)).expect("a folder");
        let files = entries.flatten().map(|entry| entry.path());
        let mut files: Vec<PathBuf> = files
            .filter(|path| path.extension().is_some_and(|end| end == "md"))
            .collect();
        files.sort();
        pages.extend(files);
    }
    pages
}

#[test]
fn links_lead_somewhere() {
    let mut seen = 0;
    for page in pages() {
        let text = std::fs::read_to_string(&page).expect("a page");
        for link in links(&text) {
            let target = page.parent().expect("a folder").join(link);
            assert!(target.exists(), "{}: {link}", page.display());
            seen += 1;
        }
    }
    assert!(seen > 50, "{seen}");
}

#[test]
fn commands_of_reference_pages_run() {
    let shop = reference::folder();
    let mut ran = 0;
    let mut problems = Vec::new();
    for page in pages() {
        let text = std::fs::read_to_string(&page).expect("a page");
        for command in reference::commands(&text) {
            let at = format!("{}:{}", page.display(), command.line);
            let unknown = command.unknown_options(&shop);
            if !unknown.is_empty() {
                problems.push(format!("{at}: no option {}", unknown.join(" ")));
            }
            if !command.runs() || !command.has_inputs(&shop) {
                continue;
            }
            ran += 1;
            let outcome = command.run(&shop);
            if outcome.code != Some(0) {
                problems.push(format!("{at}: {}{}", outcome.stdout, outcome.stderr));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(ran > 20, "{ran}");
}
