//! Expressions and initialisers.

use crate::ir::{
    BinaryOp, Callee, Expr, ExprId, Exprs, IncDecOp, Init, InitItem, InitStep, QualType, SizeOfArg,
    UnaryOp, VarRef,
};

use super::literal::{self, Literal};
use super::precedence::Prec;
use super::printer::Printer;
use super::wrap::WIDTH;

impl Printer<'_> {
    /// An expression as a statement.
    pub(super) fn full_expr(&mut self, exprs: &Exprs, id: ExprId) -> String {
        let mut out = String::new();
        self.expr(exprs, id, Prec::Comma, &mut out);
        out
    }

    /// An expression where a comma would separate.
    pub(super) fn argument(&mut self, exprs: &Exprs, id: ExprId) -> String {
        let mut out = String::new();
        self.expr(exprs, id, Prec::Assign, &mut out);
        out
    }

    /// An expression as the condition of a statement: an assignment stands in parentheses of its own,
    /// which says to compilers that it is meant.
    pub(super) fn condition(&mut self, exprs: &Exprs, id: ExprId) -> String {
        let text = self.full_expr(exprs, id);
        match exprs.get(id) {
            Expr::Assign { op: None, .. } => format!("({text})"),
            _ => text,
        }
    }

    /// Appends an expression, in parentheses if it binds less tightly than `at_least`.
    fn expr(&mut self, exprs: &Exprs, id: ExprId, at_least: Prec, out: &mut String) {
        let literal = self.literal(exprs, id);
        let prec = match &literal {
            Some(literal) => literal.prec,
            None => self.prec(exprs, id),
        };
        let parens = prec < at_least;
        if parens {
            out.push('(');
        }
        match literal {
            Some(literal) => out.push_str(&literal.text),
            None => self.bare_expr(exprs, id, out),
        }
        if parens {
            out.push(')');
        }
    }

    fn prec(&self, exprs: &Exprs, id: ExprId) -> Prec {
        match exprs.get(id) {
            Expr::Int { .. }
            | Expr::Float { .. }
            | Expr::Str(_)
            | Expr::Var(_)
            | Expr::EnumConst(..)
            | Expr::BuiltinConst(_) => Prec::Primary,
            Expr::Unary { .. } | Expr::Cast { .. } | Expr::SizeOf(_) => Prec::Unary,
            // `(float4)(a).x` is read in two ways by those who do not know OpenCL C well.
            Expr::VectorLit { .. } => Prec::Unary,
            Expr::IncDec { op, .. } => match op {
                IncDecOp::PreInc | IncDecOp::PreDec => Prec::Unary,
                IncDecOp::PostInc | IncDecOp::PostDec => Prec::Postfix,
            },
            Expr::Binary { op, .. } => Prec::of(*op),
            Expr::Assign { .. } => Prec::Assign,
            Expr::Cond { .. } => Prec::Cond,
            Expr::Index { .. }
            | Expr::Swizzle { .. }
            | Expr::Member { .. }
            | Expr::Compound { .. }
            | Expr::Call { .. } => Prec::Postfix,
            Expr::Comma { .. } => Prec::Comma,
        }
    }

    /// The text of a literal.
    fn literal(&mut self, exprs: &Exprs, id: ExprId) -> Option<Literal> {
        let spelled = |text: &String| Literal {
            text: text.clone(),
            prec: Prec::Primary,
        };
        match exprs.get(id) {
            Expr::Int {
                spelling: Some(text),
                ..
            }
            | Expr::Float {
                spelling: Some(text),
                ..
            } => Some(spelled(text)),
            Expr::Int { value, .. } => {
                let ty = exprs.ty(id);
                let cast = self.type_name(QualType::plain(ty));
                Some(literal::integer(&self.module.types, ty, *value, &cast))
            }
            Expr::Float { value, .. } => {
                Some(literal::float(&self.module.types, exprs.ty(id), *value))
            }
            _ => None,
        }
    }

    fn bare_expr(&mut self, exprs: &Exprs, id: ExprId, out: &mut String) {
        match exprs.get(id) {
            Expr::Int { .. } | Expr::Float { .. } => {}
            Expr::Str(text) | Expr::BuiltinConst(text) => out.push_str(text),
            Expr::Var(var) => out.push_str(self.var_name(*var)),
            Expr::EnumConst(id, index) => {
                out.push_str(&self.module.enums[*id].enumerators[*index as usize].name);
            }
            Expr::Unary { op, operand } => self.unary(exprs, unary_symbol(*op), *operand, out),
            Expr::IncDec { op, operand } => self.inc_dec(exprs, *op, *operand, out),
            Expr::Binary { op, lhs, rhs } => self.binary(exprs, *op, *lhs, *rhs, out),
            Expr::Assign { op, lhs, rhs } => {
                self.expr(exprs, *lhs, Prec::Unary, out);
                out.push(' ');
                out.push_str(op.map_or("", BinaryOp::symbol));
                out.push_str("= ");
                self.expr(exprs, *rhs, Prec::Assign, out);
            }
            Expr::Cond {
                cond,
                then,
                otherwise,
            } => {
                self.expr(exprs, *cond, Prec::Or, out);
                out.push_str(" ? ");
                self.expr(exprs, *then, Prec::Or, out);
                out.push_str(" : ");
                self.expr(exprs, *otherwise, Prec::Cond, out);
            }
            Expr::Index { base, index } => {
                self.expr(exprs, *base, Prec::Postfix, out);
                out.push('[');
                self.expr(exprs, *index, Prec::Assign, out);
                out.push(']');
            }
            Expr::Member { .. } => self.member(exprs, id, out),
            Expr::Swizzle { base, spelling, .. } => {
                let (base, dot) = match exprs.get(*base) {
                    Expr::Unary {
                        op: UnaryOp::Deref,
                        operand,
                    } => (*operand, "->"),
                    _ => (*base, "."),
                };
                self.expr(exprs, base, Prec::Postfix, out);
                out.push_str(dot);
                out.push_str(spelling);
            }
            Expr::Cast { ty, operand } => self.cast(exprs, *ty, *operand, out),
            Expr::VectorLit { elements } => {
                let ty = QualType::plain(exprs.ty(id));
                out.push_str(&format!("({})", self.type_name(ty)));
                self.arguments(exprs, elements, out);
            }
            Expr::Compound { ty, items } => {
                out.push_str(&format!("({})", self.type_name(*ty)));
                out.push_str(&self.init_list(exprs, items));
            }
            Expr::SizeOf(SizeOfArg::Type(ty)) => {
                out.push_str(&format!("sizeof({})", self.type_name(*ty)));
            }
            Expr::SizeOf(SizeOfArg::Expr(operand)) => {
                out.push_str("sizeof(");
                self.expr(exprs, *operand, Prec::Comma, out);
                out.push(')');
            }
            Expr::Call { callee, args } => {
                match callee {
                    Callee::Function(id) => out.push_str(&self.module.functions[*id].name),
                    Callee::Builtin(name) => out.push_str(name),
                }
                self.arguments(exprs, args, out);
            }
            Expr::Comma { lhs, rhs } => {
                self.expr(exprs, *lhs, Prec::Comma, out);
                out.push_str(", ");
                self.expr(exprs, *rhs, Prec::Assign, out);
            }
        }
    }

    fn var_name(&self, var: VarRef) -> &str {
        match var {
            VarRef::Local(id) => self.function.map_or("", |f| &f.vars[id].name),
            VarRef::Global(id) => &self.module.globals[id].variable.name,
        }
    }

    fn arguments(&mut self, exprs: &Exprs, args: &[ExprId], out: &mut String) {
        out.push('(');
        for (index, arg) in args.iter().enumerate() {
            if index > 0 {
                out.push_str(", ");
            }
            self.expr(exprs, *arg, Prec::Assign, out);
        }
        out.push(')');
    }

    /// A prefix operator. An operand whose text starts with the operator's own sign stands in
    /// parentheses: `-(-a)` is not `--a`.
    fn unary(&mut self, exprs: &Exprs, symbol: &str, operand: ExprId, out: &mut String) {
        out.push_str(symbol);
        let at = out.len();
        self.expr(exprs, operand, Prec::Unary, out);
        let sign = &symbol[..1];
        if sign != "*" && sign != "!" && sign != "~" && out[at..].starts_with(sign) {
            out.insert(at, '(');
            out.push(')');
        }
    }

    fn inc_dec(&mut self, exprs: &Exprs, op: IncDecOp, operand: ExprId, out: &mut String) {
        match op {
            IncDecOp::PreInc => self.unary(exprs, "++", operand, out),
            IncDecOp::PreDec => self.unary(exprs, "--", operand, out),
            IncDecOp::PostInc | IncDecOp::PostDec => {
                self.expr(exprs, operand, Prec::Postfix, out);
                let symbol = if op == IncDecOp::PostInc { "++" } else { "--" };
                out.push_str(symbol);
            }
        }
    }

    fn binary(&mut self, exprs: &Exprs, op: BinaryOp, lhs: ExprId, rhs: ExprId, out: &mut String) {
        let prec = Prec::of(op);
        self.operand(exprs, lhs, prec, prec, out);
        out.push(' ');
        out.push_str(op.symbol());
        out.push(' ');
        self.operand(exprs, rhs, prec, prec.tighter(), out);
    }

    fn operand(
        &mut self,
        exprs: &Exprs,
        id: ExprId,
        parent: Prec,
        at_least: Prec,
        out: &mut String,
    ) {
        let surprising = matches!(exprs.get(id), Expr::Binary { .. })
            && self.prec(exprs, id).is_surprising_in(parent);
        let at_least = if surprising { Prec::Unary } else { at_least };
        self.expr(exprs, id, at_least, out);
    }

    /// `.name` or `->name`. A step through a member without a name is not written: C names its
    /// fields as if they were the outer record's.
    fn member(&mut self, exprs: &Exprs, id: ExprId, out: &mut String) {
        let (name, mut base, mut arrow) = self.member_parts(exprs, id);
        while let Expr::Member { .. } = exprs.get(base) {
            let (inner_name, inner_base, inner_arrow) = self.member_parts(exprs, base);
            if inner_name.is_some() {
                break;
            }
            (base, arrow) = (inner_base, inner_arrow);
        }
        self.expr(exprs, base, Prec::Postfix, out);
        if let Some(name) = name {
            out.push_str(if arrow { "->" } else { "." });
            out.push_str(&name);
        }
    }

    fn member_parts(&self, exprs: &Exprs, id: ExprId) -> (Option<String>, ExprId, bool) {
        let Expr::Member {
            base,
            record,
            field,
            arrow,
        } = exprs.get(id)
        else {
            return (None, id, false);
        };
        let fields = self.module.records[*record].fields.as_deref();
        let field = &fields.unwrap_or_default()[*field as usize];
        (field.name.clone(), *base, *arrow)
    }

    /// A cast. `(float4)(a, b)` would be a vector literal, so a comma gets parentheses of its own.
    fn cast(&mut self, exprs: &Exprs, ty: QualType, operand: ExprId, out: &mut String) {
        out.push_str(&format!("({})", self.type_name(ty)));
        let vector = self.module.types.as_vector(ty.ty).is_some();
        let mut text = String::new();
        self.expr(exprs, operand, Prec::Unary, &mut text);
        let parenthesised = match exprs.get(operand) {
            Expr::Comma { .. } => true,
            // `(float4)(a).x` would be the `x` of a vector literal.
            Expr::Index { .. }
            | Expr::Swizzle { .. }
            | Expr::Member { .. }
            | Expr::IncDec { .. } => text.starts_with('('),
            _ => false,
        };
        match vector && parenthesised {
            true => out.push_str(&format!("({text})")),
            false => out.push_str(&text),
        }
    }

    /// `declaration = init`, or the declaration alone.
    pub(super) fn initialised(
        &mut self,
        exprs: &Exprs,
        declaration: String,
        init: Option<&Init>,
    ) -> String {
        match init {
            None => declaration,
            Some(Init::Expr(expr)) => format!("{declaration} = {}", self.argument(exprs, *expr)),
            Some(Init::List(items)) => {
                let flat = format!("{declaration} = {}", self.init_list(exprs, items));
                if self.lines.column() + flat.len() < WIDTH {
                    return flat;
                }
                format!("{declaration} = {}", self.broken_list(exprs, items))
            }
        }
    }

    fn init_list(&mut self, exprs: &Exprs, items: &[InitItem]) -> String {
        let items: Vec<String> = items
            .iter()
            .map(|item| self.init_item(exprs, item))
            .collect();
        format!("{{{}}}", items.join(", "))
    }

    fn init_item(&mut self, exprs: &Exprs, item: &InitItem) -> String {
        let path: String = item
            .path
            .iter()
            .map(|step| match step {
                InitStep::Field(name) => format!(".{name}"),
                InitStep::Index(index) => format!("[{index}]"),
            })
            .collect();
        let value = match &item.value {
            Init::Expr(expr) => self.argument(exprs, *expr),
            Init::List(items) => self.init_list(exprs, items),
        };
        if path.is_empty() {
            return value;
        }
        format!("{path} = {value}")
    }

    /// A list on lines of its own: lists in it one a line, values as many as fit.
    fn broken_list(&mut self, exprs: &Exprs, items: &[InitItem]) -> String {
        let width = WIDTH.saturating_sub(self.lines.column());
        let mut lines: Vec<String> = Vec::new();
        for item in items {
            let alone = matches!(item.value, Init::List(_));
            let text = format!("{},", self.init_item(exprs, item));
            match lines.last_mut() {
                Some(line) if !alone && line.len() + text.len() < width => {
                    line.push(' ');
                    line.push_str(&text);
                }
                _ => lines.push(format!("    {text}")),
            }
        }
        let body = lines.join("\n");
        format!("{{\n{}\n}}", body.trim_end_matches(','))
    }
}

fn unary_symbol(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Plus => "+",
        UnaryOp::Minus => "-",
        UnaryOp::Not => "!",
        UnaryOp::Complement => "~",
        UnaryOp::Deref => "*",
        UnaryOp::AddressOf => "&",
    }
}
