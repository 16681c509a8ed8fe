//! Reads preprocessed OpenCL C from standard input, parses it and prints it again.
//!
//! `roundtrip [--predefined] [--cl20] [--lines] [--time] [NAME [FILE]..]`: NAME is the user's file as
//! the line markers have it; the FILEs are registered as sources. `--predefined` writes what must
//! stand in front of a kernel file when it is preprocessed. `--time` tells on standard error how long
//! parsing, validating and printing took.

use std::io::{Read, Write};
use std::process::ExitCode;
use std::time::Instant;

use fpgacc_frontend::diag::{Color, Diagnostic, render};
use fpgacc_frontend::ir::Dialect;
use fpgacc_frontend::kernel::{
    Input, ParseError, PrintOptions, parse, predefined, print, validate,
};
use fpgacc_frontend::source::SourceMap;

fn main() -> ExitCode {
    let mut dialect = Dialect::Cl12;
    let mut options = PrintOptions {
        line_directives: false,
    };
    let mut write_predefined = false;
    let mut time = false;
    let mut files = Vec::new();
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--cl20" => dialect = Dialect::Cl20,
            "--lines" => options.line_directives = true,
            "--predefined" => write_predefined = true,
            "--time" => time = true,
            _ => files.push(argument),
        }
    }
    if write_predefined {
        return write(&predefined(dialect, &[]));
    }
    let mut bytes = Vec::new();
    if let Err(error) = std::io::stdin().read_to_end(&mut bytes) {
        eprintln!("roundtrip: standard input: {error}");
        return ExitCode::from(2);
    }
    let text = String::from_utf8_lossy(&bytes);
    let mut sources = SourceMap::new();
    for file in &files {
        if let Ok(bytes) = std::fs::read(file) {
            sources.add(file.as_str(), String::from_utf8_lossy(&bytes).into_owned());
        }
    }
    let input = Input {
        name: files.first().map_or("<stdin>", String::as_str),
        preprocessed: &text,
        dialect,
    };
    let start = Instant::now();
    let parsed = parse(&input, &mut sources);
    let parsed_at = Instant::now();
    let module = match parsed {
        Ok(module) => module,
        Err(error) => {
            let code = match &error {
                ParseError::Invalid(_) => 1,
                ParseError::Unsupported(_) => 3,
            };
            tell(error.diagnostics(), &sources);
            return ExitCode::from(code);
        }
    };
    let proof = match validate(&module) {
        Ok(proof) => proof,
        Err(faults) => {
            tell(&faults, &sources);
            return ExitCode::from(4);
        }
    };
    let validated_at = Instant::now();
    let out = print(&module, &proof, &sources, &options);
    if time {
        eprintln!(
            "parse {:?}, validate {:?}, print {:?}",
            parsed_at - start,
            validated_at - parsed_at,
            validated_at.elapsed()
        );
    }
    write(&out)
}

fn tell(diagnostics: &[Diagnostic], sources: &SourceMap) {
    for diagnostic in diagnostics {
        eprint!("{}", render(diagnostic, sources, Color::Never));
    }
}

fn write(text: &str) -> ExitCode {
    match std::io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("roundtrip: standard output: {error}");
            ExitCode::from(2)
        }
    }
}
