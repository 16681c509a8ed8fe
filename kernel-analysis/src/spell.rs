//! Short spellings of expressions for messages.

use fpgacc_frontend::ir::{Callee, Expr, ExprId, Function, Module, UnaryOp, VarRef};

/// An expression as a person would say it in a message; parts that are long become `..`.
pub fn spell(module: &Module, function: &Function, id: ExprId) -> String {
    (3..=6)
        .rev()
        .map(|depth| spell_to(module, function, id, depth))
        .find(|text| text.len() <= LONGEST)
        .unwrap_or_else(|| spell_to(module, function, id, 2))
}

/// Spellings longer than this are cut.
const LONGEST: usize = 40;

fn spell_to(module: &Module, function: &Function, id: ExprId, depth: u32) -> String {
    if depth == 0 {
        return "..".to_string();
    }
    let below = |id| spell_to(module, function, id, depth - 1);
    match function.exprs.get(id) {
        Expr::Var(VarRef::Local(var)) => function.vars[*var].name.clone(),
        Expr::Var(VarRef::Global(global)) => module.globals[*global].variable.name.clone(),
        Expr::Int { value, .. } => value.to_string(),
        Expr::BuiltinConst(name) => name.clone(),
        Expr::Unary {
            op: UnaryOp::Deref,
            operand,
        } => format!("*{}", below(*operand)),
        Expr::Index { base, index } => format!("{}[{}]", below(*base), below(*index)),
        Expr::Member {
            base,
            record,
            field,
            arrow,
        } => {
            let field = module.field(*record, *field);
            let name = field
                .and_then(|field| field.name.as_deref())
                .unwrap_or("..");
            let dot = if *arrow { "->" } else { "." };
            format!("{}{dot}{name}", below(*base))
        }
        Expr::Swizzle { base, spelling, .. } => format!("{}.{spelling}", below(*base)),
        Expr::Binary { op, lhs, rhs } => {
            format!("{} {} {}", below(*lhs), op.symbol(), below(*rhs))
        }
        Expr::Call { callee, .. } => match callee {
            Callee::Function(id) => format!("{}(..)", module.functions[*id].name),
            Callee::Builtin(name) => format!("{name}(..)"),
        },
        _ => "..".to_string(),
    }
}
