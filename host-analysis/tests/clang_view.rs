//! What our syntax of hosts sees, held against what the compiler sees: clang's own tree of each
//! host of the tests. Each call, variable and jump that clang finds in the text must stand in the
//! same function and in the same statements of control in ours.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use fpgacc_frontend::source::{FileId, SourceMap, Span};
use fpgacc_host_analysis::syntax::ast::{Ast, ExprId, ExprKind, StmtId, StmtKind};
use fpgacc_host_analysis::syntax::{HostFile, Language, Preprocessed};
use serde_json::Value;

/// Something in the text: its line, what it is, and the statements of control around it, each with
/// its line.
type Seen = (u32, String, Vec<String>);

/// The fewest things that all hosts together must have.
const FEWEST: usize = 1000;

/// One of so many slow hosts is looked at.
const EVERY: usize = 6;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hosts")
}

/// The hosts of these tests, of the benchmarks, and of the tests of the command. Of those in
/// C++, for which clang takes seconds, only some.
fn all_hosts() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut waiting = vec![
        folder(),
        root.join("benchmarks"),
        root.join("tests/fixture"),
        root.join("tests/trace"),
    ];
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|e| e == "c" || e == "cpp") {
                found.push(path);
            }
        }
    }
    found.sort();
    let text = |path: &PathBuf| std::fs::read_to_string(path).unwrap_or_default();
    found.retain(|path| text(path).contains("CL/") || text(path).contains("common.h"));
    // clang does not take this header, and CUDA's is not among Debian's packages.
    let is_missing = |text: &str| text.contains("CL/opencl.hpp") || text.contains("<cuda.h>");
    found.retain(|path| !is_missing(&text(path)));
    let (slow, fast): (Vec<PathBuf>, Vec<PathBuf>) = found
        .into_iter()
        .partition(|path| path.extension().is_some_and(|e| e == "cpp"));
    // What takes long begins first.
    slow.into_iter().step_by(EVERY).chain(fast).collect()
}

/// The options that a host's first lines ask for, and those that all get.
fn flags(text: &str) -> Vec<String> {
    let own = text
        .lines()
        .find_map(|line| line.strip_prefix("// flags: "));
    let mut flags: Vec<String> = own
        .iter()
        .flat_map(|own| own.split_whitespace())
        .map(String::from)
        .collect();
    flags.push("-DCL_TARGET_OPENCL_VERSION=200".to_string());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for include in [folder().join("include"), root.join("benchmarks/common")] {
        flags.push(format!("-I{}", include.display()));
    }
    flags
}

/// Our side.
struct Ours<'h> {
    ast: &'h Ast,
    sources: &'h SourceMap,
    seen: Vec<Seen>,
}

impl Ours<'_> {
    fn line(&self, at: u32, file: FileId) -> u32 {
        self.sources.file(file).line(at)
    }

    /// Whether the text at a place is a word: else it comes from a macro.
    fn reads(&self, span: Span, word: &str) -> bool {
        let text = &self.sources.file(span.file).text;
        text.get(span.start as usize..).is_some_and(|rest| {
            rest.strip_prefix(word)
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        })
    }

    fn note(&mut self, span: Span, at: u32, what: String, path: &[String]) {
        let line = self.line(at, span.file);
        self.seen.push((line, what, path.to_vec()));
    }

    fn function(&mut self, index: usize, path: &[String]) {
        let function = &self.ast.functions[index];
        for (_, args) in &function.initialisers {
            args.iter().for_each(|arg| self.expr(*arg, path));
        }
        self.stmt(function.body, path);
    }

    /// The path inside of a statement of control.
    fn inside(&self, span: Span, words: &[&str], path: &[String]) -> Vec<String> {
        let mut inside = path.to_vec();
        if let Some(word) = words.iter().find(|word| self.reads(span, word)) {
            inside.push(format!("{word} {}", self.line(span.start, span.file)));
        }
        inside
    }

    fn stmt(&mut self, id: StmtId, path: &[String]) {
        let ast = self.ast;
        let stmt = ast.stmt(id);
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Expr(expr) => self.expr(*expr, path),
            StmtKind::Declare(variables) => {
                for variable in variables {
                    if self.reads(variable.span, &variable.name) {
                        let what = format!("variable {}", variable.name);
                        self.note(variable.span, variable.span.start, what, path);
                    }
                    for size in variable.ty.dims.iter().flatten() {
                        self.expr(*size, path);
                    }
                    variable.init.iter().for_each(|init| self.expr(*init, path));
                }
            }
            StmtKind::Block(stmts) => stmts.iter().for_each(|stmt| self.stmt(*stmt, path)),
            StmtKind::If {
                init,
                condition,
                then,
                otherwise,
            } => {
                init.iter().for_each(|init| self.stmt(*init, path));
                self.expr(*condition, path);
                self.stmt(*then, &self.inside(span, &["if"], path));
                let mut other = self.inside(span, &["if"], path);
                if let Some(last) = other.last_mut().filter(|_| other_is_own(path, span, self)) {
                    last.insert_str(0, "else of ");
                }
                otherwise.iter().for_each(|stmt| self.stmt(*stmt, &other));
            }
            StmtKind::Loop(shape) => {
                shape.init.iter().for_each(|init| self.stmt(*init, path));
                shape
                    .condition
                    .iter()
                    .for_each(|test| self.expr(*test, path));
                shape.step.iter().for_each(|step| self.expr(*step, path));
                self.stmt(
                    shape.body,
                    &self.inside(span, &["for", "while", "do"], path),
                );
            }
            StmtKind::RangeFor { body, .. } => {
                self.stmt(*body, &self.inside(span, &["for"], path));
            }
            StmtKind::Switch { value, body } => {
                self.expr(*value, path);
                self.stmt(*body, &self.inside(span, &["switch"], path));
            }
            StmtKind::Return(value) => {
                if self.reads(span, "return") {
                    self.note(span, span.start, "return".to_string(), path);
                }
                value.iter().for_each(|value| self.expr(*value, path));
            }
            StmtKind::Break | StmtKind::Continue | StmtKind::Goto(_) => {
                let words = ["break", "continue", "goto"];
                if let Some(word) = words.iter().find(|word| self.reads(span, word)) {
                    self.note(span, span.start, word.to_string(), path);
                }
            }
            StmtKind::Try { body, handlers } => {
                self.stmt(*body, &self.inside(span, &["try"], path));
                for handler in handlers {
                    let mut inside = path.to_vec();
                    inside.push("catch".to_string());
                    if let Some(param) = &handler.param {
                        let what = format!("variable {}", param.name);
                        self.note(param.span, param.span.start, what, path);
                    }
                    self.stmt(handler.body, &inside);
                }
            }
            StmtKind::Throw(value) => value.iter().for_each(|value| self.expr(*value, path)),
            StmtKind::Opaque { inner, .. } => inner.iter().for_each(|expr| self.expr(*expr, path)),
            StmtKind::Case(_) | StmtKind::Label(_) | StmtKind::Empty => {}
        }
    }

    fn expr(&mut self, id: ExprId, path: &[String]) {
        let ast = self.ast;
        match &ast.expr(id).kind {
            ExprKind::Call { callee, .. } => {
                let callee = ast.skip_parens(*callee);
                let span = ast.expr(callee).span;
                match &ast.expr(callee).kind {
                    ExprKind::Name(name) if self.reads(span, name) => {
                        let name = name.split('<').next().unwrap_or(name);
                        let short = name.rsplit("::").next().unwrap_or(name);
                        self.note(span, span.end - 1, format!("call {short}"), path);
                    }
                    ExprKind::Member { name, .. } => {
                        let name = name.split('<').next().unwrap_or(name);
                        self.note(span, span.end - 1, format!("call {name}"), path);
                    }
                    _ => {}
                }
            }
            ExprKind::Statement(stmt) => self.stmt(*stmt, path),
            ExprKind::Lambda(lambda) => {
                let mut inside = path.to_vec();
                inside.push("lambda".to_string());
                self.function(lambda.function, &inside);
            }
            _ => {}
        }
        for child in ast.children(id) {
            self.expr(child, path);
        }
    }
}

/// Whether an `if` is spelled in the text, so that the path inside ends with it.
fn other_is_own(path: &[String], span: Span, ours: &Ours<'_>) -> bool {
    ours.inside(span, &["if"], path).len() > path.len()
}

fn ours(path: &Path, text: &str) -> Vec<Seen> {
    let mut sources = SourceMap::new();
    let name = path.to_string_lossy().into_owned();
    let output = Command::new("cc")
        .args(["-E", "-dD"])
        .args(flags(text))
        .arg(path)
        .output();
    let output = output.expect("cc runs");
    let pre = Preprocessed::read(&String::from_utf8_lossy(&output.stdout));
    let file = sources.add(name, text.to_string());
    let language = match path.extension().is_some_and(|e| e == "cpp") {
        true => Language::Cpp,
        false => Language::C,
    };
    let host = HostFile::parse(&sources, file, &[], Some(&pre), language);
    let ast = host.main().ast.clone();
    let mut ours = Ours {
        ast: &ast,
        sources: &sources,
        seen: Vec::new(),
    };
    for index in 0..ast.functions.len() {
        if !ast.functions[index].name.starts_with("<lambda") {
            ours.function(index, &[]);
        }
    }
    ours.seen
}

/// The compiler's side.
struct Theirs<'t> {
    text: &'t str,
    main: String,
    /// The file of the place that was printed last: clang prints it only when it changes.
    file: String,
    seen: Vec<Seen>,
}

/// Where something is spelled in the host's own text.
#[derive(Clone, Copy)]
struct TextPosition(usize);

impl Theirs<'_> {
    fn line(&self, place: TextPosition) -> u32 {
        let before = &self.text.as_bytes()[..place.0.min(self.text.len())];
        1 + before.iter().filter(|b| **b == b'\n').count() as u32
    }

    /// Whether a place is in a `#define`.
    fn in_directive(&self, place: TextPosition) -> bool {
        let mut before = self.text[..place.0.min(self.text.len())].lines().rev();
        let own = before.next().unwrap_or_default();
        let mut first = own;
        for line in before.take_while(|line| line.ends_with('\\')) {
            first = line;
        }
        first.trim_start().starts_with('#')
    }

    /// The place in a bare location, if it is in the host.
    fn bare(&mut self, loc: &Value) -> Option<TextPosition> {
        if let Some(file) = loc["file"].as_str() {
            self.file = file.to_string();
        }
        let offset = loc["offset"].as_u64()?;
        (self.file == self.main).then_some(TextPosition(offset as usize))
    }

    /// The place where something is spelled, unless that is in a macro's replacement.
    fn place(&mut self, loc: &Value) -> Option<TextPosition> {
        let (spelling, expansion) = (&loc["spellingLoc"], &loc["expansionLoc"]);
        if spelling.is_null() {
            return self.bare(loc);
        }
        let spelled = self.bare(spelling);
        self.bare(expansion);
        let spelled = spelled.filter(|_| expansion["isMacroArgExpansion"] == true);
        spelled.filter(|place| !self.in_directive(*place))
    }

    fn node(&mut self, node: &Value, path: &[String]) {
        let loc = self.place(&node["loc"]);
        let begin = self.place(&node["range"]["begin"]);
        self.place(&node["range"]["end"]);
        let inner: Vec<&Value> = node["inner"].as_array().into_iter().flatten().collect();
        let kind = node["kind"].as_str().unwrap_or_default();
        let mut inside = path.to_vec();
        let word = match kind {
            "IfStmt" => "if",
            "ForStmt" | "CXXForRangeStmt" => "for",
            "WhileStmt" => "while",
            "DoStmt" => "do",
            "SwitchStmt" => "switch",
            "CXXTryStmt" => "try",
            "CXXCatchStmt" => "catch",
            _ => "",
        };
        match (word, begin) {
            ("", _) => {}
            ("catch", _) => inside.push(word.to_string()),
            (_, Some(begin)) => inside.push(format!("{word} {}", self.line(begin))),
            _ => {}
        }
        let note = |s: &mut Self, place: Option<TextPosition>, what: String| {
            if let Some(place) = place {
                let line = s.line(place);
                s.seen.push((line, what, path.to_vec()));
            }
        };
        match kind {
            "VarDecl" => {
                let name = node["name"].as_str().unwrap_or_default();
                if !name.starts_with("__") && !name.is_empty() && node["isImplicit"] != true {
                    note(self, loc, format!("variable {name}"));
                }
            }
            "ReturnStmt" => note(self, begin, "return".to_string()),
            "BreakStmt" => note(self, begin, "break".to_string()),
            "ContinueStmt" => note(self, begin, "continue".to_string()),
            "GotoStmt" => note(self, begin, "goto".to_string()),
            _ => {}
        }
        let last = inner.len().saturating_sub(1);
        for (index, child) in inner.into_iter().enumerate() {
            let own = match kind {
                "IfStmt" => {
                    let has_else = node["hasElse"] == true;
                    let then = if has_else { last - 1 } else { last };
                    match index {
                        _ if index == then => inside.clone(),
                        _ if index > then => match inside.len() > path.len() {
                            true => else_of(&inside),
                            false => inside.clone(),
                        },
                        _ => path.to_vec(),
                    }
                }
                "DoStmt" if index == 0 => inside.clone(),
                "DoStmt" => path.to_vec(),
                _ if index == last && !word.is_empty() => inside.clone(),
                "CXXTryStmt" if index == 0 => inside.clone(),
                "CXXForRangeStmt" => {
                    self.skip(child);
                    continue;
                }
                "LambdaExpr" if index < last => {
                    self.skip(child);
                    continue;
                }
                "LambdaExpr" => {
                    let mut inside = path.to_vec();
                    inside.push("lambda".to_string());
                    inside
                }
                _ => path.to_vec(),
            };
            let own = match (kind, child["kind"].as_str()) {
                ("CXXTryStmt", Some("CXXCatchStmt")) => path.to_vec(),
                _ => own,
            };
            let calls = matches!(kind, "CallExpr" | "CXXMemberCallExpr");
            match calls && index == 0 {
                true => self.callee(child, &own),
                false => self.node(child, &own),
            }
        }
    }

    /// Notes the function that is called.
    fn callee(&mut self, node: &Value, path: &[String]) {
        let begin = self.place(&node["range"]["begin"]);
        let end = self.place(&node["range"]["end"]);
        let name = match node["kind"].as_str() {
            Some("DeclRefExpr") => node["referencedDecl"]["name"].as_str().zip(begin),
            Some("MemberExpr") => node["name"].as_str().zip(end),
            _ => None,
        };
        if let Some((name, place)) = name.filter(|(name, _)| !name.starts_with("operator")) {
            let line = self.line(place);
            self.seen
                .push((line, format!("call {name}"), path.to_vec()));
        }
        let is_wrapped = matches!(
            node["kind"].as_str(),
            Some("ImplicitCastExpr" | "ParenExpr")
        );
        for child in node["inner"].as_array().into_iter().flatten() {
            match is_wrapped {
                true => self.callee(child, path),
                false => self.node(child, path),
            }
        }
    }

    /// Looks at a declaration of a function in the host; of others it takes over which file was
    /// printed last.
    fn declaration(&mut self, text: &str) {
        let is_host = self.file == self.main || text.contains(&self.main);
        if is_host {
            let node: Value = serde_json::from_str(text).expect("clang prints JSON");
            match node["kind"] == "FunctionDecl" {
                true => self.node(&node, &[]),
                false => self.skip(&node),
            }
            return;
        }
        let mut before = "";
        for line in text.lines() {
            if let Some((_, file)) = line.split_once("\"file\": \"")
                && !before.contains("includedFrom")
            {
                self.file = file.trim_end_matches([',', '"']).to_string();
            }
            before = line;
        }
    }

    /// Only follows which file is printed.
    fn skip(&mut self, node: &Value) {
        let seen = self.seen.len();
        self.node(node, &[]);
        self.seen.truncate(seen);
    }
}

fn else_of(path: &[String]) -> Vec<String> {
    let mut path = path.to_vec();
    if let Some(last) = path.last_mut() {
        last.insert_str(0, "else of ");
    }
    path
}

/// The top-level declarations in a printed tree, each as its text: whole trees if it was filtered,
/// else the members of one tree, two levels deep.
fn declarations(output: &str, is_filtered: bool) -> Vec<&str> {
    let (open, close) = match is_filtered {
        true => ("{", "}"),
        false => ("    {", "    }"),
    };
    let mut found = Vec::new();
    let (mut at, mut start) = (0, 0);
    for line in output.split_inclusive('\n') {
        let end = at + line.len();
        let line = line.trim_end_matches('\n');
        if line == open {
            start = at;
        } else if line.trim_end_matches(',') == close {
            found.push(output[start..end].trim_end().trim_end_matches(','));
        }
        at = end;
    }
    found
}

fn theirs(path: &Path, text: &str) -> Vec<Seen> {
    let is_cpp = path.extension().is_some_and(|e| e == "cpp");
    let mut clang = Command::new("clang-14");
    clang.args([
        "-x",
        if is_cpp { "c++" } else { "c" },
        "-w",
        "-fsyntax-only",
    ]);
    clang.args(["-Xclang", "-ast-dump=json"]).args(flags(text));
    if is_cpp {
        // The tree of the standard library's headers has hundreds of megabytes.
        clang.args(["-Xclang", "-ast-dump-filter=main"]);
    }
    let output = clang
        .arg(path)
        .output()
        .expect("clang-14 runs: `make deps` installs it");
    assert!(
        output.status.success(),
        "{}: {}",
        path.display(),
        String::from_utf8_lossy(&output.stderr)
    );
    let mut theirs = Theirs {
        text,
        main: path.to_string_lossy().into_owned(),
        file: String::new(),
        seen: Vec::new(),
    };
    let output = String::from_utf8(output.stdout).expect("clang prints UTF-8");
    for declaration in declarations(&output, is_cpp) {
        theirs.declaration(declaration);
    }
    theirs.seen
}

#[test]
fn our_syntax_sees_what_the_compiler_sees() {
    let hosts = all_hosts();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let check = |path: &PathBuf| -> (usize, Vec<String>) {
        let text = std::fs::read_to_string(path).unwrap();
        let theirs = theirs(path, &text);
        let mut ours_left: BTreeMap<Seen, usize> = BTreeMap::new();
        for seen in ours(path, &text) {
            *ours_left.entry(seen).or_default() += 1;
        }
        let mut wrong = Vec::new();
        for seen in &theirs {
            match ours_left.get_mut(seen) {
                Some(left) if *left > 0 => *left -= 1,
                _ => wrong.push(format!(
                    "{}:{}: {} in {:?}",
                    path.display(),
                    seen.0,
                    seen.1,
                    seen.2
                )),
            }
        }
        (theirs.len(), wrong)
    };
    let next = AtomicUsize::new(0);
    let work = || {
        let turns = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        let hosts = turns.map_while(|at| hosts.get(at));
        hosts.map(check).collect::<Vec<_>>()
    };
    let results: Vec<(usize, Vec<String>)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let found = workers.into_iter().map(|worker| worker.join().unwrap());
        found.flatten().collect()
    });
    let count: usize = results.iter().map(|(count, _)| count).sum();
    let wrong: Vec<String> = results.into_iter().flat_map(|(_, wrong)| wrong).collect();
    assert!(
        wrong.is_empty(),
        "not seen so, of {count}:\n{}",
        wrong.join("\n")
    );
    assert!(count >= FEWEST, "only {count} things to see");
}
