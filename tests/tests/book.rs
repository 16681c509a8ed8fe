//! The pages of the documentation: their commands run, and print what the pages say.

use fpgacc_tests::book::{check, repository};

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

/// The paths that a page links to, without the part of the page.
fn links(text: &str) -> Vec<&str> {
    let ends = text.match_indices("](").map(|(at, _)| &text[at + 2..]);
    let targets = ends.filter_map(|rest| rest.split(')').next());
    let targets = targets.filter(|target| !target.contains("://") && !target.starts_with('#'));
    targets
        .filter_map(|target| target.split('#').next())
        .collect()
}

#[test]
fn links_lead_somewhere() {
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
        pages.extend(files.filter(|path| path.extension().is_some_and(|end| end == "md")));
    }
    let mut seen = 0;
    for page in pages {
        let text = std::fs::read_to_string(&page).expect("a page");
        for link in links(&text) {
            let target = page.parent().expect("a folder").join(link);
            assert!(target.exists(), "{}: {link}", page.display());
            seen += 1;
        }
    }
    assert!(seen > 50, "{seen}");
}
