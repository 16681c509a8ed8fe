//! Hosts: the user's own text, parsed as it stands, with what the preprocessor knows of it.
//!
//! The text is parsed with tree-sitter's C++ grammar, for C too, after directives and the lines
//! that `#if` takes away are blanked; so every span is a position in the user's file. Macros are not
//! expanded in the text: [`HostFile::macro_at`] gives the definition that holds at a line, and
//! [`HostFile::macro_body`] its parsed replacement. Nothing here fails: what is not understood
//! becomes opaque nodes.

pub mod ast;
mod cpp;
mod expand;
mod grammar;
mod host_file;
pub mod lex;
mod long_lists;
mod lower;
mod lower_decl;
mod lower_expr;
mod lower_lambda;
mod openmp;
mod parse;
mod prepare;
mod squeeze;
pub mod strings;
mod threads;
mod together;
mod words;

pub use cpp::{LiveLines, Macro, MacroTable, Moment, NameHasher, Preprocessed, QuickHash};
pub use host_file::{HostFile, Language, MacroBody, Part};
pub use openmp::REGIONS;
pub use prepare::Unit;
pub use together::parse_all;

#[cfg(test)]
mod tests {
    use fpgacc_frontend::source::SourceMap;

    use super::ast::*;
    use super::*;

    fn host(text: &str, output: Option<&str>) -> (SourceMap, HostFile) {
        let mut sources = SourceMap::new();
        let file = sources.add("h.c", text);
        let pre = output.map(Preprocessed::read);
        let host = HostFile::parse(&sources, file, &[], pre.as_ref(), Language::Cpp);
        (sources, host)
    }

    fn function_names(text: &str) -> Vec<String> {
        let (_, host) = host(text, None);
        let names = host.main().ast.functions.iter().map(|f| f.name.clone());
        names.collect()
    }

    #[test]
    fn functions_have_their_scopes() {
        let text = "int f(){} namespace n { struct S { void g(){} void h(); }; void S::h(){} } extern \"C\" { void c(int a[3]){} }";
        assert_eq!(function_names(text), ["f", "n::S::g", "n::S::h", "c"]);
    }

    #[test]
    fn dead_lines_are_not_parsed() {
        let text = "int main() {\n#if X\n if (a) {\n#else\n if (b) {\n#endif\n f(); }\n}\n";
        let output = "# 1 \"h.c\"\nint main() {\n\n\n\n if (b) {\n\n f(); }\n}\n";
        let (sources, host) = host(text, Some(output));
        assert_eq!(host.main().errors, []);
        let ast = &host.main().ast;
        let StmtKind::Block(stmts) = &ast.stmt(ast.functions[0].body).kind else {
            panic!("no block")
        };
        assert_eq!(sources.location(ast.stmt(stmts[0]).span).line, 5);
    }

    #[test]
    fn strings_have_their_values() {
        let (_, host) = host(
            "const char *s = \"a\\n\" \"\\x41\\101\" R\"x(b\\n)x\";",
            None,
        );
        let ast = &host.main().ast;
        let StmtKind::Declare(vars) = &ast.stmt(ast.globals[0]).kind else {
            panic!("no declaration")
        };
        let init = ast.expr(vars[0].init.unwrap());
        assert!(matches!(&init.kind, ExprKind::Str(s) if s == "a\nAAb\\n"));
    }

    #[test]
    fn macro_bodies_have_places_of_their_own() {
        let text = "#define L(k) \\\n  run(q, k, #k)\nint x;\n";
        let (sources, host) = host(text, None);
        let (index, _) = host.macro_at(0, 3, "L").unwrap();
        let span = sources.line_span(host.main().file, 3);
        let body = host.macro_body(index, &sources, span);
        assert!(!body.broken);
        let StmtKind::Block(stmts) = &body.ast.stmt(body.block).kind else {
            panic!("no block")
        };
        let span = body.ast.stmt(stmts[0]).span;
        assert!(sources.text(span).starts_with("run(q, k, #k)"));
    }

    #[test]
    fn deep_nesting_and_noise_are_survived() {
        for open in [
            "(", "{", "[", "if(x)", "f(", "a?", "-", "*", "struct{", "x=", "do ",
        ] {
            let deep = format!("int main() {{ {} }}", open.repeat(20_000));
            host(&deep, None);
            host(&open.repeat(20_000), None);
        }
        let closed = format!("int x = {}1{};", "(".repeat(20_000), ")".repeat(20_000));
        host(&closed, None);
        host(&format!("int x = 1{};", "+1".repeat(50_000)), None);
        let noise: String = (0..40_000u32)
            .map(|i| char::from((i.wrapping_mul(2_654_435_761) >> 24) as u8))
            .collect();
        host(&noise, None);
    }
}
