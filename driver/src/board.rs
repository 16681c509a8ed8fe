//! The board that kernels are priced for.

use fpgacc_frontend::diag::Diagnostic;
use fpgacc_performance_model::Board;

use crate::session::{Session, Step};

/// The board if none is named: the one that most measurements of the model are of. It is the same
/// whatever is installed, so that a program is made the same everywhere.
const DEFAULT: &str = "de5a-net";

/// The board of `--board-file`, of `--board`, or the default one.
pub fn of(session: &mut Session) -> Step<Board> {
    if let Some(path) = &session.options.board_file {
        session.dependencies.add_source(path);
    }
    if let Some(board) = &session.board {
        return Ok(board.clone());
    }
    let board = find(session)?;
    session.board = Some(board.clone());
    Ok(board)
}

fn find(session: &mut Session) -> Step<Board> {
    if let Some(path) = session.options.board_file.clone() {
        let bytes = session.read(&path)?;
        let text = String::from_utf8_lossy(&bytes);
        let board = Board::from_yaml(&text);
        return session.check(board.map_err(|error| format!("{}: {error}", path.display())));
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
        session.tell(
            Diagnostic::warning(format!("nothing is known of the board '{name}'"))
                .note(format!("kernels are priced for '{DEFAULT}'"))
                .help(format!("describe it with --board-file; known are {known}")),
        );
    }
    Ok(default())
}
