//! How a scene is spelled in C or C++. Each statement has many spellings that mean the same.

mod flow;
mod launches;
mod memory;
mod programs;

use std::fmt::Write as _;

use crate::random::Random;

use super::parts::Parts;
use super::scene::{Flags, Scene, Stmt};
use super::style::{Check, Style};

/// What spellings are chosen by.
#[derive(Clone, Copy, Debug)]
pub struct Seeds {
    /// Of the host: spellings that fpgacc sees through alike.
    pub host: u64,
    /// Of the story: spellings that decide what fpgacc can know, and so what becomes of the kernels.
    pub story: u64,
}

/// Writes a scene into the parts of a program.
pub fn spell(
    scene: &Scene,
    seeds: Seeds,
    number: usize,
    argc: usize,
    style: Style,
    parts: &mut Parts,
) {
    let mut speller = Speller {
        r: Random::new(seeds.host),
        known: Random::new(seeds.story),
        story: seeds.story,
        statements: 0,
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
    /// The same for each statement whenever the story is used, whatever `r` gave before.
    known: Random,
    story: u64,
    statements: u64,
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
        if self.scene.is_repeated {
            self.parts.need("worlds");
            let by_type = u8::from(self.r.chance(50));
            let _ = writeln!(
                self.parts.main,
                "    other_world({by_type});\n    scene_{n}(argc, argv);\n    first_world();"
            );
        }
    }

    /// Gives each variable a home.
    fn declare(&mut self) {
        let n = self.number;
        let scene = self.scene;
        let homes = |this: &mut Self, what: &str, letter: &str, count: usize| -> Vec<String> {
            match this.r.below(12) {
                11 if count > 0 && this.style.cpp => {
                    this.parts.need("vector");
                    this.line(&format!("std::vector<{what}> {letter}v({count});"));
                    (0..count).map(|at| format!("{letter}v[{at}]")).collect()
                }
                0 | 1 if count > 0 => {
                    this.line(&format!("{what} {letter}s[{count}];"));
                    (0..count).map(|at| format!("{letter}s[{at}]")).collect()
                }
                2 | 3 if count > 0 => {
                    let fields: String = (0..count).map(|at| format!("{what} f{at}; ")).collect();
                    this.line(&format!("struct {{ {fields}}} {letter}r;"));
                    (0..count).map(|at| format!("{letter}r.f{at}")).collect()
                }
                4 | 5 => {
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
        for statement in &scene.body {
            if let Stmt::Create {
                b,
                flags: Flags::Svm,
                ..
            } = statement
            {
                self.buffers[*b] = self.name("shared");
                let declaration = format!("cl_uint *{};", self.buffers[*b]);
                self.line(&declaration);
            }
        }
        self.kernels = homes(self, "cl_kernel", "k", scene.kernels.len());
        self.programs = homes(self, "cl_program", "p", scene.programs.len());
    }

    fn statement(&mut self, statement: &Stmt) {
        self.statements += 1;
        self.known = Random::new(self.story ^ self.statements.wrapping_mul(0x0100_0000_01b3));
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
            Stmt::Build {
                p,
                text,
                options,
                way,
            } => self.build(*p, *text, options, *way),
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
            Stmt::Show { b } => self.show(*b),
            Stmt::Chain { body, is_held } => self.chain(body, *is_held),
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
