//! Ways in which C++ sets an argument or launches a kernel that are not plain calls: what is done so must never
//! count as not done. Each host sets argument 0 to 64, launches, does one thing, and launches again.

use fpgacc_frontend::source::SourceMap;
use fpgacc_host_analysis::analyse;
use fpgacc_host_analysis::syntax::{HostFile, Language};
use fpgacc_launch_facts::{ArgValue, Facts, Known, Launch, Value};

fn facts_of(text: &str, language: Language) -> Facts {
    let mut sources = SourceMap::new();
    let file = sources.add("h.cpp", text);
    let hosts = [HostFile::parse(&sources, file, &[], None, language)];
    analyse(&hosts, &sources).facts
}

/// The host; `what` stands between two launches.
fn host(before: &str, what: &str) -> String {
    format!(
        "typedef unsigned long size_t;\n{before}\n\
         int main(int argc, char **argv) {{\n\
         cl_kernel k = clCreateKernel(p, \"f\", 0); cl_command_queue q = clCreateCommandQueue(c, d, 0, 0);\n\
         size_t g = 64, o = 8; int n = 64, m = 60;\n\
         clSetKernelArg(k, 0, sizeof n, &n);\n\
         clEnqueueNDRangeKernel(q, k, 1, 0, &g, 0, 0, 0, 0);\n{what}\n\
         clEnqueueNDRangeKernel(q, k, 1, 0, &g, 0, 0, 0, 0);\n}}"
    )
}

/// Whether argument 0 is surely 64 at a launch.
fn is_old(launch: &Launch) -> bool {
    let argument = launch.args.iter().find(|arg| arg.index == 0);
    argument.is_some_and(
        |arg| matches!(&arg.value, ArgValue::Scalar(Value::Const(bits)) if *bits == 64),
    )
}

#[track_caller]
fn sets(before: &str, what: &str) {
    let facts = facts_of(&host(before, what), Language::Cpp);
    assert!(facts.launches.len() >= 2, "{what}: {:?}", facts.launches);
    let old = facts.launches.iter().filter(|launch| is_old(launch));
    assert!(old.count() < 2, "{what}: {:?}", facts.launches);
}

/// What is done has a launch of its own, known or not.
#[track_caller]
fn launches(before: &str, what: &str) {
    let without = facts_of(&host(before, ""), Language::Cpp).launches.len();
    let with = facts_of(&host(before, what), Language::Cpp).launches.len();
    assert!(with > without, "{what}: {with} of {without}");
}

const CALL: &str = "template <class F, class... A> void call(F f, A... a) { check(f(a...)); }";

#[test]
fn nothing_else_is_old() {
    let facts = facts_of(&host("", ""), Language::Cpp);
    assert_eq!(facts.launches.iter().filter(|l| is_old(l)).count(), 2);
}

#[test]
fn arguments_are_set_by_objects_of_class_templates() {
    let op = "template <class T> struct Op { cl_kernel k; void run(T n) { clSetKernelArg(k, 0, sizeof n, &n); } };";
    sets(op, "Op<int> op{k}; op.run(60);");
    let end = "template <class T> struct Arg { cl_kernel k; T v; Arg(cl_kernel k, T v) : k(k), v(v) {} \
               ~Arg() { clSetKernelArg(k, 0, sizeof v, &v); } };";
    sets(end, "{ Arg<int> a(k, 60); }");
}

#[test]
fn arguments_are_set_by_methods_that_are_templates() {
    let op = "struct Op { cl_kernel k; template <int I, class T> void set(T n) { clSetKernelArg(k, I, sizeof n, &n); } };";
    sets(op, "Op op{k}; op.set<0>(60);");
}

#[test]
fn arguments_are_set_by_operators() {
    let op = "struct Op { cl_kernel k; Op &operator<<(int v) { clSetKernelArg(k, 0, sizeof v, &v); return *this; } \
              Op &operator-=(int v) { clSetKernelArg(k, 0, sizeof v, &v); return *this; } \
              Op &operator++() { int v = 60; clSetKernelArg(k, 0, sizeof v, &v); return *this; } };";
    sets(op, "Op op{k}; op << 60;");
    sets(op, "Op op{k}; op -= 60;");
    sets(op, "Op op{k}; ++op;");
}

#[test]
fn arguments_are_set_by_conversions() {
    let set = "int v = 60; clSetKernelArg(k, 0, sizeof v, &v);";
    let op = format!("struct Op {{ cl_kernel k; operator int() {{ {set} return 1; }} }};");
    for what in [
        "int x = op;",
        "int x; x = op;",
        "x(op);",
        "if (op) n++;",
        "while (op) break;",
    ] {
        sets(&op, &format!("Op op{{k}}; {what}"));
    }
    sets(&op, "Op op{k}; n = op + 1;");
    sets(&op, "Op op{k}; n = !op;");
    sets(&op, "Op op{k}; n = (int)op;");
    sets(&op, "Op op{k}; n = op ? 1 : 2;");
    let apart = format!(
        "struct Op {{ cl_kernel k; explicit operator bool() const; }};\n\
         Op::operator bool() const {{ {set} return true; }}"
    );
    sets(&apart, "Op op{k}; if (op) n++;");
    let other = format!(
        "struct To {{ int v; }}; struct Op {{ cl_kernel k; operator To() {{ {set} return To{{1}}; }} }};"
    );
    sets(&other, "Op op{k}; To to; to = op;");
    let not = format!("struct Op {{ cl_kernel k; bool operator!() {{ {set} return false; }} }};");
    sets(&not, "Op op{k}; if (!op) n++;");
}

#[test]
fn arguments_are_set_behind_a_pointer_to_what_is_defined_later() {
    let eng = "class Eng { struct Impl; Impl *im; public: Eng(cl_kernel k); void set(int n); };\n\
               struct Eng::Impl { cl_kernel k; void set(int n) { clSetKernelArg(k, 0, sizeof n, &n); } };\n\
               Eng::Eng(cl_kernel k) : im(new Impl{k}) {}\n\
               void Eng::set(int n) { im->set(n); }";
    sets(eng, "Eng e(k); e.set(60);");
}

#[test]
fn arguments_are_set_in_threads() {
    let set = "{ int m = 60; clSetKernelArg(k, 0, sizeof m, &m); }";
    sets("", &format!("std::thread th([k] {set}); th.join();"));
    sets(
        "",
        &format!("auto fn = [k] {set}; std::thread th(fn); th.join();"),
    );
}

#[test]
fn functions_of_opencl_are_passed_on() {
    let args = "struct Args { cl_kernel k; void set(const int &t) { call(clSetKernelArg, k, 0, sizeof t, &t); } };";
    sets(&format!("{CALL}\n{args}"), "Args a{k}; a.set(60);");
    let rest = "q, k, 1, &o, &g, nullptr, 0, nullptr, nullptr";
    launches(CALL, &format!("call(clEnqueueNDRangeKernel, {rest});"));
    launches(
        "",
        &format!("std::async(std::launch::async, clEnqueueNDRangeKernel, {rest}).get();"),
    );
    launches(
        "",
        &format!("auto f = std::bind(clEnqueueNDRangeKernel, {rest}); f();"),
    );
}

#[test]
fn one_of_two_variables_is_assigned() {
    sets(
        "",
        "(argc > 1 ? m : n) = 60; clSetKernelArg(k, 0, sizeof n, &n);",
    );
    sets("", "(n = 1) = 60; clSetKernelArg(k, 0, sizeof n, &n);");
}

/// A queue that is not followed is a queue.
#[test]
fn kernels_are_launched_on_queues_that_are_not_followed() {
    let device = "#include <CL/opencl.hpp>\n\
                  struct Device { cl::CommandQueue q; cl::CommandQueue &queue() { return q; } static Device &get(); };\n\
                  cl::Kernel kernel(program, \"f\");";
    let rest = "enqueueNDRangeKernel(kernel, cl::NDRange(8), cl::NDRange(56), cl::NullRange);";
    for queue in [
        "auto &dev = Device::get(); dev.queue().",
        "std::unique_ptr<Device> dev = make(); dev->queue().",
        "std::vector<Device> all = make(); all[0].queue().",
        "std::map<std::string, cl::CommandQueue> all = make(); all[\"a\"].",
        "std::function<cl::CommandQueue()> f = make(); f().",
        "auto r = std::ref(make()); r.get().",
        "cl::CommandQueue::getDefault().",
    ] {
        launches(device, &format!("{queue}{rest}"));
    }
    let smart = "struct Ctx { cl::CommandQueue q; cl::CommandQueue *operator->() { return &q; } };";
    launches(
        &format!("{device}\n{smart}"),
        &format!("Ctx c{{make()}}; c->{rest}"),
    );
}

/// The options of the program that is made from a text; `build` stands where it is built.
fn options(before: &str, build: &str) -> Vec<Known<String>> {
    let text = format!(
        "typedef unsigned long size_t;\n{before}\nint main(int argc, char **argv) {{\n\
         const char *s = \"kernel void f(global int *a) {{ a[0] = W; }}\";\n\
         cl_program p = clCreateProgramWithSource(c, 1, &s, 0, 0);\n{build}\n}}"
    );
    let facts = facts_of(&text, Language::Cpp);
    let programs = facts.programs.iter();
    programs.flat_map(|p| p.options.clone()).collect()
}

#[test]
fn programs_are_built_by_calls_that_are_not_followed() {
    let is_unknown = |all: &[Known<String>]| all.iter().any(|one| one.get().is_none());
    let build = "(clBuildProgram, p, 1, &d, \"-DW=3\", nullptr, nullptr);";
    let invoked = options("", &format!("std::invoke{build}"));
    assert!(is_unknown(&invoked), "{invoked:?}");
    let forwarded = options(CALL, &format!("call{build}"));
    assert_eq!(forwarded, [Known::Is("-DW=3".to_string())]);
    let cached = options(
        "",
        "char o[50]; sprintf(o, \"-DW=%d\", argc); cl_program b = 0; if (argc > 2) b = load(); if (!b) b = p;\n\
         clBuildProgram(b, 1, &d, o, nullptr, nullptr);",
    );
    assert!(is_unknown(&cached), "{cached:?}");
    let plain = options("", "clBuildProgram(p, 1, &d, \"-DW=3\", nullptr, nullptr);");
    assert_eq!(plain, [Known::Is("-DW=3".to_string())]);
}

/// What a host passes as argument 0 of its one launch; it makes the buffers `a` and `b`.
fn memory(before: &str, what: &str) -> ArgValue {
    let text = format!(
        "typedef unsigned long size_t;\n{before}\n\
         int main(int argc, char **argv) {{\n\
         cl_kernel k = clCreateKernel(p, \"f\", 0); cl_command_queue q = clCreateCommandQueue(c, d, 0, 0);\n\
         cl_mem a = clCreateBuffer(c, 0, 64, 0, 0), b = clCreateBuffer(c, 0, 64, 0, 0);\n\
         size_t g = 64;\n{what}\n\
         clSetKernelArg(k, 0, sizeof a, &a);\n\
         clEnqueueNDRangeKernel(q, k, 1, 0, &g, 0, 0, 0, 0);\n}}"
    );
    let facts = facts_of(&text, Language::Cpp);
    facts.launches[0].args[0].value.clone()
}

#[test]
fn a_buffer_is_not_called_by_a_variable_that_may_hold_another() {
    let is = |name: &str| ArgValue::Memory(format!("main::{name}"));
    assert_eq!(memory("", ""), is("a"));
    assert_eq!(memory("", "{ cl_mem t = a; a = b; b = t; }"), is("b"));
    assert_eq!(memory("", "std::swap(a, b);"), is("b"));
    for (before, what) in [
        ("void other(cl_mem *);", "other(&a);"),
        ("void other(cl_mem *);", "if (argc > 1) other(&a);"),
        ("void other(cl_mem &);", "other(a);"),
        ("cl_mem other();", "a = other();"),
        ("cl_mem other();", "if (argc > 1) a = other();"),
        (
            "struct Pool { cl_mem get(); };",
            "Pool pool; a = pool.get();",
        ),
    ] {
        let value = memory(before, what);
        assert!(matches!(value, ArgValue::Unknown(_)), "{what}: {value:?}");
    }
}

#[test]
fn opencl_is_found_by_name() {
    let before = "typedef int (*Enqueue)(cl_command_queue, cl_kernel, int, size_t *, size_t *, size_t *, int, void *, void *);\n\
                  static Enqueue enqueue;";
    launches(
        before,
        "enqueue = (Enqueue)dlsym(lib, \"clEnqueueNDRangeKernel\"); enqueue(q, k, 1, &o, &g, 0, 0, 0, 0);",
    );
    launches(
        before,
        "*(void **)&enqueue = dlsym(lib, \"clEnqueueNDRangeKernel\"); enqueue(q, k, 1, &o, &g, 0, 0, 0, 0);",
    );
    sets(
        "",
        "int (*set)(cl_kernel, int, size_t, void *) = (int (*)(cl_kernel, int, size_t, void *))dlsym(lib, \
         \"clSetKernelArg\"); set(k, 0, sizeof m, &m);",
    );
}

#[test]
fn a_switch_may_go_into_a_loop() {
    sets(
        "",
        "int c = 3; switch (c) { case 0: do { n = 5; case 3: clSetKernelArg(k, 0, sizeof m, &m); } while (--c > 2); }",
    );
    sets(
        "",
        "int c = 3; switch (c) { case 0: if (m) { case 3: clSetKernelArg(k, 0, sizeof m, &m); } }",
    );
}

#[test]
fn arguments_are_set_by_objects_without_a_name() {
    let before = "struct Set { Set(cl_kernel k, int n) { clSetKernelArg(k, 0, sizeof n, &n); } };\n\
                  static Set set(cl_kernel k, int n) { return Set(k, n); }";
    for what in ["Set(k, m);", "Set one = Set(k, m);", "set(k, m);"] {
        sets(before, what);
        let facts = facts_of(&host(before, what), Language::Cpp);
        let new = |launch: &&Launch| matches!(&launch.args[0].value, ArgValue::Scalar(Value::Const(bits)) if *bits == 60);
        assert_eq!(
            facts.launches.iter().filter(new).count(),
            1,
            "{what}: {:?}",
            facts.launches
        );
    }
}

#[test]
fn classes_derived_of_opencl_s_hide_its_methods() {
    let before = "struct Queue : cl::CommandQueue {\n\
                  int enqueueNDRangeKernel(const cl::Kernel &k, cl::NDRange g) {\n\
                  return cl::CommandQueue::enqueueNDRangeKernel(k, cl::NullRange, cl::NDRange(g[0] / 2), cl::NullRange); } };\n\
                  struct Kernel : cl::Kernel { void setArg(int i, int n) { cl::Kernel::setArg(i, n + 1); } };";
    let what = "Queue own; own.enqueueNDRangeKernel(cl::Kernel(k), cl::NDRange(64));";
    let facts = facts_of(&host(before, what), Language::Cpp);
    let is_other = |launch: &&Launch| !matches!(launch.global[..], [Value::Const(64)]);
    let others = facts.launches.iter().filter(is_other);
    assert_eq!(others.count(), 1, "{:?}", facts.launches);
    sets(before, "Kernel own(k); own.setArg(0, 59);");
}

#[test]
fn pointers_to_shared_memory_take_the_place_of_what_was_set() {
    let before = "void *clSVMAlloc(cl_context, unsigned long, size_t, unsigned);";
    for what in [
        "clSetKernelArgSVMPointer(k, 0, clSVMAlloc(c, 0, 64, 0));",
        "int *s = (int *)clSVMAlloc(c, 0, 64, 0); clSetKernelArgSVMPointer(k, 0, s + 4);",
        "if (argc > 1) clSetKernelArgSVMPointer(k, 0, argv);",
        "clSetKernelArgSVMPointer(k, argc, argv);",
        "clSetKernelArgMemPointerINTEL(k, 0, argv);",
        "cl_int (*set)(cl_kernel, unsigned, const void *) = clSetKernelArgSVMPointer; set(k, 0, argv);",
    ] {
        sets(before, what);
    }
}

#[test]
fn arguments_are_set_in_loops_that_call_nothing() {
    let set = "int v = 60; clSetKernelArg(k, 0, sizeof v, &v);";
    let op = format!(
        "struct Op {{ cl_kernel k; operator int() {{ {set} return 1; }} \
         Op &operator<<(int) {{ {set} return *this; }} Op &operator++() {{ {set} return *this; }} \
         bool operator<(int) {{ {set} return false; }} Op &operator+=(int) {{ {set} return *this; }} \
         int operator[](int) {{ {set} return 1; }} int operator*() {{ {set} return 1; }} \
         bool operator!() {{ {set} return true; }} int operator()(int) {{ {set} return 1; }} }};"
    );
    for what in [
        "for (int i = 0; i < argc; i++) op << i;",
        "for (int i = 0; i < argc; i++) ++op;",
        "for (int i = 0; i < argc; i++) op += 1;",
        "for (int i = 0; i < argc; i++) m = op[i];",
        "for (int i = 0; i < argc; i++) m = *op;",
        "for (int i = 0; i < argc; i++) m = !op;",
        "for (int i = 0; i < argc; i++) m = op(i);",
        "for (; op < argc; m++) {}",
        "while (op) break;",
    ] {
        sets(&op, &format!("Op op{{k}}; {what}"));
    }
    let by = format!("{op} void by(Op &op, int n) {{ op << n; }} int of(Op &op) {{ return op; }}");
    for what in [
        "by(op, 1);",
        "m = of(op);",
        "for (int i = 0; i < argc; i++) by(op, i);",
        "for (int i = 0; i < argc; i++) m = of(op);",
    ] {
        sets(&by, &format!("Op op{{k}}; {what}"));
    }
    let end = format!("struct End {{ cl_kernel k; ~End() {{ {set} }} }};");
    sets(&end, "for (int i = 0; i < argc; i++) { End e{k}; }");
}

#[test]
fn arguments_are_set_at_the_end_of_members_and_bases() {
    let end = "struct End { cl_kernel k; ~End() { int v = 60; clSetKernelArg(k, 0, sizeof v, &v); } };\n\
               struct Holder { int n; End e; }; struct Derived : End { int n; };";
    for what in ["{ Holder h{1, {k}}; }", "{ Derived d; d.k = k; }"] {
        sets(end, what);
        sets(end, &format!("for (int i = 0; i < argc; i++) {what}"));
    }
}
