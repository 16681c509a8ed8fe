//! Arguments and launches.

use std::fmt::Write as _;

use super::super::kernels::{Param, Scalar};
use super::super::scene::{Mistake, Shape, Stmt, Value};
use super::Speller;

impl Speller<'_> {
    /// A number as an expression: it may stand at any place of the function at hand.
    pub(super) fn number_of(&mut self, value: usize) -> String {
        let argc = self.argc;
        // Variables, results of functions and what the command line decides are a matter of what fpgacc can know.
        let spelling = match self.known.below(11) {
            known @ (2 | 6 | 7 | 8) => known,
            _ => self.r.copy(&[0, 1, 3, 4, 5, 9, 10]),
        };
        match spelling {
            0 => {
                let name = self.name("N").to_uppercase();
                let _ = writeln!(self.parts.defines, "#define {name} {value}");
                name
            }
            1 => {
                let name = self.name("n");
                let _ = writeln!(self.parts.globals, "static const int {name} = {value};");
                name
            }
            2 => {
                let name = self.name("n");
                let _ = writeln!(self.parts.globals, "static int {name} = {value};");
                name
            }
            3 => {
                let name = self.name("n");
                self.line(&format!("int {name} = {value};"));
                name
            }
            4 if value >= 4 => format!("({} + {})", value / 3, value - value / 3),
            5 if value.is_multiple_of(4) => format!("({} * 4)", value / 4),
            6 => {
                self.parts.need("same_number");
                format!("same_number({value})")
            }
            7 => format!("(argc + {} - {argc})", value),
            8 => format!("atoi(\"{value}\")"),
            9 => {
                let name = self.name("e").to_uppercase();
                let _ = writeln!(self.parts.defines, "enum {{ {name} = {value} }};");
                name
            }
            _ => value.to_string(),
        }
    }

    pub(super) fn set(&mut self, k: usize, args: &[(usize, Value)]) {
        let running = args.len() > 1
            && self.known.chance(20)
            && args.windows(2).all(|pair| pair[0].0 + 1 == pair[1].0)
            && args[0].0 == 0;
        let index = self.name("at");
        if running {
            self.line(&format!("int {index} = 0;"));
        }
        for (at, value) in args {
            let position = match running {
                true => format!("{index}++"),
                false => at.to_string(),
            };
            let param = self.scene.kernel(k).params[*at];
            self.argument(k, &position, param, *value);
        }
    }

    pub(super) fn argument(&mut self, k: usize, at: &str, param: Param, value: Value) {
        let kernel = self.kernels[k].clone();
        match (param, value) {
            (_, Value::Buffer(b)) => {
                let buffer = self.buffers[b].clone();
                if self.shared_words(b).is_some() {
                    return self.checked(&format!(
                        "clSetKernelArgSVMPointer({kernel}, {at}, {buffer})"
                    ));
                }
                if self.style.is_wrapped && self.r.chance(50) {
                    self.parts.need("wrapped_set");
                    return self.checked(&format!("wrapped_set({kernel}, {at}, {buffer})"));
                }
                match self.known.below(6) {
                    4 if self.style.cpp => {
                        self.parts.need("set_one");
                        self.checked(&format!("set_one({kernel}, {at}, {buffer})"));
                    }
                    5 => {
                        self.parts.need("setter");
                        self.checked(&format!(
                            "setter({kernel}, {at}, sizeof {buffer}, &{buffer})"
                        ));
                    }
                    0 => {
                        self.parts.need("set_mem");
                        self.checked(&format!("set_mem({kernel}, {at}, {buffer})"));
                    }
                    1 => {
                        self.parts.need("set_any");
                        self.checked(&format!(
                            "set_any({kernel}, {at}, sizeof(cl_mem), &{buffer})"
                        ));
                    }
                    _ => self.checked(&format!(
                        "clSetKernelArg({kernel}, {at}, sizeof(cl_mem), &{buffer})"
                    )),
                }
            }
            (_, Value::Local(bytes)) => {
                let bytes = self.number_of(bytes);
                if self.style.is_wrapped && self.r.chance(50) {
                    self.parts.need("wrapped_local");
                    return self.checked(&format!("wrapped_local({kernel}, {at}, {bytes})"));
                }
                self.checked(&format!("clSetKernelArg({kernel}, {at}, {bytes}, NULL)"));
            }
            (param, value) => {
                let number = match (value, &self.turn) {
                    (Value::Turn, Some(turn)) => turn.clone(),
                    (Value::Number(number), _) => self.number_of(usize::from(number)),
                    _ => "0".to_string(),
                };
                let kind = match param {
                    Param::Scalar(kind) => kind,
                    _ => Scalar::Int,
                };
                self.scalar(&kernel, at, kind, &number);
            }
        }
    }

    pub(super) fn scalar(&mut self, kernel: &str, at: &str, kind: Scalar, number: &str) {
        let of = kind.host_type();
        if kind == Scalar::Int && self.known.chance(30) {
            self.parts.need("set_int");
            return self.checked(&format!("set_int({kernel}, {at}, {number})"));
        }
        let name = self.name("v");
        match kind {
            Scalar::Pair => self.line(&format!("pair_t {name} = {{ (int)({number}), 3, 2.0f }};")),
            Scalar::Int4 => self.line(&format!(
                "cl_int4 {name} = {{{{ (int)({number}), 2, 3, 4 }}}};"
            )),
            _ => self.line(&format!("{of} {name} = ({of})({number});")),
        }
        if self.style.is_wrapped && self.r.chance(50) {
            self.parts.need("wrapped_number");
            return self.checked(&format!("wrapped_number({kernel}, {at}, {name})"));
        }
        let size = match self.r.chance(50) {
            true => format!("sizeof({of})"),
            false => format!("sizeof {name}"),
        };
        self.checked(&format!("clSetKernelArg({kernel}, {at}, {size}, &{name})"));
        if self.known.chance(20) && !matches!(kind, Scalar::Pair | Scalar::Int4) {
            // The argument is what the variable was.
            self.line(&format!("{name} = 77;"));
        }
    }

    pub(super) fn launch(&mut self, k: usize, shape: &Shape) {
        let kernel = self.kernels[k].clone();
        let dims = shape.global.len();
        if dims == 1 && shape.offset.is_none() && self.known.chance(25) {
            self.parts.need("launch_line");
            let global = self.number_of(shape.global[0]);
            let local = match shape.group() {
                Some(local) => self.number_of(local),
                None => "0".to_string(),
            };
            return self.checked(&format!("launch_line({kernel}, {global}, {local})"));
        }
        let offset = self.sizes(shape.offset.as_deref());
        let global = self.sizes(Some(&shape.global));
        let local = self.sizes(shape.local.as_deref());
        let dims = self.number_of(dims);
        if self.style.is_wrapped && self.r.chance(60) {
            self.parts.need("wrapped_launch");
            return self.checked(&format!(
                "wrapped_launch({kernel}, {dims}, {offset}, {global}, {local})"
            ));
        }
        if self.known.chance(10) {
            self.parts.need("other_queue");
            return self.checked(&format!(
                "on_other_queue({kernel}, {dims}, {offset}, {global}, {local})"
            ));
        }
        if self.known.chance(10) {
            self.parts.need("launcher");
            return self.checked(&format!(
                "launcher(queue, {kernel}, {dims}, {offset}, {global}, {local}, 0, NULL, NULL)"
            ));
        }
        if self.known.chance(20) {
            self.parts.need("launch_any");
            return self.checked(&format!(
                "launch_any({kernel}, {dims}, {offset}, {global}, {local})"
            ));
        }
        self.checked(&format!(
            "clEnqueueNDRangeKernel(queue, {kernel}, {dims}, {offset}, {global}, {local}, 0, NULL, NULL)"
        ));
        if self.known.chance(15) {
            // The launch is what the sizes were.
            match global.strip_prefix('&') {
                Some(name) => self.line(&format!("{name} = 3;")),
                None => self.line(&format!("{global}[0] = 3;")),
            }
        }
    }

    /// Launches and copies in a queue without order, each of which waits for the one before.
    pub(super) fn chain(&mut self, body: &[Stmt], is_held: bool) {
        for helper in ["unordered_queue", "callbacks"] {
            self.parts.need(helper);
        }
        let (queue, event) = (self.name("unordered"), self.name("event"));
        let commands = body.iter().filter(|s| !matches!(s, Stmt::Set { .. }));
        let count = commands.count();
        if count == 0 {
            return self.all(body);
        }
        self.checked("clFinish(queue)");
        self.line(&format!("cl_command_queue {queue} = unordered_queue();"));
        self.line(&format!("cl_event {event}[{}];", count + 1));
        match is_held {
            true => self.line(&format!("{event}[0] = clCreateUserEvent(context, &err);")),
            false => self.checked(&format!(
                "clEnqueueMarkerWithWaitList({queue}, 0, NULL, &{event}[0])"
            )),
        }
        let mut done = 0;
        for statement in body {
            // Waiting for all that came before is waiting for the last.
            let (waits, from) = match self.r.chance(30) {
                true => (done + 1, 0),
                false => (1, done),
            };
            let events = format!("{waits}, &{event}[{from}], &{event}[{}]", done + 1);
            let call = match statement {
                Stmt::Launch { k, shape } => {
                    let offset = self.sizes(shape.offset.as_deref());
                    let global = self.sizes(Some(&shape.global));
                    let local = self.sizes(shape.local.as_deref());
                    let (kernel, dims) = (&self.kernels[*k], shape.global.len());
                    format!(
                        "clEnqueueNDRangeKernel({queue}, {kernel}, {dims}, {offset}, {global}, {local}, {events})"
                    )
                }
                Stmt::Task { k } => {
                    format!("clEnqueueTask({queue}, {}, {events})", self.kernels[*k])
                }
                Stmt::Copy { from, to } => format!(
                    "clEnqueueCopyBuffer({queue}, {}, {}, 0, 0, 2048, {events})",
                    self.buffers[*from], self.buffers[*to]
                ),
                other => {
                    self.statement(other);
                    continue;
                }
            };
            self.checked(&call);
            done += 1;
        }
        self.checked(&format!(
            "clSetEventCallback({event}[{count}], CL_COMPLETE, when_done, (void *)&called)"
        ));
        self.checked(&format!("clFlush({queue})"));
        if is_held {
            self.checked(&format!("clSetUserEventStatus({event}[0], CL_COMPLETE)"));
        }
        self.checked(&format!("clWaitForEvents(1, &{event}[{count}])"));
        self.line("wait_for(1);");
        self.line(&format!(
            "for (int i = 0; i <= {count}; i++) clReleaseEvent({event}[i]);"
        ));
        self.checked(&format!("clReleaseCommandQueue({queue})"));
    }

    /// An array of sizes: its name.
    pub(super) fn sizes(&mut self, sizes: Option<&[usize]>) -> String {
        let Some(sizes) = sizes else {
            return "NULL".to_string();
        };
        let numbers: Vec<String> = sizes.iter().map(|n| self.number_of(*n)).collect();
        let name = self.name("size");
        if numbers.len() == 1 && self.r.chance(40) {
            self.line(&format!("size_t {name} = {};", numbers[0]));
            return format!("&{name}");
        }
        if self.r.chance(30) {
            self.line(&format!("size_t {name}[3];"));
            for (at, number) in numbers.iter().enumerate() {
                self.line(&format!("{name}[{at}] = {number};"));
            }
            return name;
        }
        let casts: Vec<String> = numbers.iter().map(|n| format!("(size_t){n}")).collect();
        self.line(&format!(
            "size_t {name}[{}] = {{ {} }};",
            numbers.len(),
            casts.join(", ")
        ));
        name
    }

    pub(super) fn wrong(&mut self, k: usize, call: Mistake) {
        let kernel = self.kernels[k].clone();
        let program = self.programs[self.scene.kernels[k].0].clone();
        let name = self.name("wrong");
        match call {
            Mistake::Name => {
                self.line(&format!("cl_int {name} = 0;"));
                self.line(&format!("clCreateKernel({program}, \"nobody\", &{name});"));
            }
            Mistake::Index => self.line(&format!(
                "cl_int {name} = clSetKernelArg({kernel}, 77, sizeof(cl_mem), NULL);"
            )),
            Mistake::Dimensions => {
                self.line(&format!("size_t {name}_size = 16;"));
                self.line(&format!(
                    "cl_int {name} = clEnqueueNDRangeKernel(queue, {kernel}, 0, NULL, &{name}_size, NULL, 0, NULL, NULL);"
                ));
            }
            Mistake::Remainder => {
                self.line(&format!("size_t {name}_size[2] = {{ 1, 7 }};"));
                self.line(&format!(
                    "cl_int {name} = clEnqueueNDRangeKernel(queue, {kernel}, 1, NULL, {name}_size, {name}_size + 1, 0, NULL, NULL);"
                ));
            }
            Mistake::NoArguments => {
                let of = &self.scene.kernel(k).name;
                let fresh =
                    format!("cl_kernel {name}_kernel = clCreateKernel({program}, \"{of}\", NULL);");
                self.line(&fresh);
                self.line(&format!("size_t {name}_size = 1;"));
                self.line(&format!(
                    "cl_int {name} = clEnqueueNDRangeKernel(queue, {name}_kernel, 1, NULL, &{name}_size, NULL, 0, NULL, NULL);"
                ));
                self.line(&format!("clReleaseKernel({name}_kernel);"));
            }
        }
        self.line(&format!("printf(\"{call:?} %d\\n\", (int){name});"));
    }
}
