//! Response files: `@file` stands for the words in a file.

use std::path::PathBuf;

/// A command line without response files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expanded {
    /// Its words.
    pub words: Vec<String>,
    /// The files that stood for some of them.
    pub files: Vec<PathBuf>,
}

/// Puts the words of response files in place of `@file`. A name that is no file stays as it is, as
/// in cc.
///
/// # Errors
/// A message: a file holds unbalanced quotes, or files name each other without end.
pub fn expand(args: Vec<String>) -> Result<Expanded, String> {
    let mut out = Expanded::default();
    // Words still to be read, the next one last, with the depth of files that they came through.
    let mut rest: Vec<(String, usize)> = args.into_iter().rev().map(|arg| (arg, 0)).collect();
    while let Some((arg, depth)) = rest.pop() {
        let Some(Ok(text)) = arg.strip_prefix('@').map(std::fs::read_to_string) else {
            out.words.push(arg);
            continue;
        };
        if depth == 16 {
            return Err(format!(
                "response files name each other without end: '{}'",
                &arg[1..]
            ));
        }
        out.files.push(PathBuf::from(&arg[1..]));
        let words = split(&text)
            .ok_or_else(|| format!("unbalanced quotes in response file '{}'", &arg[1..]))?;
        rest.extend(words.into_iter().rev().map(|word| (word, depth + 1)));
    }
    Ok(out)
}

/// The words of a response file, as cc reads them: split at white space; quotes of both kinds group, and
/// a backslash takes the next character as it is, also within quotes. `None`: a quote is not closed.
fn split(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', _) => word.get_or_insert_default().extend(chars.next()),
            (_, Some(open)) if c == open => quote = None,
            (_, Some(_)) => word.get_or_insert_default().push(c),
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            _ if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_file_stands_for_its_words() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("args");
        std::fs::write(&file, "-D 'A=b c'\n x.cl").unwrap();
        let args = vec![
            "a".to_string(),
            format!("@{}", file.display()),
            "@none".to_string(),
        ];
        let expanded = expand(args).unwrap();
        assert_eq!(expanded.words, ["a", "-D", "A=b c", "x.cl", "@none"]);
        assert_eq!(expanded.files, std::slice::from_ref(&file));
        let quoted = "-DA=\\\"x\\\" '-DB=\\'c' -D#=1 \"a b\"''";
        assert_eq!(
            split(quoted).unwrap(),
            ["-DA=\"x\"", "-DB='c", "-D#=1", "a b"]
        );
        assert_eq!(split("a 'b"), None);
        std::fs::write(&file, format!("@{}", file.display())).unwrap();
        assert!(expand(vec![format!("@{}", file.display())]).is_err());
    }
}
