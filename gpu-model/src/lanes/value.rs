//! What is known of a lane's value: numbers, numbers plus what nobody knows, addresses.

use std::ops::Deref;
use std::rc::Rc;

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

/// Unknown numbers in ascending order, with multiples other than 0. Lanes share them.
#[derive(Clone, Debug, Default)]
pub struct Terms(Option<Rc<[(Sym, i128)]>>);

impl Deref for Terms {
    type Target = [(Sym, i128)];

    fn deref(&self) -> &Self::Target {
        self.0.as_deref().unwrap_or_default()
    }
}

impl PartialEq for Terms {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(a), Some(b)) => Rc::ptr_eq(a, b) || a == b,
            _ => false,
        }
    }
}

impl Eq for Terms {}

impl FromIterator<(Sym, i128)> for Terms {
    fn from_iter<T: IntoIterator<Item = (Sym, i128)>>(all: T) -> Self {
        let all: Vec<(Sym, i128)> = all.into_iter().collect();
        Terms((!all.is_empty()).then(|| all.into()))
    }
}

/// The most unknown numbers in a value: what loops multiply up has ever more of them, and says nothing any more.
pub const MOST_TERMS: usize = 32;

impl Terms {
    /// These plus `times` others; `None` where numbers or their count become too large.
    fn plus(&self, other: &Terms, times: i128) -> Option<Terms> {
        match (&self.0, &other.0) {
            (_, None) => return Some(self.clone()),
            (None, Some(_)) if times == 1 => return Some(other.clone()),
            _ if times == -1 && self == other => return Some(Terms::default()),
            _ => {}
        }
        let mut terms = self.to_vec();
        for &(sym, by) in other.iter() {
            let by = by.checked_mul(times)?;
            match terms.binary_search_by_key(&sym, |(sym, _)| *sym) {
                Ok(at) => terms[at].1 = terms[at].1.checked_add(by)?,
                Err(at) => terms.insert(at, (sym, by)),
            }
        }
        terms.retain(|(_, by)| *by != 0);
        (terms.len() <= MOST_TERMS).then(|| terms.into_iter().collect())
    }
}

/// A constant plus multiples of unknown numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Linear {
    /// The constant.
    pub constant: i128,
    /// The unknown numbers.
    pub terms: Terms,
}

impl Linear {
    /// A constant.
    pub fn constant(constant: i128) -> Self {
        Linear {
            constant,
            terms: Terms::default(),
        }
    }

    /// A symbol.
    pub fn sym(sym: Sym) -> Self {
        Linear {
            constant: 0,
            terms: [(sym, 1)].into_iter().collect(),
        }
    }

    /// The number, if it is known.
    pub fn known(&self) -> Option<i128> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// This plus `times` another; `None` where numbers, or the count of unknown ones, become too large.
    pub fn plus(&self, other: &Linear, times: i128) -> Option<Linear> {
        let constant = other.constant.checked_mul(times)?;
        Some(Linear {
            constant: self.constant.checked_add(constant)?,
            terms: self.terms.plus(&other.terms, times)?,
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
