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
        let words = shlex::split(&text)
            .ok_or_else(|| format!("unbalanced quotes in response file '{}'", &arg[1..]))?;
        rest.extend(words.into_iter().rev().map(|word| (word, depth + 1)));
    }
    Ok(out)
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
        std::fs::write(&file, format!("@{}", file.display())).unwrap();
        assert!(expand(vec![format!("@{}", file.display())]).is_err());
    }
}
