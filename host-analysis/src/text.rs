//! Texts, as far as they are known.

use fpgacc_frontend::source::Span;

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Characters, and the string literal that they start with.
    Text(String, Option<Span>),
    /// What was read from a file, by its name.
    File(String),
    /// A line that was read from a file, without its end.
    Line(String),
    /// A date as `ctime` and `asctime` write it, with the end of the line: which, the run knows.
    Date,
}

/// A date.
const DATE: &str = "Thu Jan  1 00:00:00 1970\n";

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

    pub fn line(name: &str) -> Text {
        Text {
            pieces: vec![Piece::Line(name.to_string())],
        }
    }

    pub fn date() -> Text {
        Text {
            pieces: vec![Piece::Date],
        }
    }

    fn push(&mut self, piece: Piece) {
        // The end of a line that was read without it.
        if let (Some(Piece::Line(name)), Piece::Text(text, span)) = (self.pieces.last(), &piece)
            && let Some(rest) = text.strip_prefix('\n')
        {
            let (name, rest) = (name.clone(), Piece::Text(rest.to_string(), *span));
            self.pieces.pop();
            self.push(Piece::File(name));
            return self.push(rest);
        }
        match (self.pieces.last_mut(), piece) {
            (_, Piece::Text(text, _)) if text.is_empty() => {}
            (Some(Piece::Text(last, _)), Piece::Text(text, _)) => last.push_str(&text),
            // A file that is read piece by piece.
            (Some(Piece::File(last)), Piece::File(name))
            | (Some(Piece::Line(last)), Piece::Line(name))
                if *last == name => {}
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

    /// Whether this text is another one and what may be appended any number of times to no
    /// effect: pieces of one file.
    pub fn grows_from(&self, before: &Text) -> bool {
        let Some(rest) = self.pieces.strip_prefix(&before.pieces[..]) else {
            return false;
        };
        let rest = Text {
            pieces: rest.to_vec(),
        };
        self.followed_by(&rest) == *self
    }

    /// The characters, if all of them are known.
    pub fn chars(&self) -> Option<String> {
        let mut all = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text, _) => all.push_str(text),
                Piece::File(_) | Piece::Line(_) | Piece::Date => return None,
            }
        }
        Some(all)
    }

    /// How many bytes there are, if that is known.
    pub fn len(&self) -> Option<usize> {
        let lengths = self.pieces.iter().map(|piece| match piece {
            Piece::Text(text, _) => Some(text.len()),
            Piece::Date => Some(DATE.len()),
            Piece::File(_) | Piece::Line(_) => None,
        });
        lengths.sum()
    }

    /// The text with some date where there is one in a comment, which nothing depends on; nothing if there is one elsewhere.
    pub fn on_some_day(&self) -> Option<Text> {
        let mut result = Text::default();
        for piece in &self.pieces {
            match piece {
                Piece::Date if !result.ends_in_a_comment() => return None,
                Piece::Date => result.push(Piece::Text(DATE.to_string(), None)),
                piece => result.push(piece.clone()),
            }
        }
        Some(result)
    }

    /// Whether a text breaks off in a comment of which all is known.
    fn ends_in_a_comment(&self) -> bool {
        let Some(Piece::Text(text, _)) = self.pieces.last() else {
            return false;
        };
        let line = text.rsplit('\n').next().unwrap_or_default();
        let is_open = text.rfind("/*") > text.rfind("*/");
        is_open || line.trim_start().starts_with("//")
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
            Piece::File(_) | Piece::Line(_) | Piece::Date => None,
        })
    }
}
