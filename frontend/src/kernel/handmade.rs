//! Modules made by hand, for tests.

use crate::diag::Diagnostic;
use crate::ir::{
    AddressSpace, BinaryOp, Block, Dialect, Expr, ExprId, Function, Init, Item, Module, QualType,
    Scalar, Stmt, StmtKind, Type, TypeId, UnaryOp, VarId, Variable,
};
use crate::kernel::{LineDirectives, print, validate};
use crate::source::SourceMap;

/// A module with one function under construction.
pub(super) struct Build {
    pub(super) module: Module,
    pub(super) f: Function,
    pub(super) sources: SourceMap,
}

impl Build {
    pub(super) fn new() -> Self {
        let mut module = Module::new(Dialect::Cl12);
        let void = module.types.intern(Type::Void);
        let f = Function::new("f".to_string(), void);
        Build {
            module,
            f,
            sources: SourceMap::new(),
        }
    }

    pub(super) fn scalar(&mut self, scalar: Scalar) -> TypeId {
        self.module.types.scalar(scalar)
    }

    pub(super) fn pointer(&mut self, to: TypeId, space: AddressSpace) -> TypeId {
        let pointee = QualType::plain(to);
        self.module.types.intern(Type::Pointer { pointee, space })
    }

    pub(super) fn array(&mut self, of: TypeId, len: u64) -> TypeId {
        let element = QualType::plain(of);
        let len = Some(len);
        self.module.types.intern(Type::Array { element, len })
    }

    pub(super) fn param(&mut self, name: &str, ty: TypeId) -> VarId {
        let var = self.local(name, ty, AddressSpace::Private);
        self.f.params.push(var);
        var
    }

    pub(super) fn local(&mut self, name: &str, ty: TypeId, space: AddressSpace) -> VarId {
        self.f.vars.add(Variable::new(name.to_string(), ty, space))
    }

    /// A use of the parameter `name`, which is made at its first use.
    pub(super) fn var(&mut self, name: &str, ty: TypeId) -> ExprId {
        let known = self.f.vars.iter().find(|(_, v)| v.name == name);
        let var = match known.map(|(id, _)| id) {
            Some(var) => var,
            None => self.param(name, ty),
        };
        self.f.use_var(var)
    }

    pub(super) fn int_var(&mut self, name: &str) -> ExprId {
        let int = self.scalar(Scalar::Int);
        self.var(name, int)
    }

    pub(super) fn int(&mut self, value: i64) -> ExprId {
        self.f.exprs.int(&mut self.module.types, value)
    }

    pub(super) fn binary(&mut self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        self.f.exprs.binary(&mut self.module.types, op, lhs, rhs)
    }

    pub(super) fn unary(&mut self, op: UnaryOp, operand: ExprId) -> ExprId {
        let ty = self.f.exprs.ty(operand);
        self.f.exprs.add(Expr::Unary { op, operand }, ty, None)
    }

    pub(super) fn cond(&mut self, cond: ExprId, then: ExprId, otherwise: ExprId) -> ExprId {
        let ty = self.f.exprs.ty(then);
        let expr = Expr::Cond {
            cond,
            then,
            otherwise,
        };
        self.f.exprs.add(expr, ty, None)
    }

    pub(super) fn comma(&mut self, lhs: ExprId, rhs: ExprId) -> ExprId {
        let ty = self.f.exprs.ty(rhs);
        self.f.exprs.add(Expr::Comma { lhs, rhs }, ty, None)
    }

    /// Ends the function with this body.
    pub(super) fn finish(mut self, body: Vec<Stmt>) -> (Module, SourceMap) {
        self.f.body = Some(Block::of(body));
        let id = self.module.functions.add(self.f);
        self.module.items.push(Item::Function(id));
        (self.module, self.sources)
    }

    /// The messages of the faults of the function with this body.
    pub(super) fn faults(self, body: Vec<Stmt>) -> Vec<String> {
        let (module, _) = self.finish(body);
        let faults = validate(&module).err().unwrap_or_default();
        let message = |fault: Diagnostic| fault.message;
        faults.into_iter().map(message).collect()
    }

    pub(super) fn print_with(self, body: Vec<Stmt>, lines: LineDirectives) -> String {
        let (module, sources) = self.finish(body);
        let valid = match validate(&module) {
            Ok(valid) => valid,
            Err(faults) => panic!("{faults:?}"),
        };
        print(&valid, &sources, lines)
    }

    pub(super) fn print(self, body: Vec<Stmt>) -> String {
        self.print_with(body, LineDirectives::None)
    }

    /// The text of one expression.
    pub(super) fn expr_text(self, expr: ExprId) -> String {
        let text = self.print(vec![Stmt::new(StmtKind::Expr(expr))]);
        let line = text.lines().rev().nth(1).unwrap_or_default();
        line.trim().trim_end_matches(';').to_string()
    }
}

/// A declaration.
pub(super) fn decl(var: VarId, init: Option<Init>) -> Stmt {
    Stmt::new(StmtKind::Decl { var, init })
}
