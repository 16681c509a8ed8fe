//! How long hosts are followed. What takes longer is looked at without following calls and loops.

use super::Interp;
use crate::syntax::HostFile;

/// Steps per node of syntax before the analysis gives up following calls and loops: of the files
/// that are compiled, and of headers. Of a library that is all headers, a program uses little, and
/// to follow all of it would take longer than to compile it.
const STEPS_PER_NODE: u64 = 80;
const STEPS_PER_HEADER_NODE: u64 = 5;
/// Steps that any host gets.
const STEPS_AT_LEAST: u64 = 150_000;
/// Changes of the store that may be looked through for one step.
const CHANGES_PER_STEP: u64 = 8;

/// How much was followed, and how much may be.
pub(crate) struct Budget {
    /// Steps that were made.
    pub steps: u64,
    /// Changes of the store that were looked through.
    pub looked_through: u64,
    /// The steps that may be made.
    pub limit: u64,
    /// How deep evaluation is nested.
    pub nesting: u32,
    /// The limit was reached: calls and loops are not followed any more.
    pub flat: bool,
}

impl Budget {
    pub fn of(hosts: &[HostFile]) -> Budget {
        Budget {
            steps: 0,
            looked_through: 0,
            limit: steps(hosts),
            nesting: 0,
            flat: false,
        }
    }
}

/// Steps that may be spent on hosts.
pub(super) fn steps(hosts: &[HostFile]) -> u64 {
    let of_host = |host: &HostFile| {
        let nodes = host.parts.iter().map(|part| part.ast.len() as u64);
        let all: u64 = nodes.sum();
        let own = host.main().ast.len() as u64;
        own * STEPS_PER_NODE + (all - own) * STEPS_PER_HEADER_NODE
    };
    STEPS_AT_LEAST + hosts.iter().map(of_host).sum::<u64>()
}

impl Interp<'_> {
    /// Counts a step; true if no more may be made.
    pub(super) fn spent(&mut self, steps: u64) -> bool {
        self.budget.steps += steps;
        self.budget.looked_through += self.state.work();
        self.at_limit()
    }

    /// Whether following calls and loops must end.
    pub(super) fn at_limit(&self) -> bool {
        self.budget.steps + self.budget.looked_through / CHANGES_PER_STEP > self.budget.limit
            && !self.budget.flat
    }
}

#[cfg(test)]
mod tests {

    use crate::syntax::{HostFile, Language};
    use fpgacc_frontend::source::SourceMap;

    use super::{Interp, STEPS_AT_LEAST, steps};

    /// A program that includes a header.
    fn host(header: &str, main: &str) -> (SourceMap, [HostFile; 1]) {
        let mut sources = SourceMap::new();
        let header = sources.add("library.hpp", header);
        let main = sources.add("main.cpp", main);
        let host = HostFile::parse(&sources, main, &[header], None, Language::Cpp);
        (sources, [host])
    }

    /// A library whose functions each call both functions of the next level, which differ in types.
    fn library(levels: u32) -> String {
        let mut text = "struct A { int n; }; struct B { int n; };\n".to_string();
        text += "void f0(A &a) { clEnqueueNDRangeKernel(a.q, a.k, 1, 0, &a.n, 0, 0, 0, 0); }\n";
        text += "void f0(B &b) { b.n = b.n + 1; }\n";
        for level in 1..levels {
            for ty in ["A", "B"] {
                let below = level - 1;
                text += &format!(
                    "void f{level}({ty} &x) {{ if (x.n) f{below}(x); else {{ f{below}(x); x.n = 2; }} }}\n"
                );
            }
        }
        text
    }

    /// Each function is given away twice by the next.
    #[test]
    fn functions_that_are_given_away_are_followed_so_long() {
        let mut text = "void f0(int n) { clFinish(n); }\n".to_string();
        for level in 1..40 {
            let given = format!("other(f{}, n);", level - 1);
            text += &format!("void f{level}(int n) {{ {given} {given} }}\n");
        }
        let (sources, hosts) = host("", &format!("{text}int main() {{ f39(1); }}"));
        let mut interp = Interp::new(&hosts, &sources);
        interp.run();
        assert!(interp.budget.flat);
    }

    #[test]
    fn of_a_library_little_is_followed() {
        let text = library(60);
        let main = "int main() { A a; f59(a); }";
        let (sources, hosts) = host(&text, main);
        let nodes: usize = hosts[0].parts.iter().map(|part| part.ast.len()).sum();
        let limit = steps(&hosts) - STEPS_AT_LEAST;
        assert!(limit < nodes as u64 * 10, "{limit} steps, {nodes} nodes");
        let (_, own) = host("", &format!("{text}{main}"));
        let limit = steps(&own) - STEPS_AT_LEAST;
        assert!(limit > nodes as u64 * 60, "{limit} steps, {nodes} nodes");

        // The launch is found all the same.
        let mut interp = Interp::new(&hosts, &sources);
        interp.run();
        assert!(interp.budget.flat);
        assert_eq!(interp.trace.visits.len(), 1);
        assert!(interp.trace.visits[0].launch.kernels.get().is_none());
    }

    #[test]
    fn arguments_are_looked_at_once_for_all_functions_of_a_name() {
        let header = "int g(A a) { return a.n; } int g(B b) { return b.n; }\n";
        let nested = format!("{}x{}", "g(".repeat(40), ")".repeat(40));
        let main = format!("int main() {{ A a; f59(a); }} void other(int x) {{ x = {nested}; }}");
        let (sources, hosts) = host(&(library(60) + header), &main);
        let mut interp = Interp::new(&hosts, &sources);
        interp.run();
        assert!(interp.budget.flat);
        assert!(
            interp.budget.steps < 100_000,
            "{} steps",
            interp.budget.steps
        );
    }
}
