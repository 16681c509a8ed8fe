//! Code that the parser does not understand, and replacements of macros that it does not: what they
//! name may be changed, called and launched there.

use std::collections::BTreeSet;

use fpgacc_frontend::source::Span;

use super::{Code, FnId, Interp};
use crate::syntax::lex;
use crate::types::last_name;
use crate::value::Val;

/// Why nothing is known of what such code does.
const REASON: &str = "code that fpgacc does not understand";
/// Functions that launch kernels.
const LAUNCHES: &[&str] = &["clEnqueueNDRangeKernel", "clEnqueueTask"];

impl<'a> Interp<'a> {
    /// Havocs what code with these names may change, and notes a launch of which nothing is known
    /// if it may make one that was not found in what is understood of it.
    pub(super) fn not_understood(
        &mut self,
        code: &Code<'a>,
        site: Span,
        names: &[String],
        visits_before: usize,
    ) {
        self.havoc_names(code, names);
        if names.iter().any(|name| name == "va_arg") {
            self.lose_arguments();
        }
        let words = self.with_macros(code, names);
        let uses_opencl = words.iter().any(|word| super::functions::is_opencl(word));
        let called = words.iter().map(|word| self.program.named(last_name(word)));
        let called: Vec<FnId> = called.flatten().copied().collect();
        if !uses_opencl && called.is_empty() {
            return;
        }
        self.memo.invalidate();
        if uses_opencl {
            self.memo.note_opencl();
            self.havoc_args(REASON);
            self.havoc_escaped(REASON);
        }
        for callee in called {
            self.trace.unfollowed.insert(callee);
            match self.budget.flat {
                true => self.havoc_lasting(REASON),
                false => self.havoc_modified(callee, REASON),
            }
        }
        self.trace.has_kernels_of_any |= words.contains("clCreateKernel");
        let launches = LAUNCHES.iter().any(|name| words.contains(*name));
        if launches && self.trace.visits.len() == visits_before {
            let unknown = Val::unknown(REASON);
            self.launch(site, [&unknown; 6]);
        }
    }

    /// Names, and those in the replacements of the macros among them.
    fn with_macros(&self, code: &Code<'a>, names: &[String]) -> BTreeSet<String> {
        let macros = &self.program.hosts[code.host].macros;
        let mut found = BTreeSet::new();
        let mut waiting = names.to_vec();
        while let Some(name) = waiting.pop() {
            if let Some((_, definition)) = macros.at(&name, macros.end())
                && !found.contains(&name)
            {
                waiting.extend(lex::names(&definition.body).map(str::to_string));
            }
            found.insert(name);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use crate::syntax::{HostFile, Language};
    use fpgacc_frontend::source::SourceMap;
    use fpgacc_launch_facts::{ArgValue, Launch, Value};

    use super::Interp;
    use crate::report;

    fn launches(macros: &str, main: &str) -> Vec<Launch> {
        let mut sources = SourceMap::new();
        let text = format!(
            "typedef unsigned long size_t;\n{macros}\n\
             int main(void) {{ cl_kernel k = clCreateKernel(p, \"f\", 0); size_t g = 64, l = 8; int n = 5;\n\
             clSetKernelArg(k, 0, sizeof n, &n);\n{main}\n}}"
        );
        let file = sources.add("h.c", text);
        let hosts = [HostFile::parse(&sources, file, &[], None, Language::C)];
        let mut interp = Interp::new(&hosts, &sources);
        interp.run();
        report::report(&interp, &hosts, &sources).facts.launches
    }

    const CALL: &str = "clEnqueueNDRangeKernel(q, k, 1, 0, &g, &l, 0, 0, 0)";

    fn is_unknown(launch: &Launch) -> bool {
        launch.kernels.get().is_none() && matches!(launch.work_dim, Value::Unknown(_))
    }

    #[test]
    fn launches_in_macros_that_are_not_understood_are_not_known() {
        for body in [
            "_Generic((g), default: clEnqueueNDRangeKernel)(q, k, 1, 0, &g, &l, 0, 0, 0)",
            "do { int e = CALL; __asm__ (\"\" : : [e] \"r\"(e) @ ); } while (0)",
            "do { int e = CALL; e = e ?: ; } while (0)",
        ] {
            let body = body.replace("CALL", CALL);
            let found = launches(&format!("#define RUN(x) {body}"), "RUN(1);");
            assert_eq!(found.len(), 1, "{body}: {found:?}");
            assert!(is_unknown(&found[0]), "{body}: {found:?}");
        }
    }

    #[test]
    fn launches_in_macros_of_macros_are_not_known() {
        let macros =
            format!("#define INNER {CALL}\n#define RUN(x) do {{ INNER; e = e ?: ; }} while (0)");
        let found = launches(&macros, "RUN(1);");
        assert!(found.len() == 1 && is_unknown(&found[0]), "{found:?}");
    }

    #[test]
    fn functions_that_such_macros_call_are_followed() {
        let macros = format!(
            "void run(int x) {{ {CALL}; }}\n#define RUN(x) do {{ run(x); e = e ?: ; }} while (0)"
        );
        assert_eq!(launches(&macros, "RUN(1);").len(), 1);
    }

    #[test]
    fn arguments_may_be_set_there() {
        let set = "#define SET(n) do { clSetKernelArg(k, 0, sizeof n, &n); e = e ?: ; } while (0)";
        let value = |main: &str| {
            let found = launches(set, &format!("{main} {CALL};"));
            found[0].args.first().map(|arg| arg.value.clone())
        };
        assert!(
            matches!(value(""), Some(ArgValue::Scalar(_))),
            "{:?}",
            value("")
        );
        let now = value("n = 7; SET(n);");
        assert!(matches!(now, None | Some(ArgValue::Unknown(_))), "{now:?}");
    }

    #[test]
    fn what_threads_of_openmp_combine_is_not_known() {
        let local = |directive: &str| {
            let main = format!("{directive}\nfor (int i = 0; i < 4; i++) work(i);\n{CALL};");
            format!("{:?}", launches("", &main)[0].local)
        };
        assert!(local("").contains("Const(8)"));
        assert!(local("#pragma omp parallel for private(l)").contains("Const(8)"));
        let combined = local("#pragma omp parallel for reduction(+:l)");
        assert!(!combined.contains("Const"), "{combined}");
        let stepped = local("#pragma omp for linear(l:2)");
        assert!(!stepped.contains("Const"), "{stepped}");
    }
}
