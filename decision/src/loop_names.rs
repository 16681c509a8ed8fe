//! Loops of a form as the source names them.

use fpgacc_frontend::ir::{Expr, Function, Stmt, StmtKind};
use fpgacc_frontend::source::SourceMap;
use fpgacc_kernel_analysis::loops;

/// The name of each loop of a function, by its index: `'for i' at line 7`. A loop that a pass made has no line, one of an
/// included file has the file's name too, and copies of a loop are numbered.
pub fn names(function: &Function, sources: &SourceMap) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut plain: Vec<String> = Vec::new();
    let Some(body) = &function.body else {
        return names;
    };
    loops::for_each(body, &mut |_, stmt| {
        let name = head(function, stmt) + &location(function, stmt, sources);
        let copies = plain.iter().filter(|known| **known == name).count();
        names.push(match copies {
            0 => name.clone(),
            _ => format!("{name} (copy {})", copies + 1),
        });
        plain.push(name);
    });
    names
}

/// The word that a loop starts with, and what it counts.
fn head(function: &Function, stmt: &Stmt) -> String {
    let init = match &stmt.kind {
        StmtKind::For { init, .. } => init,
        StmtKind::DoWhile { .. } => return "'do .. while'".to_string(),
        _ => return "'while'".to_string(),
    };
    let counter = init.first().and_then(|first| match &first.kind {
        StmtKind::Decl { var, .. } => Some(*var),
        StmtKind::Expr(set) => match function.exprs.get(*set) {
            Expr::Assign { lhs, .. } => function.exprs.local_var(*lhs),
            _ => None,
        },
        _ => None,
    });
    match counter {
        Some(counter) => format!("'for {}'", function.vars[counter].name),
        None => "'for (;;)'".to_string(),
    }
}

fn location(function: &Function, stmt: &Stmt, sources: &SourceMap) -> String {
    let Some(span) = stmt.span else {
        return String::new();
    };
    let at = sources.location(sources.written(span));
    match function.span.is_none_or(|own| own.file == span.file) {
        true => format!(" at line {}", at.line),
        false => format!(" at {}:{}", at.file, at.line),
    }
}

#[cfg(test)]
mod tests {
    use fpgacc_frontend::ir::Dialect;
    use fpgacc_frontend::kernel::{Input, parse};

    use super::*;

    #[test]
    fn loops_have_names_and_lines() {
        let text = "__kernel void k(__global int *a, int n) {
    int j;
    for (int i = 0; i < n; i++) a[i] = i;
    for (j = 0; j < n; j++) for (;;) break;
    while (n-- > 0) a[n]++;
    do { a[n]--; } while (n++ < 9);
}
";
        let mut sources = SourceMap::new();
        sources.add("k.cl", text);
        let preprocessed = format!("# 1 \"k.cl\"\n{text}");
        let input = Input::new("k.cl", &preprocessed, Dialect::Cl12);
        let mut module = parse(&input, &mut sources).expect("a kernel");
        let kernel = module.kernels().next().expect("a kernel");
        let function = &mut module.functions[kernel];
        let expected = [
            "'for i' at line 3",
            "'for j' at line 4",
            "'for (;;)' at line 4",
            "'while' at line 5",
            "'do .. while' at line 6",
        ];
        assert_eq!(names(function, &sources), expected);
        // What passes copy is named after its origin; what they make has no line.
        let body = function.body.as_mut().expect("a body");
        let mut copy = body.stmts[1].clone();
        body.stmts.insert(2, copy.clone());
        copy.span = None;
        body.stmts.insert(3, copy);
        let expected = ["'for i' at line 3 (copy 2)", "'for i'"];
        assert_eq!(names(function, &sources)[1..3], expected);
    }
}
