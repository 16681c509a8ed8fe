//! `fpgacc-roundtrip [-DNAME[=VALUE]] [-IFOLDER] [--build] [--keep FOLDER] FILE..`: parses and prints
//! kernel files and proves, by clang's LLVM IR, that the printed text means the same. `--build`
//! also builds it on both emulators; `--keep` leaves the printed texts in a folder. Exit code 0: no
//! file failed, 1: some did, 2: wrong usage.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;

use fpgacc_tests::roundtrip::{Checked, Options, check};

/// Files are checked by this many threads.
const THREADS: usize = 2;

fn main() -> ExitCode {
    let Some(request) = Request::read(std::env::args().skip(1)) else {
        eprintln!(
            "usage: fpgacc-roundtrip [-DNAME[=VALUE]] [-IFOLDER] [--build] [--keep FOLDER] FILE.."
        );
        return ExitCode::from(2);
    };
    let mut failures = 0;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut builds: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (file, checked) in request.run() {
        let outcome = &checked.outcome;
        *counts.entry(outcome.name()).or_default() += 1;
        failures += usize::from(outcome.is_failure());
        println!("{}: {}", file.display(), outcome.name());
        for build in &checked.builds {
            let (original, printed) = builds.entry(format!("{:?}", build.platform)).or_default();
            *original += usize::from(build.original);
            *printed += usize::from(build.printed);
        }
        for line in outcome.detail().lines().take(8) {
            println!("    {line}");
        }
    }
    let counts: Vec<String> = counts
        .iter()
        .map(|(name, n)| format!("{n} {name}"))
        .collect();
    println!("{}", counts.join(", "));
    for (platform, (original, printed)) in builds {
        println!("{platform} builds {original} originals and {printed} of their printed texts");
    }
    match failures {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

struct Request {
    options: Options,
    keep: Option<PathBuf>,
    files: Vec<PathBuf>,
}

impl Request {
    fn read(mut args: impl Iterator<Item = String>) -> Option<Self> {
        let mut request = Request {
            options: Options::default(),
            keep: None,
            files: Vec::new(),
        };
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--build" => request.options.build = true,
                "--keep" => request.keep = Some(args.next()?.into()),
                _ => match (arg.strip_prefix("-D"), arg.strip_prefix("-I")) {
                    (Some(define), _) => request.options.defines.push(define.to_string()),
                    (None, Some(folder)) => request.options.includes.push(folder.into()),
                    (None, None) if arg.starts_with('-') => return None,
                    (None, None) => request.files.push(arg.into()),
                },
            }
        }
        (!request.files.is_empty()).then_some(request)
    }

    /// The files' outcomes, in the order given.
    fn run(&self) -> Vec<(&Path, Checked)> {
        let next = Mutex::new(0..self.files.len());
        let done = Mutex::new(BTreeMap::new());
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    loop {
                        let taken = next.lock().ok().and_then(|mut range| range.next());
                        let Some(index) = taken else {
                            return;
                        };
                        let checked = check(&self.files[index], &self.options);
                        self.keep(index, &checked);
                        if let Ok(mut done) = done.lock() {
                            done.insert(index, checked);
                        }
                    }
                });
            }
        });
        let done = done.into_inner().unwrap_or_default();
        done.into_iter()
            .map(|(index, checked)| (self.files[index].as_path(), checked))
            .collect()
    }

    fn keep(&self, index: usize, checked: &Checked) {
        let (Some(folder), Some(text)) = (&self.keep, &checked.printed) else {
            return;
        };
        let name = self.files[index].to_string_lossy().replace('/', "_");
        if let Err(error) =
            std::fs::create_dir_all(folder).and_then(|()| std::fs::write(folder.join(name), text))
        {
            eprintln!("fpgacc-roundtrip: {}: {error}", folder.display());
        }
    }
}
