//! Every handle is of its arena's range, and every expression has one parent.

use crate::ir::{
    Block, Callee, Enum, Expr, ExprId, Exprs, Function, Init, InitItem, Item, Module, SizeOfArg,
    Stmt, StmtKind, Type, TypeId, VarRef,
};
use crate::source::Span;

use super::faults::Faults;

pub(super) fn check(module: &Module, faults: &mut Faults) {
    let mut check = Check { module, faults };
    check.items();
    check.types();
    check.file_scope();
    for (_, function) in module.functions.iter() {
        check.function(function);
    }
}

struct Check<'a> {
    module: &'a Module,
    faults: &'a mut Faults,
}

/// Where expressions are looked for.
struct Forest<'a> {
    exprs: &'a Exprs,
    function: Option<&'a Function>,
    /// How many parents each expression has.
    parents: Vec<u32>,
}

impl Check<'_> {
    fn items(&mut self) {
        let module = self.module;
        for item in &module.items {
            let fits = match item {
                Item::Record { id, .. } => module.records.get(*id).is_some(),
                Item::Enum(id) => module.enums.get(*id).is_some(),
                Item::Typedef(id) => module.typedefs.get(*id).is_some(),
                Item::Global(id) => module.globals.get(*id).is_some(),
                Item::Prototype(id) | Item::Function(id) => module.functions.get(*id).is_some(),
                Item::Pragma(_) => true,
            };
            if !fits {
                let message = format!("the item {item:?} names nothing of this module");
                self.faults.add(message, None);
            }
        }
    }

    /// The types that the interner and the definitions name.
    fn types(&mut self) {
        let module = self.module;
        for ty in module.types.iter() {
            match ty {
                Type::Pointer { pointee, .. } => self.ty(pointee.ty, None),
                Type::Array { element, .. } => self.ty(element.ty, None),
                Type::Pipe { packet, .. } => self.ty(*packet, None),
                Type::Channel(element) => self.ty(*element, None),
                Type::Record(id) => self.fits(module.records.get(*id).is_some(), ty),
                Type::Enum(id) => self.fits(module.enums.get(*id).is_some(), ty),
                Type::Typedef(id) => self.fits(module.typedefs.get(*id).is_some(), ty),
                Type::Vector(_, width) => self.fits(matches!(width, 2 | 3 | 4 | 8 | 16), ty),
                Type::Void | Type::Scalar(_) | Type::Named(..) | Type::Opaque(_) => {}
            }
        }
        for (_, record) in module.records.iter() {
            for field in record.fields.iter().flatten() {
                self.ty(field.ty.ty, record.span);
            }
        }
        for (_, typedef) in module.typedefs.iter() {
            self.ty(typedef.ty.ty, typedef.span);
        }
    }

    fn fits(&mut self, fits: bool, ty: &Type) {
        if !fits {
            let message = format!("the type {ty:?} does not exist");
            self.faults.add(message, None);
        }
    }

    fn ty(&mut self, ty: TypeId, span: Option<Span>) {
        if ty.index() >= self.module.types.len() {
            self.faults
                .add(format!("type {ty:?} is not of this module"), span);
        }
    }

    fn file_scope(&mut self) {
        let module = self.module;
        let mut forest = Forest::new(&module.exprs, None);
        for (_, global) in module.globals.iter() {
            self.ty(global.variable.ty.ty, global.variable.span);
            if let Some(init) = &global.init {
                self.init(&mut forest, init, global.variable.span);
            }
        }
        for (
            _,
            Enum {
                enumerators, span, ..
            },
        ) in module.enums.iter()
        {
            for written in enumerators.iter().filter_map(|e| e.written) {
                self.root(&mut forest, written, *span);
            }
        }
    }

    fn function(&mut self, function: &Function) {
        self.faults.enter(Some(function));
        self.ty(function.ret.ty, function.span);
        for (_, variable) in function.vars.iter() {
            self.ty(variable.ty.ty, variable.span);
        }
        for param in &function.params {
            if function.vars.get(*param).is_none() {
                let message = format!("parameter {param:?} is not a variable of the function");
                self.faults.add(message, function.span);
            }
        }
        if let Some(body) = &function.body {
            let mut forest = Forest::new(&function.exprs, Some(function));
            self.block(&mut forest, body);
        }
        self.faults.enter(None);
    }

    fn block(&mut self, forest: &mut Forest<'_>, block: &Block) {
        block.for_each_stmt(&mut |stmt| self.stmt(forest, stmt));
    }

    fn stmt(&mut self, forest: &mut Forest<'_>, stmt: &Stmt) {
        if let StmtKind::Decl { var, .. } = &stmt.kind
            && forest.function.is_some_and(|f| f.vars.get(*var).is_none())
        {
            let message = format!("declared variable {var:?} is not of the function");
            self.faults.add(message, stmt.span);
        }
        if let StmtKind::Decl {
            init: Some(init), ..
        } = &stmt.kind
        {
            return self.init(forest, init, stmt.span);
        }
        for root in stmt.exprs() {
            self.root(forest, root, stmt.span);
        }
    }

    fn init(&mut self, forest: &mut Forest<'_>, init: &Init, span: Option<Span>) {
        match init {
            Init::Expr(expr) => self.root(forest, *expr, span),
            Init::List(items) => {
                for InitItem { value, .. } in items {
                    self.init(forest, value, span);
                }
            }
        }
    }

    /// An expression that a statement or initialiser holds, and all below it.
    fn root(&mut self, forest: &mut Forest<'_>, root: ExprId, span: Option<Span>) {
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            let Some(parents) = forest.parents.get_mut(id.index()) else {
                let message = format!("expression {id:?} is not of this arena");
                self.faults.add(message, span);
                continue;
            };
            *parents += 1;
            if *parents > 1 {
                // Looked at already; a cycle ends here too.
                let message = format!("expression {id:?} is used by more than one parent");
                self.faults.add(message, forest.exprs.span(id).or(span));
                continue;
            }
            self.expr(forest, id);
            stack.extend(forest.exprs.children(id));
        }
    }

    fn expr(&mut self, forest: &Forest<'_>, id: ExprId) {
        let module = self.module;
        let span = forest.exprs.span(id);
        self.ty(forest.exprs.ty(id), span);
        let fits = match forest.exprs.get(id) {
            Expr::Var(VarRef::Local(var)) => {
                forest.function.is_some_and(|f| f.vars.get(*var).is_some())
            }
            Expr::Var(VarRef::Global(var)) => module.globals.get(*var).is_some(),
            Expr::EnumConst(id, index) => module
                .enums
                .get(*id)
                .is_some_and(|e| e.enumerators.len() > *index as usize),
            Expr::Member { record, field, .. } => module
                .records
                .get(*record)
                .and_then(|record| record.fields.as_ref())
                .is_some_and(|fields| fields.len() > *field as usize),
            Expr::Call {
                callee: Callee::Function(id),
                ..
            } => module.functions.get(*id).is_some(),
            Expr::Cast { ty, .. }
            | Expr::Compound { ty, .. }
            | Expr::SizeOf(SizeOfArg::Type(ty)) => {
                self.ty(ty.ty, span);
                true
            }
            _ => true,
        };
        if !fits {
            let what = forest.exprs.get(id);
            self.faults
                .add(format!("{what:?} names nothing of this module"), span);
        }
    }
}

impl<'a> Forest<'a> {
    fn new(exprs: &'a Exprs, function: Option<&'a Function>) -> Self {
        Forest {
            exprs,
            function,
            parents: vec![0; exprs.len()],
        }
    }
}
