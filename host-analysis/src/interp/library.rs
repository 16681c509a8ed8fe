//! Functions of the C and C++ libraries.

use std::rc::Rc;

use super::code::Arg;
use super::functions::{self, Effect};
use super::lvalue::Target;
use super::{Code, Interp};
use crate::arith;
use crate::number::Num;
use crate::syntax::ast::ExprId;
use crate::text::Text;
use crate::value::{Sym, Val};

/// What the functions that format return.
const FORMATTED: &str = "the length of a formatted string";
/// Most texts that one call formats, depending on the path.
const MOST_FORMATTED: usize = 16;

impl<'a> Interp<'a> {
    /// A function of the library; nothing if it is not known.
    pub(super) fn library(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        name: &str,
        args: &[Arg<'a>],
    ) -> Option<Val> {
        let name = name.strip_prefix("std::").unwrap_or(name);
        // `min<size_t>`
        let name = name.split_once('<').map_or(name, |(name, _)| name);
        if functions::reads_only(name) {
            let values = self.values(args);
            let known = match (functions::effect(name), &values[..]) {
                (Effect::Number, [text]) => self.number_in(text),
                (Effect::Date, _) => Some(Val::text(Text::date())),
                _ => None,
            };
            return Some(known.unwrap_or_else(|| {
                self.result(code, id, "the result of a function of the library")
            }));
        }
        if name.starts_with("istreambuf_iterator") || name.starts_with("istream_iterator") {
            let values = self.values(args);
            return Some(values.into_iter().next().unwrap_or(Val::Unset));
        }
        match functions::effect(name) {
            Effect::Line if args.len() == 2 => Some(self.read_line(code, id, args)),
            Effect::Unknown | Effect::Number | Effect::Returns | Effect::Line | Effect::Date => {
                None
            }
            Effect::Ends => {
                self.values(args);
                self.state.reachable = false;
                Some(Val::Unset)
            }
            Effect::SetBytes { zero } => Some(self.set_bytes(zero, args)),
            Effect::CopyBytes => Some(self.copy_bytes(args)),
            Effect::Math { base, single } => self.math(code, name, (base, single), args),
            effect => {
                let values = self.values(args);
                self.library_effect(code, id, effect, &values)
            }
        }
    }

    /// What a function does whose arguments have these values.
    fn library_effect(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        effect: Effect,
        values: &[Val],
    ) -> Option<Val> {
        let first = values.first();
        Some(match effect {
            Effect::Allocate { zeros } => self.allocated(code, id, zeros),
            Effect::Reallocate => match first {
                Some(Val::Null) | None => self.allocated(code, id, false),
                Some(old) => old.clone(),
            },
            Effect::Open => first.map_or(Val::Unset, |name| self.opened(name)),
            Effect::Read {
                to,
                file,
                args,
                result,
            } => {
                if values.len() == args {
                    self.read_into(&values[to], &values[file]);
                }
                self.result(code, id, result)
            }
            Effect::Length => match first.and_then(|v| self.chars_of(v)) {
                Some(chars) => Val::size(chars.len() as i128),
                None => self.result(code, id, "the length of a string"),
            },
            Effect::Duplicate => match first.and_then(|v| self.text_of(v)) {
                Some(text) => Val::Text(text),
                None => Val::unknown("a copy of a string that is not followed"),
            },
            Effect::CopyText { bounded, after } => self.copy_text(values, bounded, after),
            Effect::Format { at, list } => {
                let texts = self.format_texts(values, at, list);
                let length = |text: &Text| Some(Val::int(text.len()? as i128));
                let lengths: Option<Vec<Val>> = texts.iter().flatten().map(length).collect();
                let fits = |texts: &Vec<Text>| texts.iter().all(|text| fits(values, at, text));
                self.write_texts(first?, texts.filter(fits));
                let lengths = lengths.into_iter().flatten().reduce(|a, b| a.join(&b));
                lengths.unwrap_or_else(|| self.result(code, id, FORMATTED))
            }
            Effect::NewFormat { list } => {
                let texts = self.format_texts(values, 1, list);
                let each = texts.into_iter().flatten().map(Val::text);
                match (first?, each.reduce(|a, b| a.join(&b))) {
                    (Val::Pointer(location), Some(text)) => self.put(location, text),
                    (to, _) => self.havoc_pointee(to, "a text that is not followed"),
                }
                self.result(code, id, FORMATTED)
            }
            Effect::Print => match first {
                Some(Val::Int(v, _)) => Val::text(Text::literal(&v.to_string(), None)),
                _ => Val::unknown("a number as a string"),
            },
            Effect::Text => {
                let text = match values {
                    [] => Some(Val::text(Text::default())),
                    [one] => self.one_of_texts(one),
                    [Val::File(name), _] => Some(Val::text(Text::file(name))),
                    _ => None,
                };
                text.unwrap_or_else(|| Val::unknown("a string that is not followed"))
            }
            _ => return None,
        })
    }

    /// `atoi(text)`.
    fn number_in(&self, text: &Val) -> Option<Val> {
        let number: i32 = self.chars_of(text)?.trim().parse().ok()?;
        Some(Val::int(i128::from(number)))
    }

    /// A pointer to new memory.
    fn allocated(&mut self, code: &Code<'a>, id: ExprId, zeros: bool) -> Val {
        let location = self.heap(code.site(code.ast().expr(id).span));
        let content = if zeros { Val::Zero } else { Val::Unset };
        self.state.set(&location, content);
        Val::Pointer(location.index(0))
    }

    /// `getline(stream, text)`.
    fn read_line(&mut self, code: &Code<'a>, id: ExprId, args: &[Arg<'a>]) -> Val {
        let file = self.eval(&args[0].0, args[0].1);
        if let Target::Location(location) = self.plain_target(&args[1].0, args[1].1) {
            match file {
                Val::File(name) => self.put(&location, Val::text(Text::line(&name))),
                _ => self.set_unknown(&location, "a line of a stream"),
            }
        }
        self.result(code, id, "whether a line was read")
    }

    /// `strcpy(to, from)` and its like.
    fn copy_text(&mut self, values: &[Val], bounded: bool, after: bool) -> Val {
        let [to, from, ..] = values else {
            return Val::Unset;
        };
        let most = values.get(2).and_then(Val::as_int);
        let whole = |text: &Rc<Text>| match bounded {
            true => text.chars().zip(most).is_some_and(|(chars, most)| {
                let len = chars.len() as i128;
                len < most || after && len == most
            }),
            false => true,
        };
        let mut texts = self.texts_of(from).filter(|all| all.iter().all(whole));
        if after {
            texts = self.texts_of(to).zip(texts).map(|(before, texts)| {
                let each = before.iter().flat_map(|before| {
                    let joined = texts.iter().map(|text| Rc::new(before.followed_by(text)));
                    joined.collect::<Vec<_>>()
                });
                each.collect()
            });
        }
        let texts = texts.map(|all| all.iter().map(|text| (**text).clone()).collect());
        self.write_texts(to, texts);
        to.clone()
    }

    /// What `sprintf(to, format, ..)` or `snprintf(to, room, format, ..)` writes if there is room;
    /// nothing if some of it is not known. The format stands at an index.
    fn format_texts(&self, values: &[Val], at: usize, list: bool) -> Option<Vec<Text>> {
        let format = values.get(at)?;
        let values = match (list, &values[at + 1..]) {
            (false, values) => values,
            (true, [Val::Tuple(values)]) => values,
            (true, _) => return None,
        };
        let mut all = vec![Vec::new()];
        for value in values {
            let choices = self.choices(value);
            all = appended(&all, &choices);
            if all.len() > MOST_FORMATTED {
                return None;
            }
        }
        let formats = self.all_chars_of(format)?;
        let each = formats.iter().flat_map(|format| {
            let texts = all.iter().map(|values| self.formatted(format, values));
            texts.collect::<Vec<_>>()
        });
        each.collect()
    }

    /// What a value may be that is formatted.
    fn choices(&self, value: &Val) -> Vec<Val> {
        match (value, self.texts_of(value)) {
            (Val::OneOf(all), None) => all.clone(),
            (_, Some(texts)) if texts.len() > 1 => texts.into_iter().map(Val::Text).collect(),
            _ => vec![value.clone()],
        }
    }

    /// What printf writes; nothing if some of it is not known.
    fn formatted(&self, format: &str, values: &[Val]) -> Option<Text> {
        let mut text = Text::default();
        let mut values = values.iter();
        let mut rest = format;
        while let Some(at) = rest.find('%') {
            text.append(&Text::literal(&rest[..at], None));
            let spec = &rest[at + 1..];
            let end =
                spec.find(|c: char| c.is_ascii_alphabetic() && !"hlzjtL".contains(c) || c == '%')?;
            let conversion = spec[end..].chars().next()?;
            let flags = spec[..end].trim_end_matches(['h', 'l', 'z', 'j', 't', 'L']);
            rest = &spec[end + 1..];
            let piece = match conversion {
                '%' => Text::literal("%", None),
                's' if flags.is_empty() => (*self.text_of(values.next()?)?).clone(),
                'c' if flags.is_empty() => {
                    let byte = u8::try_from(values.next()?.as_int()?).ok()?;
                    Text::literal(&(byte as char).to_string(), None)
                }
                'd' | 'i' | 'u' | 'x' => {
                    let value = values.next()?.as_int()?;
                    if value < 0 && conversion != 'd' && conversion != 'i' {
                        return None;
                    }
                    let digits = match conversion {
                        'x' => format!("{value:x}"),
                        _ => value.to_string(),
                    };
                    Text::literal(&padded(&digits, flags)?, None)
                }
                'f' => {
                    let value = self.as_double(values.next()?)?;
                    let precision = match flags.strip_prefix('.') {
                        Some(digits) => digits.parse().ok()?,
                        None if flags.is_empty() => 6,
                        None => return None,
                    };
                    Text::literal(&format!("{value:.precision$}"), None)
                }
                _ => return None,
            };
            text.append(&piece);
        }
        text.append(&Text::literal(rest, None));
        Some(text)
    }

    fn math(
        &mut self,
        code: &Code<'a>,
        name: &str,
        (base, single): (&str, bool),
        args: &[Arg<'a>],
    ) -> Option<Val> {
        if !(1..=2).contains(&args.len()) {
            return None;
        }
        let values = self.values(args);
        let mut all = vec![Vec::new()];
        for value in &values {
            all = appended(&all, value.alternatives());
        }
        let cpp = self.program.is_cpp(code);
        all.into_iter()
            .map(|values| match folded(base, single, cpp, &values) {
                Some(value) => value,
                None => self.symbolic_call(name, base, single, &values),
            })
            .reduce(|a, b| a.join(&b))
    }

    fn symbolic_call(&mut self, name: &str, base: &str, single: bool, values: &[Val]) -> Val {
        let mut ty = match base {
            "min" | "max" | "abs" | "labs" => None,
            _ if single => Some(Num::Float),
            _ => Some(Num::Double),
        };
        for value in values {
            match value {
                Val::Sym(sym) if matches!(base, "min" | "max") => ty = sym.ty,
                Val::Unknown(_) => return value.clone(),
                Val::Sym(_) | Val::Int(..) | Val::Float(_) | Val::Double(_) => {}
                _ => return Val::unknown(format!("the result of `{name}`")),
            }
        }
        Sym::call(name, base, values, ty)
    }
}

/// Whether a text has room where `snprintf` writes it.
fn fits(values: &[Val], at: usize, text: &Text) -> bool {
    let room = || values[1].as_int().zip(text.len());
    at == 1 || room().is_some_and(|(room, length)| (length as i128) < room)
}

/// Lists of values, each with each of these after it.
fn appended(all: &[Vec<Val>], choices: &[Val]) -> Vec<Vec<Val>> {
    let longer = |known: &Vec<Val>| {
        let known = known.clone();
        let each = choices.iter();
        each.map(move |v| [known.clone(), vec![v.clone()]].concat())
            .collect::<Vec<_>>()
    };
    all.iter().flat_map(longer).collect()
}

fn padded(digits: &str, flags: &str) -> Option<String> {
    if flags.is_empty() {
        return Some(digits.to_string());
    }
    let zero = flags.starts_with('0');
    let width: usize = flags.parse().ok()?;
    let fill = if zero { '0' } else { ' ' };
    let missing = width.saturating_sub(digits.len()).min(64);
    if zero && digits.starts_with('-') {
        return None;
    }
    Some(fill.to_string().repeat(missing) + digits)
}

/// A function of numbers on constants.
fn folded(base: &str, single: bool, cpp: bool, values: &[Val]) -> Option<Val> {
    use crate::syntax::ast::BinaryOp;
    if let ("min" | "max", [a, b]) = (base, values) {
        let less = arith::binary(BinaryOp::Lt, a, b).truth()?;
        return Some(if less == (base == "min") {
            a.clone()
        } else {
            b.clone()
        });
    }
    if let ("abs" | "labs", [Val::Int(v, ty)]) = (base, values) {
        return Some(Val::Int(v.abs(), *ty));
    }
    let numbers: Option<Vec<f64>> = values
        .iter()
        .map(|v| v.convert(Num::Double).number())
        .collect();
    let numbers = numbers?;
    let result = match (base, &numbers[..]) {
        ("ceil", [x]) => x.ceil(),
        ("floor", [x]) => x.floor(),
        ("round", [x]) => x.round(),
        ("trunc", [x]) => x.trunc(),
        ("sqrt", [x]) => x.sqrt(),
        ("fabs", [x]) => x.abs(),
        ("abs", [x]) if cpp => x.abs(),
        ("pow", [x, y]) if y.fract() == 0.0 && y.abs() < 64.0 => exact_power(*x, *y as i32)?,
        ("log2", [x])
            if *x >= 1.0 && *x < 1e15 && (*x as u64).is_power_of_two() && x.fract() == 0.0 =>
        {
            f64::from((*x as u64).trailing_zeros())
        }
        ("fmin", [x, y]) => x.min(*y),
        ("fmax", [x, y]) => x.max(*y),
        _ => return None,
    };
    let argument_single = matches!(values[0], Val::Float(_));
    Some(match single || cpp && argument_single {
        true => Val::Float(f64::from(result as f32)),
        false => Val::Double(result),
    })
}

/// A power whose value is an integer without rounding.
fn exact_power(base: f64, exponent: i32) -> Option<f64> {
    const EXACT: f64 = 9e15;
    let power = base.abs().powi(exponent);
    let exact = base.fract() == 0.0 && exponent >= 0 && power < EXACT;
    exact.then(|| base.powi(exponent))
}
