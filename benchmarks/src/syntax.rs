//! How long the whole command takes beside what compilers take to check the same files: `fpgacc
//! --emit=kernels` of a program against `-fsyntax-only` of its hosts (cc, c++) and of its kernels (clang).
//!
//! Each is run in turn, several times; the shortest times count.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use fpgacc_aoc_wrappers::process::{Command, ProcessError};

use crate::catalog::Program;

/// Time that passed, and time of processors.
#[derive(Clone, Copy, Debug)]
struct Times {
    wall: Duration,
    processor: Duration,
}

impl Times {
    const NONE: Times = Times {
        wall: Duration::ZERO,
        processor: Duration::ZERO,
    };

    fn least(self, other: Times) -> Times {
        Times {
            wall: self.wall.min(other.wall),
            processor: self.processor.min(other.processor),
        }
    }

    fn and(self, other: Times) -> Times {
        Times {
            wall: self.wall + other.wall,
            processor: self.processor + other.processor,
        }
    }

    fn ratios(self, other: Times) -> [f64; 2] {
        [
            self.wall.as_secs_f64() / other.wall.as_secs_f64(),
            self.processor.as_secs_f64() / other.processor.as_secs_f64(),
        ]
    }
}

/// A line a program, and whether fpgacc took no longer than the compilers with each.
///
/// # Errors
/// A command cannot be started.
pub fn run(
    programs: &[Program],
    folder: &Path,
    fpgacc: &Path,
    repeat: u32,
) -> Result<(String, bool), ProcessError> {
    let mut text = format!(
        "{:<16} {:>10} {:>10} {:>6} {:>10} {:>10} {:>6}\n",
        "program", "fpgacc ms", "syntax ms", "ratio", "cpu ms", "cpu ms", "ratio"
    );
    let (mut all_own, mut all_theirs) = (Times::NONE, Times::NONE);
    let mut is_fast = true;
    for program in programs {
        let home = folder.join(&program.name);
        let own = [own(program, fpgacc)];
        let theirs = theirs(program);
        let mut best: Option<(Times, Times)> = None;
        for _ in 0..repeat {
            let now = (time(&own, &home)?, time(&theirs, &home)?);
            best = Some(best.map_or(now, |(a, b)| (a.least(now.0), b.least(now.1))));
        }
        let Some((a, b)) = best else {
            continue;
        };
        is_fast &= a.wall <= b.wall;
        all_own = all_own.and(a);
        all_theirs = all_theirs.and(b);
        line(&mut text, &program.name, a, b);
    }
    line(&mut text, "all", all_own, all_theirs);
    Ok((text, is_fast))
}

fn line(text: &mut String, name: &str, own: Times, theirs: Times) {
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let [wall, processor] = own.ratios(theirs);
    let _ = writeln!(
        text,
        "{name:<16} {:>10.1} {:>10.1} {wall:>5.2}x {:>10.1} {:>10.1} {processor:>5.2}x",
        ms(own.wall),
        ms(theirs.wall),
        ms(own.processor),
        ms(theirs.processor),
    );
}

fn own(program: &Program, fpgacc: &Path) -> Command {
    let words = ["--emit=kernels", "-w", "-o", "/dev/null"];
    let words = words.iter().map(OsString::from);
    let given = program.flags.iter().chain(&program.sources);
    Command::new(fpgacc).args(words.chain(given.map(OsString::from)))
}

fn theirs(program: &Program) -> Vec<Command> {
    let is_cxx = program.flags.iter().any(|flag| flag == "-xc++");
    let flags: Vec<OsString> = program.flags.iter().map(OsString::from).collect();
    let one = |source: &String| {
        let check = ["-fsyntax-only", "-w"];
        if source.ends_with(".cl") {
            let kernels = [
                "-x",
                "cl",
                "-cl-std=CL1.2",
                "-Xclang",
                "-finclude-default-header",
            ];
            let own = flags.iter().filter(|flag| *flag != "-xc++").cloned();
            return Command::new("clang-14")
                .args(check)
                .args(kernels)
                .args(own)
                .arg(source);
        }
        let compiler = match is_cxx || !source.ends_with(".c") {
            true => "c++",
            false => "cc",
        };
        Command::new(compiler)
            .args(check)
            .args(flags.iter().cloned())
            .arg(source)
    };
    program.sources.iter().map(one).collect()
}

/// Of commands, one after another. What they say does not matter: both are given what they cannot take, too.
fn time(commands: &[Command], folder: &Path) -> Result<Times, ProcessError> {
    let (start, before) = (Instant::now(), of_children());
    for command in commands {
        command.clone().dir(folder).capture()?;
    }
    Ok(Times {
        wall: start.elapsed(),
        processor: of_children().saturating_sub(before),
    })
}

/// Processor time of all processes that were started and have ended.
fn of_children() -> Duration {
    // SAFETY: getrusage only writes the structure, for which there is room.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage);
        usage
    };
    let time = |time: libc::timeval| {
        Duration::from_secs(time.tv_sec as u64) + Duration::from_micros(time.tv_usec as u64)
    };
    time(usage.ru_utime) + time(usage.ru_stime)
}
