//! Man page and shell completions, made from the one definition of the options.

use clap_complete::Shell;

use crate::cli;

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
            return cli::with_single_dashes(&String::from_utf8_lossy(&out)).into_bytes();
        }
    };
    clap_complete::generate(shell, &mut command, "fpgacc", &mut out);
    let text = cli::with_single_dashes(&String::from_utf8_lossy(&out));
    if shell != Shell::Fish {
        return text.into_bytes();
    }
    // fish calls long options with one dash old.
    let lines = text.split_inclusive('\n').map(|line| {
        let old = cli::SINGLE_DASH.iter();
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
