//! Launches that exchange two buffers: several become one, and nobody can tell.

use fpgacc_runtime::contract::Steps;
use fpgacc_runtime::guard::Guard;
use fpgacc_runtime::manifest::{Form, Hidden, Kernel, ParamKind};

use crate::support::{Case, Patch, kernel, on_both, param, program, task};

const TEXT: &str = include_str!("kernels/next.cl");
const HOST: &str = include_str!("hosts/in_a_row.c");
const PLUG_IN: &str = include_str!("hosts/plug_in.c");

on_both!(
    few_launches,
    what_happens_in_between,
    calls_past_the_runtime,
    waits_in_loops,
    scripts_with_loops,
    plug_ins,
    plug_ins_that_look_up_functions
);

/// It does up to five launches at once.
fn next() -> Kernel {
    let params = vec![
        param("a", "int*", ParamKind::Global, 8),
        param("b", "int*", ParamKind::Global, 8),
        param("n", "int", ParamKind::Value, 4),
    ];
    let steps = Steps {
        most: 5,
        from: 0,
        to: 1,
        writes_both: false,
    };
    let hidden = vec![Hidden::Global(0), Hidden::Steps(steps)];
    let mut made = kernel("next", Form::Task(task(hidden)), params);
    made.contract.guard(Guard::Distinct(0, 1));
    made
}

fn link(case: &Case, host: &str, options: &[String]) {
    case.write("next.cl", TEXT);
    case.aocx("app.aocx", include_str!("kernels/next_task.cl"), "");
    let manifest = case.manifest(vec![program("next.cl", TEXT, vec![next()])]);
    case.compile("host.c", "cc", &[], &manifest, host, Patch::Calls);
    case.link_objects("cc", options);
}

/// How many launches become one, in order. What the host prints is what it prints of the original.
#[track_caller]
fn rows(case: &Case, script: &str) -> Vec<u32> {
    let ran = case.run_with(&[script], &[("FPGACC_VERBOSE", "1")]);
    assert_eq!(ran.stdout, case.run_original(&[script]), "{script}");
    let lines = ran.stderr.lines();
    let counts = lines.filter_map(|line| {
        let (before, _) = line.split_once(" launches in a row as one")?;
        before.rsplit(' ').next()?.parse().ok()
    });
    counts.collect()
}

fn few_launches(case: Case) {
    link(&case, HOST, &[]);
    // The host launches once more at its end, after it reads.
    for (script, expected) in [
        ("", &[][..]),
        ("LLL", &[]),
        ("LLLL", &[3]),
        ("LLLLL", &[3]),
        ("LLLLLL", &[5]),
        ("LLLLLLLLLLLLL", &[5, 5]),
        ("LLLLLLLLLLLLLLL", &[5, 5, 3]),
        // The same value again, or one that is asked for, changes nothing.
        ("LLNLNLLL", &[5]),
        ("LLLLFLLLL", &[3, 3]),
        ("LLnLL", &[]),
        ("LLgLL", &[]),
        ("LLlLL", &[]),
        ("LLLLeLLLL", &[3, 3]),
        ("LLLLpLLLL", &[3, 3]),
        ("LLLLuLLLL", &[3, 3]),
        ("LLLLbLL", &[5]),
        ("LLLLrLLLL", &[3, 3]),
        ("LLLLxrLLLL", &[3, 3]),
        // Two objects of one kernel, whose arguments are the same or not.
        ("LTLTLT", &[5]),
        ("LTLTLTTTLLLTLTL", &[5, 5, 3]),
        ("nLTLTLT", &[]),
        ("nLLLLTTTT", &[3, 3]),
        ("ntLTLTLT", &[5]),
        ("LTtTLNLT", &[5]),
        ("LTLTnLTLT", &[3]),
        ("LTLTkLTLT", &[3, 3]),
    ] {
        assert_eq!(rows(&case, script), expected, "{script}");
    }
}

/// So many scripts of so many letters.
fn random_scripts(letters: &str, count: usize, length: usize) -> Vec<String> {
    let mut state = 12345u32;
    let mut next = |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as usize % below
    };
    let letters: Vec<char> = letters.chars().collect();
    (0..count)
        .map(|_| (0..length).map(|_| letters[next(letters.len())]).collect())
        .collect()
}

/// Scripts of all letters, the same on both sides.
fn what_happens_in_between(case: Case) {
    link(&case, HOST, &[]);
    let scripts = random_scripts("LLLLLLLLLLLLLLLLTTTTTTlenNttkpcfwmFugbrrx", 80, 30);
    let scripts: Vec<&str> = scripts.iter().map(String::as_str).collect();
    assert_eq!(case.run(&scripts).quiet(), case.run_original(&scripts));
}

/// Loops that are announced: the host waits in them, and more launches are to come.
fn waits_in_loops(case: Case) {
    link(&case, HOST, &[]);
    for (script, expected) in [
        ("[8LF]", &[5][..]),
        ("[8FLF]", &[5]),
        ("[8LuF]", &[5]),
        ("[9Lu]", &[5, 3]),
        ("[6LTF]", &[5, 5]),
        // With what is before the loop and behind it.
        ("LL[8LF]LL", &[5, 3]),
        // The rest is carried out where the loop ends, and where something else looks.
        ("[8-LF]", &[5]),
        ("[4+LF]", &[3]),
        ("[8LFp]", &[]),
        ("[3LFLFLFLFp]", &[3, 3, 3]),
        ("[8LFe]", &[]),
        // What the host waited for is done where another queue looks.
        ("[8LFq]", &[]),
        ("[9LLFq]", &[]),
        // Launches that are not in a row.
        ("[8lF]", &[]),
        ("[8LlF]", &[]),
        ("[8LFnF]", &[]),
        ("[8LFgF]", &[]),
        // One launch is none in a row.
        ("[1LF]", &[]),
        ("F[8LF]F[8LF]F", &[5, 5]),
    ] {
        assert_eq!(rows(&case, script), expected, "{script}");
    }
}

/// Random scripts of such loops, the same on both sides.
fn scripts_with_loops(case: Case) {
    link(&case, HOST, &[]);
    let scripts = random_scripts("LLLLLLFFFTTulenNttkpcfwmgbrx", 120, 6);
    let loops = random_scripts("LLLLLLFFFFTu", 120, 3);
    let scripts: Vec<String> = (scripts.iter().zip(&loops).enumerate())
        .map(|(at, (script, own))| {
            let more = ["", "+", "-"][at % 3];
            let (one, other) = script.split_at(3);
            format!("{one}[{}{more}{own}]{other}[9{own}{script}]", at % 9 + 1)
        })
        .collect();
    for some in scripts.chunks(20) {
        let some: Vec<&str> = some.iter().map(String::as_str).collect();
        assert_eq!(case.run(&some).quiet(), case.run_original(&some));
    }
}

/// Where a call could pass by the runtime, each launch is one.
fn calls_past_the_runtime(case: Case) {
    let past = "clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL);";
    link(&case, &HOST.replacen("/* past */", past, 1), &[]);
    assert!(rows(&case, "LLLLLLLL").is_empty());
}

/// A library that the host loads while launches wait sees what they did, and no more are put off.
#[track_caller]
fn check_plug_in(case: &Case, plug_in: &str) {
    case.shared_library("plug_in", plug_in);
    case.write("plugged.h", include_str!("hosts/plugged.h"));
    let host = HOST
        .replacen("\"ocl.h\"", "\"ocl.h\"\n#include \"plugged.h\"", 1)
        .replacen("/* past */", "past(queue, from);", 1);
    link(case, &host, &["-rdynamic".to_owned(), "-ldl".to_owned()]);
    assert_eq!(rows(case, "LLLLPLLLLPLLP"), [3]);
}

fn plug_ins(case: Case) {
    check_plug_in(&case, PLUG_IN);
}

fn plug_ins_that_look_up_functions(case: Case) {
    check_plug_in(&case, &format!("#define LOOK_UP\n{PLUG_IN}"));
}
