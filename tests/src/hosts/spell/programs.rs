//! Programs and kernels.

use std::fmt::Write as _;

use super::super::scene::{Options, Way};
use super::super::texts::Text;
use super::Speller;

impl Speller<'_> {
    pub(super) fn saved(&mut self, p: usize, from: usize) {
        self.parts.need("saved");
        let (name, from) = (self.programs[p].clone(), self.programs[from].clone());
        let file = match self.r.chance(50) {
            true => format!("\"saved_{}_{p}.bin\"", self.number),
            false => "NULL".to_string(),
        };
        self.line(&format!("{name} = saved({from}, {file});"));
    }

    /// Options as an expression of the host.
    pub(super) fn options(&mut self, options: &Options) -> String {
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

    pub(super) fn build(&mut self, p: usize, text: usize, options: &Options, way: Way) {
        let name = self.programs[p].clone();
        let text = &self.scene.texts[text];
        let options = self.options(options);
        let literal = self.parts.is_literal(text, &mut self.r);
        if way == Way::Kept {
            return self.kept(&name, text, literal, p, &options);
        }
        let is_wrapped = self.style.is_wrapped && way == Way::Built && self.r.chance(50);
        if is_wrapped {
            self.parts.need("wrapped_program");
            let source = self.source(text, literal);
            return self.line(&format!("{name} = wrapped_program({source}, {options});"));
        }
        if !literal && way == Way::Built && self.r.chance(35) {
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
        if way == Way::Linked {
            self.parts.need("compile_and_link");
            return self.line(&format!("{name} = compile_and_link({name}, {options});"));
        }
        if self.r.chance(8) {
            self.parts.need("callbacks");
            self.checked(&format!(
                "clBuildProgram({name}, 1, &device, {options}, when_built, (void *)&called)"
            ));
            return self.line("wait_for(1);");
        }
        let call = format!("clBuildProgram({name}, 1, &device, {options}, NULL, NULL)");
        self.checked(&call);
    }

    /// The program keeps its binary in a file, which its next run finds.
    fn kept(&mut self, name: &str, text: &Text, literal: bool, p: usize, options: &str) {
        self.parts.need("kept_program");
        self.parts.is_run_twice = true;
        let source = self.source(text, literal);
        let number = self.number;
        self.line(&format!(
            "{name} = kept_program(\"kept_{number}_{p}.bin\", {source}, {options});"
        ));
    }

    /// A text as an expression.
    fn source(&mut self, text: &Text, literal: bool) -> String {
        match literal {
            true => format!("text_{}", text.stem),
            false => {
                let source = self.name("source");
                self.line(&format!(
                    "char *{source} = read_file(\"{}.cl\", NULL);",
                    text.stem
                ));
                source
            }
        }
    }

    pub(super) fn program_of_file(&mut self, name: &str, text: &Text) {
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

    pub(super) fn program_of_literal(&mut self, name: &str, text: &Text) {
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

    pub(super) fn kernel(&mut self, k: usize) {
        let (program, _) = self.scene.kernels[k];
        let (variable, program) = (self.kernels[k].clone(), self.programs[program].clone());
        let kernel = self.scene.kernel(k).name.clone();
        if self.style.is_wrapped && self.r.chance(40) {
            self.parts.need("wrapped_kernel");
            let call = format!("{variable} = wrapped_kernel({program}, \"{kernel}\");");
            return self.line(&call);
        }
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
}
