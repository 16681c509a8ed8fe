//! Man page and shell completions, made from the one definition of the options.

use clap_complete::Shell;

use crate::cli;

/// What the man page says of a command with options of its own.
fn section(command: clap::Command) -> Vec<u8> {
    let name = command.get_bin_name().unwrap_or_default().to_uppercase();
    let about = command.get_about().map(ToString::to_string);
    let mut options = Vec::new();
    let written = clap_mangen::Man::new(command).render_options_section(&mut options);
    written.expect("writing to memory does not fail");
    let options = String::from_utf8_lossy(&options).into_owned();
    let about = about.unwrap_or_default();
    let heading = format!(".SH {name}\n{about}\n");
    options.replacen(".SH OPTIONS\n", &heading, 1).into_bytes()
}

/// The man page (`man`) or a shell's completions (`bash`, `zsh`, `fish`).
pub fn text(what: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut command = cli::command();
    let shell = match what {
        "bash" => Shell::Bash,
        "zsh" => Shell::Zsh,
        "fish" => Shell::Fish,
        _ => {
            let written = clap_mangen::Man::new(command).render(&mut out);
            written.expect("writing to memory does not fail");
            out = cli::with_single_dashes(&String::from_utf8_lossy(&out)).into_bytes();
            for command in [
                cli::trace_command(),
                cli::run_command(),
                cli::report_command(),
            ] {
                out.extend(section(command));
            }
            return out;
        }
    };
    clap_complete::generate(shell, &mut command, "fpgacc", &mut out);
    let text = cli::with_single_dashes(&String::from_utf8_lossy(&out));
    if shell != Shell::Fish {
        return text.into_bytes();
    }
    // fish calls long options with one dash old.
    let lines = text.split_inclusive('\n').map(|line| {
        let old = cli::single_dash();
        old.fold(line.to_string(), |line, name| {
            line.replacen(
                &format!("complete -c fpgacc -l {name} "),
                &format!("complete -c fpgacc -o {name} "),
                1,
            )
        })
    });
    lines.collect::<String>().into_bytes()
}
