//! Response files: `@file` stands for the words in a file.

/// Puts the words of response files in place of `@file`. A name that is no file stays as it is, as
/// in cc.
///
/// # Errors
/// A message: a file holds unbalanced quotes, or files name each other without end.
pub fn expand(args: Vec<String>) -> Result<Vec<String>, String> {
    let mut out = Vec::new();
    // Words still to be read, the next one last, with the depth of files that they came through.
    let mut rest: Vec<(String, usize)> = args.into_iter().rev().map(|arg| (arg, 0)).collect();
    while let Some((arg, depth)) = rest.pop() {
        let Some(Ok(text)) = arg.strip_prefix('@').map(std::fs::read_to_string) else {
            out.push(arg);
            continue;
        };
        if depth == 16 {
            return Err(format!(
                "response files name each other without end: '{}'",
                &arg[1..]
            ));
        }
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
        assert_eq!(expand(args).unwrap(), ["a", "-D", "A=b c", "x.cl", "@none"]);
        std::fs::write(&file, format!("@{}", file.display())).unwrap();
        assert!(expand(vec![format!("@{}", file.display())]).is_err());
    }
}
