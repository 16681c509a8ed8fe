//! The manifest as C.

use std::fmt::Write;

use crate::guard::Guard;
use crate::manifest::{
    Form, Header, Hidden, Kernel, Manifest, NullLocal, Param, ParamKind, Program, Target, Task,
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
        let rows: Vec<String> = (self.programs.iter().enumerate())
            .map(|(index, program)| program_row(index, program))
            .collect();
        write_array(&mut out, "struct fpgacc_program", "programs", &rows);
        let (target, library) = match &self.target {
            Target::IntelEmulator { library } => {
                ("FPGACC_TARGET_INTEL_EMULATOR", library.as_deref())
            }
            Target::Pocl => ("FPGACC_TARGET_POCL", None),
            Target::Sdk => ("FPGACC_TARGET_SDK", None),
        };
        let library = library.map_or("NULL".to_owned(), c_string);
        let _ = write!(
            out,
            "\nconst struct fpgacc_manifest fpgacc_manifest = {{\n\
             \x20   .target = {target},\n\
             \x20   .library = {library},\n\
             {}}};\n",
            counted("programs", "program_count", "programs", rows.len()),
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
        let rows: Vec<String> = strings.iter().map(|string| c_string(string)).collect();
        write_array(out, "char *const", &format!("{prefix}_{what}"), &rows);
    }
    let headers: Vec<String> = program.headers.iter().map(header_row).collect();
    let array = format!("{prefix}_headers");
    write_array(out, "struct fpgacc_header", &array, &headers);
    write_kernels(
        out,
        &format!("{prefix}_k"),
        &format!("{prefix}_kernels"),
        program.kernels.as_deref().unwrap_or_default(),
    );
}

/// An array of kernels behind all that they point to.
fn write_kernels(out: &mut String, prefix: &str, array: &str, kernels: &[Kernel]) {
    for (number, kernel) in kernels.iter().enumerate() {
        write_kernel_parts(out, &format!("{prefix}{number}"), kernel);
    }
    let rows: Vec<String> = (kernels.iter().enumerate())
        .map(|(number, kernel)| kernel_row(&format!("{prefix}{number}"), kernel))
        .collect();
    write_array(out, "struct fpgacc_kernel", array, &rows);
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
    match &kernel.form {
        Form::Task(task) => Some(task),
        Form::NdRange => None,
    }
}

fn write_kernel_parts(out: &mut String, prefix: &str, kernel: &Kernel) {
    let params: Vec<String> = kernel.params.iter().map(param_row).collect();
    write_array(
        out,
        "struct fpgacc_param",
        &format!("{prefix}_params"),
        &params,
    );
    if let Some(sizes) = kernel.reqd_work_group_size {
        let rows: Vec<String> = sizes.iter().map(u64::to_string).collect();
        write_array(out, "uint64_t", &format!("{prefix}_reqd"), &rows);
    }
    let guards: Vec<String> = kernel.guards.iter().map(Guard::row).collect();
    write_array(
        out,
        "struct fpgacc_guard",
        &format!("{prefix}_guards"),
        &guards,
    );
    write_kernels(
        out,
        &format!("{prefix}_o"),
        &format!("{prefix}_others"),
        &kernel.others,
    );
    let Some(task) = task(kernel) else { return };
    let hidden: Vec<String> = task.hidden.iter().map(hidden_row).collect();
    write_array(
        out,
        "struct fpgacc_hidden",
        &format!("{prefix}_hidden"),
        &hidden,
    );
}

fn kernel_row(prefix: &str, kernel: &Kernel) -> String {
    let mut row = format!(
        "{{\n    .name = {},\n    .form = {},\n{}",
        c_string(&kernel.name),
        if task(kernel).is_some() {
            "FPGACC_TASK"
        } else {
            "FPGACC_NDRANGE"
        },
        counted(
            "params",
            "param_count",
            &format!("{prefix}_params"),
            kernel.params.len()
        ),
    );
    if kernel.reqd_work_group_size.is_some() {
        let _ = writeln!(row, "    .reqd_work_group_size = {prefix}_reqd,");
    }
    if kernel.locked {
        row += "    .is_locked = 1,\n";
    }
    row += &counted(
        "guards",
        "guard_count",
        &format!("{prefix}_guards"),
        kernel.guards.len(),
    );
    row += &counted(
        "others",
        "other_count",
        &format!("{prefix}_others"),
        kernel.others.len(),
    );
    if let Some(task) = task(kernel) {
        row += &counted(
            "hidden",
            "hidden_count",
            &format!("{prefix}_hidden"),
            task.hidden.len(),
        );
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

fn hidden_row(hidden: &Hidden) -> String {
    let (kind, dim) = match hidden {
        Hidden::Offset(dim) => ("OFFSET", *dim),
        Hidden::Global(dim) => ("GLOBAL", *dim),
        Hidden::Local(dim) => ("LOCAL", *dim),
        Hidden::WorkDim => ("WORK_DIM", 0),
    };
    format!("{{FPGACC_HIDDEN_{kind}, {dim}}}")
}

/// C99 has no empty arrays: an empty one is not written, and [`counted`] names none.
fn write_array(out: &mut String, element: &str, name: &str, rows: &[String]) {
    if rows.is_empty() {
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
    use std::collections::BTreeSet;

    use super::*;
    use crate::guard::{Fact, ScalarFact, ScalarKind};

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
            form: Form::Task(Task {
                hidden: vec![Hidden::Global(0), Hidden::WorkDim],
                max_group_size: Some(64),
                null_local: NullLocal::Divisor,
            }),
            params: ["data", "factor"].map(pointer).to_vec(),
            reqd_work_group_size: Some([64, 1, 1]),
            locked: false,
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
            others: vec![Kernel {
                name: "fpgacc_general_scale".to_owned(),
                form: Form::NdRange,
                params: ["data", "factor"].map(pointer).to_vec(),
                reqd_work_group_size: Some([64, 1, 1]),
                locked: false,
                guards: BTreeSet::new(),
                others: Vec::new(),
            }],
        };
        let plain = Kernel {
            name: "plain".to_owned(),
            form: Form::NdRange,
            params: vec![Param {
                kind: ParamKind::Local,
                size: 0,
                ..pointer("tile")
            }],
            reqd_work_group_size: None,
            locked: true,
            guards: [
                Guard::LocalSize([16, 4, 1]),
                Guard::LocalBytes {
                    param: 0,
                    bytes: 256,
                },
            ]
            .into(),
            others: Vec::new(),
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
