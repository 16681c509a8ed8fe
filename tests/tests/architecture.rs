//! What holds for the source as a whole: files of a crate import each other in one direction, and the text of
//! the documentation fits into 100 columns.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use syn::visit::{self, Visit};
use syn::{ItemMod, ItemUse, UseTree};

/// The types of the kernel IR refer to each other.
const IR: &str = "ir";

/// A module's path in its crate.
type Module = Vec<String>;

/// The modules of a crate and their files.
fn modules(source: &Path) -> BTreeMap<Module, PathBuf> {
    let mut found = BTreeMap::new();
    let mut folders = vec![source.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(source).expect("it lies there");
            let parts = name.with_extension("");
            let mut parts: Module = (parts.iter())
                .map(|part| part.to_string_lossy().into_owned())
                .collect();
            let is_root = |part: &String| ["mod", "lib", "main"].contains(&part.as_str());
            parts.pop_if(|part| is_root(part));
            if path.extension().is_some_and(|extension| extension == "rs") {
                found.insert(parts, path);
            }
        }
    }
    found
}

/// The paths that a file imports, but for those of its tests.
#[derive(Default)]
struct Paths(Vec<Vec<String>>);

impl Paths {
    fn tree(&mut self, tree: &UseTree, mut before: Vec<String>) {
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.tree(&path.tree, before);
            }
            UseTree::Name(name) => {
                before.push(name.ident.to_string());
                self.0.push(before);
            }
            UseTree::Rename(rename) => {
                before.push(rename.ident.to_string());
                self.0.push(before);
            }
            UseTree::Glob(_) => self.0.push(before),
            UseTree::Group(group) => {
                for item in &group.items {
                    self.tree(item, before.clone());
                }
            }
        }
    }
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.tree(&item.tree, Vec::new());
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        let is_tests = item.ident == "tests";
        if !is_tests {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments = path.segments.iter();
        let names: Vec<String> = segments.map(|segment| segment.ident.to_string()).collect();
        // Not `pub(super)`; and a folder's own file calls the files of the folder.
        if names.len() > 1 && ["crate", "super"].contains(&names[0].as_str()) {
            self.0.push(names);
        }
        visit::visit_path(self, path);
    }
}

/// The module of the crate that a path leads into.
fn target(of: &Module, path: &[String], modules: &BTreeMap<Module, PathBuf>) -> Option<Module> {
    let supers = path.iter().take_while(|part| *part == "super").count();
    let mut whole = match path.first()?.as_str() {
        "crate" => Module::new(),
        "self" => of.clone(),
        "super" => of[..of.len().checked_sub(supers)?].to_vec(),
        name => {
            let child: Module = of.iter().cloned().chain([name.to_string()]).collect();
            modules.contains_key(&child).then(|| of.clone())?
        }
    };
    let skipped = match path[0].as_str() {
        "crate" | "self" => 1,
        _ => supers,
    };
    whole.extend_from_slice(&path[skipped..]);
    while !modules.contains_key(&whole) {
        whole.pop()?;
    }
    Some(whole)
}

/// The circles of a crate, the modules of each in order.
fn circles(source: &Path) -> Vec<BTreeSet<String>> {
    let modules = modules(source);
    let names: Vec<&Module> = modules.keys().collect();
    let mut graph: DiGraph<&Module, ()> = DiGraph::new();
    for name in &names {
        graph.add_node(name);
    }
    for (at, (module, path)) in modules.iter().enumerate() {
        let text = fs::read_to_string(path).expect("a file");
        let mut paths = Paths::default();
        paths.visit_file(&syn::parse_file(&text).expect("Rust"));
        let used = paths.0.iter();
        let used = used.filter_map(|path| target(module, path, &modules));
        for used in used.filter(|used| used != module) {
            let to = names.iter().position(|name| **name == used);
            let to = NodeIndex::new(to.expect("a module"));
            graph.add_edge(NodeIndex::new(at), to, ());
        }
    }
    let parts = tarjan_scc(&graph).into_iter().filter(|part| part.len() > 1);
    let named = parts.map(|part| part.into_iter().map(|at| graph[at].join("::")).collect());
    named.collect()
}

#[test]
fn files_import_each_other_in_one_direction() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    let members = members(&root);
    let circles: Vec<_> = thread::scope(|scope| {
        let root = &root;
        let of = |member| scope.spawn(move || circles(&root.join(member).join("src")));
        let each: Vec<_> = members.iter().map(of).collect();
        each.into_iter()
            .map(|it| it.join().expect("Rust"))
            .collect()
    });
    for (member, circles) in members.iter().zip(circles) {
        for circle in circles {
            let is_ir = circle
                .iter()
                .all(|name| name == IR || name.starts_with("ir::"));
            if !is_ir {
                found.push(format!("{member}: {}", Vec::from_iter(circle).join(", ")));
            }
        }
    }
    assert!(
        found.is_empty(),
        "files that import each other:\n{}",
        found.join("\n")
    );
}

/// The folders of the workspace's crates.
fn members(root: &Path) -> Vec<String> {
    let manifest = fs::read_to_string(root.join("Cargo.toml")).expect("a manifest");
    let members = manifest.split("members = [").nth(1).expect("members");
    let members = members.split(']').next().expect("members").split('"');
    members.skip(1).step_by(2).map(String::from).collect()
}

/// Where the files of `tests` are modules of one program, a file that no one names would never run.
#[test]
fn every_file_of_tests_is_named() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (mut forgotten, mut seen) = (Vec::new(), 0);
    for member in members(&root) {
        let folder = root.join(member);
        let Ok(main) = fs::read_to_string(folder.join("tests/main.rs")) else {
            continue;
        };
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
        for entry in fs::read_dir(folder.join("tests")).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy();
            let Some(stem) = name.strip_suffix(".rs").filter(|stem| *stem != "main") else {
                continue;
            };
            let is_target = manifest.contains(&format!("path = \"tests/{name}\""));
            let is_module = main.lines().any(|line| line == format!("mod {stem};"));
            if !is_target && !is_module {
                forgotten.push(path.display().to_string());
            }
            seen += 1;
        }
    }
    assert!(forgotten.is_empty(), "{forgotten:#?}");
    assert!(seen > 50, "{seen}");
}

/// Whether a documentation comment has an example in Rust.
fn has_example(text: &str) -> bool {
    let comments = text.lines().map(str::trim_start);
    let comments =
        comments.filter_map(|line| line.strip_prefix("///").or(line.strip_prefix("//!")));
    let mut fences = comments.filter_map(|line| line.trim_start().strip_prefix("```"));
    let mut opening = std::iter::from_fn(|| {
        let language = fences.next();
        fences.next();
        language
    });
    opening.any(|language| !["c", "text"].contains(&language))
}

/// Where examples in comments are not compiled, there are none.
#[test]
fn examples_in_comments_are_tested() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (mut wrong, mut tested) = (Vec::new(), 0);
    for member in members(&root) {
        let folder = root.join(member);
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
        let is_tested = !manifest.contains("[lib]\ndoctest = false\n");
        for (path, text) in texts(&folder.join("src")) {
            match has_example(&text) {
                true if is_tested => tested += 1,
                true => wrong.push(path.display().to_string()),
                false => {}
            }
        }
    }
    assert!(wrong.is_empty(), "`doctest = false`, but: {wrong:#?}");
    assert!(tested > 0);
}

/// The crates of the project that a crate knows, but for its tests.
fn known(root: &Path, folder: &str) -> BTreeSet<String> {
    let manifest = fs::read_to_string(root.join(folder).join("Cargo.toml")).expect("a manifest");
    let after = manifest.split("\n[dependencies]\n").nth(1);
    let own = after.and_then(|after| after.split("\n[").next());
    let names = own.unwrap_or_default().lines();
    let names = names.filter_map(|line| line.strip_prefix("fpgacc-")?.split('.').next());
    names.map(String::from).collect()
}

/// What `docs/architecture.md` says of a folder: its name, and what it knows.
fn folders(text: &str) -> Vec<(String, String)> {
    let section = text.split("## Folders").nth(1).expect("a section");
    let section = section.split("\n## ").next().expect("a section");
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    let rows = rows.map(|row| {
        let cells: Vec<&str> = row.split(" | ").collect();
        let name = cells[0].trim_start_matches("| `").trim_end_matches("/`");
        (
            name.to_string(),
            cells[2].trim_end_matches(" |").to_string(),
        )
    });
    rows.collect()
}

/// The crates that are named in what one knows.
fn named(knows: &str, before: &BTreeSet<String>) -> BTreeSet<String> {
    if knows == "all of the above" {
        return before.clone();
    }
    let words = knows.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    let crates = words.filter(|word| before.contains(*word));
    crates.map(String::from).collect()
}

#[test]
fn crates_know_what_the_architecture_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = fs::read_to_string(root.join("docs/architecture.md")).expect("a page");
    let mut before: BTreeSet<String> = BTreeSet::new();
    let mut wrong = Vec::new();
    for (folder, knows) in folders(&text) {
        let (known, mut named) = (known(&root, &folder), named(&knows, &before));
        wrong.extend(
            named
                .difference(&known)
                .map(|it| format!("{folder} does not know {it}")),
        );
        if knows.contains("what these know") {
            let inner: Vec<String> = named.iter().flat_map(|it| self::known(&root, it)).collect();
            named.extend(inner);
        }
        wrong.extend(
            known
                .difference(&named)
                .map(|it| format!("{folder} knows {it}")),
        );
        before.insert(folder);
    }
    assert!(before.len() > 10, "{before:?}");
    assert!(wrong.is_empty(), "docs/architecture.md: {wrong:#?}");
}

/// All Rust files of a folder, with their texts.
fn texts(folder: &Path) -> Vec<(PathBuf, String)> {
    let files = modules(folder).into_values();
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a file");
        (path, text)
    };
    files.map(read).collect()
}

/// What lies between the frontend and the decision sees texts, and no files; parsers' own types stay where texts are
/// parsed.
#[test]
fn files_and_parsers_are_known_where_the_architecture_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = fs::read_to_string(root.join("docs/architecture.md")).expect("a page");
    let outer = ["aoc-wrappers", "runtime", "driver", "benchmarks", "tests"];
    let mut wrong = Vec::new();
    for (folder, _) in folders(&page) {
        for (path, text) in texts(&root.join(&folder).join("src")) {
            let mut refuse = |what: &str| wrong.push(format!("{}: {what}", path.display()));
            let own = text.split("\nmod tests {").next().unwrap_or_default();
            let outside = ["std::fs", "std::process", "std::net"];
            if !outer.contains(&folder.as_str()) && outside.iter().any(|name| own.contains(name)) {
                refuse("files or processes");
            }
            if own.contains("lang_c::") && !path.starts_with(root.join("frontend/src/kernel")) {
                refuse("lang-c");
            }
            let syntax = root.join("host-analysis/src/syntax");
            if own.contains("tree_sitter") && !path.starts_with(syntax) {
                refuse("tree-sitter");
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The most columns of a line of text.
const COLUMNS: usize = 100;

/// Lines that could be broken and are too wide: tables, code and long words could not.
fn wide_lines(text: &str) -> Vec<usize> {
    let mut fenced = false;
    let mut is_code = false;
    let mut before = "";
    let mut wide = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        fenced ^= line.trim_start().starts_with("```");
        is_code = line.starts_with("    ") && (is_code || before.is_empty());
        // Within `code` and [links] a line is not broken.
        let pieces = line.split('`').step_by(2);
        let is_text = !(fenced || is_code || line.starts_with('|'));
        if is_text
            && line.chars().count() > COLUMNS
            && pieces.flat_map(str::split_whitespace).count() > 3
        {
            wide.push(number);
        }
        before = line;
    }
    wide
}

#[test]
fn documentation_fits_into_100_columns() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let docs = fs::read_dir(root.join("docs")).expect("a folder").flatten();
    let how_to = fs::read_dir(root.join("docs/how-to")).expect("a folder");
    let docs = docs.chain(how_to.flatten());
    let mut files: Vec<PathBuf> = docs.map(|entry| entry.path()).collect();
    for name in [
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "benchmarks/README.md",
        "examples/README.md",
    ] {
        files.push(root.join(name));
    }
    files.sort();
    let wide = files.iter().flat_map(|path| {
        let text = fs::read_to_string(path).unwrap_or_default();
        let lines = wide_lines(&text).into_iter();
        lines
            .map(|line| format!("{}:{line}", path.display()))
            .collect::<Vec<_>>()
    });
    let wide: Vec<String> = wide.collect();
    assert!(
        wide.is_empty(),
        "more than {COLUMNS} columns:\n{}",
        wide.join("\n")
    );
}
