//! Calls of OpenCL: what they make, what they set, and what they launch.

use std::collections::BTreeMap;

use fpgacc_frontend::facts::{
    Arg as ArgFact, ArgValue, Known, Launch, LocalSize, Location, ProgramSource, Value,
};
use fpgacc_frontend::host::ast::ExprId;
use fpgacc_frontend::source::Span;

use super::call::Arg;
use super::{Code, Interp};
use crate::object::{ObjectKind, Visit};
use crate::state::{Place, Root, Step};
use crate::types::Kind;
use crate::value::{IntType, Num, ObjectId, Piece, Text, Val};

/// `CL_MEM_USE_HOST_PTR`.
const USE_HOST_PTR: i128 = 1 << 3;
/// Most dimensions of a launch.
const MOST_DIMENSIONS: i128 = 3;

/// Whether a name is that of an OpenCL function.
pub(super) fn is_function(name: &str) -> bool {
    let rest = name.strip_prefix("cl").unwrap_or_default();
    rest.starts_with(|c: char| c.is_ascii_uppercase())
}

/// Constants of OpenCL's headers, for hosts whose macros are not known.
pub(super) fn constant(name: &str) -> Option<i128> {
    Some(match name {
        "CL_SUCCESS" => 0,
        "CL_MEM_READ_WRITE" => 1,
        "CL_MEM_WRITE_ONLY" => 2,
        "CL_MEM_READ_ONLY" => 4,
        "CL_MEM_USE_HOST_PTR" => USE_HOST_PTR,
        "CL_MEM_ALLOC_HOST_PTR" => 16,
        "CL_MEM_COPY_HOST_PTR" => 32,
        _ => return None,
    })
}

impl<'a> Interp<'a> {
    /// A call of an OpenCL function.
    pub(super) fn opencl(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        name: &str,
        args: &[Arg<'a>],
    ) -> Val {
        let site = code.site(code.ast().expr(id).span);
        let values = self.values(args);
        if !self.state.reachable {
            return Val::Unset;
        }
        let why = format!("a result of `{name}`");
        match (name, &values[..]) {
            ("clCreateProgramWithSource", [_, count, strings, _, error]) => {
                self.forget_pointee(error, &why);
                return self.create_program(site, count, strings);
            }
            ("clBuildProgram", [program, _, _, options, ..]) => self.build(program, options),
            ("clCreateKernel", [program, kernel, error]) => {
                self.forget_pointee(error, &why);
                return self.create_kernel(site, program, kernel);
            }
            ("clCreateKernelsInProgram", [program, _, kernels, count]) => {
                self.all_kernels(program);
                self.forget_pointee(kernels, "clCreateKernelsInProgram gives it a kernel");
                self.forget_pointee(count, &why);
            }
            ("clSetKernelArg", [kernel, index, size, value]) => {
                self.set_arg(kernel, index, size, value);
            }
            ("clCreateBuffer", [_, flags, size, _, error]) => {
                self.forget_pointee(error, &why);
                return self.create_buffer(site, Some(flags), size, false);
            }
            ("clCreateBufferWithProperties", [_, _, flags, size, _, error]) => {
                self.forget_pointee(error, &why);
                return self.create_buffer(site, Some(flags), size, false);
            }
            ("clCreateSubBuffer", [_, flags, _, _, error]) => {
                self.forget_pointee(error, &why);
                let size = Val::unknown("the size of a sub-buffer");
                return self.create_buffer(site, Some(flags), &size, true);
            }
            ("clEnqueueNDRangeKernel", [_, kernel, dim, offset, global, local, .., event]) => {
                self.forget_pointee(event, &why);
                self.launch(site, kernel, dim, offset, global, local);
            }
            ("clEnqueueTask", [_, kernel, .., event]) => {
                self.forget_pointee(event, &why);
                let one = Val::Null;
                self.launch(site, kernel, &Val::int(0), &one, &one, &one);
            }
            _ => self.other_call(name, &values, &why),
        }
        self.result(code, id, &why)
    }

    /// A call that makes, asks or moves something: what it may write is forgotten.
    fn other_call(&mut self, name: &str, values: &[Val], why: &str) {
        let reads = ["clRelease", "clRetain", "clWait", "clFinish", "clFlush"]
            .iter()
            .any(|start| name.starts_with(start));
        if reads {
            return;
        }
        let writes_last_only = name.starts_with("clEnqueue")
            && ![
                "clEnqueueRead",
                "clEnqueueMap",
                "clEnqueueNativeKernel",
                "clEnqueueSVM",
            ]
            .iter()
            .any(|start| name.starts_with(start));
        let skip = match writes_last_only {
            true => values.len().saturating_sub(1),
            false => 0,
        };
        for value in &values[skip..] {
            self.forget_pointee(value, why);
        }
    }

    /// The handles of one kind that a value may be.
    fn handles(&self, value: &Val, kind: fn(&ObjectKind) -> bool) -> Result<Vec<ObjectId>, String> {
        let mut found = Vec::new();
        for value in value.alternatives() {
            match value {
                Val::Handle(id) if kind(&self.objects.get(*id).kind) => found.push(*id),
                // A handle that is not set, or NULL, launches nothing.
                Val::Null | Val::Zero | Val::Unset => {}
                Val::Unknown(reason) => return Err(reason.to_string()),
                Val::Sym(sym) => return Err(sym.why.to_string()),
                _ => return Err("it is no handle that is followed".to_string()),
            }
        }
        match found.is_empty() {
            true => Err("it is not set on any path to this place".to_string()),
            false => Ok(found),
        }
    }

    fn create_program(&mut self, site: Span, count: &Val, strings: &Val) -> Val {
        let sources = match self.program_text(count, strings) {
            Ok(text) => Known::Is(self.program_sources(&text)),
            Err(reason) => Known::Unknown(reason),
        };
        let kind = ObjectKind::Program {
            sources: sources.clone(),
            options: Vec::new(),
            kernels: Vec::new(),
        };
        let summary = self.loop_depth > 0;
        let (id, new) = self.objects.make(site, &self.context, summary, kind);
        if let ObjectKind::Program { sources: now, .. } = &mut self.objects.get_mut(id).kind
            && !new
            && *now != sources
        {
            *now = Known::Unknown("the text differs from call to call".to_string());
        }
        Val::Handle(id)
    }

    fn program_sources(&self, text: &Text) -> Vec<ProgramSource> {
        text.pieces
            .iter()
            .map(|piece| match piece {
                Piece::File(name) => ProgramSource::File(name.clone()),
                Piece::Text(text, span) => ProgramSource::Text {
                    text: text.clone(),
                    site: match span {
                        Some(span) => self.sources.location(*span),
                        None => Location {
                            file: String::new(),
                            line: 0,
                            column: 0,
                        },
                    },
                },
            })
            .collect()
    }

    /// Why a value is not followed.
    fn reason(value: &Val) -> String {
        match value {
            Val::Unknown(reason) => reason.to_string(),
            Val::Sym(sym) => sym.why.to_string(),
            Val::OneOf(_) => "it depends on the path".to_string(),
            _ => "it is not followed".to_string(),
        }
    }

    /// Why the text that a value is or points to is not followed.
    fn text_reason(&self, value: &Val) -> String {
        match value {
            Val::Pointer(place) => {
                let array = place.parent().unwrap_or_else(|| place.clone());
                Self::reason(&self.state.get(&array))
            }
            other => Self::reason(other),
        }
    }

    fn program_text(&mut self, count: &Val, strings: &Val) -> Result<Text, String> {
        let reason = Self::reason;
        let count = match count.as_int() {
            Some(count @ 1..=4096) => count as i64,
            _ => {
                return Err(format!(
                    "the number of strings is not constant: {}",
                    reason(count)
                ));
            }
        };
        let Val::Pointer(first) = strings else {
            return Err(format!("the strings are not followed: {}", reason(strings)));
        };
        let mut whole = Text::default();
        for index in 0..count {
            let Some(place) = first.moved(index) else {
                return Err("there are fewer strings than counted".to_string());
            };
            let value = self.read(&place);
            match self.text_of(&value) {
                Some(text) => whole.append(&text),
                None => {
                    let why = self.text_reason(&value);
                    return Err(format!("its text is not followed: {why}"));
                }
            }
        }
        Ok(whole)
    }

    fn build(&mut self, program: &Val, options: &Val) {
        let known = match options {
            Val::Null | Val::Int(0, _) => Known::Is(String::new()),
            Val::Unknown(reason) => Known::Unknown(reason.to_string()),
            other => match self.chars_of(other) {
                Some(options) => Known::Is(options),
                None => Known::Unknown(self.text_reason(other)),
            },
        };
        let is_program = |k: &ObjectKind| matches!(k, ObjectKind::Program { .. });
        let Ok(programs) = self.handles(program, is_program) else {
            return;
        };
        for id in programs {
            if let ObjectKind::Program { options, .. } = &mut self.objects.get_mut(id).kind
                && !options.contains(&known)
            {
                options.push(known.clone());
            }
        }
    }

    fn create_kernel(&mut self, site: Span, program: &Val, name: &Val) -> Val {
        let names: Vec<Known<String>> = name
            .alternatives()
            .iter()
            .map(|name| match (self.chars_of(name), name) {
                (Some(name), _) => Known::Is(name),
                (None, Val::Unknown(reason)) => Known::Unknown(reason.to_string()),
                (None, _) => Known::Unknown("the kernel's name is not constant".to_string()),
            })
            .collect();
        let is_program = |k: &ObjectKind| matches!(k, ObjectKind::Program { .. });
        for id in self.handles(program, is_program).unwrap_or_default() {
            if let ObjectKind::Program { kernels, .. } = &mut self.objects.get_mut(id).kind {
                for name in &names {
                    if !kernels.contains(name) {
                        kernels.push(name.clone());
                    }
                }
            }
        }
        let kind = ObjectKind::Kernel { name: Val::Unset };
        // Texts in places may change later: keep the characters themselves.
        let value = names
            .into_iter()
            .map(|name| match name {
                Known::Is(name) => Val::text(Text::literal(&name, None)),
                Known::Unknown(reason) => Val::unknown(reason),
            })
            .reduce(|a, b| a.join(&b))
            .unwrap_or(Val::Unset);
        let summary = self.loop_depth > 0;
        let (id, new) = self.objects.make(site, &self.context, summary, kind);
        if let ObjectKind::Kernel { name } = &mut self.objects.get_mut(id).kind {
            *name = if new { value } else { name.join(&value) };
        }
        if !summary {
            self.state.set(&Place::object(id), Val::Unset);
        }
        Val::Handle(id)
    }

    fn all_kernels(&mut self, program: &Val) {
        let is_program = |k: &ObjectKind| matches!(k, ObjectKind::Program { .. });
        for id in self.handles(program, is_program).unwrap_or_default() {
            if let ObjectKind::Program { kernels, .. } = &mut self.objects.get_mut(id).kind {
                let all = Known::Unknown("clCreateKernelsInProgram makes all kernels".to_string());
                if !kernels.contains(&all) {
                    kernels.push(all);
                }
            }
        }
    }

    fn create_buffer(&mut self, site: Span, flags: Option<&Val>, size: &Val, sub: bool) -> Val {
        let use_host_ptr = match flags.map(|f| f.convert(Num::Int(IntType::SIZE))) {
            Some(Val::Int(flags, _)) => flags & USE_HOST_PTR != 0,
            _ => true,
        };
        let size = to_value(&size.convert(Num::Int(IntType::SIZE)));
        let kind = ObjectKind::Memory {
            use_host_ptr,
            sub_buffer: sub,
            size: size.clone(),
            holder: None,
            loose: false,
        };
        let summary = self.loop_depth > 0;
        let (id, new) = self.objects.make(site, &self.context, summary, kind);
        if let ObjectKind::Memory {
            use_host_ptr: now_host,
            size: now,
            ..
        } = &mut self.objects.get_mut(id).kind
            && !new
        {
            *now_host |= use_host_ptr;
            *now = merge_values(now, &size);
        }
        Val::Handle(id)
    }

    fn is_kernel(kind: &ObjectKind) -> bool {
        matches!(kind, ObjectKind::Kernel { .. })
    }

    fn set_arg(&mut self, kernel: &Val, index: &Val, size: &Val, value: &Val) {
        let Ok(kernels) = self.handles(kernel, Self::is_kernel) else {
            // Any kernel's argument may be set here.
            return self.forget_args("an argument of an unknown kernel is set");
        };
        let argument = self.arg_value(size, value);
        let index = index.as_int().and_then(|i| i64::try_from(i).ok());
        let weak = kernels.len() > 1;
        for id in kernels {
            let place = Place::object(id);
            let Some(index) = index else {
                let reason = "an argument at an index that is not known is set";
                self.state.set(&place, Val::unknown(reason));
                continue;
            };
            let place = place.index(index);
            let value = Val::Arg(std::rc::Rc::new(argument.clone()));
            let value = match weak {
                true => self.state.get(&place).join(&value),
                false => value,
            };
            self.put(&place, value);
        }
    }

    fn forget_args(&mut self, reason: &str) {
        let objects = &self.objects;
        let kernel = |root| match root {
            Root::Object(id) if Self::is_kernel(&objects.get(id).kind) => Some(id),
            _ => None,
        };
        let kernels: Vec<_> = self.state.roots().filter_map(kernel).collect();
        let value = Val::unknown(reason);
        for id in kernels {
            self.state.set(&Place::object(id), value.clone());
        }
    }

    /// What clSetKernelArg passes.
    fn arg_value(&mut self, size: &Val, value: &Val) -> ArgValue {
        match value {
            Val::Null | Val::Int(0, _) => {
                return ArgValue::Local(to_value(&size.convert(Num::Int(IntType::SIZE))));
            }
            Val::Pointer(_) => {}
            Val::Unknown(reason) => return ArgValue::Unknown(reason.to_string()),
            other => {
                return ArgValue::Unknown(format!("its address is {}", other.describe()));
            }
        }
        let Val::Pointer(place) = value else {
            return ArgValue::Unknown("it is not followed".to_string());
        };
        let held = self.state.get(place);
        let is_memory = |k: &ObjectKind| matches!(k, ObjectKind::Memory { .. });
        if let Ok(memory) = self.handles(&held, is_memory) {
            return ArgValue::Memory(self.memory_name(place, &memory));
        }
        match self.kind_of(place) {
            Some(Kind::Num(_)) => {
                let now = self.read(place);
                let held = match &held {
                    Val::Unset => Val::unknown("it is not set yet"),
                    _ => now,
                };
                ArgValue::Scalar(to_value(&held))
            }
            Some(Kind::Pointer) if self.is_memory_variable(place) => {
                ArgValue::Memory(self.spell(place))
            }
            Some(Kind::Record(name)) => {
                ArgValue::Scalar(Value::Unknown(format!("a `{name}` by value")))
            }
            _ => ArgValue::Unknown(match held {
                Val::Unknown(reason) => reason.to_string(),
                other => format!("it is {}", other.describe()),
            }),
        }
    }

    /// Memory is called by the variable that took it at its creation, so that the same memory has
    /// the same name everywhere; if it may be one of several, by the variable that is passed.
    fn memory_name(&self, place: &Place, memory: &[ObjectId]) -> String {
        if let [only] = memory
            && !self.objects.get(*only).summary
            && let ObjectKind::Memory {
                holder: Some(holder),
                ..
            } = &self.objects.get(*only).kind
        {
            return holder.clone();
        }
        self.spell(place)
    }

    fn is_memory_variable(&self, place: &Place) -> bool {
        let Root::Var(var) = place.root else {
            return false;
        };
        let ty = &self.vars[var.0 as usize].ty;
        place.path.iter().all(|s| matches!(s, Step::Index(_))) && ty.base == "cl_mem"
    }

    fn launch(
        &mut self,
        site: Span,
        kernel: &Val,
        dim: &Val,
        offset: &Val,
        global: &Val,
        local: &Val,
    ) {
        // A task: dimension 0 stands for it.
        let task = dim.as_int() == Some(0);
        let dim = if task { &Val::int(1) } else { dim };
        let dims = match dim.as_int() {
            Some(dims @ 1..=MOST_DIMENSIONS) => Some(dims as i64),
            _ => None,
        };
        let one = || vec![Value::Const(1)];
        let mut names = Names::default();
        let launch = Launch {
            site: Location {
                file: String::new(),
                line: 0,
                column: 0,
            },
            kernels: self.kernel_names(kernel),
            work_dim: to_value(&dim.convert(Num::Int(IntType::UINT))),
            offset: match offset {
                Val::Null | Val::Int(0, _) => {
                    vec![Value::Const(0); dims.unwrap_or(MOST_DIMENSIONS as i64) as usize]
                }
                _ => self.sizes(offset, dims, &mut names),
            },
            global: match task {
                true => one(),
                false => self.sizes(global, dims, &mut names),
            },
            local: match local {
                _ if task => LocalSize::Sizes(one()),
                Val::Null | Val::Int(0, _) => LocalSize::Null,
                Val::Pointer(_) => LocalSize::Sizes(self.sizes(local, dims, &mut names)),
                Val::Unknown(reason) => LocalSize::Unknown(reason.to_string()),
                other => {
                    LocalSize::Unknown(format!("it is {}, depending on the path", other.describe()))
                }
            },
            args: self.args(kernel),
            recorded: None,
        };
        self.visits.push(Visit { site, launch });
    }

    /// The sizes that a pointer points to; three if the number of dimensions is not known.
    fn sizes(&mut self, pointer: &Val, dims: Option<i64>, names: &mut Names) -> Vec<Value> {
        let count = dims.unwrap_or(MOST_DIMENSIONS as i64);
        (0..count)
            .map(|index| {
                let Val::Pointer(first) = pointer else {
                    return Value::Unknown(match pointer {
                        Val::Unknown(reason) => reason.to_string(),
                        other => format!("the sizes are {}", other.describe()),
                    });
                };
                let Some(place) = first.moved(index) else {
                    return Value::Unknown("the array is too short".to_string());
                };
                if self.beyond(&place) {
                    return Value::Unknown("the array is too short".to_string());
                }
                let value = self.read(&place);
                // What is not `size_t` in memory is not read as it stands.
                let fits = match self.kind_of(&place) {
                    Some(Kind::Num(Num::Int(ty))) => ty.bits == 64,
                    _ => true,
                };
                match fits {
                    true => names.check(&value.convert(Num::Int(IntType::SIZE))),
                    false => Value::Unknown("the sizes are no `size_t`".to_string()),
                }
            })
            .collect()
    }

    /// Whether an element lies behind its array's end.
    fn beyond(&self, place: &Place) -> bool {
        let (Root::Var(var), [Step::Index(index)]) = (place.root, &place.path[..]) else {
            return false;
        };
        match self.vars[var.0 as usize].dims.first() {
            Some(Some(count)) => u64::try_from(*index).is_ok_and(|i| i >= *count),
            _ => false,
        }
    }

    fn kernel_names(&self, kernel: &Val) -> Known<Vec<String>> {
        let kernels = match self.handles(kernel, Self::is_kernel) {
            Ok(kernels) => kernels,
            Err(reason) => return Known::Unknown(reason),
        };
        let mut names = Vec::new();
        for id in kernels {
            let ObjectKind::Kernel { name } = &self.objects.get(id).kind else {
                continue;
            };
            for name in name.alternatives() {
                match name {
                    Val::Text(text) => match text.chars() {
                        Some(name) if !names.contains(&name) => names.push(name),
                        Some(_) => {}
                        None => return Known::Unknown("its name is read from a file".to_string()),
                    },
                    Val::Unknown(reason) => return Known::Unknown(reason.to_string()),
                    _ => return Known::Unknown("its name is not constant".to_string()),
                }
            }
        }
        Known::Is(names)
    }

    /// Arguments that are set on the kernel that is launched.
    fn args(&mut self, kernel: &Val) -> Vec<ArgFact> {
        let Ok(kernels) = self.handles(kernel, Self::is_kernel) else {
            return Vec::new();
        };
        let mut all: Option<BTreeMap<u32, ArgValue>> = None;
        for id in kernels {
            let mut own = BTreeMap::new();
            for (place, value) in self.state.parts(&Place::object(id)) {
                let [Step::Index(index)] = place.path[..] else {
                    continue;
                };
                let Ok(index) = u32::try_from(index) else {
                    continue;
                };
                own.insert(index, joined_arg(&value));
            }
            all = Some(match all {
                None => own,
                // What all kernels have in common.
                Some(all) => all
                    .into_iter()
                    .filter_map(|(index, a)| {
                        let b = own.get(&index)?;
                        Some((index, merge_args(&a, b)))
                    })
                    .collect(),
            });
        }
        let all = all.unwrap_or_default().into_iter();
        all.map(|(index, value)| ArgFact { index, value }).collect()
    }
}

/// Spellings of symbolic values of one launch: each means one value.
#[derive(Default)]
struct Names {
    keys: BTreeMap<String, String>,
}

impl Names {
    fn check(&mut self, value: &Val) -> Value {
        if let Val::Sym(sym) = value {
            let key = self
                .keys
                .entry(sym.text.to_string())
                .or_insert_with(|| sym.key.to_string());
            if **key != *sym.key {
                return Value::Unknown(format!("`{}` at an earlier time", sym.text));
            }
        }
        to_value(value)
    }
}

fn joined_arg(value: &Val) -> ArgValue {
    let mut result: Option<ArgValue> = None;
    for value in value.alternatives() {
        let one = match value {
            Val::Arg(arg) => (**arg).clone(),
            Val::Unset => continue,
            Val::Unknown(reason) => ArgValue::Unknown(reason.to_string()),
            other => ArgValue::Unknown(other.describe()),
        };
        result = Some(match result {
            None => one,
            Some(now) => merge_args(&now, &one),
        });
    }
    result.unwrap_or_else(|| ArgValue::Unknown("it is not set".to_string()))
}

/// An argument that is one of two.
pub(crate) fn merge_args(a: &ArgValue, b: &ArgValue) -> ArgValue {
    match (a, b) {
        _ if a == b => a.clone(),
        (ArgValue::Unknown(_), _) => a.clone(),
        (_, ArgValue::Unknown(_)) => b.clone(),
        (ArgValue::Scalar(a), ArgValue::Scalar(b)) => ArgValue::Scalar(merge_values(a, b)),
        (ArgValue::Local(a), ArgValue::Local(b)) => ArgValue::Local(merge_values(a, b)),
        (ArgValue::Memory(a), ArgValue::Memory(b)) => {
            ArgValue::Unknown(format!("it is `{a}` or `{b}`, depending on the path"))
        }
        _ => ArgValue::Unknown("it differs from path to path".to_string()),
    }
}

/// A value that is one of two.
pub(crate) fn merge_values(a: &Value, b: &Value) -> Value {
    let show = |v: &Value| match v {
        Value::Const(v) => v.to_string(),
        Value::Symbolic(text) => format!("`{text}`"),
        Value::OneOf(_) | Value::Range { .. } | Value::Unknown(_) => "unknown".to_string(),
    };
    match (a, b) {
        _ if a == b => a.clone(),
        (Value::Unknown(_), _) => a.clone(),
        (_, Value::Unknown(_)) => b.clone(),
        _ => Value::Unknown(format!(
            "it is {} or {}, depending on the path",
            show(a),
            show(b)
        )),
    }
}

/// A number as a fact.
pub(crate) fn to_value(value: &Val) -> Value {
    match value {
        Val::Int(v, _) => match u64::try_from(*v) {
            Ok(v) => Value::Const(v),
            Err(_) => Value::Symbolic(v.to_string()),
        },
        Val::Zero => Value::Const(0),
        Val::Float(v) => Value::Symbolic(format!("{v:?}f")),
        Val::Double(v) => Value::Symbolic(format!("{v:?}")),
        Val::Sym(sym) => Value::Symbolic(sym.text.to_string()),
        Val::Unknown(reason) => Value::Unknown(reason.to_string()),
        Val::Unset => Value::Unknown("it is not set on any path to this place".to_string()),
        Val::OneOf(_) => {
            Value::Unknown(format!("it is {}, depending on the path", value.describe()))
        }
        other => Value::Unknown(format!("it is {}", other.describe())),
    }
}
