//! What C leaves undefined, such as a sum beyond what an `int` holds, and kernels do anyway. Oclgrind does then what
//! processors do; optimising compilers may do anything, and where a rewritten kernel does it and its original does not,
//! the rewrite is wrong.
//!
//! clang's sanitizer names it (`-fsanitize=undefined`, with gcc's runtime library of the same interface). Kernels are
//! built for the processor, and work-items run one after the other: a launch ends where they wait for each other.

mod builtins;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::Duration;

use fpgacc_aoc_wrappers::process::Command;
use fpgacc_frontend::ir::{AddressSpace, Function, Module, Type, TypeId};
use fpgacc_frontend::source::SourceMap;

use crate::job::{Arg, Geometry, Job, Launch};
use crate::rewrite::module_of;
use crate::roundtrip::CLANG;

/// The part of the harness that is the same for all jobs.
const LAUNCH: &str = include_str!("launch.c");

/// How long a program may take.
const LIMIT: Duration = Duration::from_secs(300);

/// What was seen of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// It ran to its end, and did this, which has no meaning: messages without numbers.
    All(BTreeSet<String>),
    /// It ended before: its work-items wait for each other, or it calls a function that is not known here.
    Part(BTreeSet<String>),
}

impl Seen {
    /// What has no meaning.
    pub fn messages(&self) -> &BTreeSet<String> {
        match self {
            Seen::All(messages) | Seen::Part(messages) => messages,
        }
    }
}

/// What each launch of a job does that has no meaning.
///
/// # Errors
/// It cannot be built or run; what tools say of it.
pub fn seen(job: &Job) -> Result<Vec<Seen>, String> {
    let module = module_of(job, &mut SourceMap::new()).map_err(|error| error.to_string())?;
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let write = |name: &str, bytes: &[u8]| {
        fs::write(folder.path().join(name), bytes).map_err(|error| error.to_string())
    };
    write("kernels.cl", kernels(job, &module)?.as_bytes())?;
    for (index, buffer) in job.buffers.iter().enumerate() {
        write(&format!("buffer{index}"), &buffer.contents())?;
    }
    compile(job, folder.path())?;
    let unknown = unknown_functions(folder.path())?;
    write("main.c", harness(job, &unknown).as_bytes())?;
    let link = Command::new("cc").args([
        "-w",
        "-O1",
        "main.c",
        "kernels.o",
        "-o",
        "main",
        "-lubsan",
        "-lm",
    ]);
    succeeded(link, folder.path())?;
    let main = Command::new(folder.path().join("main"))
        .dir(folder.path())
        .limit(LIMIT);
    let captured = main.capture().map_err(|error| error.to_string())?;
    Ok(parsed(&captured.stderr_text(), job.launches.len()))
}

/// The kernels, what they call, and a function for each launch that takes addresses of its arguments.
fn kernels(job: &Job, module: &Module) -> Result<String, String> {
    let mut text = builtins::definitions();
    let _ = writeln!(text, "#line 1 \"kernels.cl\"\n{}", job.source);
    for (index, launch) in job.launches.iter().enumerate() {
        let mut kernels = module.functions.iter().map(|(_, function)| function);
        let kernel = kernels.find(|function| function.name == launch.kernel);
        let kernel = kernel.ok_or_else(|| format!("there is no kernel '{}'", launch.kernel))?;
        let passed: Vec<String> = (0..kernel.params.len())
            .map(|at| passed(module, kernel, at))
            .collect::<Result<_, _>>()?;
        let _ = writeln!(
            text,
            "void launch{index}(__global ulong *p) {{ {}({}); }}",
            launch.kernel,
            passed.join(", ")
        );
    }
    Ok(text)
}

/// The value of a kernel's parameter.
fn passed(module: &Module, kernel: &Function, at: usize) -> Result<String, String> {
    let ty = kernel.vars[kernel.params[at]].ty.ty;
    if let Some((_, space)) = module.types.as_pointer(ty) {
        let space = match space {
            AddressSpace::Constant => "__constant",
            AddressSpace::Local => "__local",
            _ => "__global",
        };
        return Ok(format!("({space} void *)p[{at}]"));
    }
    let name = name_of(module, ty).ok_or("a structure is passed by value")?;
    Ok(format!("*(__global {name} *)p[{at}]"))
}

fn name_of(module: &Module, ty: TypeId) -> Option<String> {
    match module.types.resolve(ty) {
        Type::Scalar(scalar) => Some(scalar.name().to_string()),
        Type::Vector(scalar, width) => Some(format!("{}{width}", scalar.name())),
        _ => None,
    }
}

fn compile(job: &Job, folder: &Path) -> Result<(), String> {
    let words = job.options.split_whitespace();
    let kept = words.filter(|word| word.starts_with("-D") || word.starts_with("-cl-std="));
    let header = ["-Xclang", "-finclude-default-header"];
    let clang = Command::new(CLANG)
        .args(["-x", "cl", "-w", "-O0", "-fsanitize=undefined", "-c"])
        .args(header)
        .args(kept)
        .args(["kernels.cl", "-o", "kernels.o"]);
    succeeded(clang, folder)
}

fn succeeded(command: Command, folder: &Path) -> Result<(), String> {
    let captured = command.dir(folder).limit(LIMIT).capture();
    let captured = captured.map_err(|error| error.to_string())?;
    match captured.status.success() {
        true => Ok(()),
        false => Err(captured.stderr_text()),
    }
}

/// Functions of OpenCL C that `builtins` lacks: their names in the object file.
fn unknown_functions(folder: &Path) -> Result<Vec<String>, String> {
    let nm = Command::new("nm").args(["-u", "kernels.o"]).dir(folder);
    let captured = nm.capture().map_err(|error| error.to_string())?;
    let text = captured.stdout_text();
    let names = text
        .lines()
        .filter_map(|line| line.split_whitespace().last());
    Ok(names
        .filter(|name| name.starts_with("_Z"))
        .map(str::to_string)
        .collect())
}

/// A `main` that launches as the job says.
fn harness(job: &Job, unknown: &[String]) -> String {
    let mut text = format!("{LAUNCH}\n");
    for name in unknown {
        let _ = writeln!(text, "void {name}(void) {{ longjmp(left, 1); }}");
    }
    for index in 0..job.launches.len() {
        let _ = writeln!(text, "void launch{index}(void **);");
    }
    text += "int main(void)\n{\n";
    for (index, buffer) in job.buffers.iter().enumerate() {
        let (bytes, from) = (buffer.bytes, buffer.in_host.unwrap_or(0));
        let _ = writeln!(
            text,
            "void *b{index} = buffer(\"buffer{index}\", {bytes}, {from});"
        );
    }
    for (index, launch) in job.launches.iter().enumerate() {
        text += &call(index, launch);
    }
    text + "return 0;\n}\n"
}

fn call(index: usize, launch: &Launch) -> String {
    let arg = |arg: &Arg| match arg {
        Arg::Buffer(buffer) => format!("b{buffer}"),
        Arg::Local(bytes) => format!("malloc({bytes})"),
        Arg::Value(bytes) => {
            let bytes: Vec<String> = bytes.iter().map(u8::to_string).collect();
            format!(
                "memcpy(malloc({}), (unsigned char[]){{{}}}, {0})",
                bytes.len(),
                bytes.join(", ")
            )
        }
    };
    let args: Vec<String> = launch.args.iter().map(arg).collect();
    let (dims, [offset, global, local]) = sizes(&launch.geometry);
    format!(
        "{{ void *args[] = {{ {} }};\nlaunched({index}, launch{index}, args, {dims}, \
         (size[]){offset}, (size[]){global}, (size[]){local}); }}\n",
        args.join(", ")
    )
}

/// Dimensions, and offset, global and local sizes in three of them.
fn sizes(geometry: &Geometry) -> (usize, [String; 3]) {
    let three = |sizes: &[u64], or: u64| {
        let size = |dim: usize| sizes.get(dim).copied().unwrap_or(or).to_string();
        format!("{{ {}, {}, {} }}", size(0), size(1), size(2))
    };
    match geometry {
        Geometry::Task => (1, [three(&[], 0), three(&[], 1), three(&[], 1)]),
        Geometry::Range {
            offset,
            global,
            local,
        } => (
            global.len(),
            [three(offset, 0), three(global, 1), three(local, 1)],
        ),
    }
}

/// What the harness and the sanitizer wrote, for each launch.
fn parsed(text: &str, launches: usize) -> Vec<Seen> {
    let nothing = || Seen::Part(BTreeSet::new());
    let mut all: Vec<Seen> = (0..launches).map(|_| nothing()).collect();
    let mut at = None;
    for line in text.lines() {
        if let Some(number) = line.strip_prefix("launch ") {
            at = number.parse::<usize>().ok().filter(|at| *at < launches);
            at.into_iter()
                .for_each(|at| all[at] = Seen::All(BTreeSet::new()));
        }
        let Some(at) = at else { continue };
        if line == "left" {
            all[at] = Seen::Part(all[at].messages().clone());
        }
        let message = line
            .split_once("runtime error: ")
            .map(|(_, what)| without_numbers(what));
        if let (Some(message), Seen::All(messages)) = (message, &mut all[at]) {
            messages.insert(message);
        }
    }
    all
}

fn without_numbers(text: &str) -> String {
    let words = text.split(' ').map(|word| {
        let is_number = word
            .trim_start_matches('-')
            .starts_with(|c: char| c.is_ascii_digit());
        if is_number { "N" } else { word }
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Fill;

    fn job(body: &str, local: &[u64]) -> Job {
        let text = format!(
            "__kernel void k(__global int *a, int n) {{ int i = get_global_id(0); {body} }}"
        );
        let mut job = Job::new(text);
        let a = job.buffer(64, Fill::Iota);
        job.launch(
            "k",
            Geometry::range(&[16], local),
            [a, Arg::int(i32::MAX - 3)],
        );
        job
    }

    fn of(body: &str) -> Seen {
        seen(&job(body, &[4]))
            .expect("it is built and runs")
            .remove(0)
    }

    #[test]
    fn sums_beyond_an_int_are_named_and_others_are_not() {
        let all = |messages: &[&str]| Seen::All(messages.iter().map(|m| m.to_string()).collect());
        assert_eq!(of("a[i] = max(i, 3) + (int)get_local_id(0);"), all(&[]));
        let sum = "signed integer overflow: N + N cannot be represented in type 'int'";
        assert_eq!(of("a[i] = a[i] + n;"), all(&[sum]));
        assert_eq!(of("if (i < 4) a[i] = a[i] + n;"), all(&[]));
        // Shifts take the exponent modulo the width.
        assert_eq!(of("a[i] = 1 << (i * 3);"), all(&[]));
        assert_eq!(of("a[i] = (int)((uint)a[i] + (uint)n);"), all(&[]));
    }

    #[test]
    fn launches_end_where_work_items_wait_and_what_they_call_may_be_unknown() {
        let none = Seen::Part(BTreeSet::new());
        assert_eq!(
            of("a[i] = i; barrier(CLK_LOCAL_MEM_FENCE); a[i] += n;"),
            none
        );
        assert_eq!(of("a[i] = (int)erfc((float)i);"), none);
        let alone = seen(&job("barrier(CLK_LOCAL_MEM_FENCE); a[i] = i;", &[1])).expect("it runs");
        assert_eq!(alone, [Seen::All(BTreeSet::new())]);
    }
}
