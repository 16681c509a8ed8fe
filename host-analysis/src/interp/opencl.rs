//! Calls of OpenCL: what they make, what they set, and what they launch.

use fpgacc_frontend::source::Span;
use fpgacc_launch_facts::{Known, Location, ProgramSource, QueueOrder, Value};

use super::code::Arg;
use super::functions::{self, Writes};
use super::threads::Given;
use super::{Code, Interp};
use crate::location::{MemoryLocation, ObjectId, Step};
use crate::number::{IntType, Num};
use crate::numbers::merge_values;
use crate::object::{ObjectKind, Part};
use crate::symbol::origin;
use crate::syntax::ast::ExprId;
use crate::text::{Piece, Text};
use crate::value::Val;

/// `CL_MEM_USE_HOST_PTR`.
const USE_HOST_PTR: i128 = 1 << 3;
/// `CL_QUEUE_PROPERTIES`.
const QUEUE_PROPERTIES: i128 = 0x1093;
/// Most programs that are linked into one.
const MOST_PARTS: i128 = 64;
/// Most properties of a queue.
const MOST_PROPERTIES: i64 = 8;

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
        "CL_MEM_HOST_WRITE_ONLY" => 128,
        "CL_MEM_HOST_READ_ONLY" => 256,
        "CL_MEM_HOST_NO_ACCESS" => 512,
        "CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE" => 1,
        "CL_QUEUE_PROFILING_ENABLE" => 2,
        "CL_QUEUE_PROPERTIES" => QUEUE_PROPERTIES,
        _ => return None,
    })
}

/// The order that a queue's properties ask for.
pub(super) fn queue_order(properties: &Val) -> QueueOrder {
    match properties.convert(Num::Int(IntType::SIZE)) {
        Val::Int(flags, _) if flags & 1 == 0 => QueueOrder::InOrder,
        Val::Int(..) => QueueOrder::OutOfOrder,
        _ => QueueOrder::Unknown,
    }
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
        if !functions::asks_only(name) {
            self.memo.invalidate();
        }
        let site = code.site(code.ast().expr(id).span);
        let values = self.values(args);
        if !self.state.reachable {
            return Val::Unset;
        }
        let why = format!("a result of `{name}`");
        let given = values.iter().flat_map(Val::alternatives);
        let given = given.filter(|v| v.is_function());
        let functions: Vec<Val> = given.cloned().collect();
        if !functions.is_empty() {
            let given = Given::to(None, &values, &functions);
            self.at_any_time(code, id, &given);
        }
        self.note_queues(site, name, &values);
        if let Some((made, error)) = self.made(site, name, &values) {
            self.havoc_pointee(error, &why);
            return made;
        }
        self.effect(site, name, &values, &why);
        self.result(code, id, &why)
    }

    /// The object that a call makes, if it makes one, and where it puts an error code.
    fn made<'v>(&mut self, site: Span, name: &str, values: &'v [Val]) -> Option<(Val, &'v Val)> {
        let made = match (name, values) {
            ("clCreateProgramWithSource", [_, count, strings, lengths, _]) => {
                self.create_program(site, count, strings, lengths)
            }
            ("clLinkProgram", [_, _, _, _, count, programs, _, _, _]) => {
                self.linked(count, programs)
            }
            ("clCreateKernel", [program, kernel, _]) => self.create_kernel(site, program, kernel),
            ("clCreateBuffer", [_, flags, size, data, _])
            | ("clCreateBufferWithProperties", [_, _, flags, size, data, _]) => {
                self.share_memory(flags, data);
                self.create_buffer(site, flags, size, None)
            }
            ("clCreateSubBuffer", [parent, flags, _, region, _]) => {
                self.create_sub_buffer(site, parent, flags, region)
            }
            ("clCreateCommandQueue", [_, _, properties, _]) => {
                self.create_queue(site, queue_order(properties))
            }
            ("clCreateCommandQueueWithProperties", [_, _, properties, _]) => {
                let order = self.listed_order(properties);
                self.create_queue(site, order)
            }
            _ => return None,
        };
        Some((made, values.last()?))
    }

    /// What a call does that makes no object.
    fn effect(&mut self, site: Span, name: &str, values: &[Val], why: &str) {
        match (name, values) {
            ("clBuildProgram", [program, _, _, options, ..]) => self.build(program, options),
            ("clCompileProgram", [program, _, _, options, ..]) => {
                self.compile(program, options);
            }
            ("clCreateKernelsInProgram", [program, _, kernels, count]) => {
                self.all_kernels(program);
                self.havoc_pointee(kernels, "clCreateKernelsInProgram gives it a kernel");
                self.havoc_pointee(count, why);
            }
            ("clSetKernelArg", [kernel, index, size, value]) => {
                self.set_arg(site, kernel, [index, size, value]);
            }
            (
                "clSetKernelArgSVMPointer"
                | "clSetKernelArgMemPointerINTEL"
                | "clSetKernelArgDevicePointerEXT",
                [kernel, index, pointer],
            ) => {
                self.set_shared(site, kernel, [index, pointer]);
            }
            ("clEnqueueNDRangeKernel", [queue, kernel, dim, offset, global, local, .., event]) => {
                self.havoc_pointee(event, why);
                self.launch(site, [queue, kernel, dim, offset, global, local]);
            }
            ("clEnqueueTask", [queue, kernel, .., event]) => {
                self.havoc_pointee(event, why);
                self.launch_task(site, [queue, kernel]);
            }
            (
                "clEnqueueNDRangeKernel"
                | "clEnqueueTask"
                | "clSetKernelArg"
                | "clSetKernelArgSVMPointer"
                | "clSetKernelArgMemPointerINTEL"
                | "clSetKernelArgDevicePointerEXT"
                | "clBuildProgram"
                | "clCompileProgram",
                _,
            ) => self.called_somehow(site, name),
            _ => self.other_call(name, values, why),
        }
    }

    /// Notes of the loops around what is done with queues there.
    fn note_queues(&mut self, site: Span, name: &str, values: &[Val]) {
        let is_launch = matches!(name, "clEnqueueNDRangeKernel" | "clEnqueueTask");
        let is_nothing = |value: &Val| matches!(value, Val::Null | Val::Zero | Val::Int(0, _));
        let has_events = is_launch && {
            let [.., count, list, event] = values else {
                return;
            };
            ![count, list, event].into_iter().all(is_nothing)
        };
        let waits = matches!(name, "clFinish" | "clFlush");
        let is_other = name == "clWaitForEvents" || name.starts_with("clEnqueue") && !is_launch;
        let noted = match (waits, is_other || has_events) {
            (true, _) => Some(&mut self.trace.waiting),
            (false, true) => Some(&mut self.trace.watched),
            (false, false) => None,
        };
        if let Some(noted) = noted {
            let what = match has_events {
                true => format!("`{name}` there has an event or a wait list"),
                false => format!("the host calls `{name}` there"),
            };
            for frame in &self.walk.loops {
                noted.entry(frame.site).or_insert_with(|| what.clone());
            }
        }
        for frame in &self.walk.loops {
            if is_launch {
                self.trace
                    .launched
                    .entry(frame.site)
                    .or_default()
                    .insert(site);
            }
        }
    }

    /// A call with arguments of which nothing is known: of a parameter pack, or from code that is not followed.
    pub(super) fn called_somehow(&mut self, site: Span, name: &str) {
        let reason = format!("a call of `{name}` that is not followed");
        self.memo.invalidate();
        match name {
            "clEnqueueNDRangeKernel" | "clEnqueueTask" => {
                let unknown = Val::unknown(&reason);
                self.launch(site, [&unknown; 6]);
            }
            name if name.starts_with("clSetKernelArg") => self.havoc_args(&reason),
            "clBuildProgram" | "clCompileProgram" => {
                let unknown = Val::unknown(&reason);
                self.build(&unknown, &unknown);
            }
            _ => {}
        }
    }

    /// A call that makes, asks or moves something: what it may write is havocked.
    fn other_call(&mut self, name: &str, values: &[Val], why: &str) {
        let skip = match functions::opencl_writes(name) {
            Writes::Nothing => return,
            Writes::Last => values.len().saturating_sub(1),
            Writes::All => 0,
        };
        for value in &values[skip..] {
            self.havoc_pointee(value, why);
        }
    }

    /// The handles of one kind that a value may be.
    pub(super) fn handles(
        &self,
        value: &Val,
        kind: fn(&ObjectKind) -> bool,
    ) -> Result<Vec<ObjectId>, String> {
        let mut found = Vec::new();
        for value in value.alternatives() {
            match value {
                Val::Handle(id) if kind(&self.objects.get(*id).kind) => found.push(*id),
                // A handle that is not set, or NULL, launches nothing.
                Val::Null | Val::Zero | Val::Unset => {}
                Val::Unknown(reason) => return Err(reason.to_string()),
                Val::Sym(sym) => return Err(origin(&sym.why, sym.at, self.program.sources)),
                _ => return Err("it is no handle that is followed".to_string()),
            }
        }
        match found.is_empty() {
            true => Err("it is not set on any path to this point".to_string()),
            false => Ok(found),
        }
    }

    pub(super) fn create_program(
        &mut self,
        site: Span,
        count: &Val,
        strings: &Val,
        lengths: &Val,
    ) -> Val {
        let sources = match self.program_text(count, strings, lengths) {
            // Nobody builds nothing: what fills it is not followed.
            Ok(text) if text.pieces.is_empty() => Known::Unknown("its text is empty".to_string()),
            Ok(text) => match text.on_some_day() {
                Some(text) => Known::Is(self.program_sources(&text)),
                None => Known::Unknown("a date is in its text".to_string()),
            },
            Err(reason) => Known::Unknown(reason),
        };
        let kind = ObjectKind::Program {
            sources: sources.clone(),
            options: Vec::new(),
            is_part: false,
            kernels: Vec::new(),
        };
        let summary = self.walk.loop_depth > 0;
        let (id, new) = self.objects.make(site, &self.walk.context, summary, kind);
        if let ObjectKind::Program { sources: now, .. } = &mut self.objects.get_mut(id).kind
            && !new
            && *now != sources
        {
            *now = Known::Unknown("the text differs from call to call".to_string());
        }
        Val::Handle(id)
    }

    /// The pieces of a text without dates.
    fn program_sources(&self, text: &Text) -> Vec<ProgramSource> {
        text.pieces
            .iter()
            .filter_map(|piece| match piece {
                Piece::Date => None,
                Piece::File(name) | Piece::Line(name) => Some(ProgramSource::File(name.clone())),
                Piece::Text(text, span) => Some(ProgramSource::Text {
                    text: text.clone(),
                    site: match span {
                        Some(span) => self.program.sources.location(*span),
                        None => Location {
                            file: String::new(),
                            line: 0,
                            column: 0,
                        },
                    },
                }),
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
            Val::Pointer(location) => {
                let array = location.parent().unwrap_or_else(|| location.clone());
                Self::reason(&self.state.get(&array))
            }
            other => Self::reason(other),
        }
    }

    /// How much of a string clCreateProgramWithSource takes, if that is known: 0 and no lengths mean
    /// all of it.
    fn length_of_string(&mut self, lengths: &Val, index: i64) -> Option<usize> {
        let Val::Pointer(first) = lengths else {
            return None;
        };
        let location = first.moved(index)?;
        let length = self.read(&location).as_int()?;
        usize::try_from(length).ok().filter(|&length| length > 0)
    }

    fn program_text(&mut self, count: &Val, strings: &Val, lengths: &Val) -> Result<Text, String> {
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
            let Some(location) = first.moved(index) else {
                return Err("there are fewer strings than counted".to_string());
            };
            let value = self.read(&location);
            // A program is not made of NULL.
            let real = value.alternatives().iter();
            let mut real = real.filter(|v| !matches!(v, Val::Null | Val::Unset | Val::Zero));
            let value = match (real.next(), real.next()) {
                (Some(only), None) => only.clone(),
                _ => value.clone(),
            };
            match self.text_of(&value) {
                Some(text) => {
                    // What is read from files has the length that they have.
                    let length = self.length_of_string(lengths, index);
                    let start = length.and_then(|length| text.prefix(length));
                    whole.append(&start.unwrap_or_else(|| text.up_to_nul()));
                }
                None => {
                    let why = self.text_reason(&value);
                    return Err(format!("its text is not followed: {why}"));
                }
            }
        }
        Ok(whole)
    }

    pub(super) fn build(&mut self, program: &Val, options: &Val) {
        let known: Vec<Known<String>> = match options {
            Val::Null | Val::Int(0, _) => vec![Known::Is(String::new())],
            Val::Unknown(reason) => vec![Known::Unknown(reason.to_string())],
            other => match self.all_chars_of(other) {
                Some(all) => all.into_iter().map(Known::Is).collect(),
                None => vec![Known::Unknown(self.text_reason(other))],
            },
        };
        let is_program = |k: &ObjectKind| matches!(k, ObjectKind::Program { .. });
        let Ok(programs) = self.handles(program, is_program) else {
            let stray = &mut self.trace.stray_builds;
            let is_new = |one: &Known<String>| !stray.contains(one);
            let new: Vec<Known<String>> = known.into_iter().filter(is_new).collect();
            return stray.extend(new);
        };
        for id in programs {
            if let ObjectKind::Program { options, .. } = &mut self.objects.get_mut(id).kind {
                let new = known.iter().filter(|one| !options.contains(one));
                let new: Vec<Known<String>> = new.cloned().collect();
                options.extend(new);
            }
        }
    }

    /// A build of what will be linked later.
    pub(super) fn compile(&mut self, program: &Val, options: &Val) {
        self.build(program, options);
        let is_program = |k: &ObjectKind| matches!(k, ObjectKind::Program { .. });
        for id in self.handles(program, is_program).unwrap_or_default() {
            if let ObjectKind::Program { is_part, .. } = &mut self.objects.get_mut(id).kind {
                *is_part = true;
            }
        }
    }

    /// What clLinkProgram gives: its kernels are those of the programs that it is made of.
    fn linked(&mut self, count: &Val, programs: &Val) -> Val {
        let (Some(count @ 1..=MOST_PARTS), Val::Pointer(first)) = (count.as_int(), programs) else {
            return Val::unknown("the programs that are linked are not followed");
        };
        let locations = (0..count as i64).map(|index| first.moved(index));
        let locations: Option<Vec<MemoryLocation>> = locations.collect();
        let parts = locations.unwrap_or_default().into_iter();
        let parts: Vec<Val> = parts.map(|location| self.read(&location)).collect();
        self.one_of_parts(parts)
    }

    /// One of the programs that are linked, all of which are followed.
    pub(super) fn one_of_parts(&self, parts: Vec<Val>) -> Val {
        let is_program = |k: &ObjectKind| matches!(k, ObjectKind::Program { .. });
        let are_followed = parts
            .iter()
            .all(|part| self.handles(part, is_program).is_ok());
        let joined = parts.into_iter().reduce(|a, b| a.join(&b));
        match joined.filter(|_| are_followed) {
            Some(joined) => joined,
            None => Val::unknown("the programs that are linked are not followed"),
        }
    }

    pub(super) fn create_kernel(&mut self, site: Span, program: &Val, name: &Val) -> Val {
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
        let is_none = |v: &Val| matches!(v, Val::Null | Val::Zero | Val::Unset);
        let programs = self.handles(program, is_program);
        if programs.is_err() && !program.alternatives().iter().all(is_none) {
            self.trace.has_kernels_of_any = true;
        }
        for id in programs.unwrap_or_default() {
            if let ObjectKind::Program { kernels, .. } = &mut self.objects.get_mut(id).kind {
                for name in &names {
                    if !kernels.contains(name) {
                        kernels.push(name.clone());
                    }
                }
            }
        }
        let kind = ObjectKind::Kernel { name: Val::Unset };
        // Texts in locations may change later: keep the characters themselves.
        let value = names
            .into_iter()
            .map(|name| match name {
                Known::Is(name) => Val::text(Text::literal(&name, None)),
                Known::Unknown(reason) => Val::unknown(reason),
            })
            .reduce(|a, b| a.join(&b))
            .unwrap_or(Val::Unset);
        let summary = self.walk.loop_depth > 0;
        let (id, new) = self.objects.make(site, &self.walk.context, summary, kind);
        if let ObjectKind::Kernel { name } = &mut self.objects.get_mut(id).kind {
            *name = if new { value } else { name.join(&value) };
        }
        if !summary {
            self.state.set(&MemoryLocation::object(id), Val::Unset);
        }
        Val::Handle(id)
    }

    pub(super) fn all_kernels(&mut self, program: &Val) {
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

    /// Kernels may write to memory of the host that is a buffer's.
    pub(super) fn share_memory(&mut self, flags: &Val, data: &Val) {
        let private = match flags.convert(Num::Int(IntType::SIZE)) {
            Val::Int(flags, _) => flags & USE_HOST_PTR == 0,
            _ => false,
        };
        if !private {
            self.unsettle(data);
        }
    }

    pub(super) fn create_buffer(
        &mut self,
        site: Span,
        flags: &Val,
        size: &Val,
        part: Option<Part>,
    ) -> Val {
        let flags = match flags.convert(Num::Int(IntType::SIZE)) {
            Val::Int(flags, _) => u64::try_from(flags).ok(),
            _ => None,
        };
        let size = self.fact(&size.convert(Num::Int(IntType::SIZE)));
        let kind = ObjectKind::Memory {
            flags,
            part,
            size: size.clone(),
            holder: None,
            loose: false,
        };
        let summary = self.walk.loop_depth > 0;
        let (id, new) = self.objects.make(site, &self.walk.context, summary, kind);
        if let ObjectKind::Memory {
            flags: flags_now,
            size: size_now,
            part,
            ..
        } = &mut self.objects.get_mut(id).kind
            && !new
        {
            if *flags_now != flags {
                *flags_now = None;
            }
            *size_now = merge_values(size_now, &size);
            if let Some(part) = part {
                part.origin = Value::Unknown("it is made more than once".to_string());
                part.of = None;
            }
        }
        Val::Handle(id)
    }

    pub(super) fn create_sub_buffer(
        &mut self,
        site: Span,
        parent: &Val,
        flags: &Val,
        region: &Val,
    ) -> Val {
        let is_memory = |k: &ObjectKind| matches!(k, ObjectKind::Memory { .. });
        let of = match self.handles(parent, is_memory).as_deref() {
            Ok(&[only]) if !self.objects.get(only).summary => Some(only),
            _ => None,
        };
        let mut field = |name: &str| match region {
            Val::Pointer(location) => {
                let location = match location.path.last() {
                    Some(Step::Index(0)) => location.parent().unwrap_or_else(|| location.clone()),
                    _ => location.clone(),
                };
                self.read(&location.field(name))
            }
            _ => Val::unknown("the region of a sub-buffer"),
        };
        let (origin, size) = (field("origin"), field("size"));
        let part = Part {
            of,
            origin: self.fact(&origin.convert(Num::Int(IntType::SIZE))),
        };
        self.create_buffer(site, flags, &size, Some(part))
    }

    pub(super) fn create_queue(&mut self, site: Span, order: QueueOrder) -> Val {
        let kind = ObjectKind::Queue { order };
        let (id, new) = self.objects.make(site, &self.walk.context, false, kind);
        if let ObjectKind::Queue { order: now } = &mut self.objects.get_mut(id).kind
            && !new
            && *now != order
        {
            *now = QueueOrder::Unknown;
        }
        Val::Handle(id)
    }

    /// The order that a list of properties asks for.
    fn listed_order(&mut self, list: &Val) -> QueueOrder {
        let first = match list {
            Val::Null | Val::Int(0, _) => return QueueOrder::InOrder,
            Val::Pointer(first) => first,
            _ => return QueueOrder::Unknown,
        };
        for pair in 0..MOST_PROPERTIES {
            let mut item = |at: i64| {
                let location = first.moved(2 * pair + at)?;
                self.read(&location).as_int()
            };
            match (item(0), item(1)) {
                (Some(0), _) => return QueueOrder::InOrder,
                (Some(QUEUE_PROPERTIES), Some(flags)) => return queue_order(&Val::size(flags)),
                (Some(_), _) => {}
                (None, _) => break,
            }
        }
        QueueOrder::Unknown
    }

    /// The order of the queue that a launch goes to.
    pub(super) fn order_of(&self, queue: &Val) -> QueueOrder {
        let is_queue = |k: &ObjectKind| matches!(k, ObjectKind::Queue { .. });
        let Ok(queues) = self.handles(queue, is_queue) else {
            return QueueOrder::Unknown;
        };
        let mut orders = queues.iter().map(|id| match self.objects.get(*id).kind {
            ObjectKind::Queue { order } => order,
            _ => QueueOrder::Unknown,
        });
        let first = orders.next().unwrap_or_default();
        match orders.all(|order| order == first) {
            true => first,
            false => QueueOrder::Unknown,
        }
    }
}
