//! What is known of hosts that use C++ and its standard library: one small host each.

use fpgacc_host_analysis::syntax::Language;
use fpgacc_launch_facts::{Known, LocalSize};

use crate::values::{check_programs, facts_of, reason, shown_all};

/// The kernels and the local size of the first launch of a host.
fn check_launch(before: &str, body: &str, expected: &str) {
    let text = format!(
        "{before}\nint main(int argc, char **argv) {{ int n = atoi(argv[1]);\n\
         cl_program p = clCreateProgramWithSource(c, 1, &t, NULL, NULL);\n{body}\n}}"
    );
    let facts = facts_of(&[&text], Language::Cpp);
    let launch = &facts.launches[0];
    let names = match &launch.kernels {
        Known::Is(names) => names.join(", "),
        Known::Unknown(why) => format!("? {}", reason(why)),
    };
    let sizes = match &launch.local {
        LocalSize::Sizes(sizes) => shown_all(sizes),
        other => format!("{other:?}"),
    };
    assert_eq!(format!("{names}: {sizes}"), expected, "{text}");
}

#[test]
fn owners_of_handles_are_followed() {
    let launch = "size_t g = 64, l = 8; clEnqueueNDRangeKernel(q, *k, 1, 0, &g, &l, 0, 0, 0);";
    let check = |made: &str, expected: &str| {
        let before = "cl_kernel last;\nvoid keep(cl_kernel *k) { last = *k; }";
        check_launch(before, &format!("{made} {launch}"), expected);
    };
    check(
        "auto k = std::make_shared<cl_kernel>(clCreateKernel(p, \"f\", NULL));",
        "f: 8",
    );
    let made = |deleter: &str| {
        format!(
            "std::shared_ptr<cl_kernel> k(new cl_kernel, {deleter}); *k = clCreateKernel(p, \"f\", NULL);"
        )
    };
    check(
        &made("[](cl_kernel *k) { if (*k) clReleaseKernel(*k); delete k; }"),
        "f: 8",
    );
    check(&made("[](cl_kernel *k) { *k = NULL; }"), "f: 8");
    // What else a deleter changes may be changed at any time.
    let other = "cl_kernel other = clCreateKernel(p, \"f\", NULL), *k = &other;";
    let owner = "std::shared_ptr<int> o(new int, [&](int *i) { other = NULL; });";
    check(
        &format!("{other} {owner}"),
        "? a lambda that is passed as an argument changes it: 8",
    );
}

#[test]
fn what_a_file_is_written_from_stays_as_it_was() {
    let check = |opened: &str, method: &str, expected: &str| {
        let before = format!(
            "struct Run {{ double step; cl_kernel k;\n\
             Run() {{ {opened} file.{method}((char *)&step, sizeof step); }}\n\
             void go(cl_program p) {{ k = clCreateKernel(p, \"f\", NULL); other(); size_t g = 64, l = 8;\n\
             clEnqueueNDRangeKernel(q, k, 1, 0, &g, &l, 0, 0, 0); }}\nvoid other(); }};"
        );
        check_launch(&before, "Run run; run.go(p);", expected);
    };
    for opened in [
        "std::fstream file; file.open(\"steps\", std::ios::out);",
        "std::ofstream file(\"steps\"); file.precision(3); file << \"step \" << 1;",
        "std::ofstream file(\"steps\", std::ios::binary | std::ios::app); file.put('a');",
    ] {
        check(opened, "write", "f: 8");
        check(opened, "keep", "? `other` is not among the given files: 8");
    }
}

#[test]
fn lists_that_become_parameters_are_followed() {
    let launch = |ty: &str| {
        format!(
            "void go(cl_kernel k, {ty} g, {ty} l) {{ clEnqueueNDRangeKernel(q, k, g.size(), 0, g.data(), l.data(), 0, 0, 0); }}"
        )
    };
    let body = "cl_kernel k = clCreateKernel(p, \"f\", NULL); constexpr auto wide = size_t{1024};";
    for ty in ["const std::vector<size_t> &", "std::vector<size_t>"] {
        check_launch(
            &launch(ty),
            &format!("{body} go(k, {{wide}}, {{128}});"),
            "f: 128",
        );
        check_launch(
            &launch(ty),
            &format!("{body} go(k, {{wide, 8}}, {{16, 4}});"),
            "f: 16, 4",
        );
    }
    check_launch(
        &launch("const std::vector<size_t> &"),
        &format!(
            "{body} auto made = std::vector<size_t>(1, wide); go(k, made, std::vector<size_t>(1, 64));"
        ),
        "f: 64",
    );
    // How a size is called in messages.
    check_launch(
        "",
        &format!(
            "{body} std::vector<int> x; for (int i = 0; i < n; i++) x.push_back(i); std::vector<int> y(x); size_t g = 64, l = y.size(); clEnqueueNDRangeKernel(q, k, 1, 0, &g, &l, 0, 0, 0);"
        ),
        "f: x.size()",
    );
    let text = "static auto text = R\"(kernel)\";\n\
                cl_program made(const std::string &s) { const char *t = &s[0]; const auto n = s.length(); return clCreateProgramWithSource(c, 1, &t, &n, NULL); }\n\
                int main() { made(text); }";
    check_programs(text, "\"kernel\" []");
    let sizes = "struct Sizes { size_t g, l; };\n\
                 void go(cl_kernel k, const Sizes &s) { clEnqueueNDRangeKernel(q, k, 1, 0, &s.g, &s.l, 0, 0, 0); }";
    check_launch(sizes, &format!("{body} go(k, {{wide, 32}});"), "f: 32");
}

#[test]
fn strings_without_a_named_type_are_followed() {
    let before = "std::string made(int n) { return n ? \"-DN\" : \"-DN\"; }\nstruct S { std::string of; } s;\n";
    let check = |options: &str, expected: &str| {
        let lists = "std::vector<std::string> o; o.push_back(\"-DA \"); o.push_back(\"-DB\"); s.of = \"-DS\";";
        let text = format!(
            "{before}int main() {{ const char *t = \"a\"; cl_program p = clCreateProgramWithSource(c, 1, &t, NULL, NULL); {lists} {options} clBuildProgram(p, 1, &d, x.c_str(), NULL, NULL); }}"
        );
        check_programs(&text, &format!("\"a\" [\"{expected}\"]"));
    };
    check(
        "auto x = std::accumulate(o.begin(), o.end(), std::string{\" \"});",
        " -DA -DB",
    );
    check(
        "std::string x = std::accumulate(o.begin(), o.end(), s.of);",
        "-DS-DA -DB",
    );
    check("auto x = std::string(\"-DC\");", "-DC");
    check("auto x = std::string{\"-DC\"};", "-DC");
    check("std::string x = std::string{\"-DC\"};", "-DC");
    check("const auto x = o[0] + o[1];", "-DA -DB");
    check("auto x = \"-DX=\" + std::to_string(5);", "-DX=5");
    check("auto x = made(1);", "-DN");
    check("auto x = (s.of); s.of += \"T\";", "-DS");
    check("auto x = true ? o[0] : s.of;", "-DA ");
    check("auto y = \"-DL\"; auto x = std::string(y);", "-DL");
    check("auto x = std::string(); x += \"-DE\";", "-DE");
}

#[test]
fn objects_of_classes_in_namespaces_are_followed() {
    let classes = "namespace N { class K { cl_kernel k_; public: explicit K(const cl_kernel k) : k_(k) {}\n\
                   explicit K(cl_program p, const std::string &n) { k_ = clCreateKernel(p, n.c_str(), NULL); }\n\
                   void launch(size_t g, size_t l) { clEnqueueNDRangeKernel(q, k_, 1, 0, &g, &l, 0, 0, 0); } }; }\n";
    check_launch(classes, "N::K k(p, \"f\"); k.launch(64, 8);", "f: 8");
    check_launch(classes, "auto k = N::K(p, \"f\"); k.launch(64, 8);", "f: 8");
    check_launch(
        classes,
        "auto k = N::K(clCreateKernel(p, \"g\", NULL)); k.launch(64, 8);",
        "g: 8",
    );
    check_launch(classes, "N::K(p, \"f\").launch(64, 8);", "f: 8");
}
