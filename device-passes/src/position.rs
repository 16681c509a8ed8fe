//! Where statements of a function stand.

use fpgacc_frontend::ir::{Function, Stmt};

/// A list of statements: the statement that it stands in, and which of its lists, from the outside in.
pub type Path = Vec<(usize, usize)>;

/// The body among the lists of a `for`.
pub const BODY: usize = 1;

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// Its list.
    pub path: Path,
    /// Its index there.
    pub index: usize,
}

impl Position {
    /// The statement.
    pub fn get<'f>(&self, function: &'f Function) -> Option<&'f Stmt> {
        list(function, &self.path)?.get(self.index)
    }

    /// The statement, to change.
    pub fn get_mut<'f>(&self, function: &'f mut Function) -> Option<&'f mut Stmt> {
        list_mut(function, &self.path)?.get_mut(self.index)
    }
}

/// The outermost statements of a function of which something holds, in the order of the text.
pub fn outermost(function: &Function, holds: &dyn Fn(&Stmt) -> bool) -> Vec<Position> {
    let mut found = Vec::new();
    if let Some(body) = &function.body {
        outermost_of(&body.stmts, &mut Vec::new(), holds, &mut found);
    }
    found
}

fn outermost_of(
    stmts: &[Stmt],
    path: &mut Path,
    holds: &dyn Fn(&Stmt) -> bool,
    found: &mut Vec<Position>,
) {
    for (index, stmt) in stmts.iter().enumerate() {
        if holds(stmt) {
            let path = path.clone();
            found.push(Position { path, index });
            continue;
        }
        for (inner, list) in stmt.lists().into_iter().enumerate() {
            path.push((index, inner));
            outermost_of(list, path, holds, found);
            path.pop();
        }
    }
}

/// The statements of a list.
pub fn list<'f>(function: &'f Function, path: &Path) -> Option<&'f [Stmt]> {
    let mut stmts = function.body.as_ref()?.stmts.as_slice();
    for &(stmt, at) in path {
        stmts = stmts.get(stmt)?.lists().get(at)?;
    }
    Some(stmts)
}

/// The statements of a list, to change.
pub fn list_mut<'f>(function: &'f mut Function, path: &Path) -> Option<&'f mut Vec<Stmt>> {
    let mut stmts = &mut function.body.as_mut()?.stmts;
    for &(stmt, at) in path {
        let mut lists = stmts.get_mut(stmt)?.lists_mut();
        if at >= lists.len() {
            return None;
        }
        stmts = lists.swap_remove(at);
    }
    Some(stmts)
}
