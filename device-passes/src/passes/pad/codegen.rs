//! Writing longer rows.

use fpgacc_frontend::ir::{
    BinaryOp, ExprId, Function, FunctionId, Module, QualType, Type, TypeId, Types,
};

use super::plan::{Change, Factor, Padded, Sum};

/// Gives an array longer rows.
pub fn apply(module: &mut Module, kernel: FunctionId, padded: &Padded) {
    let types = &mut module.types;
    let function = &mut module.functions[kernel];
    for change in &padded.changes {
        match change {
            Change::Constant(at, value) => {
                let value = function.exprs.int(types, *value as i64);
                put(types, function, *at, value);
            }
            Change::Sum(at, sum) => {
                let value = written(types, function, sum);
                put(types, function, *at, value);
            }
        }
    }
    let ty = with_last(types, function.vars[padded.array].ty.ty, padded.len);
    function.vars[padded.array].ty.ty = ty;
    for chain in &padded.chains {
        let mut ty = ty;
        for &id in chain {
            let expr = function.exprs.get(id).clone();
            function.exprs.replace(id, expr, ty);
            if let Some((element, _)) = types.as_array(ty) {
                ty = element.ty;
            }
        }
    }
}

/// Puts a value in the place of another one of the same type.
fn put(types: &Types, function: &mut Function, at: ExprId, value: ExprId) {
    let ty = function.exprs.ty(at);
    let value = function.exprs.converted(types, value, ty);
    function.exprs.replace_by(at, value);
}

/// An array type with so many elements in its last dimension.
fn with_last(types: &mut Types, ty: TypeId, last: u64) -> TypeId {
    let Some((element, len)) = types.as_array(ty) else {
        return ty;
    };
    let array = match types.as_array(element.ty) {
        Some(_) => Type::Array {
            element: QualType {
                ty: with_last(types, element.ty, last),
                ..element
            },
            len,
        },
        None => Type::Array {
            element,
            len: Some(last),
        },
    };
    types.intern(array)
}

/// A sum, what is added to it first.
fn written(types: &mut Types, function: &mut Function, sum: &Sum) -> ExprId {
    let mut terms: Vec<(&[Factor], i128)> =
        sum.terms.iter().map(|(all, by)| (&all[..], *by)).collect();
    terms.sort_by_key(|(_, by)| (*by < 0, -by.abs()));
    let is_first = terms.first().is_none_or(|(_, by)| *by < 0) && sum.constant >= 0;
    match is_first {
        true => terms.insert(0, (&[], sum.constant)),
        false => terms.push((&[], sum.constant)),
    }
    let mut all: Option<ExprId> = None;
    for (factors, by) in terms {
        all = Some(match all {
            None => product(types, function, factors, by),
            // The constant 0.
            Some(all) if by == 0 => all,
            Some(all) => {
                let op = if by < 0 { BinaryOp::Sub } else { BinaryOp::Add };
                let term = product(types, function, factors, by.abs());
                function.exprs.binary(types, op, all, term)
            }
        });
    }
    all.unwrap_or_else(|| function.exprs.int(types, 0))
}

/// A multiple of a product; of no factors, a constant.
fn product(types: &mut Types, function: &mut Function, factors: &[Factor], by: i128) -> ExprId {
    let mut all: Option<ExprId> = None;
    for factor in factors {
        let value = match *factor {
            Factor::Counter(var) => function.use_var(var),
            Factor::Value(id) => function.exprs.duplicate(id),
        };
        all = Some(match all {
            Some(all) => function.exprs.binary(types, BinaryOp::Mul, all, value),
            None => value,
        });
    }
    match all {
        Some(all) if by == 1 => all,
        Some(all) => {
            let by = function.exprs.int(types, by as i64);
            function.exprs.binary(types, BinaryOp::Mul, all, by)
        }
        None => function.exprs.int(types, by as i64),
    }
}
