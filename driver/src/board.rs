//! The board that kernels are priced for.

use fpgacc_frontend::diag::Diagnostic;
use fpgacc_performance_model::{Board, Version};

use crate::nearly::did_you_mean;
use crate::options::Target;
use crate::session::{Session, Step};
use crate::tool;

/// The board if none is named: the one that most measurements of the model are of. It is the same
/// whatever is installed, but for the version of the aoc that builds, so that a program is made the same everywhere.
const DEFAULT: &str = "de5a-net";

/// The board of `--board-file`, of `--board`, or the default one, with the compiler that builds.
pub fn of(session: &mut Session) -> Step<Board> {
    if let Some(path) = &session.options.board_file {
        session.dependencies.add_source(path);
    }
    if let Some(board) = &session.board {
        return Ok(board.clone());
    }
    let mut board = find(session)?;
    if let Some(version) = version_that_builds(session) {
        board = board.built_with(version);
    }
    session.board = Some(board.clone());
    Ok(board)
}

/// The version of the aoc that builds for the board. Emulators, an SDK's own too, run what is made for the board.
fn version_that_builds(session: &Session) -> Option<Version> {
    if session.options.target != Target::Hardware {
        return None;
    }
    let tool = tool::expected(&session.options)?;
    let version = tool.aoc_version()?;
    Some(Version {
        major: version.major,
        minor: version.minor,
    })
}

fn find(session: &mut Session) -> Step<Board> {
    if let Some(path) = session.options.board_file.clone() {
        let bytes = session.read(&path)?;
        let text = String::from_utf8_lossy(&bytes);
        let board = Board::from_yaml(&text);
        let board = session.check(board.map_err(|error| format!("{}: {error}", path.display())))?;
        for (old, new) in board.moved_fields() {
            let path = path.display();
            session.report(
                Diagnostic::warning(format!("{path}: '{old}' is a field of 'compiler' now")).help(
                    format!("write '{new}' in it, or aoc's version: 'compiler: \"18.1\"'"),
                ),
            );
        }
        return Ok(board);
    }
    let default = || Board::named(DEFAULT).expect("the default board is built in");
    let Some(name) = session.options.board.clone() else {
        return Ok(default());
    };
    if let Some(board) = Board::named(&name) {
        return Ok(board);
    }
    if session.options.decides() {
        let known = Board::names().collect::<Vec<_>>().join(", ");
        let warning = Diagnostic::warning(format!("nothing is known of the board '{name}'"));
        session.report(
            did_you_mean(warning, &name, Board::names())
                .note(format!("kernels are priced for '{DEFAULT}'"))
                .note(format!("known are {known}"))
                .help("describe it with --board-file"),
        );
    }
    Ok(default())
}
