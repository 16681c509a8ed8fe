//! `--target=source`: the rewritten kernels and patched hosts in a folder, with all that they need to be
//! built without fpgacc: the runtime, the manifest and a makefile.

use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

use fpgacc_aoc_wrappers::process::quoted;
use fpgacc_frontend::diag::Diagnostic;
use fpgacc_runtime::manifest::{self, Manifest};

use crate::compiled::Compiled;
use crate::gather::{self, Gathered};
use crate::manifest as of_executable;
use crate::options::{Input, InputKind, Options};
use crate::outputs;
use crate::rewriting;
use crate::session::{Session, Step};
use crate::stage_texts;
use crate::tool;

/// How a makefile starts that fpgacc wrote.
const MARK: &str = "# Written by fpgacc.";

/// Writes the folder.
pub fn write(session: &mut Session, output: &Path) -> Step<()> {
    let gathered = gather::read_sources(session)?;
    let programs = rewriting::all(session, &gathered)?;
    // For Intel's SDK, unless an emulator was asked for.
    let target = match session.options.platform {
        Some(_) => tool::manifest_target(&tool::choose(session)?),
        None => manifest::Target::Sdk,
    };
    let mut manifest = of_executable::of(&session.options, &programs, target, Path::new("app"));
    // The makefile's tools make .aocx files without seals.
    for program in &mut manifest.programs {
        program.build = None;
    }
    let runtime = output.join("runtime");
    let texts = stage_texts::texts(&gathered, &programs.compiled, &manifest);
    let makefile = makefile(
        &session.options,
        &gathered,
        &programs.compiled,
        &manifest,
        output,
    );
    let mut files: Vec<(PathBuf, &[u8])> = fpgacc_runtime::SOURCES
        .iter()
        .map(|(name, text)| (runtime.join(name), text.as_bytes()))
        .collect();
    let own = texts.iter();
    files.extend(own.map(|(name, text)| (output.join(name), text.as_ref())));
    files.push((output.join("Makefile"), makefile.as_bytes()));
    let record = session.record_file(&output.join("app"))?;
    if let Some((file, text)) = &record {
        files.push((file.clone(), text.as_bytes()));
    }
    is_ours(session, output, &files)?;
    outputs::make_folder(session, &runtime)?;
    outputs::write(session, &files)
}

/// Whether what is in the folder already was written by fpgacc, or is no file that it would write.
fn is_ours(session: &mut Session, folder: &Path, files: &[(PathBuf, &[u8])]) -> Step<()> {
    let paths: Vec<PathBuf> = files.iter().map(|(path, _)| path.clone()).collect();
    session.may_write(&paths)?;
    let makefile = std::fs::read(folder.join("Makefile")).unwrap_or_default();
    if makefile.starts_with(MARK.as_bytes()) {
        return Ok(());
    }
    match paths.iter().find(|path| path.exists()) {
        None => Ok(()),
        Some(path) => session.fail(
            Diagnostic::error(format!(
                "'{}' is there already, and fpgacc did not write it",
                path.display()
            ))
            .help("nothing was written: name a folder of its own for --target=source"),
        ),
    }
}

/// How to build the folder. Flags and headers of the user's are found from where fpgacc ran.
fn makefile(
    options: &Options,
    gathered: &Gathered,
    compiled: &[Compiled],
    manifest: &Manifest,
    output: &Path,
) -> String {
    let folder = output.display();
    let mut rules = String::new();
    let mut objects = host_rules(gathered, &mut rules);
    objects.push("$(OUT)fpgacc_manifest.o".to_string());
    let runtime = fpgacc_runtime::SOURCES.iter();
    let sources = runtime.filter_map(|(name, _)| name.strip_suffix(".c"));
    objects.extend(sources.map(|name| format!("$(OUT)runtime/{name}.o")));
    let kernels = kernel_rules(compiled, manifest, &mut rules);
    let linker = match gathered.needs_cxx || gathered.hosts.iter().any(|host| host.is_cxx) {
        true => "$(CXX)",
        false => "$(CC)",
    };
    let wraps: Vec<String> = (fpgacc_runtime::WRAPPED.iter())
        .chain(fpgacc_runtime::WRAPPED_LOOKUPS)
        .map(|name| format!("-Wl,--wrap={name}"))
        .collect();
    let (elsewhere, end) = elsewhere(output);
    format!(
        "{MARK} Builds this folder without it, where fpgacc ran:\n\
         #   make -f {folder}/Makefile\n\
         {elsewhere}\
         OUT := {folder}/\n\
         AOC = {aoc}\n\
         FLAGS = {flags}\n\
         OBJECTS = {objects}\n\n\
         app: $(OBJECTS) {kernels}\n\
         \t{linker} $(OBJECTS) {link} \\\n\t    {wraps} \\\n\t    -lOpenCL -lpthread -ldl -o $@\n\n\
         {rules}\
         $(OUT)%.o: $(OUT)%.c\n\t$(CC) -O2 -fPIC -fvisibility=hidden -I$(OUT)runtime -c $< -o $@\n{end}",
        aoc = match manifest.target {
            manifest::Target::Sdk => "aoc",
            manifest::Target::Pocl => "FPGACC_PLATFORM=pocl fpgacc-aoc -march=emulator",
            manifest::Target::Nvidia => "FPGACC_PLATFORM=nvidia fpgacc-aoc -march=emulator",
            manifest::Target::IntelEmulator { .. } =>
                "FPGACC_PLATFORM=intel fpgacc-aoc -march=emulator",
        },
        flags = words(options.host_flags.iter().map(|flag| flag.as_os_str())),
        objects = objects.join(" \\\n    "),
        kernels = kernels.join(" "),
        link = words(link_words(options).iter().map(|word| word.as_ref())),
        wraps = wraps.join(" \\\n\t    "),
    )
}

/// How the makefile goes where fpgacc ran if it is run elsewhere, and what ends that; nothing if the way
/// there is not known from the folder's name.
fn elsewhere(output: &Path) -> (String, &'static str) {
    let is_below = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    if !output.components().all(is_below) {
        return (String::new(), "");
    }
    let depth = output
        .components()
        .filter(|part| matches!(part, Component::Normal(_)));
    let up = "/..".repeat(depth.count());
    let folder = output.display();
    let text = format!(
        "# Run elsewhere, it goes there.\n\
         HERE := $(patsubst %/,%,$(dir $(abspath $(lastword $(MAKEFILE_LIST)))))\n\
         FROM := $(realpath $(HERE){up})\n\
         ifneq ($(realpath $(CURDIR)),$(FROM))\n\
         .PHONY: app\n\
         app:\n\t+$(MAKE) -C $(FROM) -f {folder}/Makefile app\n\
         else\n"
    );
    (text, "endif\n")
}

/// Flags of the link, objects and libraries, in the user's order.
fn link_words(options: &Options) -> Vec<std::ffi::OsString> {
    let inputs = options.inputs.iter().filter_map(|input| match input {
        Input::Argument(argument) => Some(argument.clone()),
        Input::File {
            path,
            kind: InputKind::Linker,
        } => Some(path.clone().into_os_string()),
        Input::File { .. } => None,
    });
    options.link_flags.iter().cloned().chain(inputs).collect()
}

/// Words for a recipe of a makefile.
fn words<'a>(words: impl Iterator<Item = &'a std::ffi::OsStr>) -> String {
    let words: Vec<String> = words.map(|word| quoted(word).replace('$', "$$")).collect();
    words.join(" ")
}

/// How hosts are compiled; gives their objects, the last host's first.
fn host_rules(gathered: &Gathered, rules: &mut String) -> Vec<String> {
    let mut objects = Vec::new();
    let names = stage_texts::patched_names(gathered);
    for (name, host) in names.iter().zip(&gathered.hosts) {
        let object = format!("$(OUT){}.o", name.replace('.', "_"));
        let compiler = if host.is_cxx { "$(CXX)" } else { "$(CC)" };
        let home = match host.path.parent() {
            Some(home) if !home.as_os_str().is_empty() => home.to_path_buf(),
            _ => PathBuf::from("."),
        };
        let _ = writeln!(
            rules,
            "{object}: $(OUT){name}\n\t{compiler} $(FLAGS) -iquote {} -idirafter $(OUT)runtime -c $< -o $@\n",
            quoted(home.as_os_str())
        );
        objects.insert(0, object);
    }
    objects
}

/// How kernels are compiled; gives the files that hosts load.
fn kernel_rules<'m>(
    compiled: &[Compiled],
    manifest: &'m Manifest,
    rules: &mut String,
) -> Vec<&'m str> {
    let mut kernels = Vec::new();
    for (compiled, described) in compiled.iter().zip(&manifest.programs) {
        let flags = kernel_flags(compiled);
        let flags = flags
            .iter()
            .map(|flag| format!("{} ", quoted(flag.as_ref())));
        let _ = writeln!(
            rules,
            "{}: $(OUT){}.fpga.cl\n\t$(AOC) $(AOCFLAGS) {}$< -o $@\n",
            described.aocx,
            compiled.program.stem,
            flags.collect::<String>()
        );
        kernels.push(described.aocx.as_str());
    }
    kernels
}

/// What aoc is told of a program.
fn kernel_flags(compiled: &Compiled) -> Vec<String> {
    let Compiled { program, rewritten } = compiled;
    let mut flags = compiled.cl_options();
    if rewritten.untouched {
        let options = &program.options;
        flags.extend(options.defines.iter().map(|define| format!("-D{define}")));
        flags.extend(options.undefines.iter().map(|name| format!("-U{name}")));
        // The text lies elsewhere than its headers now.
        let folders = std::iter::once(program.pieces[0].folder.clone());
        let folders = folders.chain(program.include_folders());
        flags.extend(folders.map(|folder| format!("-I{}", folder.display())));
    }
    flags
}
