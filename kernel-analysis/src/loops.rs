//! The loops of a function by their index: outer ones first, in the order of the text.

use fpgacc_frontend::ir::{Block, Function, LoopHints, Stmt, StmtKind};

/// Pragmas and attributes of a loop; `None`: the statement is no loop.
pub fn hints(stmt: &Stmt) -> Option<&LoopHints> {
    match &stmt.kind {
        StmtKind::For { hints, .. }
        | StmtKind::While { hints, .. }
        | StmtKind::DoWhile { hints, .. } => Some(hints),
        _ => None,
    }
}

/// The factor that the source asks for, and whether it asks for all of the loop.
pub fn unroll_factor(hints: &LoopHints) -> (Option<u64>, bool) {
    for pragma in &hints.pragmas {
        let words: Vec<&str> = pragma.split_whitespace().collect();
        match words.as_slice() {
            ["unroll"] => return (Some(u64::MAX), true),
            ["unroll", factor] => {
                let digits = factor.trim_matches(['(', ')']);
                return (digits.parse().ok(), false);
            }
            ["nounroll"] => return (Some(1), false),
            _ => {}
        }
    }
    let attr = hints
        .attrs
        .iter()
        .find(|attr| attr.name == "opencl_unroll_hint");
    match attr {
        Some(attr) => match attr.integers().as_deref() {
            Some([factor, ..]) => (Some(*factor), false),
            _ => (Some(u64::MAX), true),
        },
        None => (None, false),
    }
}

/// Calls `visit` for each loop with its index.
pub fn for_each(body: &Block, visit: &mut dyn FnMut(usize, &Stmt)) {
    let mut location = 0;
    body.for_each_stmt(&mut |stmt| {
        if hints(stmt).is_some() {
            visit(location, stmt);
            location += 1;
        }
    });
}

/// Whether there are labels: control may enter a loop from anywhere.
pub fn has_labels(body: &Block) -> bool {
    let mut found = false;
    body.for_each_stmt(&mut |stmt| {
        found |= matches!(stmt.kind, StmtKind::Goto(_) | StmtKind::Label(_));
    });
    found
}

/// A function's body without labels: its loops are entered at their heads only.
pub fn structured_body(function: &Function) -> Option<&Block> {
    let body = function.body.as_ref();
    body.filter(|body| !has_labels(body))
}

/// The loops of a statement, itself counted.
pub fn count(stmt: &Stmt) -> usize {
    let mut count = 0;
    stmt.for_each(&mut |stmt| count += usize::from(hints(stmt).is_some()));
    count
}

/// Puts a pragma (without `#pragma`) before the loop with this index, after those that it has.
pub fn add_pragma(body: &mut Block, location: usize, text: &str) {
    add_pragma_in(&mut body.stmts, location, text);
}

/// The same, of the loops of statements.
pub fn add_pragma_in(stmts: &mut [Stmt], location: usize, text: &str) {
    change(stmts, location, &mut |stmt| {
        if let StmtKind::For { hints, .. }
        | StmtKind::While { hints, .. }
        | StmtKind::DoWhile { hints, .. } = &mut stmt.kind
        {
            hints.pragmas.push(text.to_string());
        }
    });
}

/// Calls `make` for the loop of statements with this index.
pub fn change(stmts: &mut [Stmt], location: usize, make: &mut dyn FnMut(&mut Stmt)) {
    find(stmts, &mut 0, location, make);
}

/// Counts as [`for_each`] does.
fn find(stmts: &mut [Stmt], at: &mut usize, location: usize, make: &mut dyn FnMut(&mut Stmt)) {
    for stmt in stmts {
        if hints(stmt).is_some() {
            if *at == location {
                make(stmt);
            }
            *at += 1;
        }
        for list in stmt.lists_mut() {
            find(list, at, location, make);
        }
    }
}

/// Whether the function may end in a statement.
pub fn returns(stmt: &Stmt) -> bool {
    let mut found = false;
    stmt.for_each(&mut |stmt| found |= matches!(stmt.kind, StmtKind::Return(_)));
    found
}

/// Whether control may leave a statement other than at its end; `breaks`, `continues`: such statements
/// leave it, too.
pub fn leaves(stmt: &Stmt, breaks: bool, continues: bool) -> bool {
    let (breaks, continues) = match stmt.kind {
        StmtKind::Break => return breaks,
        StmtKind::Continue => return continues,
        StmtKind::Return(_) | StmtKind::Goto(_) => return true,
        StmtKind::Switch { .. } => (false, continues),
        _ if hints(stmt).is_some() => (false, false),
        _ => (breaks, continues),
    };
    let mut inner = stmt.lists().into_iter().flatten();
    inner.any(|stmt| leaves(stmt, breaks, continues))
}
