//! Arrays that hold a value for each work-item of a group.

use fpgacc_frontend::ir::{
    AddressSpace, BinaryOp, ExprId, QualType, Qualifiers, Stmt, StmtKind, Type, VarId, Variable,
};
use fpgacc_kernel_analysis::faults;

use crate::passes::ndrange_to_loop::statements::count;
use crate::passes::ndrange_to_loop::work_items::grid::Extent;
use crate::passes::ndrange_to_loop::work_items::ids::{Ids, Target};

/// How the work-items of a group are numbered in arrays.
pub enum Layout {
    /// One array dimension for each loop, outermost first, with its size.
    Nested(Vec<(u8, u64)>),
    /// One array dimension for all loops, outermost first, of this size.
    Flat(Vec<u8>, u64),
}

impl Layout {
    /// Nested where the local size is known, else flat for up to `most` work-items.
    pub fn of(ids: &mut Ids, most: u64) -> Self {
        let dims: Vec<u8> = (0..3u8)
            .rev()
            .filter(|d| ids.items[*d as usize].is_some())
            .collect();
        let sizes: Option<Vec<(u8, u64)>> = dims
            .iter()
            .map(|&d| match ids.grid.local(d) {
                Extent::Const(size) => Some((d, size as u64)),
                Extent::Hidden(_) => None,
            })
            .collect();
        match sizes {
            Some(sizes) => Layout::Nested(sizes),
            None => Layout::Flat(dims, most),
        }
    }

    /// The most work-items that fit, where the runtime must see to it.
    pub fn bound(&self) -> Option<u64> {
        match self {
            Layout::Nested(_) => None,
            Layout::Flat(_, most) => Some(*most),
        }
    }

    /// Makes an array of values of the type of `var`.
    pub fn array_for(&self, target: &mut Target<'_>, var: VarId) -> VarId {
        let original = &target.function.vars[var];
        let mut ty = original.ty;
        ty.quals.remove(Qualifiers::CONST | Qualifiers::RESTRICT);
        let name = format!("{}_saved", original.name);
        let (attrs, span) = (original.attrs.clone(), original.span);
        let lens: Vec<u64> = match self {
            Layout::Nested(dims) => dims.iter().map(|(_, size)| *size).collect(),
            Layout::Flat(_, most) => vec![*most],
        };
        // A const array's elements carry the qualifier.
        ty = without_const(target, ty);
        for len in lens.into_iter().rev() {
            let array = Type::Array {
                element: ty,
                len: Some(len),
            };
            ty = QualType::plain(target.types.intern(array));
        }
        let name = target.function.fresh_name(&name, target.taken);
        target.function.vars.add(Variable {
            name,
            ty,
            space: AddressSpace::Private,
            storage: fpgacc_frontend::ir::Storage::None,
            attrs,
            span,
        })
    }

    /// The element of `array` for the work-item that the loop variables `items` name.
    pub fn element(
        &self,
        target: &mut Target<'_>,
        ids: &mut Ids,
        array: VarId,
        items: &[Option<VarId>; 3],
    ) -> ExprId {
        let mut location = target.function.use_var(array);
        match self {
            Layout::Nested(dims) => {
                for (d, _) in dims {
                    if let Some(item) = items[*d as usize] {
                        let index = match faults::is_on("spill-shared") {
                            true => target.int(0),
                            false => target.function.use_var(item),
                        };
                        location = target.function.exprs.index(target.types, location, index);
                    }
                }
                location
            }
            Layout::Flat(dims, _) => {
                let mut number: Option<ExprId> = None;
                for &d in dims {
                    let Some(item) = items[d as usize] else {
                        continue;
                    };
                    let item = target.function.use_var(item);
                    number = Some(match number {
                        None => item,
                        Some(_) if faults::is_on("spill-unscaled") => item,
                        Some(before) => {
                            let extent = ids.grid.local(d);
                            let size = ids.extent(target, extent);
                            let scaled = target.binary(BinaryOp::Mul, before, size);
                            target.binary(BinaryOp::Add, scaled, item)
                        }
                    });
                }
                let number = number.unwrap_or_else(|| target.int(0));
                target.function.exprs.index(target.types, location, number)
            }
        }
    }
}

/// A type without `const` on it or on its elements.
pub fn without_const(target: &mut Target<'_>, ty: QualType) -> QualType {
    let Type::Array { element, len } = target.types.resolve(ty.ty) else {
        return ty;
    };
    let mut element = without_const(target, element);
    element.quals.remove(Qualifiers::CONST);
    QualType {
        ty: target.types.intern(Type::Array { element, len }),
        quals: ty.quals,
    }
}

/// Statements that copy `from` to `to`, element by element where they are arrays.
pub fn copy(target: &mut Target<'_>, to: ExprId, from: ExprId) -> Vec<Stmt> {
    let ty = target.function.exprs.ty(to);
    let Some((_, Some(len))) = target.types.as_array(ty) else {
        let assign = target.function.exprs.assign(None, to, from);
        return vec![Stmt::new(StmtKind::Expr(assign))];
    };
    let counter = target.int_var("i");
    let at = |target: &mut Target<'_>, base: ExprId| {
        let index = target.function.use_var(counter);
        target.function.exprs.index(target.types, base, index)
    };
    let (to, from) = (at(target, to), at(target, from));
    let body = copy(target, to, from);
    let bound = target.int(len as i64);
    vec![count(target, counter, bound, body)]
}
