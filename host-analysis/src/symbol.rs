//! Symbolic numbers: expressions over values that are not known at compile time. Most of them never
//! reach OpenCL, so making one costs no text: that is written when it is asked for.

use std::fmt::{self, Display, Write};
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use fpgacc_frontend::source::{SourceMap, Span};

use crate::number::{IntType, Num};
use crate::syntax::NameHasher;
use crate::syntax::ast::{BinaryOp, UnaryOp};
use crate::value::{Form, Sym, Val};

/// Longest spelling of a symbolic value.
const LONGEST_SPELLING: usize = 160;

impl PartialEq for Sym {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other, false)
    }
}

impl Sym {
    /// A value that only the run gives.
    pub fn atom(number: u32, name: Rc<str>, ty: Option<Num>, why: Rc<str>) -> Sym {
        Sym::new(Form::Atom(number), name, ty, why)
    }

    /// `op a`.
    pub fn unary(op: UnaryOp, a: &Rc<Sym>) -> Val {
        let ty = match op {
            UnaryOp::Not => Some(Num::Int(IntType::INT)),
            _ => a.ty,
        };
        let form = Form::Unary(op, Val::Sym(a.clone()));
        Sym::new(form, Rc::default(), ty, a.why.clone()).bounded()
    }

    /// `a op b`; the operands are numbers, and one of them is symbolic.
    pub fn binary(op: BinaryOp, a: &Val, b: &Val, ty: Option<Num>) -> Val {
        let why = match (a, b) {
            (Val::Sym(sym), _) | (_, Val::Sym(sym)) => sym.why.clone(),
            _ => Rc::default(),
        };
        let form = Form::Binary(op, a.clone(), b.clone());
        Sym::new(form, Rc::default(), ty, why).bounded()
    }

    /// `name(args)`, where `base` is the function's name without `std::` and `f`; the arguments are
    /// numbers.
    pub fn call(name: &str, base: &str, args: &[Val], ty: Option<Num>) -> Val {
        let form = Form::Call(base.into(), args.to_vec());
        let why = format!("the result of `{name}`").into();
        Sym::new(form, name.into(), ty, why).bounded()
    }

    /// The value in another type. Widening keeps it; everything else makes it another one.
    pub fn convert(self: &Rc<Sym>, to: Num) -> Val {
        if self.ty == Some(to) {
            return Val::Sym(self.clone());
        }
        let form = Form::Cast(Val::Sym(self.clone()), to);
        let mut made = Sym::new(form, Rc::default(), Some(to), self.why.clone());
        made.unnamed = self.unnamed;
        if keeps(self.ty, to) {
            made.at = self.at;
        }
        made.bounded()
    }

    fn new(form: Form, name: Rc<str>, ty: Option<Num>, why: Rc<str>) -> Sym {
        let newest = match form {
            Form::Atom(number) => number,
            _ => form.operands().map(newest_in).max().unwrap_or(0),
        };
        let mut sym = Sym {
            name,
            unnamed: false,
            ty,
            why,
            at: None,
            form,
            len: 0,
            hash: 0,
            newest,
        };
        sym.len = sym.measured();
        sym.hash = sym.hashed();
        sym
    }

    /// The value, unless it is spelled at such length that nobody is helped by it.
    fn bounded(self) -> Val {
        match self.len > LONGEST_SPELLING {
            true => Val::unknown("the expression is too long to be followed"),
            false => Val::Sym(Rc::new(self)),
        }
    }

    /// As the host spells it.
    pub fn text(&self) -> String {
        let mut text = String::with_capacity(self.len);
        // Writing to a string does not fail.
        let _ = self.spell(&mut text);
        text
    }

    /// It is one name or call.
    pub fn is_atom(&self) -> bool {
        match &self.form {
            Form::Atom(_) | Form::Call(..) => true,
            Form::Unary(..) | Form::Binary(..) => false,
            Form::Cast(..) => !self.name.is_empty() || self.shown().is_some_and(Sym::is_atom),
        }
    }

    /// The number that is spelled in place of its conversion.
    fn shown(&self) -> Option<&Sym> {
        match &self.form {
            Form::Cast(Val::Sym(inner), to) if inner.ty.is_none() || keeps(inner.ty, *to) => {
                Some(inner)
            }
            _ => None,
        }
    }

    /// The highest number of an atom in it.
    pub fn newest_atom(&self) -> u32 {
        self.newest
    }

    /// A value that has no name yet gets a variable's.
    pub fn named(&self, name: &str, ty: Num) -> Sym {
        Sym {
            name: name.into(),
            unnamed: false,
            ty: Some(ty),
            len: name.len(),
            ..self.clone()
        }
    }

    /// The value with other atoms: those with numbers above the first number given are numbered
    /// from the second on.
    pub fn renumbered(self: &Rc<Sym>, (above, from): (u32, u32)) -> Rc<Sym> {
        if self.newest <= above {
            return self.clone();
        }
        let again = |value: &Val| value.renumbered((above, from));
        let renumber = |number: u32| match number > above {
            true => number - above + from,
            false => number,
        };
        let mut sym = Sym {
            newest: renumber(self.newest),
            form: match &self.form {
                Form::Atom(number) => Form::Atom(renumber(*number)),
                Form::Unary(op, a) => Form::Unary(*op, again(a)),
                Form::Binary(op, a, b) => Form::Binary(*op, again(a), again(b)),
                Form::Cast(a, to) => Form::Cast(again(a), *to),
                Form::Call(base, args) => {
                    Form::Call(base.clone(), args.iter().map(again).collect())
                }
            },
            ..(**self).clone()
        };
        sym.hash = sym.hashed();
        Rc::new(sym)
    }

    /// Whether the values are equal and spelled alike.
    pub fn is_identical(&self, other: &Sym) -> bool {
        self.is_same(other, true)
    }

    fn is_same(&self, other: &Sym, spelling: bool) -> bool {
        if std::ptr::eq(self, other) {
            return true;
        }
        if self.hash != other.hash
            || spelling
                && (self.name != other.name
                    || self.unnamed != other.unnamed
                    || self.ty != other.ty
                    || self.why != other.why)
        {
            return false;
        }
        let (a, b) = match spelling {
            true => (self, other),
            false => (self.kept(), other.kept()),
        };
        let same = |x: &Val, y: &Val| match (x, y) {
            (Val::Sym(x), Val::Sym(y)) => x.is_same(y, spelling),
            (Val::Int(x, t), Val::Int(y, u)) => x == y && t == u,
            (Val::Float(x), Val::Float(y)) | (Val::Double(x), Val::Double(y)) => {
                x.to_bits() == y.to_bits()
            }
            _ => false,
        };
        match (&a.form, &b.form) {
            (Form::Atom(x), Form::Atom(y)) => x == y,
            (Form::Unary(p, x), Form::Unary(q, y)) => p == q && same(x, y),
            (Form::Binary(p, x, y), Form::Binary(q, z, w)) => p == q && same(x, z) && same(y, w),
            (Form::Cast(x, t), Form::Cast(y, u)) => t == u && same(x, y),
            (Form::Call(f, xs), Form::Call(g, ys)) => {
                let mut pairs = xs.iter().zip(ys);
                // Constants are converted to what the function takes.
                let alike = |x: &Val, y: &Val| x.number().is_some() && x.describe() == y.describe();
                (f == g && a.name == b.name && xs.len() == ys.len())
                    && pairs.all(|(x, y)| same(x, y) || alike(x, y))
            }
            _ => false,
        }
    }

    /// The number before conversions that keep it.
    fn kept(&self) -> &Sym {
        let mut kept = self;
        while let Form::Cast(Val::Sym(inner), to) = &kept.form
            && keeps(inner.ty, *to)
        {
            kept = inner;
        }
        kept
    }

    fn hashed(&self) -> u64 {
        let mut hasher = NameHasher::default();
        let value = |value: &Val, hasher: &mut NameHasher| match value {
            Val::Sym(sym) => sym.hash.hash(hasher),
            Val::Int(v, ty) => (*v as u64, ty.bits, ty.signed).hash(hasher),
            other => other.number().map(f64::to_bits).hash(hasher),
        };
        match &self.form {
            Form::Atom(number) => number.hash(&mut hasher),
            Form::Unary(op, a) => {
                (*op as u8).hash(&mut hasher);
                value(a, &mut hasher);
            }
            Form::Binary(op, a, b) => {
                value(a, &mut hasher);
                (*op as u8).hash(&mut hasher);
                value(b, &mut hasher);
            }
            Form::Cast(Val::Sym(inner), to) if keeps(inner.ty, *to) => return inner.hash,
            Form::Cast(a, to) => {
                to.hash(&mut hasher);
                value(a, &mut hasher);
            }
            Form::Call(_, args) => {
                self.name.hash(&mut hasher);
                for arg in args {
                    match arg {
                        Val::Sym(sym) => sym.hash.hash(&mut hasher),
                        other => other.number().map(f64::to_bits).hash(&mut hasher),
                    }
                }
            }
        }
        hasher.finish()
    }

    /// The length of its spelling.
    fn measured(&self) -> usize {
        if let Some(shown) = self.shown() {
            return shown.len;
        }
        let operand = |value: &Val| match value {
            Val::Sym(sym) if sym.is_atom() => sym.len,
            Val::Sym(sym) => sym.len + 2,
            other => length(Operand(other)),
        };
        match &self.form {
            Form::Atom(_) => self.name.len(),
            Form::Unary(_, a) => 1 + operand(a),
            Form::Binary(op, a, b) => operand(a) + Right(*op, b).len(&operand),
            Form::Cast(a, to) => 2 + type_name(*to).len() + operand(a),
            Form::Call(_, args) => {
                let each = args.iter().map(|arg| match arg {
                    Val::Sym(sym) => sym.len + 2,
                    other => other.describe().len() + 2,
                });
                self.name.len() + each.sum::<usize>().max(2)
            }
        }
    }

    fn spell(&self, text: &mut impl Write) -> fmt::Result {
        if let Form::Call(_, args) = &self.form {
            write!(text, "{}(", self.name)?;
            for (at, arg) in args.iter().enumerate() {
                if at > 0 {
                    text.write_str(", ")?;
                }
                match arg {
                    Val::Sym(sym) => sym.spell(text)?,
                    other => text.write_str(&other.describe())?,
                }
            }
            return text.write_char(')');
        }
        if !self.name.is_empty() {
            return text.write_str(&self.name);
        }
        if let Some(shown) = self.shown() {
            return shown.spell(text);
        }
        match &self.form {
            Form::Unary(op, a) => {
                let sign = match op {
                    UnaryOp::Plus => '+',
                    UnaryOp::Minus => '-',
                    UnaryOp::Not => '!',
                    UnaryOp::BitNot => '~',
                };
                write!(text, "{sign}{}", Operand(a))
            }
            Form::Binary(op, a, b) => write!(text, "{}{}", Operand(a), Right(*op, b)),
            Form::Cast(a, to) => write!(text, "({}){}", type_name(*to), Operand(a)),
            Form::Atom(_) | Form::Call(..) => Ok(()),
        }
    }
}

/// A number as an operand: in parentheses if it has an operator.
struct Operand<'v>(&'v Val);

impl Display for Operand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Val::Sym(sym) if sym.is_atom() => sym.spell(f),
            Val::Sym(sym) => {
                f.write_char('(')?;
                sym.spell(f)?;
                f.write_char(')')
            }
            Val::Int(v, _) => write!(f, "{v}"),
            Val::Float(v) => write!(f, "{v:?}f"),
            Val::Double(v) => write!(f, "{v:?}"),
            _ => Ok(()),
        }
    }
}

/// An operator with the operand after it.
struct Right<'v>(BinaryOp, &'v Val);

impl Right<'_> {
    /// The length, given that of an operand.
    fn len(&self, operand: &impl Fn(&Val) -> usize) -> usize {
        let shorter = match (self.0, self.1) {
            // The sign is that of the operator.
            (BinaryOp::Add, Val::Int(..0, _)) => 1,
            _ => 0,
        };
        2 + self.0.spelling().len() + operand(self.1) - shorter
    }
}

impl Display for Right<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Right(BinaryOp::Add, Val::Int(negative @ ..0, _)) => write!(f, " - {}", -negative),
            Right(op, value) => write!(f, " {} {}", op.spelling(), Operand(value)),
        }
    }
}

/// How long something is when it is written.
fn length(what: impl Display) -> usize {
    struct Count(usize);
    impl Write for Count {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0 += text.len();
            Ok(())
        }
    }
    let mut count = Count(0);
    // Counting does not fail.
    let _ = write!(count, "{what}");
    count.0
}

/// Why something is not known, and the line where that came about.
pub(crate) fn origin(why: &str, at: Option<Span>, sources: &SourceMap) -> String {
    match at {
        Some(at) if !why.contains(" at ") && !why.ends_with(')') => {
            let at = sources.location(at);
            format!("{why} ({}:{})", at.file, at.line)
        }
        _ => why.to_string(),
    }
}

fn newest_in(value: &Val) -> u32 {
    match value {
        Val::Sym(sym) => sym.newest,
        _ => 0,
    }
}

/// Whether a conversion keeps the number.
fn keeps(from: Option<Num>, to: Num) -> bool {
    match (from, to) {
        (Some(from), to) if from == to => true,
        (Some(Num::Int(from)), Num::Int(to)) => {
            // An `int` as `size_t`: the same number unless it is negative, and then no launch of
            // that size exists.
            to.bits > from.bits || (to.bits == from.bits && from.signed && !to.signed)
        }
        (Some(Num::Float), Num::Double) => true,
        _ => false,
    }
}

/// A name of a type.
pub(crate) fn type_name(to: Num) -> &'static str {
    let Num::Int(t) = to else {
        return match to {
            Num::Float => "float",
            _ => "double",
        };
    };
    match (t.bits, t.signed) {
        (1, _) => "bool",
        (8, true) => "char",
        (8, false) => "unsigned char",
        (16, true) => "short",
        (16, false) => "unsigned short",
        (32, true) => "int",
        (32, false) => "unsigned",
        (_, true) => "long",
        (_, false) => "size_t",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INT: Num = Num::Int(IntType::INT);

    fn name(number: u32, name: &str) -> Val {
        Val::Sym(Rc::new(Sym::atom(
            number,
            name.into(),
            Some(INT),
            "input".into(),
        )))
    }

    fn sym(value: &Val) -> &Rc<Sym> {
        match value {
            Val::Sym(sym) => sym,
            other => panic!("{} is not symbolic", other.describe()),
        }
    }

    fn check(value: &Val, text: &str) {
        assert_eq!(sym(value).text(), text);
        assert_eq!(sym(value).len, text.len());
    }

    fn binary(op: BinaryOp, a: &Val, b: &Val) -> Val {
        Sym::binary(op, a, b, Some(INT))
    }

    #[test]
    fn spelled_as_hosts_do() {
        use BinaryOp::{Add, Mul};
        let (n, m) = (name(1, "n"), name(2, "m[0].x"));
        let sum = binary(Add, &n, &Val::int(15));
        check(&sum, "n + 15");
        check(&binary(Add, &n, &Val::int(-15)), "n - 15");
        check(&binary(Mul, &sum, &m), "(n + 15) * m[0].x");
        check(&binary(Mul, &m, &Val::Float(0.5)), "m[0].x * 0.5f");
        check(&Sym::unary(UnaryOp::Minus, sym(&sum)), "-(n + 15)");
        check(&sum.convert(Num::Double), "(double)(n + 15)");
        check(&sum.convert(Num::Int(IntType::SIZE)), "n + 15");
        let call = Sym::call("fminf", "fmin", &[sum, Val::int(2)], Some(Num::Float));
        check(&call, "fminf(n + 15, 2)");
        check(&binary(Mul, &call, &n), "fminf(n + 15, 2) * n");
        let read = Sym::atom(3, "f()".into(), None, "input".into());
        let read = Val::Sym(Rc::new(Sym {
            unnamed: true,
            ..read
        }))
        .convert(INT);
        check(&read, "f()");
        check(&Val::Sym(Rc::new(sym(&read).named("k", INT))), "k");
    }

    #[test]
    fn equal_if_the_same_number() {
        use BinaryOp::{Add, Sub};
        let (n, m) = (name(1, "n"), name(2, "n"));
        let sum = |a: &Val, op| binary(op, a, &Val::int(1));
        assert!(n != m && sum(&n, Add) == sum(&n, Add));
        assert!(sum(&n, Add) != sum(&m, Add) && sum(&n, Add) != sum(&n, Sub));
        let wide = n.convert(Num::Int(IntType::SIZE));
        assert!(wide == n && !wide.is_alike(&n) && sum(&wide, Add) == sum(&n, Add));
        assert!(n.convert(Num::Float) != n);
        // As another call of the same code has it.
        assert!(sum(&m, Add).renumbered((1, 6)) == sum(&name(7, "n"), Add));
        assert!(sum(&n, Add).renumbered((1, 6)) == sum(&n, Add));
        assert_eq!(sym(&sum(&m, Add).renumbered((1, 6))).newest_atom(), 7);
    }

    #[test]
    fn long_expressions_are_given_up() {
        let mut value = name(1, "n");
        for _ in 0..200 {
            value = match &value {
                Val::Sym(sym) => Sym::call("fmin", "fmin", &[value.clone(), value.clone()], sym.ty),
                _ => break,
            };
        }
        assert!(value.is_unknown());
    }
}
