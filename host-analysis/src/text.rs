//! Texts, as far as they are known.

use fpgacc_frontend::source::Span;

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Characters, and the string literal that they start with.
    Text(String, Option<Span>),
    /// What was read from a file, by its name.
    File(String),
}

/// A text, piece by piece. Neighbouring characters are one piece.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Text {
    pub pieces: Vec<Piece>,
}

impl Text {
    pub fn literal(text: &str, span: Option<Span>) -> Text {
        let mut result = Text::default();
        result.push(Piece::Text(text.to_string(), span));
        result
    }

    pub fn file(name: &str) -> Text {
        Text {
            pieces: vec![Piece::File(name.to_string())],
        }
    }

    fn push(&mut self, piece: Piece) {
        match (self.pieces.last_mut(), piece) {
            (_, Piece::Text(text, _)) if text.is_empty() => {}
            (Some(Piece::Text(last, _)), Piece::Text(text, _)) => last.push_str(&text),
            // A file that is read piece by piece.
            (Some(Piece::File(last)), Piece::File(name)) if *last == name => {}
            (_, piece) => self.pieces.push(piece),
        }
    }

    pub fn append(&mut self, other: &Text) {
        for piece in &other.pieces {
            self.push(piece.clone());
        }
    }

    /// This text and then another one.
    pub fn followed_by(&self, other: &Text) -> Text {
        let mut both = self.clone();
        both.append(other);
        both
    }

    /// The characters, if all of them are known.
    pub fn chars(&self) -> Option<String> {
        let mut all = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text, _) => all.push_str(text),
                Piece::File(_) => return None,
            }
        }
        Some(all)
    }

    /// The text as functions of C read it: up to its first NUL.
    pub fn up_to_nul(&self) -> Text {
        let mut result = Text::default();
        for piece in &self.pieces {
            if let Piece::Text(text, span) = piece
                && let Some((head, _)) = text.split_once('\0')
            {
                result.push(Piece::Text(head.to_string(), *span));
                break;
            }
            result.push(piece.clone());
        }
        result
    }

    /// The first `len` bytes, if they are known.
    pub fn prefix(&self, len: usize) -> Option<Text> {
        let chars = self.chars()?;
        let head = chars.get(..len)?;
        Some(Text::literal(head, self.span()))
    }

    /// All but the first `len` bytes, if they are known.
    pub fn suffix(&self, len: usize) -> Option<Text> {
        if len == 0 {
            return Some(self.clone());
        }
        let chars = self.chars()?;
        let tail = chars.get(len..)?;
        Some(Text::literal(tail, self.span()))
    }

    pub fn span(&self) -> Option<Span> {
        self.pieces.iter().find_map(|p| match p {
            Piece::Text(_, span) => *span,
            Piece::File(_) => None,
        })
    }
}
