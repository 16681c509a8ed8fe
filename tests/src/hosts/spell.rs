//! How a scene is spelled in C or C++. Each statement has many spellings that mean the same.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::random::Random;

use super::helpers::Parts;
use super::kernels::{Param, Scalar};
use super::scene::{Flags, Mistake, Options, Scene, Shape, Stmt, Value};
use super::style::{Check, Style};
use super::texts::Text;

/// Writes a scene into the parts of a program.
pub fn spell(
    scene: &Scene,
    seed: u64,
    number: usize,
    argc: usize,
    style: Style,
    parts: &mut Parts,
) {
    let mut speller = Speller {
        r: Random::new(seed),
        scene,
        number,
        argc,
        style,
        parts,
        lines: String::new(),
        buffers: Vec::new(),
        kernels: Vec::new(),
        programs: Vec::new(),
        turn: None,
        fresh: 0,
    };
    speller.whole();
}

struct Speller<'a> {
    r: Random,
    scene: &'a Scene,
    number: usize,
    argc: usize,
    style: Style,
    parts: &'a mut Parts,
    /// The function at hand.
    lines: String,
    /// What the variables are called in it.
    buffers: Vec<String>,
    kernels: Vec<String>,
    programs: Vec<String>,
    /// The innermost loop's counter.
    turn: Option<String>,
    fresh: usize,
}

impl Speller<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.lines, "    {text}");
    }

    fn name(&mut self, prefix: &str) -> String {
        self.fresh += 1;
        format!("{prefix}{}_{}", self.number, self.fresh)
    }

    /// A call whose error code is looked at, or not.
    fn checked(&mut self, call: &str) {
        match self.style.check {
            Check::Macro | Check::Bare | Check::Function => self.line(&format!("CHECK({call});")),
            Check::Or => self.line(&format!("err |= {call};")),
            Check::If => {
                self.line(&format!("err = {call};"));
                self.line("if (err != CL_SUCCESS) { printf(\"error %d\\n\", (int)err); exit(1); }");
            }
        }
    }

    fn whole(&mut self) {
        let n = self.number;
        self.declare();
        for statement in &self.scene.body {
            self.statement(statement);
        }
        self.released();
        if self.style.check == Check::Or {
            self.line("printf(\"errors %d\\n\", (int)err);");
        }
        let body = std::mem::take(&mut self.lines);
        let _ = write!(
            self.parts.functions,
            "\nstatic void scene_{n}(int argc, char **argv) {{\n    cl_int err = CL_SUCCESS;\n    \
             (void)argc; (void)argv; (void)err;\n    printf(\"scene {n}\\n\");\n    \
             fflush(stdout);\n{body}}}\n"
        );
        let _ = writeln!(self.parts.main, "    scene_{n}(argc, argv);");
    }

    /// Gives each variable a home.
    fn declare(&mut self) {
        let n = self.number;
        let scene = self.scene;
        let homes = |this: &mut Self, what: &str, letter: &str, count: usize| -> Vec<String> {
            match this.r.below(6) {
                5 if count > 0 && this.style.cpp => {
                    this.line(&format!("std::vector<{what}> {letter}v({count});"));
                    (0..count).map(|at| format!("{letter}v[{at}]")).collect()
                }
                0 if count > 0 => {
                    this.line(&format!("{what} {letter}s[{count}];"));
                    (0..count).map(|at| format!("{letter}s[{at}]")).collect()
                }
                1 if count > 0 => {
                    let fields: String = (0..count).map(|at| format!("{what} f{at}; ")).collect();
                    this.line(&format!("struct {{ {fields}}} {letter}r;"));
                    (0..count).map(|at| format!("{letter}r.f{at}")).collect()
                }
                2 => {
                    for at in 0..count {
                        let _ = writeln!(this.parts.globals, "static {what} g{n}_{letter}{at};");
                    }
                    (0..count).map(|at| format!("g{n}_{letter}{at}")).collect()
                }
                _ => {
                    for at in 0..count {
                        this.line(&format!("{what} {letter}{at};"));
                    }
                    (0..count).map(|at| format!("{letter}{at}")).collect()
                }
            }
        };
        self.buffers = homes(self, "cl_mem", "b", scene.buffers);
        self.kernels = homes(self, "cl_kernel", "k", scene.kernels.len());
        self.programs = homes(self, "cl_program", "p", scene.programs.len());
    }

    fn statement(&mut self, statement: &Stmt) {
        match statement {
            Stmt::Create {
                b,
                words,
                flags,
                seed,
            } => self.create(*b, *words, *flags, *seed),
            Stmt::Part {
                b,
                of,
                origin,
                words,
            } => self.part(*b, *of, *origin, *words),
            Stmt::Alias { b, of } => {
                let text = format!("{} = {};", self.buffers[*b], self.buffers[*of]);
                self.line(&text);
            }
            Stmt::Swap { a, b } => self.swap(*a, *b),
            Stmt::Build { p, text, options } => self.build(*p, *text, options),
            Stmt::Rebuild { p, options } => {
                self.checked("clFinish(queue)");
                let options = self.options(options);
                let call = format!(
                    "clBuildProgram({}, 1, &device, {options}, NULL, NULL)",
                    self.programs[*p]
                );
                self.checked(&call);
            }
            Stmt::Kernel { k } => self.kernel(*k),
            Stmt::Release { k } => {
                let call = format!("clReleaseKernel({})", self.kernels[*k]);
                self.checked(&call);
            }
            Stmt::Set { k, args } => self.set(*k, args),
            Stmt::Launch { k, shape } => self.launch(*k, shape),
            Stmt::Task { k } => {
                let call = format!("clEnqueueTask(queue, {}, 0, NULL, NULL)", self.kernels[*k]);
                self.checked(&call);
            }
            Stmt::Write { b, seed } => {
                self.parts.need("write_buffer");
                let call = format!("write_buffer({}, {seed})", self.buffers[*b]);
                self.checked(&call);
            }
            Stmt::Copy { from, to } => {
                let call = format!(
                    "clEnqueueCopyBuffer(queue, {}, {}, 0, 0, 2048, 0, NULL, NULL)",
                    self.buffers[*from], self.buffers[*to]
                );
                self.checked(&call);
            }
            Stmt::Show { b } => {
                let how = match self.r.chance(30) {
                    true => "show_mapped",
                    false => "show",
                };
                if how == "show_mapped" {
                    self.parts.need("show_mapped");
                }
                let text = format!("{how}(\"b{b}\", {});", self.buffers[*b]);
                self.line(&text);
            }
            Stmt::Loop { times, body } => self.repeated(*times, body),
            Stmt::If {
                more_than,
                then,
                otherwise,
            } => self.decided(*more_than, then, otherwise),
            Stmt::Call { body } => self.call(body),
            Stmt::Threads { bodies } => self.threads(bodies),
            Stmt::Saved { p, from } => self.saved(*p, *from),
            Stmt::Ask { k } => {
                self.parts.need("ask");
                let text = format!("ask({});", self.kernels[*k]);
                self.line(&text);
            }
            Stmt::Wrong { k, call } => self.wrong(*k, *call),
        }
    }

    /// Each body in a function that a thread begins with.
    fn threads(&mut self, bodies: &[Vec<Stmt>]) {
        self.parts.need("threads");
        let threads = self.name("threads");
        self.line(&format!("pthread_t {threads}[{}];", bodies.len()));
        for (at, body) in bodies.iter().enumerate() {
            let mut used = Used::default();
            used.all(body);
            let of = self.name("thread_of_");
            let (buffers, kernels) = (self.buffers.clone(), self.kernels.clone());
            let turn = self.turn.take();
            let mut fields = String::new();
            let mut values = Vec::new();
            for &b in &used.buffers {
                let _ = write!(fields, "cl_mem m{b}; ");
                values.push(buffers[b].clone());
                self.buffers[b] = format!("its->m{b}");
            }
            for &k in &used.kernels {
                let _ = write!(fields, "cl_kernel f{k}; ");
                values.push(kernels[k].clone());
                self.kernels[k] = format!("its->f{k}");
            }
            let lines = std::mem::take(&mut self.lines);
            self.all(body);
            let _ = write!(
                self.parts.functions,
                "\nstruct {of} {{ int argc; {fields}}};\n\nstatic void *run_{of}(void *data) {{\n    \
                 struct {of} *its = (struct {of} *)data;\n    int argc = its->argc;\n    \
                 cl_int err = CL_SUCCESS;\n    (void)argc; (void)err;\n{}    return NULL;\n}}\n",
                self.lines
            );
            (self.buffers, self.kernels, self.turn) = (buffers, kernels, turn);
            self.lines = lines;
            values.insert(0, "argc".to_string());
            let values = values.join(", ");
            self.line(&format!("struct {of} data_{of} = {{ {values} }};"));
            self.line(&format!(
                "pthread_create(&{threads}[{at}], NULL, run_{of}, &data_{of});"
            ));
        }
        for at in 0..bodies.len() {
            self.line(&format!("pthread_join({threads}[{at}], NULL);"));
        }
    }

    fn saved(&mut self, p: usize, from: usize) {
        self.parts.need("saved");
        let (name, from) = (self.programs[p].clone(), self.programs[from].clone());
        let file = match self.r.chance(50) {
            true => format!("\"saved_{}_{p}.bin\"", self.number),
            false => "NULL".to_string(),
        };
        self.line(&format!("{name} = saved({from}, {file});"));
    }

    fn wrong(&mut self, k: usize, call: Mistake) {
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

    fn create(&mut self, b: usize, words: usize, flags: Flags, seed: u8) {
        let name = self.buffers[b].clone();
        let size = self.number_of(words);
        let flag = match flags {
            Flags::ReadOnly => "CL_MEM_READ_ONLY",
            _ => "CL_MEM_READ_WRITE",
        };
        if flags == Flags::UseHostPtr {
            let memory = self.name("memory");
            let _ = writeln!(
                self.parts.globals,
                "static cl_uint {memory}[{words}] __attribute__((aligned(4096)));"
            );
            self.line(&format!("fill({memory}, {words}, {seed});"));
            self.line(&format!(
                "{name} = clCreateBuffer(context, {flag} | CL_MEM_USE_HOST_PTR, sizeof {memory}, {memory}, &err);"
            ));
            return;
        }
        match self.r.below(4) {
            0 => {
                self.parts.need("make_buffer");
                self.line(&format!("{name} = make_buffer({flag}, {size}, {seed});"));
            }
            1 => {
                self.parts.need("new_buffer");
                self.line(&format!("new_buffer(&{name}, {size}, {seed}, {flag});"));
            }
            2 => {
                self.parts.need("write_buffer");
                self.line(&format!(
                    "{name} = clCreateBuffer(context, {flag}, {size} * sizeof(cl_uint), NULL, NULL);"
                ));
                self.checked(&format!("write_buffer({name}, {seed})"));
            }
            _ => {
                let data = self.name("data");
                self.line(&format!(
                    "cl_uint *{data} = (cl_uint *)malloc({words} * sizeof(cl_uint)); fill({data}, {words}, {seed});"
                ));
                self.line(&format!(
                    "{name} = clCreateBuffer(context, {flag} | CL_MEM_COPY_HOST_PTR, sizeof(cl_uint) * {size}, {data}, &err);"
                ));
                self.line(&format!("free({data});"));
            }
        }
    }

    fn part(&mut self, b: usize, of: usize, origin: usize, words: usize) {
        let (name, whole) = (self.buffers[b].clone(), self.buffers[of].clone());
        if self.r.chance(40) {
            self.parts.need("part_of");
            let origin = self.number_of(origin);
            self.line(&format!("{name} = part_of({whole}, {origin}, {words});"));
            return;
        }
        let region = self.name("region");
        self.line(&format!(
            "cl_buffer_region {region} = {{ {origin} * sizeof(cl_uint), {words} * sizeof(cl_uint) }};"
        ));
        self.line(&format!(
            "{name} = clCreateSubBuffer({whole}, 0, CL_BUFFER_CREATE_TYPE_REGION, &{region}, &err);"
        ));
    }

    fn swap(&mut self, a: usize, b: usize) {
        let (a, b) = (self.buffers[a].clone(), self.buffers[b].clone());
        if self.r.chance(40) {
            self.parts.need("swap_buffers");
            self.line(&format!("swap_buffers(&{a}, &{b});"));
        } else {
            self.line(&format!(
                "{{ cl_mem other = {a}; {a} = {b}; {b} = other; }}"
            ));
        }
    }

    /// Options as an expression of the host.
    fn options(&mut self, options: &Options) -> String {
        if let (Some((a, b)), Some(folder)) = (options.header, &options.folder) {
            self.parts.need("write_header");
            self.line(&format!("write_header(\"{folder}\", {a}, {b});"));
        }
        let mut words: Vec<String> = options.others.clone();
        let folder = options.folder.iter().map(|folder| format!("-I {folder}"));
        words.extend(folder);
        let defines = options.defines.iter();
        words.extend(defines.map(|(name, value)| format!("-D{name}={value}")));
        if words.is_empty() {
            return self.r.pick(&["NULL", "\"\""]).to_string();
        }
        let literal = words.join(" ");
        let (Some((name, value)), true) = (options.defines.last(), self.r.chance(50)) else {
            return match self.r.below(3) {
                0 => {
                    let text = self.name("options");
                    self.line(&format!("const char *{text} = \"{literal}\";"));
                    text
                }
                1 => {
                    let text = self.name("OPTIONS").to_uppercase();
                    let _ = writeln!(self.parts.defines, "#define {text} \"{literal}\"");
                    text
                }
                _ => format!("\"{literal}\""),
            };
        };
        let head = words[..words.len() - 1].join(" ");
        let value = self.number_of(usize::from(*value));
        let text = self.name("options");
        self.line(&format!("char {text}[200];"));
        match self.r.below(3) {
            0 => self.line(&format!(
                "sprintf({text}, \"{head} -D{name}=%d\", (int)({value}));"
            )),
            1 => {
                self.line(&format!("strcpy({text}, \"{head} \");"));
                self.line(&format!(
                    "sprintf({text} + strlen({text}), \"-D %s=%d\", \"{name}\", (int)({value}));"
                ));
            }
            _ => {
                self.parts.need("define_option");
                self.line(&format!(
                    "define_option({text}, \"{head}\", \"{name}\", {value});"
                ));
            }
        }
        text
    }

    fn build(&mut self, p: usize, text: usize, options: &Options) {
        let name = self.programs[p].clone();
        let text = &self.scene.texts[text];
        let options = self.options(options);
        let literal = self.parts.is_literal(text, &mut self.r);
        if !literal && self.r.chance(35) {
            self.parts.need("build_file");
            self.line(&format!(
                "{name} = build_file(\"{}.cl\", {options});",
                text.stem
            ));
            return;
        }
        match literal {
            true => self.program_of_literal(&name, text),
            false => self.program_of_file(&name, text),
        }
        if self.r.chance(4) {
            self.parts.need("compile_and_link");
            return self.line(&format!("{name} = compile_and_link({name}, {options});"));
        }
        let call = format!("clBuildProgram({name}, 1, &device, {options}, NULL, NULL)");
        self.checked(&call);
    }

    fn program_of_file(&mut self, name: &str, text: &Text) {
        let source = self.name("source");
        self.line(&format!("size_t {source}_size;"));
        self.line(&format!(
            "char *{source} = read_file(\"{}.cl\", &{source}_size);",
            text.stem
        ));
        let length = match self.r.chance(50) {
            true => format!("&{source}_size"),
            false => "NULL".to_string(),
        };
        self.line(&format!(
            "{name} = clCreateProgramWithSource(context, 1, (const char **)&{source}, {length}, &err);"
        ));
        self.line(&format!("free({source});"));
    }

    fn program_of_literal(&mut self, name: &str, text: &Text) {
        let variable = format!("text_{}", text.stem);
        if self.r.chance(30) {
            // In two strings, of which the first has no end.
            let cut = text.body.len() / 2;
            let pieces = self.name("pieces");
            self.line(&format!(
                "const char *{pieces}[2] = {{ {variable}, {variable} + {cut} }};"
            ));
            self.line(&format!("size_t {pieces}_sizes[2] = {{ {cut}, 0 }};"));
            self.line(&format!(
                "{name} = clCreateProgramWithSource(context, 2, {pieces}, {pieces}_sizes, NULL);"
            ));
            return;
        }
        self.line(&format!(
            "{name} = clCreateProgramWithSource(context, 1, &{variable}, NULL, &err);"
        ));
    }

    fn kernel(&mut self, k: usize) {
        let (program, _) = self.scene.kernels[k];
        let (variable, program) = (self.kernels[k].clone(), self.programs[program].clone());
        let kernel = self.scene.kernel(k).name.clone();
        match self.r.below(5) {
            4 => {
                self.parts.need("kernel_of_all");
                self.line(&format!(
                    "{variable} = kernel_of_all({program}, \"{kernel}\");"
                ));
            }
            0 => {
                self.parts.need("kernel_named");
                self.line(&format!(
                    "{variable} = kernel_named({program}, \"{kernel}\");"
                ));
            }
            1 => {
                let name = self.name("kernel");
                self.line(&format!("char {name}[8] = \"k_\";"));
                self.line(&format!("{name}[1] = '{}';", &kernel[1..2]));
                self.line(&format!(
                    "{variable} = clCreateKernel({program}, {name}, &err);"
                ));
            }
            _ => self.line(&format!(
                "{variable} = clCreateKernel({program}, \"{kernel}\", &err);"
            )),
        }
    }

    /// A number as an expression: it may stand at any place of the function at hand.
    fn number_of(&mut self, value: usize) -> String {
        let argc = self.argc;
        match self.r.below(11) {
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

    fn set(&mut self, k: usize, args: &[(usize, Value)]) {
        let running = args.len() > 1
            && self.r.chance(20)
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

    fn argument(&mut self, k: usize, at: &str, param: Param, value: Value) {
        let kernel = self.kernels[k].clone();
        match (param, value) {
            (_, Value::Buffer(b)) => {
                let buffer = self.buffers[b].clone();
                match self.r.below(6) {
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

    fn scalar(&mut self, kernel: &str, at: &str, kind: Scalar, number: &str) {
        let of = kind.host_type();
        if kind == Scalar::Int && self.r.chance(30) {
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
        let size = match self.r.chance(50) {
            true => format!("sizeof({of})"),
            false => format!("sizeof {name}"),
        };
        self.checked(&format!("clSetKernelArg({kernel}, {at}, {size}, &{name})"));
        if self.r.chance(20) && !matches!(kind, Scalar::Pair | Scalar::Int4) {
            // The argument is what the variable was.
            self.line(&format!("{name} = 77;"));
        }
    }

    fn launch(&mut self, k: usize, shape: &Shape) {
        let kernel = self.kernels[k].clone();
        let dims = shape.global.len();
        if dims == 1 && shape.offset.is_none() && self.r.chance(25) {
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
        if self.r.chance(10) {
            self.parts.need("other_queue");
            return self.checked(&format!(
                "on_other_queue({kernel}, {dims}, {offset}, {global}, {local})"
            ));
        }
        if self.r.chance(10) {
            self.parts.need("launcher");
            return self.checked(&format!(
                "launcher(queue, {kernel}, {dims}, {offset}, {global}, {local}, 0, NULL, NULL)"
            ));
        }
        if self.r.chance(20) {
            self.parts.need("launch_any");
            return self.checked(&format!(
                "launch_any({kernel}, {dims}, {offset}, {global}, {local})"
            ));
        }
        self.checked(&format!(
            "clEnqueueNDRangeKernel(queue, {kernel}, {dims}, {offset}, {global}, {local}, 0, NULL, NULL)"
        ));
        if self.r.chance(15) {
            // The launch is what the sizes were.
            match global.strip_prefix('&') {
                Some(name) => self.line(&format!("{name} = 3;")),
                None => self.line(&format!("{global}[0] = 3;")),
            }
        }
    }

    /// An array of sizes: its name.
    fn sizes(&mut self, sizes: Option<&[usize]>) -> String {
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

    fn repeated(&mut self, times: usize, body: &[Stmt]) {
        let turn = self.name("t");
        let times = self.number_of(times);
        let outer = self.turn.replace(turn.clone());
        match self.r.below(3) {
            0 => {
                self.line(&format!("int {turn} = 0;"));
                self.line(&format!("while ({turn} < {times}) {{"));
                self.all(body);
                self.line(&format!("{turn}++;"));
            }
            _ => {
                self.line(&format!(
                    "for (int {turn} = 0; {turn} < {times}; {turn}++) {{"
                ));
                self.all(body);
            }
        }
        self.line("}");
        self.turn = outer;
    }

    fn all(&mut self, body: &[Stmt]) {
        for statement in body {
            self.statement(statement);
        }
    }

    fn decided(&mut self, more_than: usize, then: &[Stmt], otherwise: &[Stmt]) {
        self.line(&format!("if (argc > {more_than}) {{"));
        self.all(then);
        if !otherwise.is_empty() {
            self.line("} else {");
            self.all(otherwise);
        }
        self.line("}");
    }

    /// A function that gets what it needs.
    fn call(&mut self, body: &[Stmt]) {
        let mut used = Used::default();
        used.all(body);
        let function = self.name("part_of_scene_");
        let lines = std::mem::take(&mut self.lines);
        let (buffers, kernels) = (self.buffers.clone(), self.kernels.clone());
        let turn = self.turn.clone();
        let mut params = vec!["int argc".to_string()];
        let mut args = vec!["argc".to_string()];
        for &b in &used.buffers {
            let (star, by) = match used.moved {
                true => ("*", "&"),
                false => ("", ""),
            };
            params.push(format!("cl_mem {star}m{b}"));
            args.push(format!("{by}{}", buffers[b]));
            self.buffers[b] = match used.moved {
                true => format!("(*m{b})"),
                false => format!("m{b}"),
            };
        }
        for &k in &used.kernels {
            params.push(format!("cl_kernel f{k}"));
            args.push(kernels[k].clone());
            self.kernels[k] = format!("f{k}");
        }
        if let Some(turn) = &turn {
            params.push("int turn".to_string());
            args.push(turn.clone());
            self.turn = Some("turn".to_string());
        }
        self.all(body);
        let _ = write!(
            self.parts.functions,
            "\nstatic void {function}({}) {{\n    cl_int err = CL_SUCCESS;\n    (void)argc; \
             (void)err;\n{}}}\n",
            params.join(", "),
            self.lines
        );
        (self.buffers, self.kernels, self.turn) = (buffers, kernels, turn);
        self.lines = lines;
        self.line(&format!("{function}({});", args.join(", ")));
    }

    fn released(&mut self) {
        self.checked("clFinish(queue)");
        for k in self.kernels.clone() {
            self.checked(&format!("clReleaseKernel({k})"));
        }
        for p in self.programs.clone() {
            self.checked(&format!("clReleaseProgram({p})"));
        }
    }
}

/// What statements use.
#[derive(Default)]
struct Used {
    buffers: BTreeSet<usize>,
    kernels: BTreeSet<usize>,
    /// Variables change.
    moved: bool,
}

impl Used {
    fn all(&mut self, body: &[Stmt]) {
        for statement in body {
            self.one(statement);
        }
    }

    fn one(&mut self, statement: &Stmt) {
        match statement {
            Stmt::Create { b, .. } | Stmt::Write { b, .. } | Stmt::Show { b } => {
                self.buffers.insert(*b);
            }
            Stmt::Part { b, of, .. } | Stmt::Alias { b, of } => {
                self.moved = true;
                self.buffers.extend([*b, *of]);
            }
            Stmt::Swap { a, b } => {
                self.moved = true;
                self.buffers.extend([*a, *b]);
            }
            Stmt::Copy { from, to } => self.buffers.extend([*from, *to]),
            Stmt::Build { .. } | Stmt::Rebuild { .. } | Stmt::Saved { .. } => {}
            Stmt::Kernel { k }
            | Stmt::Release { k }
            | Stmt::Task { k }
            | Stmt::Ask { k }
            | Stmt::Wrong { k, .. } => {
                self.kernels.insert(*k);
            }
            Stmt::Launch { k, .. } => {
                self.kernels.insert(*k);
            }
            Stmt::Set { k, args } => {
                self.kernels.insert(*k);
                for (_, value) in args {
                    if let Value::Buffer(b) = value {
                        self.buffers.insert(*b);
                    }
                }
            }
            Stmt::Loop { body, .. } | Stmt::Call { body } => self.all(body),
            Stmt::Threads { bodies } => bodies.iter().for_each(|body| self.all(body)),
            Stmt::If {
                then, otherwise, ..
            } => {
                self.all(then);
                self.all(otherwise);
            }
        }
    }
}
