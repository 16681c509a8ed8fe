//! OpenCL C in colours: lines as HTML, in which comments, words of the language and numbers are marked.

/// Words that are not names: `k` in the page.
const KEYWORDS: &[&str] = &[
    "if",
    "else",
    "for",
    "while",
    "do",
    "switch",
    "case",
    "default",
    "break",
    "continue",
    "return",
    "goto",
    "sizeof",
    "const",
    "restrict",
    "volatile",
    "static",
    "inline",
    "typedef",
    "struct",
    "union",
    "enum",
    "kernel",
    "global",
    "local",
    "constant",
    "private",
    "channel",
    "pipe",
    "read_only",
    "write_only",
    "read_write",
];
/// Types, with or without a number of elements: `y` in the page.
const TYPES: &[&str] = &[
    "void",
    "bool",
    "char",
    "uchar",
    "short",
    "ushort",
    "int",
    "uint",
    "long",
    "ulong",
    "float",
    "double",
    "half",
    "unsigned",
    "signed",
    "size_t",
    "ptrdiff_t",
    "intptr_t",
    "uintptr_t",
    "image2d_t",
    "image3d_t",
    "sampler_t",
    "event_t",
];

/// Lines of one text, each as HTML. A comment may go over several of them.
#[derive(Debug, Default)]
pub struct Highlighter {
    in_comment: bool,
}

impl Highlighter {
    /// The next line.
    pub fn line(&mut self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        if !self.in_comment && text.trim_start().starts_with('#') {
            let end = text.find("//").or(text.find("/*")).unwrap_or(text.len());
            span(&mut out, "p", &text[..end]);
            rest = &text[end..];
        }
        while !rest.is_empty() {
            let (class, length) = self.token(rest);
            span(&mut out, class, &rest[..length]);
            rest = &rest[length..];
        }
        out
    }

    /// The class of what a text starts with, "" for none, and how long it is.
    fn token(&mut self, text: &str) -> (&'static str, usize) {
        if self.in_comment || text.starts_with("/*") {
            let from = if self.in_comment { 0 } else { 2 };
            let end = text[from..].find("*/").map(|at| from + at + 2);
            self.in_comment = end.is_none();
            return ("c", end.unwrap_or(text.len()));
        }
        if text.starts_with("//") {
            return ("c", text.len());
        }
        let first = text.chars().next().unwrap_or(' ');
        let while_in = |is: fn(char) -> bool| text.find(|c| !is(c)).unwrap_or(text.len());
        match first {
            '"' | '\'' => ("s", string(text, first)),
            '0'..='9' => ("n", number(text)),
            'a'..='z' | 'A'..='Z' | '_' => {
                let length = while_in(|c| c.is_ascii_alphanumeric() || c == '_');
                (word(&text[..length], &text[length..]), length)
            }
            _ => ("", first.len_utf8()),
        }
    }
}

/// The class of a name, by what follows it.
fn word(word: &str, after: &str) -> &'static str {
    let plain = word.trim_matches('_');
    let stem = plain.trim_end_matches(|c: char| c.is_ascii_digit());
    if KEYWORDS.contains(&plain) || plain == "attribute" {
        "k"
    } else if TYPES.contains(&plain) || TYPES.contains(&stem) {
        "y"
    } else if after.starts_with('(') {
        "f"
    } else {
        ""
    }
}

/// The length of a string or character with both quotes, or of what is left of the line.
fn string(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The length of a number, with its exponent and what says its type.
fn number(text: &str) -> usize {
    let hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    let mut before = ' ';
    let is_part = |c: char| {
        let exponent = match hexadecimal {
            true => ['p', 'P'],
            false => ['e', 'E'],
        };
        let part =
            c.is_ascii_alphanumeric() || c == '.' || "+-".contains(c) && exponent.contains(&before);
        before = c;
        !part
    };
    text.find(is_part).unwrap_or(text.len())
}

/// Adds a text, in a `span` if it has a class.
fn span(out: &mut String, class: &str, text: &str) {
    if !class.is_empty() {
        out.push_str(&format!("<i class={class}>"));
    }
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    if !class.is_empty() {
        out.push_str("</i>");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(text: &str) -> String {
        let mut highlighter = Highlighter::default();
        let lines: Vec<String> = text.lines().map(|line| highlighter.line(line)).collect();
        lines.join("\n")
    }

    #[test]
    fn words_numbers_and_comments_are_distinguished() {
        assert_eq!(
            html("float4 x = f(0x1e+2, 1.5e-3f); // <b>"),
            "<i class=y>float4</i> x = <i class=f>f</i>(<i class=n>0x1e</i>+<i class=n>2</i>, \
             <i class=n>1.5e-3f</i>); <i class=c>// &lt;b&gt;</i>"
        );
        assert_eq!(html("__global int2d"), "<i class=k>__global</i> int2d");
        assert_eq!(
            html("#pragma unroll 4 // why"),
            "<i class=p>#pragma unroll 4 </i><i class=c>// why</i>"
        );
    }

    #[test]
    fn comments_and_strings_end_where_they_end() {
        assert_eq!(
            html("a /* b\nint c\n*/ int"),
            "a <i class=c>/* b</i>\n<i class=c>int c</i>\n<i class=c>*/</i> <i class=y>int</i>"
        );
        assert_eq!(
            html(r#""\"//" 'x' /**/ "é"#),
            "<i class=s>&quot;\\&quot;//&quot;</i> <i class=s>'x'</i> <i class=c>/**/</i> <i class=s>&quot;é</i>"
        );
    }
}
