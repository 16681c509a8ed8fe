//! Locations: what names, elements and fields stand for, and what they hold.

use std::borrow::Cow;
use std::rc::Rc;

use super::scope::{Binding, Name};
use super::{Code, Interp, MAX_NESTING, VarInfo};
use crate::location::{MemoryLocation, Root, Step, VarId};
use crate::syntax::ast::{ExprId, ExprKind, Record, Type};
use crate::text::Text;
use crate::types::{Kind, last_name};
use crate::value::Val;

/// Where an expression can store.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Target {
    /// Here.
    Location(MemoryLocation),
    /// Some element of this.
    Element(MemoryLocation),
    /// This part of some element of a container.
    Part(MemoryLocation, Vec<Step>),
    /// One of these.
    OneOf(Vec<MemoryLocation>),
    /// Some part of this.
    Into(Root),
    /// Not known, for this reason.
    Lost(String),
}

impl Target {
    /// Whether it is in something, it is not known where.
    pub(super) fn is_within(&self) -> bool {
        !matches!(self, Self::Location(_) | Self::OneOf(_))
    }
}

impl<'a> Interp<'a> {
    /// The variable that a name stands for.
    pub(super) fn variable(&mut self, code: &Code<'a>, name: &str) -> Option<MemoryLocation> {
        match self.binding(code, name)? {
            Binding::Var(var) => Some(MemoryLocation::var(var)),
            Binding::Alias(location) => Some(location),
            Binding::Lost => None,
        }
    }

    pub(super) fn binding(&mut self, code: &Code<'a>, name: &str) -> Option<Binding> {
        if let Some(frame) = self.walk.frames.last() {
            let key = Name::of(name);
            let mut scopes = frame.scopes.iter().rev();
            if let Some(binding) = scopes.find_map(|scope| scope.get(key)) {
                return Some(binding.clone());
            }
            if let Some(location) = self.field_of_this(name) {
                return Some(Binding::Alias(location));
            }
        }
        let short = last_name(name);
        let global = self.variables.global(code.host, short);
        global
            .or_else(|| self.static_around(name))
            .map(Binding::Var)
    }

    /// The variable of this name that lasts, of a function around the class whose method is followed.
    fn static_around(&self, name: &str) -> Option<VarId> {
        self.walk.frames.last()?.class.as_ref()?;
        let all = self.variables.statics.values();
        let mut named = all.filter(|var| &*self.variables.info(**var).name == name);
        let var = named.next()?;
        named.next().is_none().then_some(*var)
    }

    /// A field of the object whose method is followed.
    pub(super) fn field_of_this(&mut self, name: &str) -> Option<MemoryLocation> {
        let frame = self.walk.frames.last()?;
        let class = frame.class.as_ref()?;
        let host = frame.fn_id.host;
        let (owner, field) = self.program.types[host].member(class, name)?;
        if let (Some(this), false) = (&frame.this, field.is_static) {
            return Some(this.field(name));
        }
        // The name that its methods' class has, where it is its own.
        let own = self.program.types[host].record(class);
        let class = match own.is_some_and(|(_, own)| std::ptr::eq(own, owner)) {
            true => class.clone(),
            false => self.class_name(host, owner),
        };
        Some(self.class_object(&class, host).field(name))
    }

    /// What the methods of a class call it.
    fn class_name(&self, host: usize, owner: &Record) -> String {
        let functions = self.program.functions.values().flatten();
        let classes = functions.filter_map(|id| self.program.function(*id).class.as_ref());
        let mut named = classes.filter(|class| {
            let found = self.program.types[host].record(class);
            found.is_some_and(|(_, record)| std::ptr::eq(record, owner))
        });
        named.next().unwrap_or(&owner.name).clone()
    }

    /// One object that stands for all objects of a class that are not followed one by one.
    pub(super) fn class_object(&mut self, class: &str, host: usize) -> MemoryLocation {
        if let Some(var) = self.variables.class_objects.get(class) {
            return MemoryLocation::var(*var);
        }
        let var = self.new_var(VarInfo {
            name: Rc::from(class),
            function: Rc::from(""),
            ty: Type {
                base: class.to_string(),
                ..Type::default()
            },
            dims: Vec::new(),
            kind: Kind::Other,
            host,
            lasting: true,
        });
        self.variables.class_objects.insert(class.to_string(), var);
        self.state.set(&MemoryLocation::var(var), Val::Unset);
        for (location, value) in self.flow_insensitive_values(&MemoryLocation::var(var)) {
            self.state.set(&location, value);
        }
        MemoryLocation::var(var)
    }

    /// What is assigned to a variable and its parts, flow-insensitively.
    pub(super) fn flow_insensitive_values(
        &mut self,
        variable: &MemoryLocation,
    ) -> Vec<(MemoryLocation, Val)> {
        self.rounds.looked_at.insert(variable.root);
        self.memo.invalidate();
        let all = self.rounds.flow_insensitive.of(variable.root);
        all.map(|(location, value)| (location, value.clone()))
            .collect()
    }

    pub(super) fn info_of(&self, location: &MemoryLocation) -> Option<&VarInfo> {
        match (location.root, location.path.is_empty()) {
            (Root::Var(var), true) => Some(self.variables.info(var)),
            _ => None,
        }
    }

    /// The type of a location and its remaining dimensions.
    pub(super) fn type_of(
        &self,
        location: &MemoryLocation,
    ) -> Option<(Cow<'_, Type>, usize, usize)> {
        let (mut ty, mut dims, host) = match location.root {
            Root::Var(var) => {
                let info = self.variables.info(var);
                (Cow::Borrowed(&info.ty), info.ty.dims.len(), info.host)
            }
            Root::Object(object) => {
                let (ty, host) = self.variables.heap_types.get(&object)?;
                (Cow::Borrowed(ty), 1, *host)
            }
        };
        for step in &location.path {
            match step {
                Step::Index(_) if dims > 0 => dims -= 1,
                Step::Index(_) if ty.pointers > 0 => ty.to_mut().pointers -= 1,
                Step::Index(_) => {
                    let kind = self.program.kind(host, &ty);
                    ty = Cow::Owned(crate::types::template::part_type(&kind, step)?);
                    dims = 0;
                }
                Step::Field(name) => {
                    let kind = self.program.kind(host, &ty);
                    let Kind::Record(record) = kind else {
                        let part = crate::types::template::part_type(&kind, step);
                        let part = part.or_else(|| crate::types::lane(&ty, name))?;
                        dims = part.dims.len();
                        ty = Cow::Owned(part);
                        continue;
                    };
                    let (_, field) = self.program.types[host].member(&record, name)?;
                    ty = Cow::Borrowed(&field.ty);
                    dims = ty.dims.len();
                }
            }
        }
        Some((ty, dims, host))
    }

    /// The kind of a location; `None` for arrays and what is not known.
    pub(super) fn kind_of(&self, location: &MemoryLocation) -> Option<Kind> {
        self.sort_of(location).1
    }

    pub(super) fn is_array(&self, location: &MemoryLocation) -> bool {
        self.sort_of(location).0
    }

    /// Whether a location is an array, and else its kind if that is known.
    pub(super) fn sort_of(&self, location: &MemoryLocation) -> (bool, Option<Kind>) {
        if let (Root::Var(var), true) = (location.root, location.only_indices()) {
            let info = self.variables.info(var);
            let dims = info.ty.dims.len();
            if location.path.len() <= dims {
                let inside = location.path.len() < dims;
                return (inside, (!inside).then(|| info.kind.clone()));
            }
        }
        match self.type_of(location) {
            Some((ty, 0, host)) => {
                let kind = self.program.kind(host, &ty);
                (false, Some(kind))
            }
            Some(_) => (true, None),
            None => (false, None),
        }
    }

    pub(super) fn is_aggregate(&self, location: &MemoryLocation) -> bool {
        matches!(
            self.sort_of(location),
            (true, _) | (_, Some(Kind::Record(_) | Kind::Container(_)))
        )
    }

    /// The fields of a struct's location, in order.
    pub(super) fn field_names(&self, location: &MemoryLocation) -> Option<Vec<String>> {
        let (ty, 0, host) = self.type_of(location)? else {
            return None;
        };
        let Kind::Record(name) = self.program.kind(host, &ty) else {
            let known = ["origin", "size"].map(str::to_string);
            return (ty.base == "cl_buffer_region" && ty.pointers == 0).then(|| known.to_vec());
        };
        let (_, record) = self.program.types[host].record(&name)?;
        let fields = record.fields.iter().filter(|f| !f.is_static);
        Some(fields.map(|f| f.name.clone()).collect())
    }

    /// The value in a location, as an expression sees it.
    pub(super) fn read(&mut self, location: &MemoryLocation) -> Val {
        let (is_array, kind) = self.sort_of(location);
        if is_array {
            return Val::Pointer(location.index(0));
        }
        if let Some(Kind::Record(_) | Kind::Container(_)) = kind {
            return Val::Record(location.clone());
        }
        if let Some(reason) = self.doubt(location) {
            return Val::unknown(reason);
        }
        self.read_scalar(location, kind.as_ref())
    }

    /// The value in a location that is no aggregate.
    pub(super) fn read_scalar(&self, location: &MemoryLocation, kind: Option<&Kind>) -> Val {
        match (self.state.get(location), kind) {
            (Val::Zero, Some(Kind::Num(num))) => Val::int(0).convert(*num),
            (Val::Zero, Some(Kind::Pointer | Kind::Wrapper(_))) => Val::Null,
            (Val::Zero, Some(Kind::String | Kind::StringStream)) => Val::text(Text::default()),
            (value, _) => value,
        }
    }

    /// The joined value of an array's elements.
    pub(super) fn any_element(&mut self, location: &MemoryLocation) -> Val {
        if self.is_container(location) {
            return self.element_parts(location, &[]);
        }
        let parts = self.state.parts(location);
        let own = self.state.own(location).cloned();
        let mut result = match own {
            Some(Val::Zero) => match self.kind_of(&location.index(0)) {
                Some(Kind::Num(num)) => Val::int(0).convert(num),
                // An element that was never set is no handle.
                _ => Val::Unset,
            },
            Some(value) => value,
            None if parts.is_empty() => self.state.get(location),
            None => Val::Unset,
        };
        for (at, value) in parts {
            if at.path.len() != location.path.len() + 1 {
                return Val::unknown("an element of an array of structs");
            }
            result = result.join(&value);
        }
        match result {
            Val::Unset => Val::unknown("an element of an array at an index that is not known"),
            other => other,
        }
    }

    /// Where an expression can store.
    pub(super) fn target(&mut self, code: &Code<'a>, id: ExprId) -> Target {
        if self.budget.nesting > MAX_NESTING {
            return Target::Lost("the program is nested too deeply here".to_string());
        }
        self.budget.nesting += 1;
        let target = self.target_inner(code, id);
        self.budget.nesting -= 1;
        target
    }

    fn target_inner(&mut self, code: &Code<'a>, id: ExprId) -> Target {
        let tree = code.clone();
        match &tree.ast().expr(id).kind {
            ExprKind::Name(name) if name == "this" => {
                match self.walk.frames.last().and_then(|f| f.this.clone()) {
                    Some(this) => Target::Location(this),
                    None => Target::Lost("`this`".to_string()),
                }
            }
            ExprKind::Name(name) => {
                if let Some((code, inner)) = self.macro_expression(code, id, name) {
                    return self.target(&code, inner);
                }
                match self.variable(code, name) {
                    Some(location) => Target::Location(location),
                    None => Target::Lost(format!("`{name}` is not followed")),
                }
            }
            ExprKind::Paren(inner) | ExprKind::Cast(_, inner) => self.target(code, *inner),
            ExprKind::Index(base, index) => self.element(code, *base, *index),
            ExprKind::Member {
                base,
                name,
                arrow: false,
            } => match self.target(code, *base) {
                Target::Location(location) => Target::Location(location.field(last_name(name))),
                Target::Element(location) if self.is_container(&location) => {
                    Target::Part(location, vec![Step::Field(Rc::from(name.as_str()))])
                }
                Target::Part(location, mut path) => {
                    path.push(Step::Field(Rc::from(name.as_str())));
                    Target::Part(location, path)
                }
                Target::OneOf(locations) => {
                    Target::OneOf(locations.iter().map(|p| p.field(name)).collect())
                }
                other => other,
            },
            ExprKind::Member { base, name, .. } => {
                if let ExprKind::Name(this) = &tree.ast().expr(*base).kind
                    && this == "this"
                    && let Some(location) = self.field_of_this(name)
                {
                    return Target::Location(location);
                }
                let pointer = self.arrow(code, *base);
                self.pointed_to(code, *base, &pointer, |location| {
                    Some(location.field(last_name(name)))
                })
            }
            ExprKind::Deref(pointer) => {
                let value = self.eval(code, *pointer);
                match self.by_operator(code, id, &value, "operator*") {
                    Some((target, _)) => target,
                    None => self.pointed_to(code, *pointer, &value, Some),
                }
            }
            ExprKind::Comma(first, second) => {
                self.eval(code, *first);
                self.target(code, *second)
            }
            ExprKind::Call { callee, args } => self.called_object(code, id, *callee, args).0,
            ExprKind::Conditional(condition, yes, no) => {
                match self.plain_value(code, *condition).truth() {
                    Some(true) => self.target(code, *yes),
                    Some(false) => self.target(code, *no),
                    None => self.target_of_either(code, *yes, *no),
                }
            }
            // Lvalues in C++. What is named is looked up once more.
            ExprKind::Assign(_, target, _) | ExprKind::Step { target, .. }
                if matches!(tree.ast().expr(*target).kind, ExprKind::Name(_)) =>
            {
                self.eval(code, id);
                self.target(code, *target)
            }
            _ => {
                self.eval(code, id);
                Target::Lost("an expression that is not followed".to_string())
            }
        }
    }

    /// `c ? a : b`, where `c` is not known.
    fn target_of_either(&mut self, code: &Code<'a>, yes: ExprId, no: ExprId) -> Target {
        let targets = [yes, no].map(|side| self.target(code, side));
        let mut locations = Vec::new();
        for target in targets {
            match target {
                Target::Location(location) => locations.push(location),
                Target::OneOf(some) => locations.extend(some),
                _ => return Target::Lost("one of two expressions".to_string()),
            }
        }
        Target::OneOf(locations)
    }

    pub(super) fn lost_reason(&self, code: &Code<'a>, id: ExprId, value: &Val) -> String {
        let text = self.source_text(code, id);
        match value {
            Val::Unknown(reason) => format!("`{text}` is not followed: {reason}"),
            _ => format!("`{text}` may point anywhere"),
        }
    }

    fn element(&mut self, code: &Code<'a>, base: ExprId, index: ExprId) -> Target {
        // A container: `v[i]` is a part of `v` itself.
        if let Target::Location(location) = self.quiet_target(code, base)
            && matches!(
                self.kind_of(&location),
                Some(Kind::Other | Kind::String | Kind::Container(_))
            )
        {
            let index = self.eval(code, index);
            if self.is_container(&location) {
                return self.container_element(&location, &index);
            }
            return match index.as_int().and_then(|i| i64::try_from(i).ok()) {
                Some(index) => Target::Location(location.index(index)),
                None => Target::Element(location),
            };
        }
        let pointer = self.eval(code, base);
        let index = self.eval(code, index);
        if let Val::Record(location) = &pointer
            && let Some(operator) = self.own_operator(location, "operator[]")
        {
            let location = location.clone();
            if !self.does_nothing(operator) {
                self.acts_on(vec![operator], &location, "`operator[]` of a class");
            }
            self.unsettle(&Val::Pointer(location));
            return Target::Lost("an element by an operator of its class".to_string());
        }
        if let Val::Record(location) = &pointer
            && self.is_container(location)
        {
            return self.container_element(&location.clone(), &index);
        }
        let Val::Pointer(first) = &pointer else {
            let by = index.as_int().and_then(|i| i64::try_from(i).ok());
            return self.pointed_to(code, base, &pointer, |location| location.moved(by?));
        };
        match index.as_int().and_then(|i| i64::try_from(i).ok()) {
            Some(index) => match first.moved(index) {
                Some(location) => Target::Location(location),
                None => Target::Into(first.root),
            },
            None => match (first.path.last(), first.parent()) {
                // Of an array of arrays, other rows may be reached.
                (Some(Step::Index(_)), Some(array)) => match array.path.last() {
                    Some(Step::Index(_)) => Target::Into(first.root),
                    _ => Target::Element(array),
                },
                _ => Target::Into(first.root),
            },
        }
    }

    /// The target of an expression that has no effects; else nothing.
    pub(super) fn quiet_target(&mut self, code: &Code<'a>, id: ExprId) -> Target {
        let tree = code.clone();
        match &tree.ast().expr(id).kind {
            ExprKind::Name(_) => self.target(code, id),
            ExprKind::Member {
                base, arrow: false, ..
            } => match tree.ast().expr(*base).kind {
                ExprKind::Name(_) => self.target(code, id),
                _ => Target::Lost(String::new()),
            },
            ExprKind::Member { base, .. } => match &tree.ast().expr(*base).kind {
                ExprKind::Name(_) => self.target(code, id),
                _ => Target::Lost(String::new()),
            },
            ExprKind::Paren(inner) => self.quiet_target(code, *inner),
            _ => Target::Lost(String::new()),
        }
    }

    /// The location that an expression names, for references.
    pub(super) fn reference(&mut self, code: &Code<'a>, id: ExprId) -> Option<MemoryLocation> {
        match self.target(code, id) {
            Target::Location(location) => Some(location),
            _ => None,
        }
    }

    /// The type of a location that is no array, and the host that it is of.
    pub(super) fn whole_type(&self, location: &MemoryLocation) -> Option<(Type, usize)> {
        let (ty, dims, host) = self.type_of(location)?;
        (dims == 0).then(|| (ty.into_owned(), host))
    }
}
