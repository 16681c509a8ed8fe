//! Loops, branches, functions and threads.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::super::scene::{Stmt, Value};
use super::Speller;

impl Speller<'_> {
    pub(super) fn repeated(&mut self, times: usize, body: &[Stmt]) {
        let turn = self.name("t");
        let times = self.number_of(times);
        let outer = self.turn.replace(turn.clone());
        match self.known.below(3) {
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

    pub(super) fn all(&mut self, body: &[Stmt]) {
        for statement in body {
            self.statement(statement);
        }
    }

    pub(super) fn decided(&mut self, more_than: usize, then: &[Stmt], otherwise: &[Stmt]) {
        self.line(&format!("if (argc > {more_than}) {{"));
        self.all(then);
        if !otherwise.is_empty() {
            self.line("} else {");
            self.all(otherwise);
        }
        self.line("}");
    }

    /// A function that gets what it needs.
    pub(super) fn call(&mut self, body: &[Stmt]) {
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
            params.push(format!("{}{star}m{b}", self.type_of(b)));
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
        let head = format!("void {function}({})", params.join(", "));
        let text = format!(
            "{{\n    cl_int err = CL_SUCCESS;\n    (void)argc; (void)err;\n{}}}\n",
            self.lines
        );
        let parts = &mut *self.parts;
        if self.style.is_in_two_files {
            let _ = writeln!(parts.prototypes, "{head};");
            let file = match self.r.chance(60) {
                true => &mut parts.elsewhere,
                false => &mut parts.functions,
            };
            let _ = write!(file, "\n{head} {text}");
        } else {
            let _ = write!(parts.functions, "\nstatic {head} {text}");
        }
        (self.buffers, self.kernels, self.turn) = (buffers, kernels, turn);
        self.lines = lines;
        self.line(&format!("{function}({});", args.join(", ")));
    }

    /// Each body in a function that a thread begins with.
    pub(super) fn threads(&mut self, bodies: &[Vec<Stmt>]) {
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
                let _ = write!(fields, "{}m{b}; ", self.type_of(b));
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
}

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
            Stmt::Loop { body, .. } | Stmt::Call { body } | Stmt::Chain { body, .. } => {
                self.all(body)
            }
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
