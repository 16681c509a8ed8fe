//! What PoCL must not be given as it is.
//!
//! The vectoriser of LLVM 14, which PoCL 3.1 compiles with, takes an index such as `i * 5 & 15` for one that moves
//! on evenly, and reads elements that lie one after the other where the remainder wraps around. Work-items that
//! PoCL itself puts into loops are not affected, since it tells LLVM that they are independent; loops that
//! fpgacc makes of them are, and those that are written. So clang is told to make no vectors of loops with such
//! an index: with a mask of the lowest bits, the remainder of a power of two, or a conversion to a narrower type.
//!
//! PoCL 3.1 takes a barrier in a loop that may not run for one that only some work-items reach, puts barriers of
//! its own before it, and finds their places along the first predecessors of blocks. Where LLVM has unrolled a
//! loop with branches before, that path leads into a branch: its own barrier then stands where only some
//! work-items come, and what the others do there is lost. So LLVM is told not to unroll loops with branches in
//! kernels with such barriers.

use std::collections::BTreeSet;

use fpgacc_frontend::ir::{
    BinaryOp, Expr, ExprId, Function, FunctionId, Init, Module, Scalar, Stmt, StmtKind, TypeId,
    UnaryOp, VarId,
};
use fpgacc_kernel_analysis::calls::reachable;
use fpgacc_kernel_analysis::{constant, loops};

use crate::passes::ndrange_to_loop::control::convergence::holds_barrier;

/// What clang is told of a loop.
const PRAGMA: &str = "clang loop vectorize(disable)";

/// What clang is told of a loop that would be unrolled.
const ROLLED: &str = "clang loop unroll(disable)";

/// Keeps loops with branches as loops in kernels with barriers in loops or branches.
pub fn keep_loops_rolled(module: &mut Module, kernels: &BTreeSet<FunctionId>) {
    for kernel in kernels {
        let function = &module.functions[*kernel];
        let Some(body) = &function.body else { continue };
        let holds = |stmt: &Stmt| holds_barrier(function, stmt);
        if !body
            .stmts
            .iter()
            .any(|stmt| holds_conditional(stmt, &holds))
        {
            continue;
        }
        let mut unrolled = Vec::new();
        loops::for_each(body, &mut |at, stmt| {
            if is_unrolled(stmt) && has_branches(function, stmt) && !holds(stmt) {
                unrolled.push(at);
            }
        });
        if let Some(body) = &mut module.functions[*kernel].body {
            for at in unrolled {
                loops::change(&mut body.stmts, at, &mut roll);
            }
        }
    }
}

/// Whether a statement holds a barrier in a loop or branch.
fn holds_conditional(stmt: &Stmt, holds: &dyn Fn(&Stmt) -> bool) -> bool {
    match stmt.kind {
        StmtKind::Block(_) => {
            let mut inside = stmt.lists().into_iter().flatten();
            inside.any(|stmt| holds_conditional(stmt, holds))
        }
        _ => !stmt.lists().is_empty() && holds(stmt),
    }
}

fn is_unrolled(stmt: &Stmt) -> bool {
    loops::hints(stmt).is_some_and(|hints| loops::unroll_factor(hints).0.is_some())
}

/// Whether a loop has branches or loops inside. Clang makes branches of conditional expressions, too.
fn has_branches(function: &Function, stmt: &Stmt) -> bool {
    let is_branch = |id| {
        matches!(
            function.exprs.get(id),
            Expr::Cond { .. }
                | Expr::Binary {
                    op: BinaryOp::And | BinaryOp::Or,
                    ..
                }
        )
    };
    let mut inside = stmt.lists().into_iter().flatten();
    inside.any(|stmt| match stmt.kind {
        StmtKind::Block(_) => has_branches(function, stmt),
        _ => !stmt.lists().is_empty() || stmt.any_expr(&function.exprs, &mut |id| is_branch(id)),
    })
}

/// Replaces a request to unroll by its opposite.
fn roll(stmt: &mut Stmt) {
    let (StmtKind::For { hints, .. }
    | StmtKind::While { hints, .. }
    | StmtKind::DoWhile { hints, .. }) = &mut stmt.kind
    else {
        return;
    };
    hints.pragmas.retain(|pragma| !pragma.starts_with("unroll"));
    hints.attrs.retain(|attr| attr.name != "opencl_unroll_hint");
    hints.pragmas.push(ROLLED.to_string());
}

/// Keeps loops that would become wrong vectors as they are, in kernels and the functions that they call.
pub fn keep_loops_scalar(module: &mut Module, kernels: &BTreeSet<FunctionId>) {
    let reached = kernels.iter().flat_map(|kernel| reachable(module, *kernel));
    let reached: BTreeSet<FunctionId> = reached.chain(kernels.iter().copied()).collect();
    for id in reached {
        let found = masked_loops(module, &module.functions[id]);
        if let Some(body) = &mut module.functions[id].body {
            for at in found {
                loops::add_pragma_in(&mut body.stmts, at, PRAGMA);
            }
        }
    }
}

/// The numbers of loops with masked indices.
fn masked_loops(module: &Module, function: &Function) -> Vec<usize> {
    let mut found = Vec::new();
    if let Some(body) = &function.body {
        loops::for_each(body, &mut |at, stmt| {
            if has_masked_index(module, function, stmt) {
                found.push(at);
            }
        });
    }
    found
}

/// Whether an index in a loop is masked, or made of a variable that is.
fn has_masked_index(module: &Module, function: &Function, stmt: &Stmt) -> bool {
    let mut masks = Masks {
        module,
        function,
        variables: BTreeSet::new(),
    };
    // A variable may be used in a statement before the one that it gets its value in.
    loop {
        let known = masks.variables.len();
        stmt.for_each(&mut |stmt| masks.note(stmt));
        if masks.variables.len() == known {
            break;
        }
    }
    let exprs = &function.exprs;
    let mut found = false;
    stmt.for_each_expr(exprs, &mut |id| {
        let index = match *exprs.get(id) {
            Expr::Index { index, .. } => index,
            Expr::Unary {
                op: UnaryOp::Deref,
                operand,
            } => operand,
            _ => return,
        };
        found = found || masks.is_masked(index);
    });
    found
}

/// Values of a loop of which only the lowest bits count, and that are computed: what memory holds is no sum that
/// moves on evenly.
struct Masks<'a> {
    module: &'a Module,
    function: &'a Function,
    variables: BTreeSet<VarId>,
}

impl Masks<'_> {
    /// Notes the variables that a statement, but for those in it, gives such values.
    fn note(&mut self, stmt: &Stmt) {
        let exprs = &self.function.exprs;
        if let StmtKind::Decl {
            var,
            init: Some(Init::Expr(value)),
        } = stmt.kind
        {
            self.assign(var, None, value);
        }
        for root in stmt.exprs() {
            exprs.for_each(root, &mut |id| {
                if let Expr::Assign { lhs, rhs, op } = *exprs.get(id)
                    && let Some(var) = exprs.local_var(lhs)
                {
                    self.assign(var, op, rhs);
                }
            });
        }
    }

    fn assign(&mut self, var: VarId, op: Option<BinaryOp>, value: ExprId) {
        let exprs = &self.function.exprs;
        let is_narrow = self.bytes(self.function.vars[var].ty.ty) < 4;
        let is_computed = !exprs.touches_memory(value);
        let is_constant = constant::integer(self.module, exprs, value).is_some();
        let is_cut = match op {
            Some(BinaryOp::BitAnd | BinaryOp::Rem) => self.is_low(value),
            Some(_) => is_narrow && is_computed,
            None => is_narrow && is_computed && !is_constant,
        };
        if is_cut || self.is_masked(value) {
            self.variables.insert(var);
        }
    }

    /// Whether a value has a part of which only the lowest bits count.
    fn is_masked(&self, value: ExprId) -> bool {
        let exprs = &self.function.exprs;
        let is_computed = |id: ExprId| !exprs.touches_memory(id);
        let mut found = false;
        exprs.for_each(value, &mut |id| {
            found |= match *exprs.get(id) {
                Expr::Binary {
                    op: BinaryOp::BitAnd,
                    lhs,
                    rhs,
                } => (self.is_low(lhs) || self.is_low(rhs)) && is_computed(id),
                Expr::Binary {
                    op: BinaryOp::Rem,
                    lhs,
                    rhs,
                } => self.is_low(rhs) && is_computed(lhs),
                Expr::Cast { operand, .. } => {
                    let bytes = self.bytes(exprs.ty(id));
                    let is_narrower = bytes < self.bytes(exprs.ty(operand)) && bytes < 4;
                    is_narrower && is_computed(operand)
                }
                _ => exprs
                    .local_var(id)
                    .is_some_and(|var| self.variables.contains(&var)),
            };
        });
        found
    }

    fn bytes(&self, ty: TypeId) -> u64 {
        let scalar = self.module.types.as_scalar(ty).filter(|s| s.is_integer());
        scalar.map_or(8, Scalar::size)
    }

    /// A power of two, or one less.
    fn is_low(&self, id: ExprId) -> bool {
        let value = constant::integer(self.module, &self.function.exprs, id);
        let is_power = |value: i128| value & (value - 1) == 0;
        value.is_some_and(|value| value > 1 && (is_power(value) || is_power(value + 1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fpgacc_frontend::ir::Dialect;
    use fpgacc_frontend::kernel::{Input, LineDirectives, parse, print, validate};
    use fpgacc_frontend::source::SourceMap;

    /// A kernel's text after a rewrite.
    fn rewritten(body: &str, rewrite: fn(&mut Module, &BTreeSet<FunctionId>)) -> String {
        let text = format!(
            "__kernel void k(__global const int *a, __global const uchar *b, __global int *o, int n, __local int *t) {{ {body} }}"
        );
        let mut sources = SourceMap::new();
        sources.add("k.cl", &*text);
        let mut module =
            parse(&Input::new("k.cl", &text, Dialect::Cl12), &mut sources).expect("a kernel");
        let kernels = module.kernels().collect();
        rewrite(&mut module, &kernels);
        let valid = validate(&module).unwrap_or_else(|faults| panic!("{faults:?}"));
        print(&valid, &sources, LineDirectives::None)
    }

    /// Whether the loop of a kernel is kept from becoming vectors.
    fn is_kept(body: &str) -> bool {
        rewritten(body, keep_loops_scalar).contains(PRAGMA)
    }

    /// Whether a kernel's unrolled loop stays a loop; if not, it is unrolled as it was.
    fn stays_rolled(body: &str) -> bool {
        let text = rewritten(body, keep_loops_rolled);
        let rolled = text.contains(ROLLED);
        assert_ne!(rolled, text.contains("#pragma unroll"), "{text}");
        rolled
    }

    const BRANCHES: &str = "{
        #pragma unroll
        for (int l = 0; l < 2; l++) { if (t[l] < 8) t[l] += 7; }
    }";

    #[test]
    fn loops_with_branches_stay_loops_where_barriers_may_not_be_reached() {
        for barriers in [
            "for (int i = 0; i < n; i++) { BRANCHES barrier(1); }",
            "BRANCHES while (n > 0) { n--; barrier(1); }",
            "{ do { n--; { barrier(1); } } while (n > 0); } BRANCHES",
            "if (n > 3) { barrier(1); BRANCHES }",
        ] {
            let body = barriers.replace("BRANCHES", BRANCHES);
            assert!(stays_rolled(&body), "{body}");
        }
        for branches in [
            "t[l] += l < n ? 7 : a[l];",
            "t[l] = n && a[l];",
            "for (int k = 0; k < n; k++) t[l]++;",
        ] {
            let unrolled = BRANCHES.replace("if (t[l] < 8) t[l] += 7;", branches);
            let body = format!("for (int i = 0; i < n; i++) {{ {unrolled} barrier(1); }}");
            assert!(stays_rolled(&body), "{body}");
        }
    }

    #[test]
    fn other_loops_are_unrolled_as_before() {
        let straight = BRANCHES.replace("if (t[l] < 8) ", "");
        for body in [
            format!("for (int i = 0; i < n; i++) {{ {straight} barrier(1); }}"),
            format!("{BRANCHES} barrier(1); {{ barrier(1); }} o[0] = t[0];"),
            format!("for (int i = 0; i < n; i++) {{ {BRANCHES} }} barrier(1);"),
            BRANCHES.replace("t[l] += 7;", "barrier(1);"),
        ] {
            assert!(!stays_rolled(&body), "{body}");
        }
    }

    #[test]
    fn loops_with_masked_indices_are_no_vectors() {
        for body in [
            "for (int i = 0; i < 16; i++) o[i] = a[i * 5 & 15];",
            "for (uint i = 0; i < 16; i++) o[i] = a[i * 5 % 16];",
            "for (int i = 0; i < 16; i++) o[i * 3 % 16] = a[i];",
            "for (int i = 0; i < 256; i++) o[i] = a[(uchar)(i * 17)];",
            "uchar at = 0; for (int i = 0; i < n; i++) { o[i] = a[at]; at += 3; }",
            "for (int i = 0; i < n; i++) { int at = i * 3; at &= 31; o[i] = *(a + at); }",
            "for (int i = 0; i < n; i++) { int at = i * 3 & 7, too = at + 8; o[i] = a[too]; }",
        ] {
            assert!(is_kept(body), "{body}");
        }
    }

    #[test]
    fn other_loops_may_become_vectors() {
        for body in [
            "for (int i = 0; i < n; i++) o[i] = a[i] & 15;",
            "for (int i = 0; i < n; i++) o[i] = a[b[i]];",
            "for (int i = 0; i < n; i++) o[i] = a[a[i] & 15];",
            "for (int i = 0; i < n; i++) o[i] = a[i % 12];",
            "for (short i = 0; i < 100; i++) o[i] = a[i];",
            "int at = n * 5 & 15; o[0] = a[at];",
        ] {
            assert!(!is_kept(body), "{body}");
        }
    }
}
