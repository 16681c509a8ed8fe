//! Expressions: their values, and their effects on the store.

use std::rc::Rc;

use super::code::Arg;
use super::lvalue::Target;
use super::scope::Binding;
use super::{Code, Interp, MAX_NESTING};
use crate::arith;
use crate::location::MemoryLocation;
use crate::number::{IntType, Num};
use crate::syntax::ast::{BinaryOp, ExprId, ExprKind, StmtKind, Type};
use crate::text::Text;
use crate::types::{Kind, last_name};
use crate::value::Val;

/// Longest piece of the host's text that stands in a message.
const LONGEST_QUOTE: usize = 48;

impl<'a> Interp<'a> {
    /// The value of an expression; its effects happen.
    pub(super) fn eval(&mut self, code: &Code<'a>, id: ExprId) -> Val {
        if self.spent(1) {
            return Val::unknown("the host is too large to be followed");
        }
        if self.budget.nesting > MAX_NESTING {
            self.havoc_all("the program is nested too deeply here");
            return Val::unknown("the expression is nested too deeply");
        }
        self.budget.nesting += 1;
        let value = self.eval_inner(code, id);
        self.budget.nesting -= 1;
        value
    }

    fn eval_inner(&mut self, code: &Code<'a>, id: ExprId) -> Val {
        let tree = code.clone();
        let span = tree.ast().expr(id).span;
        match &tree.ast().expr(id).kind {
            ExprKind::Int(word) => arith::int_literal(word),
            ExprKind::Float(word) => arith::float_literal(word),
            ExprKind::Char(value) if self.program.is_cpp(code) => {
                Val::Int(i128::from(*value), IntType::CHAR)
            }
            ExprKind::Char(value) => Val::int(i128::from(*value)),
            ExprKind::Str(text) => Val::text(Text::literal(text, Some(code.site(span)))),
            ExprKind::Juxtaposed(parts) => self.juxtaposed(code, parts),
            ExprKind::Bool(value) => Val::bool(*value),
            ExprKind::Null => Val::Null,
            ExprKind::Name(name) => {
                let value = self.name(code, id, name);
                self.named_read(code, id, value)
            }
            ExprKind::Call { callee, args } => self.call(code, id, *callee, args),
            ExprKind::Unary(op, inner) => {
                let operator = op.spelling();
                self.overloaded(code, format_args!("operator{operator}"), &[*inner]);
                let inner = self.operand_of(code, operator, *inner);
                arith::unary(*op, &inner)
            }
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                self.short_circuit(code, *op, *left, *right)
            }
            ExprKind::Binary(op, left, right) => self.binary(code, *op, *left, *right),
            ExprKind::Assign(op, target, value) => self.assignment(code, *op, *target, *value),
            ExprKind::Step { target, by, prefix } => {
                let operator = if *by > 0 { "++" } else { "--" };
                self.overloaded(code, format_args!("operator{operator}"), &[*target]);
                let target = self.target(code, *target);
                let before = self.load(&target);
                let after = arith::binary(BinaryOp::Add, &before, &Val::int(i128::from(*by)));
                self.store(&target, after);
                if *prefix { self.load(&target) } else { before }
            }
            ExprKind::Conditional(condition, yes, no) => {
                self.conditional(code, *condition, *yes, *no)
            }
            ExprKind::Comma(first, second) => {
                self.eval(code, *first);
                self.eval(code, *second)
            }
            ExprKind::Cast(ty, inner) => {
                let value = match ty.reference || self.is_object_type(code, ty) {
                    true => self.whole_operand(code, *inner),
                    false => self.operand(code, *inner),
                };
                self.cast(code, ty, value)
            }
            ExprKind::SizeofType(ty) => self.sizeof_type(code, ty),
            ExprKind::SizeofExpr(inner) => self.sizeof_expr(code, *inner),
            ExprKind::Index(..) | ExprKind::Member { .. } | ExprKind::Deref(_) => {
                if let Some(character) = self.character(code, id) {
                    return character;
                }
                let target = self.target(code, id);
                let value = self.load(&target);
                self.named_read(code, id, value)
            }
            ExprKind::AddressOf(inner) => self.address(code, *inner),
            ExprKind::Paren(inner) => self.eval(code, *inner),
            ExprKind::InitList(items) => {
                for (_, item) in items {
                    let value = self.eval(code, *item);
                    self.note_pointed(&value);
                }
                Val::unknown("a list of values")
            }
            ExprKind::Construct(ty, args) => self.temporary(code, id, ty, args),
            ExprKind::New { ty, count, args } => self.made_by_new(code, id, (ty, *count, args)),
            ExprKind::Statement(stmt) => self.statement_value(code, *stmt),
            ExprKind::Lambda(lambda) => self.closure(code, lambda),
            ExprKind::Expansion { .. } => {
                let elements = self.expanded(code, id);
                let values = self.values(&elements);
                values.into_iter().next_back().unwrap_or(Val::Unset)
            }
            ExprKind::SizeofPack => match self.walk.frames.last().and_then(|f| f.pack) {
                Some(count) => Val::size(count as i128),
                None => Val::unknown("the size of a parameter pack"),
            },
            ExprKind::Opaque { names, inner } => {
                let visits = self.trace.visits.len();
                for &inner in inner {
                    self.eval(code, inner);
                }
                let site = code.site(code.ast().expr(id).span);
                self.not_understood(code, site, names, visits);
                Val::unknown("an expression that fpgacc does not understand")
            }
        }
    }

    /// The pointer that `new` gives for a type, a number of elements and arguments.
    fn made_by_new(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        (ty, count, args): (&Type, Option<ExprId>, &[ExprId]),
    ) -> Val {
        if let Some(count) = count {
            self.eval(code, count);
        } else if let Kind::Record(_) | Kind::Container(_) | Kind::Wrapper(_) =
            self.program.kind(code.host, ty)
        {
            let location = self.new_object(code, id, ty);
            self.make_object(code, &location, args);
            return Val::Pointer(location);
        }
        for &arg in args {
            self.eval(code, arg);
        }
        let location = self.heap(code.site(code.ast().expr(id).span));
        let content = match !args.is_empty() && ty.pointers == 0 {
            true => Val::unknown("an object of `new`"),
            false => Val::Unset,
        };
        self.state.set(&location, content);
        Val::Pointer(location.index(0))
    }

    /// The text of an expression for messages, shortened.
    pub(super) fn source_text(&self, code: &Code<'a>, id: ExprId) -> Rc<str> {
        let span = code.ast().expr(id).span;
        let mut quotes = self.texts.quotes.borrow_mut();
        let quote = quotes.entry(span);
        let quote = quote.or_insert_with(|| Rc::from(shortened(self.program.sources.text(span))));
        quote.clone()
    }

    pub(super) fn load(&mut self, target: &Target) -> Val {
        match target {
            Target::Location(location) if !self.fits(location) => {
                Val::unknown("it is read as something else than it is")
            }
            Target::Location(location) => self.read(location),
            Target::Element(location) => self.any_element(location),
            Target::Part(location, path) => self.element_parts(location, path),
            Target::OneOf(locations) => locations
                .iter()
                .map(|location| self.read(location))
                .reduce(|a, b| a.join(&b))
                .unwrap_or(Val::Unset),
            Target::Into(_) => Val::unknown("it is read through a pointer that moves"),
            Target::Lost(reason) => Val::unknown(reason),
        }
    }

    fn name(&mut self, code: &Code<'a>, id: ExprId, name: &str) -> Val {
        if let Some((code, inner)) = self.macro_expression(code, id, name) {
            return self.eval(&code, inner);
        }
        if let Some((index, span)) = self.macro_of(code, id, name) {
            // A macro that is no expression.
            self.run_macro(code, index, None, span);
            return Val::unknown(format!("the macro `{name}` is no expression"));
        }
        match self.binding(code, name) {
            Some(Binding::Var(var)) => return self.read(&MemoryLocation::var(var)),
            Some(Binding::Alias(location)) => return self.read(&location),
            Some(Binding::Lost) => {
                return Val::unknown(format!("`{name}` is a reference that is not followed"));
            }
            None => {}
        }
        let short = last_name(name);
        if let Some(value) = self
            .variables
            .enumerators
            .get(code.host)
            .and_then(|e| e.get(short))
        {
            return value.clone();
        }
        if let Some(text) = name.strip_prefix('$') {
            return self.stringized(code, text);
        }
        if short == "NullRange" && (name != short || self.program.types[code.host].uses_cl) {
            return Val::Tuple(Rc::from([]));
        }
        match name {
            "NULL" | "nullptr" => Val::Null,
            "true" | "TRUE" | "CL_TRUE" => Val::int(1),
            "false" | "FALSE" | "CL_FALSE" => Val::int(0),
            "this" => match self.walk.frames.last().and_then(|f| f.this.clone()) {
                Some(this) => Val::Pointer(this),
                None => Val::unknown("`this`"),
            },
            _ if super::opencl::constant(name).is_some() => {
                Val::Int(super::opencl::constant(name).unwrap_or(0), IntType::LONG)
            }
            _ if self.program.functions.contains_key(name) || super::functions::is_opencl(name) => {
                Val::Function(Rc::from(name))
            }
            _ => Val::unknown(format!("`{name}` is not declared in the given files")),
        }
    }

    /// The preprocessor's `#parameter`.
    fn stringized(&mut self, code: &Code<'a>, name: &str) -> Val {
        let param = code.env.as_ref().and_then(|env| env.argument(name));
        match param {
            Some((arg_code, arg)) => {
                let span = arg_code.ast().expr(*arg).span;
                let text = self.program.sources.text(span);
                Val::text(Text::literal(text, Some(code.site(span))))
            }
            None => Val::unknown("a macro's `#`"),
        }
    }

    fn juxtaposed(&mut self, code: &Code<'a>, parts: &[ExprId]) -> Val {
        let mut text = Text::default();
        for &part in parts {
            let value = self.eval(code, part);
            match self.text_of(&value) {
                Some(piece) => text.append(&piece),
                None => return Val::unknown("a string with a macro in it that is not followed"),
            }
        }
        Val::text(text)
    }

    /// An operand of an operator. A macro or macro argument that is an operation without
    /// parentheses binds otherwise than its syntax says: it is not known.
    pub(super) fn operand(&mut self, code: &Code<'a>, id: ExprId) -> Val {
        let value = self.whole_operand(code, id);
        self.plain(code, id, value)
    }

    /// The same, where an object stays one.
    pub(super) fn whole_operand(&mut self, code: &Code<'a>, id: ExprId) -> Val {
        let loose = self.loose_macro(code, id);
        let value = self.eval(code, id);
        match loose {
            Some(name) => Val::unknown(format!("the macro `{name}` has no parentheses")),
            None => value,
        }
    }

    fn binary(&mut self, code: &Code<'a>, op: BinaryOp, left: ExprId, right: ExprId) -> Val {
        // The left side of a chain without recursion.
        let tree = code.clone();
        let mut chain = vec![(op, right)];
        let mut leftmost = left;
        while let ExprKind::Binary(op, left, right) = tree.ast().expr(leftmost).kind {
            if matches!(op, BinaryOp::And | BinaryOp::Or) {
                break;
            }
            chain.push((op, right));
            leftmost = left;
        }
        if op == BinaryOp::Shl || op == BinaryOp::Shr {
            let ops: Vec<ExprId> = chain.iter().rev().map(|(_, e)| *e).collect();
            if let Some(value) = self.stream(code, leftmost, op, &ops) {
                return value;
            }
        }
        let first = chain.last().map_or(op, |(op, _)| *op);
        let mut value = self.operand_of(code, first.spelling(), leftmost);
        let mut is_string = matches!(value, Val::Text(_)) && self.names_string(code, leftmost);
        for (op, right) in chain.into_iter().rev() {
            let at = right;
            let right = self.operand_of(code, op.spelling(), right);
            self.overloaded(
                code,
                format_args!("operator{}", op.spelling()),
                &[leftmost, at],
            );
            if op == BinaryOp::Shr && self.program.is_cpp(code) && may_be_stream(&value) {
                if let Target::Location(location) = self.plain_target(code, at) {
                    self.set_unknown(&location, "it is read from a stream");
                }
                continue;
            }
            value = match (op, self.concatenation(&value, &right, is_string)) {
                (BinaryOp::Add, Some(text)) => {
                    is_string = true;
                    text
                }
                _ => match self.by_parity(op, &value, &right) {
                    Some(known) => known,
                    None => arith::binary(op, &value, &right),
                },
            };
        }
        value
    }

    fn short_circuit(&mut self, code: &Code<'a>, op: BinaryOp, left: ExprId, right: ExprId) -> Val {
        let left = self.operand(code, left);
        let decisive = op == BinaryOp::Or;
        if left.truth() == Some(decisive) {
            return Val::bool(decisive);
        }
        let mark = self.state.mark();
        let right = self.operand(code, right);
        if left.truth().is_none() {
            let (delta, reached) = self.take_back(mark);
            if reached {
                self.state.merge(mark, delta);
            }
        }
        arith::binary(op, &left, &right)
    }

    fn assignment(
        &mut self,
        code: &Code<'a>,
        op: Option<BinaryOp>,
        target: ExprId,
        assigned: ExprId,
    ) -> Val {
        let value = match op {
            None => self.eval(code, assigned),
            Some(_) => self.operand(code, assigned),
        };
        let at = target;
        if let Some(op) = op {
            self.overloaded(code, format_args!("operator{}=", op.spelling()), &[at]);
        }
        let target = self.target(code, target);
        if let (None, Target::Location(location), Val::Pointer(from)) = (op, &target, &value)
            && self.is_array(location)
        {
            // `a = b` of arrays is no C; of std::array it copies.
            let _ = from;
            self.set_unknown(location, "an array is assigned");
            return Val::unknown("an array");
        }
        let value = match op {
            None => self.fitted(code, assigned, &target, value),
            Some(op) => {
                let before = self.load(&target);
                let is_string = match &target {
                    Target::Location(location) => self.kind_of(location) == Some(Kind::String),
                    _ => false,
                };
                match (op, self.concatenation(&before, &value, is_string)) {
                    (BinaryOp::Add, Some(text)) => text,
                    _ => arith::binary(op, &before, &value),
                }
            }
        };
        match &target {
            Target::Lost(_) => {
                let stored = self.declared_number(code, at);
                self.store_anywhere(value.clone(), stored);
            }
            _ => self.store(&target, value.clone()),
        }
        match &target {
            Target::Location(_) => self.load(&target),
            _ => value,
        }
    }

    fn address(&mut self, code: &Code<'a>, inner: ExprId) -> Val {
        match self.target(code, inner) {
            Target::Location(location) => match self.is_array(&location) {
                true => Val::Pointer(location.index(0)),
                false => Val::Pointer(location),
            },
            Target::Element(location) | Target::Part(location, _) => Val::Into(location.root),
            Target::Into(root) => Val::Into(root),
            Target::OneOf(locations) => locations
                .into_iter()
                .map(Val::Pointer)
                .reduce(|a, b| a.join(&b))
                .unwrap_or(Val::Unset),
            Target::Lost(reason) => {
                if let ExprKind::Name(name) = &code.ast().expr(inner).kind
                    && (self.program.functions.contains_key(name.as_str())
                        || super::functions::is_opencl(name))
                {
                    return Val::Function(Rc::from(name.as_str()));
                }
                Val::unknown(reason)
            }
        }
    }

    pub(super) fn cast(&mut self, code: &Code<'a>, ty: &Type, value: Val) -> Val {
        match self.program.kind(code.host, ty) {
            Kind::Num(num) => match value {
                Val::Pointer(_) | Val::Into(_) | Val::Handle(_) | Val::Text(_) => {
                    Val::unknown("a pointer as a number")
                }
                value => value.convert(num),
            },
            Kind::Pointer => match value {
                Val::Int(0, _) => Val::Null,
                other => {
                    self.give_type(&other, ty, code.host);
                    self.retyped(other, ty, code.host)
                }
            },
            Kind::String => self.one_of_texts(&value).unwrap_or(value),
            _ => value,
        }
    }

    fn sizeof_type(&mut self, code: &Code<'a>, ty: &Type) -> Val {
        let mut total =
            match self.program.types[code.host].size(ty, &self.program.hosts[code.host], 0) {
                Some((bytes, _)) => bytes,
                None => return Val::unknown(format!("the size of `{}`", ty.base)),
            };
        for dim in self.dims(code, ty) {
            match dim.and_then(|d| total.checked_mul(d)) {
                Some(bytes) => total = bytes,
                None => return Val::unknown("the size of an array"),
            }
        }
        Val::size(i128::from(total))
    }

    fn sizeof_expr(&mut self, code: &Code<'a>, inner: ExprId) -> Val {
        let tree = code.clone();
        let inner = tree.ast().skip_parens(inner);
        let kind = &tree.ast().expr(inner).kind;
        if let ExprKind::Name(name) = kind
            && self.binding(code, name).is_none()
        {
            if let Some((code, arg)) = code.env.as_ref().and_then(|e| e.argument(name)) {
                let (code, arg) = (code.clone(), *arg);
                return self.sizeof_expr(&code, arg);
            }
            let ty = Type {
                base: name.clone(),
                ..Type::default()
            };
            return self.sizeof_type(code, &ty);
        }
        // The operand is not evaluated.
        let mark = self.state.mark();
        let target = match kind {
            ExprKind::Name(_)
            | ExprKind::Index(..)
            | ExprKind::Member { .. }
            | ExprKind::Deref(_) => self.target(code, inner),
            ExprKind::Str(text) => return Val::size(text.len() as i128 + 1),
            _ => Target::Lost(String::new()),
        };
        self.state.rollback(mark);
        let Target::Location(location) = target else {
            return Val::unknown("the size of an expression");
        };
        self.size_of_location(&location)
            .unwrap_or_else(|| Val::unknown("the size of a variable"))
    }

    pub(super) fn size_of_location(&mut self, location: &MemoryLocation) -> Option<Val> {
        let crate::location::Root::Var(var) = location.root else {
            return None;
        };
        let info = self.variables.info(var).clone();
        let host = &self.program.hosts[info.host];
        let mut ty = info.ty.clone();
        let mut dims = info.dims.clone();
        for step in &location.path {
            match step {
                crate::location::Step::Index(_) if !dims.is_empty() => {
                    dims.remove(0);
                }
                crate::location::Step::Index(_) if ty.pointers > 0 => ty.pointers -= 1,
                _ => return None,
            }
        }
        // `[]` has as many elements as its initialiser.
        if let [None, ..] = dims[..] {
            let elements = self.state.parts(location);
            let last = elements
                .iter()
                .filter_map(|(p, _)| match p.path.get(location.path.len()) {
                    Some(crate::location::Step::Index(i)) => u64::try_from(*i).ok(),
                    _ => None,
                });
            dims[0] = Some(last.max()? + 1);
        }
        let (mut bytes, _) = self.program.types[info.host].size(&ty, host, 0)?;
        for dim in dims {
            bytes = bytes.checked_mul(dim?)?;
        }
        Some(Val::size(i128::from(bytes)))
    }

    /// `type(..)`, `type{..}`.
    fn temporary(&mut self, code: &Code<'a>, id: ExprId, ty: &Type, args: &[ExprId]) -> Val {
        let kind = self.program.kind(code.host, ty);
        if let (Kind::Num(_), [only]) = (&kind, args)
            && !matches!(code.ast().expr(*only).kind, ExprKind::InitList(_))
            && ty.dims.is_empty()
        {
            let value = self.eval(code, *only);
            return self.cast(code, ty, value);
        }
        let location = self.unnamed(code, id, ty);
        match args {
            [only] if matches!(code.ast().expr(*only).kind, ExprKind::InitList(_)) => {
                self.initialise(code, &location, *only);
            }
            _ => {
                let args = args.to_vec();
                self.construct(code, &location, &args);
            }
        }
        self.read(&location)
    }

    /// The same, of a class that a call names.
    pub(super) fn object_of(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        ty: &Type,
        args: &[Arg<'a>],
    ) -> Val {
        let location = self.unnamed(code, id, ty);
        self.construct_with(&location, args);
        self.read(&location)
    }

    /// The location of a value that has no name.
    pub(super) fn unnamed(&mut self, code: &Code<'a>, id: ExprId, ty: &Type) -> MemoryLocation {
        let variable = crate::syntax::ast::Variable {
            name: "<value>".to_string(),
            ty: ty.clone(),
            init: None,
            is_static: false,
            is_extern: false,
            span: code.ast().expr(id).span,
        };
        let var = self.declare(code, &variable, false);
        let location = MemoryLocation::var(var);
        self.state.set(&location, Val::Unset);
        location
    }

    /// A statement as an expression: the value of its last expression.
    fn statement_value(&mut self, code: &Code<'a>, stmt: crate::syntax::ast::StmtId) -> Val {
        let tree = code.clone();
        let StmtKind::Block(stmts) = &tree.ast().stmt(stmt).kind else {
            self.exec(code, stmt);
            return Val::Unset;
        };
        let mut result = Val::Unset;
        self.scoped(|s| {
            for &stmt in stmts {
                match tree.ast().stmt(stmt).kind {
                    StmtKind::Expr(value) => result = s.eval(code, value),
                    _ => s.exec(code, stmt),
                }
            }
        });
        result
    }

    /// The variable that an expression is, if it is just that.
    pub(super) fn plain_target(&mut self, code: &Code<'a>, id: ExprId) -> Target {
        match &code.clone().ast().expr(id).kind {
            ExprKind::Name(name) if self.binding(code, name).is_some() => self.target(code, id),
            ExprKind::Member { .. } | ExprKind::Index(..) | ExprKind::Deref(_) => {
                self.target(code, id)
            }
            ExprKind::Paren(inner) => self.plain_target(code, *inner),
            _ => Target::Lost(String::new()),
        }
    }

    /// The value of a numeric operation of a library.
    pub(super) fn as_double(&self, value: &Val) -> Option<f64> {
        value.convert(Num::Double).number()
    }
}

/// Whether a value on the left of `>>` may be a stream.
fn may_be_stream(value: &Val) -> bool {
    match value {
        Val::Sym(sym) => sym.ty.is_none(),
        Val::OneOf(all) => all.iter().any(may_be_stream),
        Val::Int(..) | Val::Float(_) | Val::Double(_) | Val::Zero => false,
        _ => true,
    }
}

/// A piece of text on one line, not too long.
fn shortened(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().collect();
    let mut text = words.join(" ");
    if text.len() > LONGEST_QUOTE {
        let mut end = LONGEST_QUOTE;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text.push_str("..");
    }
    text
}
