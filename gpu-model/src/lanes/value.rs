//! What is known of a lane's value: numbers, numbers plus what nobody knows, addresses.

use fpgacc_frontend::ir::VarRef;

/// A number that is the same for all lanes of a warp and that is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sym(pub u32);

/// Where a number that is not known comes from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// A scalar argument of the kernel, by name.
    Argument(String),
    /// A size of the NDRange, such as `global size 0`.
    Size(String),
    /// Memory: the same element for all lanes.
    Memory,
    /// Computed in a way that is not followed.
    Computed,
}

/// A constant plus multiples of unknown numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Linear {
    /// The constant.
    pub constant: i128,
    /// Symbols in ascending order, with multiples other than 0.
    pub terms: Vec<(Sym, i128)>,
}

impl Linear {
    /// A constant.
    pub fn constant(constant: i128) -> Self {
        Linear {
            constant,
            terms: Vec::new(),
        }
    }

    /// A symbol.
    pub fn sym(sym: Sym) -> Self {
        Linear {
            constant: 0,
            terms: vec![(sym, 1)],
        }
    }

    /// The number, if it is known.
    pub fn known(&self) -> Option<i128> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// This plus `times` another; `None` where numbers become too large.
    pub fn plus(&self, other: &Linear, times: i128) -> Option<Linear> {
        let constant = other.constant.checked_mul(times)?;
        let mut terms = self.terms.clone();
        for &(sym, by) in &other.terms {
            let by = by.checked_mul(times)?;
            match terms.binary_search_by_key(&sym, |(sym, _)| *sym) {
                Ok(at) => terms[at].1 = terms[at].1.checked_add(by)?,
                Err(at) => terms.insert(at, (sym, by)),
            }
        }
        terms.retain(|(_, by)| *by != 0);
        Some(Linear {
            constant: self.constant.checked_add(constant)?,
            terms,
        })
    }

    /// So many times this.
    pub fn times(&self, factor: i128) -> Option<Linear> {
        Linear::default().plus(self, factor)
    }
}

/// A value of one lane.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// An integer.
    Int(Linear),
    /// A floating-point number that is known.
    Float(f64),
    /// A truth that holds if this number, which is not known, is large.
    Likely(bool, Sym),
    /// An address: an object and bytes from its start.
    Pointer(Object, Linear),
    /// It differs between lanes by what memory holds.
    Data,
    /// It may differ between lanes, in a way that depends on a number that is not known.
    Open(Sym),
}

impl Value {
    /// A known integer.
    pub fn int(value: i128) -> Self {
        Value::Int(Linear::constant(value))
    }

    /// The integer, if it is known.
    pub fn known(&self) -> Option<i128> {
        match self {
            Value::Int(linear) => linear.known(),
            _ => None,
        }
    }

    /// Whether two lanes that hold this hold the same.
    pub fn is_one(&self) -> bool {
        !matches!(self, Value::Data | Value::Open(_))
    }
}

/// What an address points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Object {
    /// What a pointer parameter of the kernel points to, by the parameter's index.
    Argument(usize),
    /// A variable: of a call, by its number, or of the program.
    Variable(u32, VarRef),
    /// It is not known.
    Unknown,
}
