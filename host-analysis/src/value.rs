//! Abstract values of the host: constants, texts, pointers, OpenCL objects, symbolic expressions,
//! and unknown values with the reason why they are unknown.

use std::rc::Rc;

use fpgacc_frontend::source::Span;
use fpgacc_launch_facts::ArgValue;

use crate::location::{MemoryLocation, ObjectId, Root};
use crate::number::{IntType, Num};
use crate::syntax::ast::{BinaryOp, UnaryOp};
use crate::text::Text;

/// Most numbers that a loop chooses among.
const MOST_CHOICES: usize = 4;

/// A kernel argument that is set.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Argument {
    pub fact: ArgValue,
    /// The highest number of an atom in its value.
    pub newest_atom: u32,
    /// The activation of the loop from whose iterations it may differ, if it is no number; else 0.
    pub differs_in: u32,
    /// The bytes that the call passes, if they are a constant.
    pub bytes: Option<u64>,
    /// The call that sets it.
    pub site: Span,
}

/// A lambda with what it captured.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Closure {
    /// Its function's host, part and index.
    pub function: (usize, usize, usize),
    /// What names stand for inside.
    pub captures: Vec<(Rc<str>, MemoryLocation)>,
    /// The object that `this` is, and its class.
    pub this: Option<MemoryLocation>,
    pub class: Option<Rc<str>>,
}

/// A symbolic number: an expression over values that are not known at compile time. Two are equal
/// if they are the same number; they may be spelled in different ways. `symbol.rs` makes them.
#[derive(Clone, Debug)]
pub(crate) struct Sym {
    /// The name of a value, or of a function as the host spells it.
    pub name: Rc<str>,
    /// It has no name of a variable yet.
    pub unnamed: bool,
    /// Its type, if known.
    pub ty: Option<Num>,
    /// Where the value comes from.
    pub why: Rc<str>,
    /// The statement that it comes from, if it is an atom.
    pub at: Option<Span>,
    /// What it is made of.
    pub form: Form,
    /// Bytes of its spelling.
    pub len: usize,
    /// Equal values have equal ones.
    pub hash: u64,
    /// The highest number of an atom in it.
    pub newest: u32,
}

/// What a symbolic number is made of.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    /// A value that only the run gives, with its number: later ones have higher numbers.
    Atom(u32),
    /// `+`, `-`, `!` or `~`.
    Unary(UnaryOp, Val),
    Binary(BinaryOp, Val, Val),
    /// Converted to a type.
    Cast(Val, Num),
    /// The result of a function of the C library, by its name without `std::` and `f`.
    Call(Rc<str>, Vec<Val>),
}

impl Form {
    /// The numbers that it is made of.
    pub fn operands(&self) -> impl Iterator<Item = &Val> {
        let (first, second, rest) = match self {
            Form::Atom(_) => (None, None, &[][..]),
            Form::Unary(_, a) | Form::Cast(a, _) => (Some(a), None, &[][..]),
            Form::Binary(_, a, b) => (Some(a), Some(b), &[][..]),
            Form::Call(_, args) => (None, None, &args[..]),
        };
        first.into_iter().chain(second).chain(rest)
    }
}

/// An abstract value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Val {
    /// Not set yet: reading it has no meaning.
    Unset,
    /// All bytes zero, of an array or struct.
    Zero,
    Int(i128, IntType),
    Float(f64),
    Double(f64),
    Null,
    /// A text, or a pointer to one.
    Text(Rc<Text>),
    Pointer(MemoryLocation),
    /// A pointer to a part that is not known of a variable or object.
    Into(Root),
    /// An OpenCL object's handle.
    Handle(ObjectId),
    /// A `FILE *`, file descriptor or stream that reads the file of this name.
    File(Rc<str>),
    /// A function.
    Function(Rc<str>),
    /// A lambda.
    Closure(Rc<Closure>),
    /// What a kernel argument was set to.
    Arg(Rc<Argument>),
    /// Several values in order: the sizes of an `NDRange`.
    Tuple(Rc<[Val]>),
    /// A struct at a location, to be copied.
    Record(MemoryLocation),
    Sym(Rc<Sym>),
    /// One of these.
    OneOf(Vec<Val>),
    Unknown(Rc<str>),
}

/// Most alternatives that are kept apart.
const MOST_ALTERNATIVES: usize = 16;

impl Val {
    pub fn unknown(reason: impl AsRef<str>) -> Val {
        Val::Unknown(Rc::from(reason.as_ref()))
    }

    pub fn int(value: i128) -> Val {
        Val::Int(value, IntType::INT)
    }

    pub fn size(value: i128) -> Val {
        Val::Int(value, IntType::SIZE)
    }

    pub fn bool(value: bool) -> Val {
        Val::int(i128::from(value))
    }

    pub fn text(text: Text) -> Val {
        Val::Text(Rc::new(text))
    }

    /// Whether it is one of few whole numbers, as a loop chooses them: `if (..) size = 256;`. What counts has more
    /// after the next round.
    pub fn is_choice(&self) -> bool {
        let all = self.alternatives();
        all.len() <= MOST_CHOICES && all.iter().all(|v| matches!(v, Val::Int(..)))
    }

    /// Alternatives, as a slice of one or more.
    pub fn alternatives(&self) -> &[Val] {
        match self {
            Val::OneOf(all) => all,
            one => std::slice::from_ref(one),
        }
    }

    /// Whether it is something that can be called.
    pub fn is_function(&self) -> bool {
        matches!(self, Val::Function(_) | Val::Closure(_))
    }

    pub fn is_unknown(&self) -> bool {
        matches!(self, Val::Unknown(_))
    }

    fn as_f64(&self) -> Option<f64> {
        match self {
            Val::Int(v, _) => Some(*v as f64),
            Val::Float(v) | Val::Double(v) => Some(*v),
            _ => None,
        }
    }

    pub fn number(&self) -> Option<f64> {
        self.as_f64()
    }

    pub fn as_int(&self) -> Option<i128> {
        match self {
            Val::Int(v, _) => Some(*v),
            _ => None,
        }
    }

    /// Whether the value is true as a condition, if that is known. Handles and the results of
    /// allocations may be NULL.
    pub fn truth(&self) -> Option<bool> {
        match self {
            Val::Int(v, _) => Some(*v != 0),
            Val::Float(v) | Val::Double(v) => Some(*v != 0.0),
            Val::Null => Some(false),
            Val::Text(_) | Val::Function(_) => Some(true),
            Val::Pointer(location) if location.is_variable() => Some(true),
            Val::OneOf(all) => {
                let first = all.first()?.truth()?;
                all.iter()
                    .all(|v| v.truth() == Some(first))
                    .then_some(first)
            }
            _ => None,
        }
    }

    /// Whether two values are the same in all that can be known of them, but for the
    /// reason why they are unknown. (Symbolic values that are equal may be spelled in different
    /// ways.)
    pub fn is_alike(&self, other: &Val) -> bool {
        match (self, other) {
            (Val::Unknown(_), Val::Unknown(_)) => true,
            (Val::Sym(a), Val::Sym(b)) => a.is_identical(b),
            (Val::OneOf(a), Val::OneOf(b)) => Val::all_alike(a, b),
            (Val::Tuple(a), Val::Tuple(b)) => Val::all_alike(a, b),
            (Val::Float(a), Val::Float(b)) | (Val::Double(a), Val::Double(b)) => {
                a.to_bits() == b.to_bits()
            }
            (a, b) => a == b,
        }
    }

    /// [`Val::is_alike`] for each two of them.
    pub fn all_alike(a: &[Val], b: &[Val]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_alike(b))
    }

    /// The value as another run of the same code may find it. Symbols and loops of one run mean
    /// nothing in another; without their numbers, equal values of all runs are equal.
    pub fn at_other_times(&self) -> Val {
        let symbol = self.alternatives().iter().find_map(|v| match v {
            Val::Sym(symbol) => Some(symbol),
            _ => None,
        });
        if let Some(symbol) = symbol {
            return Val::unknown(&*symbol.why);
        }
        match self {
            Val::Arg(argument) => Val::Arg(Rc::new(Argument {
                fact: argument.fact.clone(),
                newest_atom: 0,
                differs_in: 0,
                bytes: argument.bytes,
                site: argument.site,
            })),
            Val::OneOf(all) => {
                let mut all = all.iter().map(Val::at_other_times);
                let first = all.next().unwrap_or(Val::Unset);
                all.fold(first, |a, b| a.join(&b))
            }
            Val::Tuple(all) => Val::Tuple(all.iter().map(Val::at_other_times).collect()),
            other => other.clone(),
        }
    }

    /// The value with other symbols: those with numbers above the first number given are numbered
    /// from the second on.
    pub fn renumbered(&self, numbers: (u32, u32)) -> Val {
        let all = |values: &[Val]| values.iter().map(|v| v.renumbered(numbers)).collect();
        match self {
            Val::Sym(sym) => Val::Sym(sym.renumbered(numbers)),
            Val::OneOf(values) => Val::OneOf(all(values)),
            Val::Tuple(values) => Val::Tuple(all(values).into()),
            other => other.clone(),
        }
    }

    /// The value as people would write it, for reasons.
    pub fn describe(&self) -> String {
        match self {
            Val::Unset => "not set".to_string(),
            Val::Zero => "zero".to_string(),
            Val::Int(v, _) => v.to_string(),
            Val::Float(v) | Val::Double(v) => v.to_string(),
            Val::Null => "NULL".to_string(),
            Val::Text(_) => "a string".to_string(),
            Val::Pointer(_) => "a pointer".to_string(),
            Val::Into(_) => "a pointer to an element that is not known".to_string(),
            Val::Handle(_) => "an OpenCL object".to_string(),
            Val::File(name) => format!("the file `{name}`"),
            Val::Function(name) => format!("the function `{name}`"),
            Val::Closure(_) => "a lambda".to_string(),
            Val::Arg(_) => "a kernel argument".to_string(),
            Val::Tuple(all) => {
                let all: Vec<_> = all.iter().map(Val::describe).collect();
                format!("({})", all.join(", "))
            }
            Val::Record(_) => "a struct".to_string(),
            Val::Sym(sym) => format!("`{}`", sym.text()),
            Val::OneOf(all) => {
                let all: Vec<_> = all.iter().map(Val::describe).collect();
                all.join(" or ")
            }
            Val::Unknown(_) => "an unknown value".to_string(),
        }
    }

    /// The value where two paths meet.
    pub fn join(&self, other: &Val) -> Val {
        match (self, other) {
            (a, b) if a == b => a.clone(),
            (Val::Unset, v) | (v, Val::Unset) => v.clone(),
            (Val::Unknown(reason), _) | (_, Val::Unknown(reason)) => Val::Unknown(reason.clone()),
            (Val::Int(a, t), Val::Int(b, u)) if a == b => Val::Int(*a, t.common(*u)),
            (Val::Tuple(a), Val::Tuple(b)) if a.len() == b.len() => {
                Val::Tuple(a.iter().zip(&**b).map(|(a, b)| a.join(b)).collect())
            }
            _ => {
                let mut all: Vec<Val> = self.alternatives().to_vec();
                for value in other.alternatives() {
                    if !all.contains(value) {
                        all.push(value.clone());
                    }
                }
                if all.len() > MOST_ALTERNATIVES {
                    if let Some(root) = one_root(&all) {
                        return Val::Into(root);
                    }
                    return Val::unknown("has many different values, depending on the path");
                }
                match all.len() {
                    1 => all.remove(0),
                    _ => Val::OneOf(all),
                }
            }
        }
    }

    /// The value converted to a type of numbers.
    pub fn convert(&self, to: Num) -> Val {
        match (self, to) {
            (Val::Int(v, _), Num::Int(t)) => Val::Int(t.wrap(*v), t),
            (Val::Int(v, _), Num::Float) => Val::Float(f64::from(*v as f32)),
            (Val::Int(v, _), Num::Double) => Val::Double(*v as f64),
            (Val::Float(v) | Val::Double(v), Num::Int(t)) => {
                let whole = v.trunc();
                if t == IntType::BOOL {
                    return Val::Int(i128::from(*v != 0.0), t);
                }
                match whole.abs() < 1e19 && t.holds(whole as i128) {
                    true => Val::Int(whole as i128, t),
                    false => Val::unknown("a floating-point value does not fit an integer"),
                }
            }
            (Val::Float(v) | Val::Double(v), Num::Float) => Val::Float(f64::from(*v as f32)),
            (Val::Float(v) | Val::Double(v), Num::Double) => Val::Double(*v),
            (Val::OneOf(all), to) => all
                .iter()
                .map(|v| v.convert(to))
                .reduce(|a, b| a.join(&b))
                .unwrap_or(Val::Unset),
            (Val::Sym(sym), to) => sym.convert(to),
            (Val::Zero | Val::Null, Num::Int(t)) => Val::Int(0, t),
            (Val::Zero, to) => Val::Int(0, IntType::INT).convert(to),
            (other, _) => other.clone(),
        }
    }
}

/// The variable or object that all pointers point into.
pub(crate) fn one_root(pointers: &[Val]) -> Option<Root> {
    let root = |value: &Val| match value {
        Val::Pointer(location) => Some(location.root),
        Val::Into(root) => Some(*root),
        _ => None,
    };
    let first = root(pointers.first()?)?;
    let same = pointers.iter().all(|p| root(p) == Some(first));
    same.then_some(first)
}
