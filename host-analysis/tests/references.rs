//! Functions that return references: what is done through these, is done to what they name.

use fpgacc_frontend::source::SourceMap;
use fpgacc_host_analysis::analyse;
use fpgacc_host_analysis::syntax::{HostFile, Language};
use fpgacc_launch_facts::{LocalSize, Value};

const BEFORE: &str = "
struct Setup {
    size_t size = 1, wide = 1;
    size_t parts[4] = {0, 0, 0, 0};
    Setup &of(size_t s) { size = s; return *this; }
    Setup &by(size_t w) { wide = w; return *this; }
    Setup &more() { size++; return *this; }
    Setup copy(size_t s) { size = s; return *this; }
    Setup *address() { return this; }
    size_t &part(int i) { return parts[i]; }
    size_t &length() { return size; }
    const size_t &seen() const { return size; }
    Setup &&moved() { return std::move(*this); }
    Setup &operator()(size_t w) { wide = w; return *this; }
    Setup &operator<<(size_t s) { size = size * 10 + s; return *this; }
};
struct Outer {
    Setup inside;
    Setup &get() { return inside; }
    Outer &of(size_t s) { inside.size = s; return *this; }
};
static size_t table[4] = {1, 2, 3, 4};
static size_t number = 1;
static Setup shared;
static std::string words = \"a\";
size_t &entry(int i) { return table[i]; }
size_t &counter() { return number; }
Setup &everyone() { return shared; }
std::string &text() { return words; }
Setup &set(Setup &s, size_t v) { s.size = v; return s; }
size_t &either(size_t &a, size_t &b, bool first) { return first ? a : b; }
Setup &only() { static Setup one; return one; }
static Setup kept;
struct Holder {
    Setup *operator->() { return &kept; }
    Setup &operator*() { return kept; }
};
template <class T> T &any(T &t, size_t v) { t.size = v; return t; }
";

/// The local size of a launch after `body`, which sets `l`; `n` is not known.
fn check(body: &str, expected: &str) {
    let text = format!(
        "{BEFORE}\nint main(int argc, char **argv) {{ int n = atoi(argv[1]); size_t g = n, l = 0;\n{body}\n\
         clEnqueueNDRangeKernel(q, k, 1, 0, &g, &l, 0, 0, 0); }}"
    );
    let mut sources = SourceMap::new();
    let file = sources.add("h.cpp", text.as_str());
    let host = HostFile::parse(&sources, file, &[], None, Language::Cpp);
    let facts = analyse(&[host], &sources).facts;
    let [launch] = &facts.launches[..] else {
        panic!("{} launches: {body}", facts.launches.len());
    };
    let LocalSize::Sizes(sizes) = &launch.local else {
        panic!("{:?}: {body}", launch.local);
    };
    let shown = match &sizes[..] {
        [Value::Const(size)] => size.to_string(),
        _ => "open".to_string(),
    };
    assert_eq!(shown, expected, "{body}");
}

#[test]
fn methods_go_on_with_their_object() {
    check("Setup s; s.of(5).by(7); l = s.size * 100 + s.wide;", "507");
    check("Setup s; s.more().more().more(); l = s.size;", "4");
    check(
        "Setup *s = new Setup; s->by(3).more(); l = s->size * 10 + s->wide;",
        "23",
    );
    check(
        "Setup s; s.address()->of(4).address()->by(8); l = s.size * 10 + s.wide;",
        "48",
    );
    check("Setup s; (s.of(4)).by(5); l = s.size * 10 + s.wide;", "45");
    check("Setup s; s(4)(5).more(); l = s.wide * 10 + s.size;", "52");
    check(
        "Setup s; for (int i = 0; i < 3; i++) s.more().more(); l = s.size;",
        "7",
    );
    check(
        "Outer o; o.get().of(5).by(3); l = o.inside.size * 10 + o.inside.wide;",
        "53",
    );
    check("Outer o; o.of(3).get().more(); l = o.inside.size;", "4");
    check(
        "Outer o; o.of(3).inside.size = 15; l = o.inside.size;",
        "15",
    );
    check(
        "Setup s[2]; s[1].of(3).by(2); l = s[1].size * 10 + s[1].wide;",
        "32",
    );
    check("Setup s; s.moved().of(9); l = s.size;", "9");
    check(
        "Setup s, t; (argc ? s : t).of(4).more(); l = s.size;",
        "open",
    );
    check("Setup s[3]; s[0].of(6); s[n].of(5); l = s[0].size;", "open");
}

#[test]
fn copies_stay_copies() {
    check(
        "Setup s; s.copy(5).by(7); l = s.size * 100 + s.wide;",
        "501",
    );
    check(
        "Setup s; auto t = s.of(3); t.by(9); l = s.size * 10 + s.wide;",
        "31",
    );
    check(
        "Setup s; Setup t = s.of(5).by(2); t.size = 9; l = s.size * 10 + t.wide;",
        "52",
    );
    check("Setup s; l = s.seen() + 4;", "5");
}

#[test]
fn what_is_returned_is_stored_in() {
    check("Setup s; s.part(2) = 6; l = s.parts[2];", "6");
    check("Setup s; s.part(2)++; s.part(2) += 4; l = s.parts[2];", "5");
    check("Setup s; s.length() = 44; l = s.size;", "44");
    check("Setup s; s.part(n) = 6; l = s.parts[2];", "open");
    check("entry(2) = 50; l = table[2];", "50");
    check("counter() = 6; counter()++; l = number;", "7");
    check(
        "everyone().of(5).by(4); l = shared.size * 10 + shared.wide;",
        "54",
    );
    check("everyone().size = 5; l = shared.size;", "5");
    check("Setup s; set(s, 5).by(3); l = s.size * 10 + s.wide;", "53");
    check("Setup s; any(s, 4).more(); l = s.size;", "5");
    check(
        "size_t a = 1, b = 2; either(a, b, false) = 30; l = a * 100 + b;",
        "130",
    );
    check(
        "size_t a = 1, b = 2; either(a, b, n > 3) = 30; l = b;",
        "open",
    );
    check("only().of(3); only().more(); l = only().size;", "4");
}

#[test]
fn references_are_kept() {
    check(
        "Setup s; Setup &r = s.of(2); r.size = 12; l = s.size;",
        "12",
    );
    check(
        "Setup s; auto &r = s.of(3); r.by(9); l = s.size * 10 + s.wide;",
        "39",
    );
    check("size_t &r = counter(); r = 16; l = number;", "16");
    check(
        "Setup s; size_t *r = &s.part(1); *r = 5; l = s.parts[1];",
        "5",
    );
}

#[test]
fn texts_go_on() {
    check(
        "std::string s = \"a\"; s.append(\"b\").append(\"cc\"); l = s.size();",
        "4",
    );
    check(
        "std::string s = \"a\"; s.append(\"b\").push_back(100); l = s.size();",
        "open",
    );
    check(
        "std::string s; s.assign(\"ab\").append(\"c\"); l = s.size();",
        "3",
    );
    check(
        "std::string s = \"a\"; std::string &r = s.append(\"b\"); r += \"c\"; l = s.size();",
        "3",
    );
    check("text() += \"bc\"; l = words.size();", "3");
    check(
        "text().append(\"bc\").append(\"d\"); l = words.size();",
        "4",
    );
}

#[test]
fn pointers_of_classes_lead_somewhere() {
    check("Holder h; h->size = 6; l = kept.size;", "6");
    check("Holder h; h->of(4).more(); l = kept.size;", "5");
    check("Holder h; (*h).size = 7; l = kept.size;", "7");
    check(
        "Holder h; (*h).of(7).by(2); l = kept.size * 10 + kept.wide;",
        "72",
    );
}

#[test]
fn classes_in_functions_know_what_lasts_around_them() {
    check(
        "static size_t c = 3; struct In { void f() { c++; } }; In in; in.f(); l = c;",
        "4",
    );
}

#[test]
fn parts_of_pairs_are_named() {
    check("auto [a, b] = std::make_pair(3, 4); l = a * 10 + b;", "34");
    check(
        "std::pair<int, int> p(3, 4); auto &[a, b] = p; a = 9; l = p.first * 10 + b;",
        "94",
    );
    check(
        "std::pair<int, int> p(3, 4); auto [a, b] = p; a = 9; l = p.first * 10 + b;",
        "34",
    );
    check(
        "Setup s; auto &[a, b, c] = s; b = 7; l = s.wide * 10 + a;",
        "71",
    );
}

#[test]
fn operators_of_classes_are_not_passed_over() {
    check("Setup s; s << 2 << 3; l = s.size;", "open");
    check(
        "std::vector<size_t> v; v.push_back(1); v.emplace_back(2) = 9; l = v[1];",
        "open",
    );
}

#[test]
fn a_reference_to_some_element_leaves_the_rest() {
    let matrix = "struct Matrix { size_t rows; float all[64]; std::vector<float> more;
        float &at(int i) { return all[i]; } float &of(int i) { return more[i]; } };";
    let body = "Matrix m; m.rows = 16; m.at(n) = 3; m.of(n) = 4; unknown(n); l = m.rows;";
    check(&format!("{matrix} {body}"), "16");
}

#[test]
fn objects_become_what_their_class_says() {
    let plain = "struct Size { size_t v; operator size_t() const { return v; } };";
    check(&format!("{plain} Size s{{16}}; l = s;"), "16");
    check(&format!("{plain} Size s{{16}}; l = s + 4;"), "20");
    check(&format!("{plain} Size s{{16}}; l = (int)s * 2;"), "32");
    check(
        &format!("{plain} Size s{{16}}; Size t = s; t.v = 4; l = s;"),
        "16",
    );
    let counts = "struct Count { size_t v; operator size_t() { return v += 2; } };";
    check(
        &format!("{counts} Count c{{6}}; size_t x = c; l = c.v;"),
        "8",
    );
    check(&format!("{counts} Count c{{6}}; if (c) {{}} l = c.v;"), "8");
    let sums = "struct Sum { size_t v; operator size_t() const { return v; }
        size_t operator+(int n) { return v * n; } };";
    check(&format!("{sums} Sum s{{6}}; l = s + 5;"), "open");
}
