//! The manifest as C.

use std::fmt::Write;

use crate::contract::{ChosenLocal, Level, Steps};
use crate::guard::Guard;
use crate::manifest::{
    Coarsened, Form, Header, Hidden, Kernel, Manifest, NullLocal, Param, ParamKind, Program,
    Target, Task,
};

impl Manifest {
    /// The manifest as the text of a C file, to be compiled with [`crate::SOURCES`]. The same
    /// manifest gives the same text.
    pub fn to_c(&self) -> String {
        let mut out = String::from(
            "/* Made by fpgacc: what the runtime must know of this executable's kernels. */\n\
             #include \"manifest.h\"\n",
        );
        for (index, program) in self.programs.iter().enumerate() {
            write_program_parts(&mut out, index, program);
        }
        let rows =
            (self.programs.iter().enumerate()).map(|(index, program)| program_row(index, program));
        write_array(&mut out, "struct fpgacc_program", "programs", rows);
        let rows = self.left_to_device.iter().map(|left| {
            let (why, remedy) = (c_string(&left.why), c_string(&left.remedy));
            format!("{{UINT64_C({:#018x}), {why}, {remedy}}}", left.source_hash)
        });
        write_array(
            &mut out,
            "struct fpgacc_left_to_device",
            "left_to_device",
            rows,
        );
        let rows = self.launched_at.iter().map(|launched| {
            let (kernel, at) = (c_string(&launched.kernel), c_string(&launched.at));
            format!("{{{kernel}, {at}}}")
        });
        write_array(&mut out, "struct fpgacc_launched_at", "launched_at", rows);
        let (target, library) = match &self.target {
            Target::IntelEmulator { library } => {
                ("FPGACC_TARGET_INTEL_EMULATOR", library.as_deref())
            }
            Target::Pocl => ("FPGACC_TARGET_POCL", None),
            Target::Nvidia => ("FPGACC_TARGET_NVIDIA", None),
            Target::Sdk => ("FPGACC_TARGET_SDK", None),
        };
        let library = library.map_or("NULL".to_owned(), c_string);
        let _ = write!(
            out,
            "\nconst struct fpgacc_manifest fpgacc_manifest = {{\n\
             \x20   .target = {target},\n\
             \x20   .library = {library},\n\
             {}{}{}}};\n",
            counted("programs", "program_count", "programs", self.programs.len()),
            counted(
                "left_to_device",
                "left_count",
                "left_to_device",
                self.left_to_device.len()
            ),
            counted(
                "launched_at",
                "launched_count",
                "launched_at",
                self.launched_at.len()
            ),
        );
        out
    }
}

fn write_program_parts(out: &mut String, index: usize, program: &Program) {
    let prefix = format!("p{index}");
    let _ = write!(
        out,
        "\n/* {} -> {} */\n",
        comment(&program.name),
        comment(&program.aocx)
    );
    for (what, strings) in [
        ("defines", &program.defines),
        ("macros", &program.macro_names),
        ("options", &program.options),
        ("folders", &program.folders),
    ] {
        let rows = strings.iter().map(|string| c_string(string));
        write_array(out, "char *const", &format!("{prefix}_{what}"), rows);
    }
    let headers = program.headers.iter().map(header_row);
    let array = format!("{prefix}_headers");
    write_array(out, "struct fpgacc_header", &array, headers);
    write_kernels(
        out,
        &format!("{prefix}_k"),
        &format!("{prefix}_kernels"),
        program.kernels.as_deref().unwrap_or_default(),
    );
}

/// An array of kernels after all that they point to.
fn write_kernels(out: &mut String, prefix: &str, array: &str, kernels: &[Kernel]) {
    for (number, kernel) in kernels.iter().enumerate() {
        write_kernel_parts(out, &format!("{prefix}{number}"), kernel);
    }
    let rows = (kernels.iter().enumerate())
        .map(|(number, kernel)| kernel_row(&format!("{prefix}{number}"), kernel));
    write_array(out, "struct fpgacc_kernel", array, rows);
}

fn program_row(index: usize, program: &Program) -> String {
    let array = |what: &str| format!("p{index}_{what}");
    let lists = [
        ("defines", "define_count", "defines", program.defines.len()),
        (
            "macro_names",
            "macro_name_count",
            "macros",
            program.macro_names.len(),
        ),
        ("options", "option_count", "options", program.options.len()),
        ("folders", "folder_count", "folders", program.folders.len()),
        ("headers", "header_count", "headers", program.headers.len()),
    ];
    let lists = lists.map(|(field, count, what, len)| counted(field, count, &array(what), len));
    let kernels = match &program.kernels {
        Some(kernels) => counted("kernels", "kernel_count", &array("kernels"), kernels.len()),
        None => "    .as_is = 1,\n".to_owned(),
    };
    format!(
        "{{\n    .name = {},\n    .source_hash = UINT64_C({:#018x}),\n    .aocx = {},\n\
         \u{20}   .is_sealed = {},\n    .build = UINT64_C({:#018x}),\n    .any_macro = {},\n{}{kernels}}}",
        c_string(&program.name),
        program.source_hash,
        c_string(&program.aocx),
        u8::from(program.build.is_some()),
        program.build.unwrap_or_default(),
        u8::from(program.any_macro),
        lists.concat(),
    )
}

fn header_row(header: &Header) -> String {
    format!(
        "{{{}, {}, {}, UINT64_C({:#018x})}}",
        c_string(&header.name),
        u8::from(header.quoted),
        u8::from(header.hash.is_some()),
        header.hash.unwrap_or_default(),
    )
}

fn task(kernel: &Kernel) -> Option<&Task> {
    match &kernel.contract.form {
        Form::Task(task) => Some(task),
        Form::NdRange | Form::Coarsened(_) => None,
    }
}

/// Hidden arguments.
fn hidden(kernel: &Kernel) -> &[Hidden] {
    task(kernel).map_or(&[], |task| &task.hidden)
}

fn write_kernel_parts(out: &mut String, prefix: &str, kernel: &Kernel) {
    let array = |what: &str| format!("{prefix}_{what}");
    let params = kernel.params.iter().map(param_row);
    write_array(out, "struct fpgacc_param", &array("params"), params);
    let sizes = kernel.reqd_work_group_size.iter().flatten();
    write_array(out, "uint64_t", &array("reqd"), sizes.map(u64::to_string));
    let guards = kernel.contract.guards.iter().map(Guard::row);
    write_array(out, "struct fpgacc_guard", &array("guards"), guards);
    write_kernels(out, &array("o"), &array("others"), &kernel.others);
    let sizes = kernel.contract.local_sizes.iter().map(chosen_row);
    write_array(out, "struct fpgacc_chosen", &array("chosen"), sizes);
    let hidden = hidden(kernel).iter().map(hidden_row);
    write_array(out, "struct fpgacc_hidden", &array("hidden"), hidden);
}

fn kernel_row(prefix: &str, kernel: &Kernel) -> String {
    let list =
        |field: &str, count: &str, len| counted(field, count, &format!("{prefix}_{field}"), len);
    let form = match kernel.contract.form {
        Form::Task(_) => "FPGACC_TASK",
        Form::NdRange => "FPGACC_NDRANGE",
        Form::Coarsened(_) => "FPGACC_COARSENED",
    };
    let name = c_string(&kernel.name);
    let mut row = format!("{{\n    .name = {name},\n    .form = {form},\n");
    row += &list("params", "param_count", kernel.params.len());
    if kernel.reqd_work_group_size.is_some() {
        let _ = writeln!(row, "    .reqd_work_group_size = {prefix}_reqd,");
    }
    if kernel.contract.locked {
        row += "    .is_locked = 1,\n";
    }
    if kernel.spare {
        row += "    .is_spare = 1,\n";
    }
    row += &list("guards", "guard_count", kernel.contract.guards.len());
    row += &list("others", "other_count", kernel.others.len());
    let sizes = kernel.contract.local_sizes.len();
    row += &list("chosen", "chosen_count", sizes);
    row += &list("hidden", "hidden_count", hidden(kernel).len());
    if let Some(task) = task(kernel) {
        let null_local = match task.null_local {
            NullLocal::Whole => "FPGACC_WHOLE",
            NullLocal::Divisor => "FPGACC_DIVISOR",
        };
        let _ = write!(
            row,
            "    .max_group_size = UINT64_C({}),\n    .null_local = {null_local},\n",
            task.max_group_size.unwrap_or(0),
        );
    }
    if let Some(steps) = kernel.contract.steps() {
        let Steps { most, from, to, .. } = steps;
        let both = u8::from(steps.writes_both);
        let _ = writeln!(row, "    .steps = {{{most}, {from}, {to}, {both}}},");
    }
    if let Some(by) = kernel.contract.coarsened() {
        let Coarsened {
            dim, factor, lanes, ..
        } = by;
        let merges_items = u8::from(by.level == Level::Items);
        let _ = writeln!(
            row,
            "    .coarsened = {{{dim}, {factor}, {merges_items}, {lanes}}},"
        );
    }
    row.push('}');
    row
}

fn param_row(param: &Param) -> String {
    let kind = match param.kind {
        ParamKind::Global => "GLOBAL",
        ParamKind::Constant => "CONSTANT",
        ParamKind::Local => "LOCAL",
        ParamKind::Value => "VALUE",
        ParamKind::Image => "IMAGE",
        ParamKind::Sampler => "SAMPLER",
        ParamKind::Pipe => "PIPE",
    };
    format!(
        "{{{}, {}, FPGACC_PARAM_{kind}, {}, {}, {}, {}}}",
        c_string(&param.name),
        c_string(&param.type_name),
        param.size,
        u8::from(param.is_const),
        u8::from(param.is_volatile),
        u8::from(param.is_restrict),
    )
}

fn chosen_row(chosen: &ChosenLocal) -> String {
    let sizes = |[x, y, z]: [u64; 3]| format!("{{{x}, {y}, {z}}}");
    format!("{{{}, {}}}", sizes(chosen.global), sizes(chosen.local))
}

fn hidden_row(hidden: &Hidden) -> String {
    let (kind, dim) = match hidden {
        Hidden::Offset(dim) => ("OFFSET", *dim),
        Hidden::Global(dim) => ("GLOBAL", *dim),
        Hidden::Local(dim) => ("LOCAL", *dim),
        Hidden::WorkDim => ("WORK_DIM", 0),
        Hidden::Steps(_) => ("STEPS", 0),
    };
    format!("{{FPGACC_HIDDEN_{kind}, {dim}}}")
}

/// C99 has no empty arrays: an empty one is not written, and [`counted`] names none.
fn write_array(
    out: &mut String,
    element: &str,
    name: &str,
    rows: impl IntoIterator<Item = String>,
) {
    let mut rows = rows.into_iter().peekable();
    if rows.peek().is_none() {
        return;
    }
    let _ = writeln!(out, "static const {element} {name}[] = {{");
    for row in rows {
        let _ = writeln!(out, "    {},", row.replace('\n', "\n    "));
    }
    out.push_str("};\n");
}

fn counted(field: &str, count_field: &str, array: &str, count: usize) -> String {
    if count == 0 {
        return String::new();
    }
    format!("    .{field} = {array},\n    .{count_field} = {count},\n")
}

fn c_string(text: &str) -> String {
    let mut out = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            // Two of them could begin a trigraph.
            b'?' => out.push_str("\\?"),
            b' '..=b'~' => out.push(char::from(byte)),
            // Three octal digits end by themselves, whatever follows.
            _ => {
                let _ = write!(out, "\\{byte:03o}");
            }
        }
    }
    out.push('"');
    out
}

/// Text that cannot end the comment that it stands in, nor begin another line.
fn comment(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() || c == '\\' { ' ' } else { c })
        .collect::<String>()
        .replace("*/", "* /")
        .replace("/*", "/ *")
        .replace("?", " ?")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::LaunchContract;
    use crate::guard::{Fact, ScalarFact, ScalarKind};
    use crate::manifest::{LaunchedAt, LeftToDevice};

    #[test]
    fn strings_survive_c() {
        assert_eq!(
            c_string("a\"b\\c??/d\né1"),
            r#""a\"b\\c\?\?/d\012\303\2511""#
        );
    }

    fn pointer(name: &str) -> Param {
        Param {
            name: name.to_owned(),
            type_name: "float*".to_owned(),
            kind: ParamKind::Global,
            size: 8,
            is_const: false,
            is_volatile: false,
            is_restrict: true,
        }
    }

    #[test]
    fn the_table_is_readable() {
        let scalar = ScalarFact {
            param: 1,
            kind: ScalarKind::Signed,
            size: 4,
            bits: 0xffff_fffe,
        };
        let scale = Kernel {
            name: "scale".to_owned(),
            params: ["data", "factor"].map(pointer).to_vec(),
            reqd_work_group_size: Some([64, 1, 1]),
            contract: LaunchContract {
                form: Form::Task(Task {
                    hidden: vec![Hidden::Global(0), Hidden::WorkDim],
                    max_group_size: Some(64),
                    null_local: NullLocal::Divisor,
                }),
                guards: [
                    Guard::Geometry(Fact::Local(0, 64)),
                    Guard::Geometry(Fact::OneGroup(1)),
                    Guard::IntLoops,
                    Guard::GroupSize(64),
                    Guard::Scalar(scalar),
                    Guard::Distinct(0, 1),
                    Guard::Constant {
                        param: 1,
                        bytes: 4096,
                    },
                    Guard::Aligned {
                        param: 0,
                        bytes: 64,
                    },
                ]
                .into(),
                ..LaunchContract::default()
            },
            others: vec![Kernel {
                name: "fpgacc_general_scale".to_owned(),
                params: ["data", "factor"].map(pointer).to_vec(),
                reqd_work_group_size: Some([64, 1, 1]),
                contract: LaunchContract::default(),
                others: Vec::new(),
                spare: true,
            }],
            spare: false,
        };
        let plain = Kernel {
            name: "plain".to_owned(),
            params: vec![Param {
                kind: ParamKind::Local,
                size: 0,
                ..pointer("tile")
            }],
            reqd_work_group_size: None,
            contract: LaunchContract {
                form: Form::NdRange,
                locked: true,
                guards: [
                    Guard::LocalSize([16, 4, 1]),
                    Guard::LocalBytes {
                        param: 0,
                        bytes: 256,
                    },
                ]
                .into(),
                local_sizes: vec![ChosenLocal {
                    global: [512, 96, 1],
                    local: [64, 4, 1],
                }],
            },
            others: Vec::new(),
            spare: false,
        };
        let manifest = Manifest {
            target: Target::Pocl,
            programs: vec![Program {
                name: "k.cl".to_owned(),
                source_hash: 0xabc,
                aocx: "app.aocx".to_owned(),
                build: Some(0x1234),
                defines: vec!["N=16".to_owned()],
                macro_names: vec!["M".to_owned(), "N".to_owned()],
                any_macro: false,
                options: vec!["-cl-mad-enable".to_owned()],
                folders: vec!["inc".to_owned()],
                headers: vec![Header {
                    name: "a.h".to_owned(),
                    quoted: true,
                    hash: Some(0xdef),
                }],
                kernels: Some(vec![scale, plain]),
            }],
            left_to_device: vec![LeftToDevice {
                source_hash: 0x123,
                why: "'m.cl' needs N".to_owned(),
                remedy: "give it: -DN".to_owned(),
            }],
            launched_at: vec![LaunchedAt {
                kernel: "scale".to_owned(),
                at: "host.cpp:12:5".to_owned(),
            }],
        };
        assert_eq!(manifest.to_c(), include_str!("../tests/manifest.c"));
    }

    #[test]
    fn an_empty_manifest_has_no_arrays() {
        let manifest = Manifest {
            target: Target::IntelEmulator {
                library: Some("/opt/\"x\"/libintelocl_emu.so".to_owned()),
            },
            programs: Vec::new(),
            left_to_device: Vec::new(),
            launched_at: Vec::new(),
        };
        assert_eq!(
            manifest.to_c(),
            "/* Made by fpgacc: what the runtime must know of this executable's kernels. */\n\
             #include \"manifest.h\"\n\
             \n\
             const struct fpgacc_manifest fpgacc_manifest = {\n    \
             .target = FPGACC_TARGET_INTEL_EMULATOR,\n    \
             .library = \"/opt/\\\"x\\\"/libintelocl_emu.so\",\n\
             };\n"
        );
    }

    #[test]
    fn a_comment_cannot_be_left() {
        assert_eq!(comment("a*/b/*c\nd"), "a* /b/ *c d");
    }
}
