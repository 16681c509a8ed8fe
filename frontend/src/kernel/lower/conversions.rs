//! Lvalues, decay, and which types convert to which.

use lang_c::span::Span as SyntaxSpan;

use super::{Lowered, Lowerer};
use crate::diag::Diagnostic;
use crate::ir::{
    AddressSpace, Expr, ExprId, QualType, Qualifiers, Type, TypeId, UnaryOp, VarRef, Variable,
};

/// What is known of an lvalue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lvalue {
    pub space: AddressSpace,
    pub quals: Qualifiers,
}

impl Lowerer<'_> {
    /// A variable of the function at hand or of the program.
    pub(super) fn variable(&self, var: VarRef) -> &Variable {
        match var {
            VarRef::Local(id) => &self.vars[id],
            VarRef::Global(id) => &self.module.globals[id].variable,
        }
    }

    /// Where an expression's object lies; `None` if it is no lvalue.
    pub(super) fn lvalue(&self, id: ExprId) -> Option<Lvalue> {
        let types = &self.module.types;
        let target = |(pointee, space): (QualType, AddressSpace)| Lvalue {
            space,
            quals: pointee.quals,
        };
        match self.exprs.get(id) {
            Expr::Var(var) => {
                let variable = self.variable(*var);
                Some(Lvalue {
                    space: variable.space,
                    quals: variable.ty.quals,
                })
            }
            Expr::Unary {
                op: UnaryOp::Deref,
                operand,
            } => types
                .as_pointer(self.exprs.ty(*operand))
                .map(target)
                .or_else(|| self.element_lvalue(*operand)),
            Expr::Index { base, .. } => types
                .as_pointer(self.exprs.ty(*base))
                .map(target)
                .or_else(|| self.element_lvalue(*base)),
            Expr::Member {
                base,
                record,
                field,
                arrow,
            } => {
                let outer = if *arrow {
                    types.as_pointer(self.exprs.ty(*base)).map(target)
                } else {
                    self.lvalue(*base)
                }?;
                let fields = self.module.records[*record].fields.as_ref()?;
                let quals = fields.get(*field as usize)?.ty.quals;
                Some(Lvalue {
                    quals: outer.quals | quals,
                    ..outer
                })
            }
            Expr::Swizzle { base, .. } => self.lvalue(*base),
            Expr::Compound { ty, .. } => Some(Lvalue {
                space: AddressSpace::Private,
                quals: ty.quals,
            }),
            Expr::Str(_) => Some(Lvalue {
                space: AddressSpace::Constant,
                quals: Qualifiers::CONST,
            }),
            _ => None,
        }
    }

    /// The position of an array's or vector's element.
    fn element_lvalue(&self, base: ExprId) -> Option<Lvalue> {
        let outer = self.lvalue(base)?;
        let quals = match self.module.types.as_array(self.exprs.ty(base)) {
            Some((element, _)) => element.quals,
            None => Qualifiers::empty(),
        };
        Some(Lvalue {
            quals: outer.quals | quals,
            ..outer
        })
    }

    /// The type of an expression as a value: without typedefs, arrays as pointers.
    pub(super) fn value_type(&mut self, id: ExprId) -> TypeId {
        let ty = self.exprs.ty(id);
        match self.module.types.as_array(ty) {
            Some((element, _)) => {
                let lvalue = self.lvalue(id);
                let mut pointee = element;
                pointee.quals |= lvalue.map_or(Qualifiers::empty(), |lvalue| lvalue.quals);
                self.module.types.intern(Type::Pointer {
                    pointee,
                    space: lvalue.map_or(AddressSpace::Private, |lvalue| lvalue.space),
                })
            }
            None => self.module.types.canonical(ty),
        }
    }

    /// Refuses an expression that cannot become a value of type `to` without a cast. `verb` says
    /// what happens to it: `assigned`, `returned`, `passed`.
    pub(super) fn check_convertible(
        &mut self,
        from: ExprId,
        to: TypeId,
        verb: &str,
        at: SyntaxSpan,
    ) -> Lowered<()> {
        let value = self.value_type(from);
        let target = self.module.types.canonical(to);
        if value == target || self.converts(from, value, target) {
            return Ok(());
        }
        let message = format!(
            "a value of type `{}` cannot be {verb} as `{}`",
            self.type_name(self.exprs.ty(from)),
            self.type_name(to)
        );
        let mut diagnostic = Diagnostic::error(message);
        if let (Some((_, width)), Some((_, wanted))) = (
            self.module.types.as_vector(value),
            self.module.types.as_vector(target),
        ) && width == wanted
        {
            let name = self.type_name(target);
            diagnostic = diagnostic.help(format!(
                "write `convert_{name}(..)` to convert its values, or `as_{name}(..)` to keep its bits"
            ));
        }
        Err(self.report(at, diagnostic))
    }

    pub(super) fn converts(&self, from: ExprId, value: TypeId, target: TypeId) -> bool {
        let types = &self.module.types;
        let from_scalar = types.as_scalar(value);
        match types.resolve(target) {
            Type::Scalar(to) => {
                // C compilers warn of pointers that become integers, and go on.
                from_scalar.is_some() || (types.as_pointer(value).is_some() && to.is_integer())
            }
            Type::Enum(_) => from_scalar.is_some(),
            Type::Vector(..) => from_scalar.is_some(),
            Type::Pointer { space, .. } => match types.as_pointer(value) {
                Some((_, own)) => {
                    own == space
                        || self.is_null(from)
                        || (space == AddressSpace::Generic && own != AddressSpace::Constant)
                }
                None => from_scalar.is_some_and(|scalar| scalar.is_integer()),
            },
            // Atomic objects, samplers and events start from integers.
            Type::Opaque(name) => {
                from_scalar.is_some()
                    || matches!(types.resolve(value), Type::Opaque(own) if same_opaque(&own, &name))
                    || self.is_null(from)
            }
            _ => false,
        }
    }
}

/// Images without an access qualifier are read-only.
fn same_opaque(a: &str, b: &str) -> bool {
    let bare = |name: &str| name.strip_prefix("read_only ").unwrap_or(name).to_string();
    bare(a) == bare(b)
}
