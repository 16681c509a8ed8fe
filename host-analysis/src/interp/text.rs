//! Texts: strings of characters in C and C++, and the files that they are read from.

use std::rc::Rc;

use super::code::Arg;
use super::lvalue::Target;
use super::wrappers::named_type;
use super::{Code, Interp};
use crate::location::{MemoryLocation, Step, VarId};
use crate::number::{IntType, Num};
use crate::syntax::ast::{BinaryOp, Designator, ExprId, ExprKind, Type};
use crate::text::{Piece, Text};
use crate::types::{Kind, last_name};
use crate::value::Val;

/// The most alternatives of a string that differ by path: each set of build options is a program
/// to be built.
const MOST_TEXTS: usize = 4;

impl<'a> Interp<'a> {
    /// The text of `char text[] = {"text"}`.
    pub(super) fn text_in_braces(
        &mut self,
        code: &Code<'a>,
        array: &MemoryLocation,
        items: &[(Option<Designator>, ExprId)],
    ) -> Option<Val> {
        let [(None, only)] = items else {
            return None;
        };
        match self.kind_of(&array.index(0))? {
            Kind::Num(Num::Int(int)) if int.bits == 8 => {}
            _ => return None,
        }
        let tree = code.clone();
        let kind = &tree.ast().expr(tree.ast().skip_parens(*only)).kind;
        if !matches!(
            kind,
            ExprKind::Str(_) | ExprKind::Juxtaposed(_) | ExprKind::Name(_)
        ) {
            return None;
        }
        Some(self.eval(code, *only)).filter(|value| matches!(value, Val::Text(_)))
    }

    /// The text that a value is or points to.
    pub(super) fn text_of(&self, value: &Val) -> Option<Rc<Text>> {
        match value {
            Val::Text(text) => Some(text.clone()),
            Val::Pointer(location) => {
                let (at, array) = match location.path.last() {
                    Some(Step::Index(at)) => (usize::try_from(*at).ok()?, location.parent()?),
                    _ => (0, location.clone()),
                };
                if let Some(Val::Text(text)) = self.state.own(location) {
                    return Some(text.clone());
                }
                let parts = match self.is_container(&array) {
                    true => self.has_elements(&array),
                    false => self.state.has_parts(&array),
                };
                if parts {
                    return self.spelled_text(&array, at).map(Rc::new);
                }
                match at {
                    0 => text_in(&self.state.get(&array)),
                    _ => match self.state.get(&array) {
                        Val::Zero => Some(Rc::new(Text::default())),
                        value => Some(Rc::new(text_in(&value)?.suffix(at)?)),
                    },
                }
            }
            _ => None,
        }
    }

    /// The texts that a value may be or point to, depending on the path.
    pub(super) fn texts_of(&self, value: &Val) -> Option<Vec<Rc<Text>>> {
        let now = match value {
            Val::Pointer(location) => self.held_by(location),
            _ => None,
        };
        let all = match (&now, value) {
            (Some(Val::OneOf(all)), _) => all.iter().map(text_in).collect::<Option<Vec<_>>>()?,
            (_, Val::OneOf(all)) => {
                let each: Option<Vec<_>> = all.iter().map(|one| self.texts_of(one)).collect();
                each?.concat()
            }
            _ => vec![self.text_of(value)?],
        };
        (all.len() <= MOST_TEXTS).then_some(all)
    }

    /// A value that is one of the texts which a value may be or point to.
    pub(super) fn one_of_texts(&self, value: &Val) -> Option<Val> {
        one_of(self.texts_of(value)?.into_iter())
    }

    /// What an array holds whose first element a pointer points to, as a whole.
    fn held_by(&self, first: &MemoryLocation) -> Option<Val> {
        let array = match first.path.last() {
            Some(Step::Index(0)) => first.parent()?,
            Some(Step::Index(_)) => return None,
            _ => first.clone(),
        };
        let parts = match self.is_container(&array) {
            true => self.has_elements(&array),
            false => self.state.has_parts(&array),
        };
        (!parts).then(|| self.state.get(&array))
    }

    /// The characters of each of them, as functions of C read them.
    pub(super) fn all_chars_of(&self, value: &Val) -> Option<Vec<String>> {
        let texts = self.texts_of(value)?;
        texts.iter().map(|text| text.up_to_nul().chars()).collect()
    }

    /// The characters of a value up to the first NUL, if they are constant.
    pub(super) fn chars_of(&self, value: &Val) -> Option<String> {
        self.text_of(value)?.up_to_nul().chars()
    }

    /// A character of a known text that a variable points to: `text[i]`, `*text`.
    pub(super) fn character(&mut self, code: &Code<'a>, id: ExprId) -> Option<Val> {
        let tree = code.clone();
        let ast = tree.ast();
        let (base, index) = match ast.expr(id).kind {
            ExprKind::Index(base, index) => (base, Some(index)),
            ExprKind::Deref(base) => (base, None),
            _ => return None,
        };
        let ExprKind::Name(_) = ast.expr(ast.skip_parens(base)).kind else {
            return None;
        };
        let Val::Text(text) = self.plain_value(code, base) else {
            return None;
        };
        let chars = text.up_to_nul().chars().filter(|chars| chars.is_ascii())?;
        let mark = self.state.mark();
        let at = match index {
            Some(index) => self.plain_value(code, index).as_int(),
            None => Some(0),
        };
        let at = at.and_then(|at| usize::try_from(at).ok());
        let Some(at) = at.filter(|at| *at <= chars.len()) else {
            self.state.rollback(mark);
            return None;
        };
        let byte = chars.as_bytes().get(at).copied().unwrap_or(0);
        Some(Val::Int(byte.into(), IntType::CHAR))
    }

    /// Writes a text where a pointer points to.
    pub(super) fn write_text(&mut self, pointer: &Val, text: Option<Text>) {
        self.write_texts(pointer, text.map(|text| vec![text]));
    }

    /// Writes one of several texts.
    pub(super) fn write_texts(&mut self, pointer: &Val, texts: Option<Vec<Text>>) {
        let Val::Pointer(location) = pointer else {
            if !matches!(pointer, Val::Text(_) | Val::Null) {
                self.escape_value(pointer);
                self.havoc_escaped("a text written through a pointer that is not followed");
            }
            return;
        };
        let (at, array) = match (location.path.last(), location.parent()) {
            (Some(Step::Index(at)), Some(array)) => (*at, array),
            _ => (0, location.clone()),
        };
        let before = match at {
            0 => Some(Text::default()),
            _ => {
                let now = self.text_of(&Val::Pointer(array.index(0)));
                let at = usize::try_from(at).ok();
                now.zip(at).and_then(|(now, at)| now.prefix(at))
            }
        };
        let texts = texts.filter(|texts| texts.len() <= MOST_TEXTS);
        let whole = before.zip(texts).and_then(|(before, texts)| {
            let each = texts.iter().map(|text| Val::text(before.followed_by(text)));
            each.reduce(|a, b| a.join(&b))
        });
        match whole {
            Some(whole) => match self.is_container(&array) {
                true => self.set_content(&array, whole),
                false => self.put(&array, whole),
            },
            _ => self.set_unknown(&array, "a text that is not followed"),
        }
    }

    /// Whether an expression is the name of a `std::string`.
    pub(super) fn names_string(&mut self, code: &Code<'a>, id: ExprId) -> bool {
        let tree = code.clone();
        let ExprKind::Name(name) = &tree.ast().expr(tree.ast().skip_parens(id)).kind else {
            return false;
        };
        let location = self.variable(code, name);
        location.is_some_and(|location| self.kind_of(&location) == Some(Kind::String))
    }

    /// Gives a variable whose type is that of its first value the type, if that value is a string or a literal. A
    /// text alone does not tell which.
    pub(super) fn adopt_text_type(&mut self, code: &Code<'a>, variable: VarId, init: ExprId) {
        let info = self.variables.info(variable);
        let is_open = info.kind == Kind::Other && info.ty.base == "auto" && info.ty.dims.is_empty();
        if !is_open || info.ty.pointers > 0 {
            return;
        }
        let literal = matches!(
            code.ast().expr(code.ast().skip_parens(init)).kind,
            ExprKind::Str(_) | ExprKind::Juxtaposed(_)
        );
        let (ty, kind) = match literal {
            true => {
                let mut ty = named_type("char");
                (ty.pointers, ty.is_const) = (1, true);
                (ty, Kind::Pointer)
            }
            false if self.is_string(code, init) => (named_type("std::string"), Kind::String),
            false => return,
        };
        let info = self.variables.info_mut(variable);
        (info.ty, info.kind) = (ty, kind);
    }

    /// Whether an expression is surely a `std::string`.
    fn is_string(&mut self, code: &Code<'a>, id: ExprId) -> bool {
        let names_it = |s: &Self, ty: &Type| s.program.kind(code.host, ty) == Kind::String;
        let tree = code.clone();
        match &tree.ast().expr(tree.ast().skip_parens(id)).kind {
            ExprKind::Name(_) => self.names_string(code, id),
            ExprKind::Construct(ty, _) | ExprKind::Cast(ty, _) => names_it(self, ty),
            ExprKind::Binary(BinaryOp::Add, left, right) => {
                self.is_string(code, *left) || self.is_string(code, *right)
            }
            ExprKind::Conditional(_, one, other) => {
                self.is_string(code, *one) && self.is_string(code, *other)
            }
            ExprKind::Index(..) | ExprKind::Member { .. } => match self.plain_target(code, id) {
                Target::Location(at) => self.kind_of(&at) == Some(Kind::String),
                _ => false,
            },
            ExprKind::Call { callee, args } => {
                let ExprKind::Name(name) = &tree.ast().expr(*callee).kind else {
                    return false;
                };
                match (self.find_function(code, name, args.len()), last_name(name)) {
                    (Some(function), _) => {
                        let result = &self.program.function(function).result;
                        result.pointers == 0 && names_it(self, result)
                    }
                    (None, "to_string") => true,
                    (None, "accumulate") => args.get(2).is_some_and(|of| self.is_string(code, *of)),
                    (None, _) => names_it(self, &named_type(name)),
                }
            }
            _ => false,
        }
    }

    /// `a + b` of strings, or of texts of which it is not known; only to a string a character is
    /// added.
    pub(super) fn concatenation(&self, left: &Val, right: &Val, is_string: bool) -> Option<Val> {
        let is_text = |value: &Val| matches!(value.alternatives(), [Val::Text(_), ..]);
        if !is_text(left) && !is_text(right) {
            return None;
        }
        let right = match character(right).filter(|_| is_string) {
            Some(text) => vec![text],
            None => self.texts_of(right)?,
        };
        joined(&self.texts_of(left)?, &right)
    }

    /// A chain of `<<` or `>>` on a stream; nothing if it is none.
    pub(super) fn stream(
        &mut self,
        code: &Code<'a>,
        first: ExprId,
        op: BinaryOp,
        operands: &[ExprId],
    ) -> Option<Val> {
        if !self.program.is_cpp(code) {
            return None;
        }
        let tree = code.clone();
        let location = match &tree.ast().expr(first).kind {
            ExprKind::Name(name) => match self.variable(code, name) {
                Some(location) => Some(location),
                None if is_standard_stream(name) => None,
                None => return None,
            },
            _ => return None,
        };
        let kind = location.as_ref().and_then(|p| self.kind_of(p));
        if location.is_some()
            && !matches!(
                kind,
                Some(Kind::FileStream | Kind::StringStream | Kind::Other)
            )
        {
            return None;
        }
        if op == BinaryOp::Shr {
            for &operand in operands {
                if let Target::Location(location) = self.plain_target(code, operand) {
                    self.set_unknown(&location, "it is read from a stream");
                }
            }
            return Some(Val::unknown("a stream"));
        }
        for &operand in operands {
            let value = match self.manipulator(code, operand) {
                Some(text) => text,
                None => self.eval(code, operand),
            };
            let Some(location) = location
                .as_ref()
                .filter(|_| kind == Some(Kind::StringStream))
            else {
                continue;
            };
            let now = self.state.get(location);
            let pieces: Option<Vec<_>> = value
                .alternatives()
                .iter()
                .map(|one| self.printed(one))
                .collect();
            let next = self.texts_of(&now).zip(pieces);
            let next = next.and_then(|(now, pieces)| joined(&now, &pieces));
            let next = next.unwrap_or_else(|| Val::unknown("a string that is not followed"));
            self.put(location, next);
        }
        Some(Val::unknown("a stream"))
    }

    /// What a stream writes for `std::endl` or `std::flush`.
    fn manipulator(&mut self, code: &Code<'a>, operand: ExprId) -> Option<Val> {
        let ExprKind::Name(name) = &code.ast().expr(operand).kind else {
            return None;
        };
        let written = match last_name(name) {
            "endl" => "\n",
            "flush" => "",
            _ => return None,
        };
        self.variable(code, name)
            .is_none()
            .then(|| Val::text(Text::literal(written, None)))
    }

    /// What a stream writes for a value.
    fn printed(&self, value: &Val) -> Option<Rc<Text>> {
        match value {
            Val::Int(v, ty) if ty.bits > 8 => Some(Rc::new(Text::literal(&v.to_string(), None))),
            Val::Int(..) => character(value),
            Val::File(name) => Some(Rc::new(Text::file(name))),
            _ => self.text_of(value),
        }
    }

    /// A method of a value that is a string.
    pub(super) fn text_value_method(&mut self, value: &Val, name: &str) -> Option<Val> {
        let texts = self.texts_of(value)?;
        match name {
            "c_str" | "data" | "str" => one_of(texts.into_iter()),
            "size" | "length" => match &texts[..] {
                [text] => text.chars().map(|c| Val::size(c.len() as i128)),
                _ => None,
            },
            _ => None,
        }
    }

    /// A method of a string or stream; nothing if the location is none, or the method is not known.
    pub(super) fn text_method(
        &mut self,
        code: &Code<'a>,
        location: &MemoryLocation,
        name: &str,
        args: &[Arg<'a>],
    ) -> Option<Val> {
        let kind = self.kind_of(location)?;
        let now = self.state.get(location);
        match kind {
            Kind::String => self.string_method(location, now, name, args),
            Kind::StringStream => match (name, args) {
                ("str" | "rdbuf", []) => Some(now),
                ("str", [(arg_code, arg)]) => {
                    let value = self.eval(arg_code, *arg);
                    self.assign_string(location, &value);
                    Some(Val::Unset)
                }
                ("clear" | "good" | "fail" | "precision" | "flush", _) => {
                    Some(Val::unknown("the state of a stream"))
                }
                _ => None,
            },
            Kind::FileStream => match name {
                "open" => {
                    let (arg_code, arg) = args.first()?;
                    let value = self.eval(arg_code, *arg);
                    let file = self.opened(&value);
                    self.put(location, file);
                    Some(Val::Unset)
                }
                "rdbuf" => Some(now),
                "read" => {
                    let values = self.values(args);
                    self.read_into(values.first()?, &now);
                    Some(Val::Unset)
                }
                // It only reads the memory: who passes an object's own members does not give the object away.
                "write" => {
                    self.values(args);
                    self.put(location, Val::unknown("a file that the host writes"));
                    Some(Val::unknown("the state of a file"))
                }
                "is_open" | "good" | "fail" | "eof" | "tellg" | "seekg" | "close" | "bad"
                | "gcount" | "exceptions" | "clear" | "flush" | "tellp" | "seekp" | "precision"
                | "width" | "fill" | "setf" | "unsetf" | "put" => {
                    self.values(args);
                    let text = format!("{}.{name}()", self.spell(location));
                    Some(self.unnamed_atom(text, "the state of a file"))
                }
                _ => None,
            },
            _ => {
                let _ = code;
                None
            }
        }
    }

    fn string_method(
        &mut self,
        location: &MemoryLocation,
        now: Val,
        name: &str,
        args: &[Arg<'a>],
    ) -> Option<Val> {
        match name {
            "c_str" | "data" => Some(self.one_of_texts(&now).unwrap_or(now)),
            "size" | "length" => match self.chars_of(&now) {
                Some(chars) => Some(Val::size(chars.len() as i128)),
                None => Some(self.unnamed_atom(
                    format!("{}.{name}()", self.short(location)),
                    "the length of a string",
                )),
            },
            "empty" => {
                let known = self.chars_of(&now).map(|c| Val::bool(c.is_empty()));
                Some(known.unwrap_or_else(|| Val::unknown("the length of a string")))
            }
            "append" | "operator+=" | "push_back" if args.len() == 1 => {
                let value = self.eval(&args[0].0, args[0].1);
                let joined = self.concatenation(&now, &value, true);
                let joined =
                    joined.unwrap_or_else(|| Val::unknown("a string that is not followed"));
                self.put(location, joined);
                Some(Val::Unset)
            }
            "assign" if args.len() == 1 => {
                let value = self.eval(&args[0].0, args[0].1);
                self.assign_string(location, &value);
                Some(Val::Unset)
            }
            "assign" if args.len() == 2 => {
                self.construct_text(location, args);
                Some(Val::Unset)
            }
            "clear" => {
                self.put(location, Val::text(Text::default()));
                Some(Val::Unset)
            }
            "find" | "rfind" | "substr" | "compare" | "find_first_of" | "find_last_of"
            | "reserve" => {
                self.values(args);
                Some(Val::unknown("a part of a string"))
            }
            _ => None,
        }
    }

    pub(super) fn short(&self, location: &MemoryLocation) -> String {
        let full = self.spell(location);
        full.rsplit("::").next().unwrap_or(&full).to_string()
    }

    fn assign_string(&mut self, location: &MemoryLocation, value: &Val) {
        let value = match (self.one_of_texts(value), value) {
            (Some(text), _) => text,
            (None, Val::File(name)) => Val::text(Text::file(name)),
            (None, Val::Unknown(_)) => value.clone(),
            (None, _) => Val::unknown("a string that is not followed"),
        };
        self.put(location, value);
    }

    /// `string s(..)`, `ifstream f(..)`, `stringstream s(..)`.
    pub(super) fn construct_text(&mut self, location: &MemoryLocation, args: &[Arg<'a>]) {
        let values = self.values(args);
        let kind = self.kind_of(location);
        let value = match (&kind, &values[..]) {
            (Some(Kind::FileStream), [name, ..]) => self.opened(name),
            (Some(Kind::FileStream), []) => Val::Unset,
            (_, []) => Val::text(Text::default()),
            (_, [Val::File(name)] | [Val::File(name), _]) => Val::text(Text::file(name)),
            (Some(Kind::StringStream), [first, ..]) | (_, [first]) => {
                let texts = self.one_of_texts(first);
                texts.unwrap_or_else(|| Val::unknown("a string that is not followed"))
            }
            (_, [first, second]) => {
                let len = second.as_int().and_then(|v| usize::try_from(v).ok());
                let text = self.text_of(first);
                let whole_file = text
                    .as_ref()
                    .is_some_and(|t| matches!(t.pieces[..], [Piece::File(_) | Piece::Line(_)]));
                match (text, len) {
                    (Some(text), _) if whole_file => Val::Text(text),
                    (Some(text), Some(len)) => match text.prefix(len) {
                        Some(text) => Val::text(text),
                        None => Val::unknown("a part of a string"),
                    },
                    _ => Val::unknown("a string that is not followed"),
                }
            }
            _ => Val::unknown("a string that is not followed"),
        };
        self.put(location, value);
    }

    /// A file opened for reading by a name.
    pub(super) fn opened(&self, name: &Val) -> Val {
        match self.chars_of(name) {
            Some(name) => Val::File(Rc::from(name)),
            None => Val::unknown(match name {
                Val::Unknown(reason) => format!("a file whose name is not known: {reason}"),
                _ => "a file whose name is not constant".to_string(),
            }),
        }
    }

    /// Reads from a file to where a pointer points to.
    pub(super) fn read_into(&mut self, pointer: &Val, file: &Val) {
        match (file, pointer) {
            (Val::File(name), _) => self.write_text(pointer, Some(Text::file(name))),
            (Val::Unknown(reason), Val::Pointer(_)) => self.havoc_pointee(pointer, reason),
            _ => self.write_text(pointer, None),
        }
    }
}

/// One of these texts.
fn one_of(texts: impl Iterator<Item = Rc<Text>>) -> Option<Val> {
    texts.map(Val::Text).reduce(|a, b| a.join(&b))
}

/// One of these texts and then one of those; nothing if they are too many.
fn joined(first: &[Rc<Text>], second: &[Rc<Text>]) -> Option<Val> {
    if first.len() * second.len() > MOST_TEXTS {
        return None;
    }
    let each = first.iter().flat_map(|first| {
        let both = second
            .iter()
            .map(|second| Val::text(first.followed_by(second)));
        both.collect::<Vec<_>>()
    });
    each.reduce(|a, b| a.join(&b))
}

/// A character as a text.
fn character(value: &Val) -> Option<Rc<Text>> {
    match value {
        Val::Int(code @ 1..128, ty) if ty.bits == 8 => {
            let text = char::from(*code as u8).to_string();
            Some(Rc::new(Text::literal(&text, None)))
        }
        _ => None,
    }
}

/// The text that a value is, or an array of zeros.
fn text_in(value: &Val) -> Option<Rc<Text>> {
    match value {
        Val::Text(text) => Some(text.clone()),
        Val::Zero => Some(Rc::new(Text::default())),
        _ => None,
    }
}

fn is_standard_stream(name: &str) -> bool {
    let name = name.strip_prefix("std::").unwrap_or(name);
    matches!(name, "cout" | "cerr" | "clog" | "cin" | "wcout" | "wcerr")
}
