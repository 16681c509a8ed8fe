//! Static functions that nothing ever calls, such as helpers that a file has a copy of and does not need. What they do
//! never happens: they are not looked at.

use std::collections::{BTreeMap, BTreeSet};

use fpgacc_frontend::source::Span;

use super::code::FnId;
use super::program::Program;
use crate::syntax::lex::{Lexer, Token, TokenKind};
use crate::syntax::{HostFile, Language};

/// Words with which a function may be called without its name standing there as an identifier.
const HIDING: [&[u8]; 13] = [
    b"__alias__",
    b"__asm",
    b"__asm__",
    b"__constructor__",
    b"__destructor__",
    b"__ifunc__",
    b"__used__",
    b"alias",
    b"asm",
    b"constructor",
    b"destructor",
    b"ifunc",
    b"used",
];

/// Functions that C++ calls by itself.
fn is_called_by_itself(name: &str) -> bool {
    name.contains("operator") || ["begin", "end", "get"].contains(&name)
}

/// A function whose calls would all name it in its file.
struct Candidate {
    id: FnId,
    name: Span,
    body: Span,
}

impl Candidate {
    fn holds(&self, part: Span) -> bool {
        part.file == self.body.file && self.body.start <= part.start && part.end <= self.body.end
    }
}

impl Program<'_> {
    /// Static functions that are named nowhere, or only in each other.
    pub(super) fn uncalled(&self) -> &BTreeSet<FnId> {
        self.uncalled.get_or_init(|| {
            let hosts = self.hosts.iter().enumerate();
            let all = hosts.flat_map(|(host, file)| self.uncalled_in(host, file));
            all.collect()
        })
    }

    fn uncalled_in(&self, host: usize, file: &HostFile) -> BTreeSet<FnId> {
        let mut candidates: BTreeMap<&[u8], Vec<Candidate>> = BTreeMap::new();
        for (part, source) in file.parts.iter().enumerate() {
            for (index, function) in source.ast.functions.iter().enumerate() {
                let is_free = function.class.is_none() && !function.name.contains(':');
                let by_itself =
                    file.language == Language::Cpp && is_called_by_itself(&function.name);
                if function.is_static && is_free && !by_itself {
                    let candidate = Candidate {
                        id: FnId { host, part, index },
                        name: function.span,
                        body: source.ast.stmt(function.body).span,
                    };
                    let of_name = candidates.entry(function.name.as_bytes()).or_default();
                    of_name.push(candidate);
                }
            }
        }
        match self.called_from(file, &candidates) {
            Some(called) => {
                let left = candidates.into_iter();
                let left = left.filter(|(name, _)| !called.contains(name));
                left.flat_map(|(_, of_name)| of_name)
                    .map(|c| c.id)
                    .collect()
            }
            None => BTreeSet::new(),
        }
    }

    /// The candidates that are named outside of all candidates, or in one that is; `None` if a name may be hidden.
    fn called_from<'c>(
        &self,
        file: &HostFile,
        candidates: &BTreeMap<&'c [u8], Vec<Candidate>>,
    ) -> Option<BTreeSet<&'c [u8]>> {
        let all = || {
            candidates
                .iter()
                .flat_map(|(name, of)| of.iter().map(move |c| (*name, c)))
        };
        let mut waiting: Vec<&'c [u8]> = Vec::new();
        let mut named_in: BTreeMap<&'c [u8], Vec<&'c [u8]>> = BTreeMap::new();
        for part in &file.parts {
            let text = self.sources.file(part.file).text.as_bytes();
            for token in Lexer::new(text).filter(|token| token.kind == TokenKind::Ident) {
                let word = token.bytes(text);
                if HIDING.contains(&word) {
                    return None;
                }
                let Some((&name, of_name)) = candidates.get_key_value(word) else {
                    continue;
                };
                let at = span(part.file, token);
                if of_name.iter().any(|candidate| candidate.name == at) {
                    continue;
                }
                match all().find(|(_, candidate)| candidate.holds(at)) {
                    Some((inside, _)) => named_in.entry(inside).or_default().push(name),
                    None => waiting.push(name),
                }
            }
        }
        // The compiler's own only paste endings of numbers.
        let macros = file.macros.of_user();
        for definition in macros.filter(|definition| &*definition.file != "<built-in>") {
            let body = definition.body.as_bytes();
            if definition.body.contains("##") {
                return None;
            }
            let words = Lexer::within(body, 0..body.len());
            let named = words.filter_map(|token| candidates.get_key_value(token.bytes(body)));
            waiting.extend(named.map(|(name, _)| *name));
        }
        let mut called = BTreeSet::new();
        while let Some(name) = waiting.pop() {
            if called.insert(name) {
                waiting.extend(named_in.get(name).into_iter().flatten());
            }
        }
        Some(called)
    }
}

fn span(file: fpgacc_frontend::source::FileId, token: Token) -> Span {
    Span {
        file,
        start: token.start as u32,
        end: token.end as u32,
    }
}

#[cfg(test)]
mod tests {
    use crate::syntax::Preprocessed;
    use fpgacc_frontend::source::SourceMap;

    use super::*;
    use crate::interp::Interp;
    use crate::report;

    fn parsed(text: &str) -> (SourceMap, [HostFile; 1]) {
        let mut sources = SourceMap::new();
        let file = sources.add("h.c", text);
        let marked = format!("# 1 \"h.c\"\n{text}");
        let pre = Preprocessed::read(&marked);
        let host = HostFile::parse(&sources, file, &[], Some(&pre), Language::C);
        (sources, [host])
    }

    /// The names of the functions that nothing calls.
    fn uncalled(text: &str) -> Vec<String> {
        let (sources, hosts) = parsed(text);
        let program = Program::new(&hosts, &sources);
        let ids = program.uncalled().iter();
        ids.map(|id| program.function(*id).name.clone()).collect()
    }

    #[test]
    fn only_what_is_named_nowhere_that_runs_is_never_called() {
        let two = "static void f(void) { }\nstatic void g(void) { f(); }\n";
        let of = |rest: &str| uncalled(&format!("{two}{rest}\n"));
        assert_eq!(of("int main(void) { return 0; }"), ["f", "g"]);
        assert_eq!(of("int main(void) { f(); return 0; }"), ["g"]);
        assert!(of("int main(void) { g(); return 0; }").is_empty());
        assert!(of("void (*table[])(void) = { g };").is_empty());
        assert!(of("#define LATER g()\nint main(void) { LATER; return 0; }").is_empty());
        assert!(of("#define CALL(x) x##_()\nint main(void) { return 0; }").is_empty());
        assert!(of("__attribute__((constructor)) static void h(void) { }").is_empty());
        assert!(uncalled("void exported(void) { }\n").is_empty());
    }

    #[test]
    fn functions_that_only_call_themselves_are_never_called() {
        let text =
            "static int odd(int n);\nstatic int even(int n) { return n ? odd(n - 1) : 1; }\n";
        assert!(
            uncalled(&format!(
                "{text}static int odd(int n) {{ return n ? even(n - 1) : 0; }}\n"
            ))
            .is_empty()
        );
        assert_eq!(
            uncalled("static int down(int n) { return n ? down(n - 1) : 0; }\n"),
            ["down"]
        );
    }

    /// A file's own copy of a helper reported a program of unknown text and options, as which each kernel file was built
    /// without options, although the host always gives them.
    #[test]
    fn a_helper_that_nothing_calls_makes_no_program() {
        let helper = "static cl_program made(const char *text, const char *options) {\n  \
                      cl_program p = clCreateProgramWithSource(c, 1, &text, 0, 0);\n  \
                      clBuildProgram(p, 0, 0, options, 0, 0);\n  return p;\n}\n";
        let programs = |main: &str| {
            let (sources, hosts) =
                parsed(&format!("{helper}int main(void) {{ {main} return 0; }}\n"));
            let mut interp = Interp::new(&hosts, &sources);
            interp.run();
            report::report(&interp, &hosts, &sources)
                .facts
                .programs
                .len()
        };
        assert_eq!(
            programs("made(\"__kernel void k(void) { }\", \"-DN=1\");"),
            1
        );
        assert_eq!(programs(""), 0);
    }
}
