//! Launches that do not pass through the link: of shared libraries, and by functions that the host fetches
//! by name.

use fpgacc_runtime::guard::{Fact, Guard, ScalarFact, ScalarKind};
use fpgacc_runtime::manifest::{Form, Hidden, Kernel, ParamKind};

use crate::support::{Case, Patch, kernel, on_both, param, program, task};

on_both!(
    tasks_are_launched_by_the_runtime_only,
    constant_tasks_are_launched_by_the_runtime_only,
    ndranges_with_facts_are_launched_by_the_runtime_only,
    functions_by_name
);

const TEXT: &str = "__kernel void mark(__global int *out, int n)\n\
                    {\n    out[get_global_id(0)] += n * get_global_size(0);\n}\n";

const TASK: &str = "__kernel void mark(__global int *out, int n, int global0)\n\
                    {\n    for (int i = 0; i < global0; i++)\n        out[i] += n * global0;\n}\n";

fn mark(form: Form) -> Kernel {
    let params = vec![
        param("out", "int*", ParamKind::Global, 8),
        param("n", "int", ParamKind::Value, 4),
    ];
    kernel("mark", form, params)
}

fn link(case: &Case, mark: Kernel, compiled: &str, host: &str) {
    case.write("mark.cl", TEXT);
    case.aocx("app.aocx", compiled, "");
    let manifest = case.manifest(vec![program("mark.cl", TEXT, vec![mark])]);
    case.compile("host.c", "cc", &[], &manifest, host, Patch::Nothing);
    case.link_objects("cc", &["-ldl".to_owned()]);
}

/// A host's own launch is right, and those of a library, before and after, change nothing.
fn check_unseen(case: &Case, mark: Kernel, compiled: &str) {
    link(case, mark, compiled, include_str!("hosts/unseen.c"));
    case.shared_library("past", include_str!("hosts/past.c"));
    assert_eq!(
        case.run(&[]).quiet(),
        "first: -52 -52\n0 0 0 0\n4 4 4 4\nthen: -52 -52\n4 4 4 4\n"
    );
}

fn tasks_are_launched_by_the_runtime_only(case: Case) {
    let form = Form::Task(task(vec![Hidden::Global(0)]));
    check_unseen(&case, mark(form), TASK);
}

fn constant_tasks_are_launched_by_the_runtime_only(case: Case) {
    let mut mark = mark(Form::Task(task(Vec::new())));
    mark.contract
        .guards
        .insert(Guard::Geometry(Fact::Global(0, 4)));
    mark.contract.locked = true;
    let compiled = "__kernel void mark(__global int *out, int n, int key)\n\
                    {\n    for (int i = 0; i < 4; i++)\n        out[i] += n * 4;\n}\n";
    check_unseen(&case, mark, compiled);
}

fn ndranges_with_facts_are_launched_by_the_runtime_only(case: Case) {
    let mut mark = mark(Form::NdRange);
    mark.contract.locked = true;
    mark.contract.guards.insert(Guard::Scalar(ScalarFact {
        param: 1,
        kind: ScalarKind::Signed,
        size: 4,
        bits: 1,
    }));
    let compiled = "__kernel void mark(__global int *out, int n, int key)\n\
                    {\n    out[get_global_id(0)] += get_global_size(0);\n}\n";
    check_unseen(&case, mark, compiled);
}

/// Functions that a host fetches are the runtime's, whatever it fetches them with.
fn functions_by_name(case: Case) {
    let form = Form::Task(task(vec![Hidden::Global(0)]));
    link(&case, mark(form), TASK, include_str!("hosts/lookup.c"));
    let ran = case.run(&[]);
    let expected = "0: 4 4 4 4\n0: 8 8 8 8\n0: 12 12 12 12\n";
    let ways = ran.stderr.lines().count();
    // Implementations need not give their own functions as extensions.
    assert!(ways >= 2 && ran.code == Some(0), "{ran:?}");
    let lines: Vec<&str> = expected.lines().take(ways).collect();
    assert_eq!(ran.stdout.lines().collect::<Vec<_>>(), lines, "{ran:?}");
}
