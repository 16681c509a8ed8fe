//! OpenCL's C++ wrappers. Their objects are what they hold: the handle of a kernel, a program,
//! memory or a queue, or the sizes of a range; their methods are the calls that they make.

use std::rc::Rc;

use fpgacc_frontend::source::Span;

use super::code::Arg;
use super::lvalue::Target;
use super::{Code, Interp};
use crate::location::MemoryLocation;
use crate::number::{IntType, Num};
use crate::object::ObjectKind;
use crate::syntax::ast::{ExprId, ExprKind, Type};
use crate::text::Text;
use crate::types::{Kind, Wrapper};
use crate::value::Val;

const USE_HOST_PTR: i128 = 1 << 3;
const READ_ONLY: i128 = 4;
const READ_WRITE: i128 = 1;

/// Methods of queues that write to the host's memory.
fn writes_host(name: &str) -> bool {
    ["enqueueRead", "enqueueMap", "enqueueNative", "enqueueSVM"]
        .iter()
        .any(|start| name.starts_with(start))
}

pub(super) fn named_type(base: &str) -> Type {
    Type {
        base: base.to_string(),
        ..Type::default()
    }
}

impl<'a> Interp<'a> {
    pub(super) fn wrapper_of(&self, location: &MemoryLocation) -> Option<Wrapper> {
        match self.kind_of(location) {
            Some(Kind::Wrapper(wrapper)) => Some(wrapper),
            Some(Kind::Other) | None => self.wrapper_held(&self.state.get(location)),
            _ => None,
        }
    }

    /// What wrapper a value without a type is.
    pub(super) fn wrapper_held(&self, value: &Val) -> Option<Wrapper> {
        let mut found = None;
        for value in value.alternatives() {
            let Val::Handle(id) = value else {
                return None;
            };
            let wrapper = match self.objects.get(*id).kind {
                ObjectKind::Kernel { .. } => Wrapper::Kernel,
                ObjectKind::Program { .. } => Wrapper::Program,
                ObjectKind::Memory { .. } => Wrapper::Memory,
                ObjectKind::Queue { .. } => Wrapper::Queue,
                ObjectKind::Heap => return None,
            };
            if found.is_some_and(|f| f != wrapper) {
                return None;
            }
            found = Some(wrapper);
        }
        found
    }

    /// A value in a location of its own.
    fn in_location(&mut self, value: Val, host: usize) -> MemoryLocation {
        let ty = match &value {
            Val::Int(_, ty) => named_type(match (ty.bits, ty.signed) {
                (..=32, true) => "int",
                (..=32, false) => "unsigned",
                (_, true) => "long",
                (_, false) => "size_t",
            }),
            Val::Float(_) => named_type("float"),
            Val::Double(_) => named_type("double"),
            Val::Sym(sym) => named_type(match sym.ty {
                Some(Num::Float) => "float",
                Some(Num::Double) => "double",
                Some(Num::Int(ty)) if ty.bits <= 32 && ty.signed => "int",
                Some(Num::Int(ty)) if ty.bits <= 32 => "unsigned",
                Some(Num::Int(ty)) if ty.signed => "long",
                _ => "size_t",
            }),
            Val::Text(_) => named_type("std::string"),
            Val::OneOf(all) if all.iter().all(|one| matches!(one, Val::Text(_))) => {
                named_type("std::string")
            }
            _ => named_type("auto"),
        };
        let location = MemoryLocation::var(self.hidden(ty, host));
        self.state.set(&location, value);
        location
    }

    /// What a call gives, as a location.
    pub(super) fn temporary_target(&mut self, value: Val) -> Target {
        let known = |v: &Val| {
            matches!(
                v,
                Val::Handle(_) | Val::Tuple(_) | Val::Closure(_) | Val::Text(_)
            )
        };
        match value.alternatives().iter().all(known) {
            true => {
                let host = self.walk.frames.last().map_or(0, |f| f.fn_id.host);
                Target::Location(self.in_location(value, host))
            }
            false => Target::Lost("an expression that is not followed".to_string()),
        }
    }

    pub(super) fn site_of(code: &Code<'a>, id: ExprId) -> Span {
        code.site(code.ast().expr(id).span)
    }

    /// The constructor of a wrapper.
    pub(super) fn construct_wrapper(
        &mut self,
        location: &MemoryLocation,
        wrapper: Wrapper,
        args: &[Arg<'a>],
    ) {
        let Some((code, first)) = args.first() else {
            return self.assign(location, Val::Null);
        };
        let site = Self::site_of(code, *first);
        let name = self.whole_type(location).map(|(ty, _)| ty.base);
        let value = self.wrapper_value(wrapper, &name.unwrap_or_default(), site, args);
        self.assign(location, value);
    }

    fn wrapper_value(&mut self, wrapper: Wrapper, name: &str, site: Span, args: &[Arg<'a>]) -> Val {
        self.memo.invalidate();
        // With two arguments it can only be a handle and whether to retain it.
        if let (Wrapper::Memory, false, 1 | 3..) = (wrapper, name.contains("Image"), args.len()) {
            return self.new_buffer(site, args);
        }
        let values = self.values(args);
        if let [handle, _retain] = &values[..]
            && (wrapper == Wrapper::Memory || self.wrapper_held(handle) == Some(wrapper))
        {
            return handle.clone();
        }
        if let [only] = &values[..]
            && wrapper != Wrapper::Queue
            && (matches!(only, Val::Handle(_)) || self.wrapper_held(only) == Some(wrapper))
        {
            // A copy, or a wrapper around a handle.
            return only.clone();
        }
        match (wrapper, &values[..]) {
            (Wrapper::Enqueue, _) => self.enqueue_args(args, values),
            (Wrapper::Range, [Val::Record(list)]) => {
                let count = self.element_count(list);
                let items = (0..count.unwrap_or(0)).map(|i| self.read(&list.index(i)));
                match count {
                    Some(1..=3) => Val::Tuple(items.collect()),
                    _ => Val::unknown("a range that is not followed"),
                }
            }
            (Wrapper::Range | Wrapper::Local, [Val::Tuple(_)]) => {
                values.into_iter().next().unwrap_or(Val::Null)
            }
            (Wrapper::Range, [Val::Unknown(_)]) if self.is_range(&args[0]) => {
                values.into_iter().next().unwrap_or(Val::Null)
            }
            (Wrapper::Range | Wrapper::Local, _) => {
                let sizes = args.iter().zip(values);
                let sizes = sizes.map(|((code, arg), value)| match value {
                    Val::Unknown(why) => {
                        let text = self.source_text(code, *arg);
                        self.atom(text, Some(Num::Int(IntType::SIZE)), why)
                    }
                    value => value,
                });
                Val::Tuple(sizes.collect())
            }
            (_, []) => Val::Null,
            (Wrapper::Kernel | Wrapper::Functor, [program, kernel, rest @ ..]) => {
                self.havoc_error_codes(rest, "the result of a wrapper");
                self.create_kernel(site, program, kernel)
            }
            (Wrapper::Program, _) => self.new_program(site, args, &values),
            (Wrapper::Queue, _) => self.new_queue(site, args, &values),
            (Wrapper::Memory, [_, flags, ..]) => {
                self.create_buffer(site, flags, &Val::unknown("the size of an image"), None)
            }
            _ => {
                self.havoc_error_codes(&values, "the result of a wrapper");
                Val::unknown("an object of OpenCL")
            }
        }
    }

    fn havoc_error_codes(&mut self, values: &[Val], why: &str) {
        for value in values {
            self.havoc_pointee(value, why);
        }
    }

    fn new_program(&mut self, site: Span, args: &[Arg<'a>], values: &[Val]) -> Val {
        let is_text = |s: &Self, v: &Val| s.text_of(v).is_some();
        let at = usize::from(values.len() > 1 && !is_text(self, &values[0]));
        let list = |v: Option<&Val>| matches!(v, Some(Val::Record(_)));
        if list(values.get(at)) && list(values.get(at + 1)) {
            return Val::unknown("a program of binaries");
        }
        let strings = self.source_list(&values[at]);
        let host = args[0].0.host;
        let array = self.list_in_location(strings, "char", 1, host);
        let count = self.state.parts(&array).len();
        let first = Val::Pointer(array.index(0));
        let program = self.create_program(site, &Val::size(count as i128), &first, &Val::Null);
        let build = values.get(at + 1);
        if let Some(build) = build
            && !matches!(build, Val::Pointer(_))
        {
            let options = match build.truth() {
                Some(true) => Some(self.default_options(host)),
                Some(false) => None,
                None => Some(Val::unknown("whether it is built here")),
            };
            if let Some(options) = options {
                self.build(&program, &options);
            }
        }
        self.havoc_error_codes(&values[at + 1..], "the result of a wrapper");
        program
    }

    /// The texts of a program's source: a string, or a list of strings or of pairs of strings and
    /// lengths.
    fn source_list(&mut self, source: &Val) -> Vec<Val> {
        if self.text_of(source).is_some() {
            return vec![source.clone()];
        }
        let Val::Record(list) = source else {
            return vec![source.clone()];
        };
        let Some(count @ 1..) = self.element_count(list) else {
            return vec![Val::unknown("a list of sources that is not followed")];
        };
        (0..count)
            .map(|index| {
                let element = list.index(index);
                let text = element.field("first");
                match self.state.own(&text).is_some() {
                    true => self.read(&text),
                    false => self.read(&element),
                }
            })
            .collect()
    }

    /// The options of a program that is built by its constructor.
    fn default_options(&self, host: usize) -> Val {
        let macros = &self.program.hosts[host].macros;
        let defined = |name: &str| macros.at(name, macros.end()).is_some();
        // `cl.hpp` has no target version and no options.
        let old =
            !defined("CL_HPP_TARGET_OPENCL_VERSION") || defined("CL_HPP_CL_1_2_DEFAULT_BUILD");
        match old {
            true => Val::Null,
            false => Val::text(Text::literal("-cl-std=CL2.0", None)),
        }
    }

    /// Values as the elements of an array that the host does not name.
    pub(super) fn list_in_location(
        &mut self,
        values: Vec<Val>,
        base: &str,
        pointers: u8,
        host: usize,
    ) -> MemoryLocation {
        let ty = Type {
            base: base.to_string(),
            pointers,
            dims: vec![None],
            ..Type::default()
        };
        let array = MemoryLocation::var(self.hidden(ty, host));
        self.state.set(&array, Val::Unset);
        for (index, value) in values.into_iter().enumerate() {
            self.state.set(&array.index(index as i64), value);
        }
        array
    }

    fn new_queue(&mut self, site: Span, args: &[Arg<'a>], values: &[Val]) -> Val {
        self.havoc_error_codes(values, "the result of a wrapper");
        let number = values.iter().find(|v| matches!(v, Val::Int(..)));
        let properties = match number {
            Some(number) => number.clone(),
            // A context and a device.
            None if args.len() <= 2 && !values.iter().any(|v| matches!(v, Val::Sym(_))) => {
                Val::int(0)
            }
            None => Val::unknown("the properties of a queue"),
        };
        let order = super::opencl::queue_order(&properties);
        self.create_queue(site, order)
    }

    fn new_buffer(&mut self, site: Span, args: &[Arg<'a>]) -> Val {
        // `Buffer(context, begin, end, read_only, use_host_ptr)`, with or without the first.
        for start in 0..args.len().min(2) {
            let Some(count) = self.bounds(&args[start..]) else {
                continue;
            };
            let element = self.element_size(&args[start]);
            let values = self.values(args);
            let size = crate::arith::binary(crate::syntax::ast::BinaryOp::Mul, &count, &element);
            let is = |at: usize| values.get(start + at).map_or(Some(false), Val::truth);
            let flags = match (is(2), is(3)) {
                (Some(read_only), Some(use_host)) => Val::int(
                    if read_only { READ_ONLY } else { READ_WRITE }
                        | if use_host { USE_HOST_PTR } else { 0 },
                ),
                _ => Val::unknown("flags that are not constant"),
            };
            return self.create_buffer(site, &flags, &size, None);
        }
        let values = self.values(args);
        let kind = |v: &Val| matches!(v, Val::Handle(_) | Val::Unknown(_) | Val::OneOf(_));
        if let [only] = &values[..]
            && kind(only)
        {
            return only.clone();
        }
        let at = usize::from(values.first().and_then(Val::as_int).is_none());
        self.havoc_error_codes(
            values.get(at + 3..).unwrap_or_default(),
            "the result of a wrapper",
        );
        match values.get(at..) {
            Some([flags, size, ..]) => {
                let unknown = Val::unknown("a buffer of elements that are not followed");
                let iterators = matches!(flags, Val::Pointer(_));
                let (flags, size) = match iterators {
                    true => (&unknown, &unknown),
                    false => (flags, size),
                };
                self.create_buffer(site, flags, size, None)
            }
            _ => Val::unknown("a buffer that is not followed"),
        }
    }

    /// The bytes of an element that an iterator points to.
    fn element_size(&mut self, (code, iterator): &Arg<'a>) -> Val {
        let value = self.eval(code, *iterator);
        let Val::Pointer(location) = value else {
            return Val::unknown("the size of an element");
        };
        match self.whole_type(&location) {
            Some((ty, host)) => self.sizeof_type_of(host, &ty),
            None => Val::unknown("the size of an element"),
        }
    }

    fn sizeof_type_of(&self, host: usize, ty: &Type) -> Val {
        match self.program.types[host].size(ty, &self.program.hosts[host], 0) {
            Some((bytes, _)) => Val::size(i128::from(bytes)),
            None => Val::unknown(format!("the size of `{}`", ty.base)),
        }
    }

    /// A function of the wrappers' namespace, or a constructor as an expression.
    pub(super) fn wrapper_function(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        name: &str,
        args: &[Arg<'a>],
    ) -> Option<Val> {
        let site = Self::site_of(code, id);
        if let Some(Kind::Wrapper(wrapper)) = self.program.types[code.host].wrapper(name) {
            return Some(self.wrapper_value(wrapper, name, site, args));
        }
        let short = name.strip_prefix("cl::")?;
        match (short, args) {
            ("Local" | "__local", [(size_code, size)]) => {
                let size = self.eval(size_code, *size);
                return Some(Val::Tuple(Rc::from([size])));
            }
            ("linkProgram", [_, ..]) => return Some(self.linked_programs(args)),
            ("Program::getDefault" | "Kernel::getDefault", _) => return None,
            _ => {}
        }
        // Of an object whose class is derived from OpenCL's, in a method that hides it.
        if let Some(method) = short.strip_prefix("CommandQueue::") {
            let queue = Val::unknown("a queue that is not followed");
            if self.enqueued(code, id, &queue, method, args) {
                self.memo.invalidate();
                return Some(self.result(code, id, &format!("a result of `{name}`")));
            }
        }
        if short == "Kernel::setArg" {
            self.memo.invalidate();
            self.havoc_args("an argument is set of a kernel that is not followed");
        }
        let values = self.values(args);
        let to_device = short == "copy" && matches!(values.last(), Some(Val::Handle(_)));
        if !to_device && !short.starts_with("enqueueWrite") {
            self.havoc_error_codes(&values, &format!("`{name}` writes it"));
        }
        Some(self.result(code, id, &format!("a result of `{name}`")))
    }

    /// `linkProgram(a, b)` and `linkProgram(list)`.
    fn linked_programs(&mut self, args: &[Arg<'a>]) -> Val {
        let (list_code, list) = args[0].clone();
        let tree = list_code.clone();
        let values = match &tree.ast().expr(list).kind {
            ExprKind::InitList(items) => {
                let items = items.iter();
                let listed: Vec<Arg<'a>> =
                    items.map(|(_, item)| (list_code.clone(), *item)).collect();
                self.values(&listed)
            }
            _ => self.values(args),
        };
        let parts = match &values[..] {
            [Val::Record(list), ..] => {
                let count = self.element_count(list).unwrap_or(0);
                (0..count).map(|i| self.read(&list.index(i))).collect()
            }
            values => {
                let is_program = |v: &&Val| self.wrapper_held(v) == Some(Wrapper::Program);
                values.iter().take_while(is_program).cloned().collect()
            }
        };
        self.havoc_error_codes(&values, "the result of a wrapper");
        self.one_of_parts(parts)
    }

    /// `kernel.setArg(index, arg)`.
    pub(super) fn set_wrapper_arg(&mut self, kernel: &Val, index: &Val, (code, arg): &Arg<'a>) {
        let site = Self::site_of(code, *arg);
        let size = Val::unknown("the size of an argument");
        if let Target::Location(location) = self.plain_target(code, *arg)
            && !self.is_array(&location)
            && !matches!(self.state.get(&location), Val::Tuple(_))
        {
            return self.set_arg(site, kernel, [index, &size, &Val::Pointer(location)]);
        }
        match self.eval(code, *arg) {
            Val::Tuple(bytes) => {
                let bytes = bytes.first().cloned().unwrap_or(size);
                self.set_arg(site, kernel, [index, &bytes, &Val::Null]);
            }
            Val::Record(location) => {
                self.set_arg(site, kernel, [index, &size, &Val::Pointer(location)])
            }
            Val::Unknown(reason) => {
                self.set_arg(site, kernel, [index, &size, &Val::Unknown(reason)])
            }
            value => {
                let location = self.in_location(value, code.host);
                self.set_arg(site, kernel, [index, &size, &Val::Pointer(location)]);
            }
        }
    }

    /// A method of a wrapper; nothing if the location holds none.
    pub(super) fn wrapper_method(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        location: &MemoryLocation,
        name: &str,
        args: &[Arg<'a>],
    ) -> Option<Val> {
        let wrapper = self.wrapper_of(location)?;
        self.memo.invalidate();
        let site = Self::site_of(code, id);
        let now = self.read(location);
        let why = format!("a result of `{name}`");
        match (wrapper, name, args) {
            (Wrapper::Kernel | Wrapper::Functor, "setArg", [(index_code, index), arg]) => {
                let index = self.eval(index_code, *index);
                self.set_wrapper_arg(&now, &index, arg);
            }
            (Wrapper::Kernel | Wrapper::Functor, "setArg", [_, _, _]) => {
                let values = self.values(args);
                self.set_arg(site, &now, [&values[0], &values[1], &values[2]]);
            }
            (Wrapper::Functor, "getKernel", []) => return Some(now),
            (Wrapper::Program, "build", _) => {
                let options = self.options_of(args);
                self.build(&now, &options);
            }
            (Wrapper::Program, "compile", _) => {
                let options = self.options_of(args);
                self.compile(&now, &options);
            }
            (Wrapper::Program, "createKernels", _) => {
                let values = self.values(args);
                self.all_kernels(&now);
                self.havoc_error_codes(&values, "createKernels gives it a kernel");
            }
            (Wrapper::Memory, "createSubBuffer", [_, _, _, ..]) => {
                let values = self.values(args);
                self.havoc_error_codes(&values[3..], &why);
                return Some(self.create_sub_buffer(site, &now, &values[0], &values[2]));
            }
            (Wrapper::Queue, "enqueueNDRangeKernel" | "enqueueTask", _)
                if self.enqueued(code, id, &now, name, args) => {}
            (Wrapper::Queue, _, _) if name.starts_with("enqueue") && !writes_host(name) => {
                self.values(args);
            }
            (Wrapper::Range, "dimensions", []) => {
                if let Val::Tuple(all) = &now {
                    return Some(Val::size(all.len() as i128));
                }
            }
            _ => {
                let values = self.values(args);
                self.havoc_error_codes(&values, &why);
                for (arg_code, arg) in args {
                    if let Target::Location(location) = self.plain_target(arg_code, *arg)
                        && !matches!(self.kind_of(&location), Some(Kind::Wrapper(_)))
                    {
                        self.set_unknown(&location, &why);
                    }
                }
            }
        }
        Some(self.result(code, id, &why))
    }

    /// The options of `program.build(devices, options)`, and without devices.
    fn options_of(&mut self, args: &[Arg<'a>]) -> Val {
        let values = self.values(args);
        let is_text = |v: &Val| self.text_of(v).is_some();
        match &values[..] {
            [] => Val::Null,
            [options, ..] if is_text(options) => options.clone(),
            // Devices alone, unless it is a string that is not known.
            [only] => match self.plain_target(&args[0].0, args[0].1) {
                Target::Location(location) if self.is_container(&location) => Val::Null,
                Target::Location(location) if self.wrapper_of(&location).is_some() => Val::Null,
                _ if matches!(args[0].0.ast().expr(args[0].1).kind, ExprKind::InitList(_)) => {
                    Val::Null
                }
                _ => match only {
                    Val::Record(_) | Val::Null => Val::Null,
                    _ => Val::unknown("whether these are options is not known"),
                },
            },
            [_, options, ..] => options.clone(),
        }
    }
}
