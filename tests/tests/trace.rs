//! `fpgacc trace` and `fpgacc run`: programs in C and Python as they are, on each implementation.

use std::path::Path;

use fpgacc_launch_facts::{
    ArgValue, Facts, Known, Launch, LocalSize, ProgramSource, QueueOrder, Value,
};
use fpgacc_tests::command::{Outcome, Workshop, has, implementations};

const STDOUT: &str = "sum 41440, queue properties 0, options '-DSTEP=2'\n";

/// A workshop with the hosts and the kernels of `tests/trace`, and the host built as `app` by the
/// system's compiler.
fn shop() -> Workshop {
    let shop = Workshop::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("trace");
    for name in ["host.c", "host.py", "k.cl"] {
        shop.write(name, std::fs::read(folder.join(name)).unwrap());
    }
    shop.sh("cc -g host.c -o app -lOpenCL").success();
    shop
}

fn facts(shop: &Workshop, name: &str) -> Facts {
    serde_yaml::from_slice(&shop.read(name)).unwrap()
}

fn launches<'a>(facts: &'a Facts, kernel: &str) -> Vec<&'a Launch> {
    let names = Known::Is(vec![kernel.to_string()]);
    facts
        .launches
        .iter()
        .filter(|launch| launch.kernels == names)
        .collect()
}

fn sizes(local: u64) -> LocalSize {
    LocalSize::Sizes(vec![Value::Const(local)])
}

/// The line of the host on which a text stands.
fn line_of(shop: &Workshop, file: &str, text: &str) -> u32 {
    let line = shop.text(file).lines().position(|line| line.contains(text));
    line.expect("the text is there") as u32 + 1
}

#[test]
fn a_run_is_recorded_and_is_what_it_was() {
    let shop = shop();
    let line = |text| line_of(&shop, "host.c", text);
    for (name, environment) in implementations() {
        let plain = shop.sh(&format!("{environment} ./app")).success();
        assert_eq!(plain.stdout, STDOUT, "{name}");
        let output = shop
            .sh(&format!(
                "{environment} fpgacc trace -o facts.yaml -- ./app"
            ))
            .success();
        assert_eq!(output.stdout, plain.stdout, "{name}");
        has(&output.stderr, &["5 launches of 2 kernels recorded"]);
        let facts = facts(&shop, "facts.yaml");
        assert_eq!(facts.recording.as_ref().unwrap().runs, 1);
        let [program] = &facts.programs[..] else {
            panic!("{:?}", facts.programs);
        };
        assert_eq!(program.site.line, line("clCreateProgramWithSource"));
        assert_eq!(
            program.sources,
            Known::Is(vec![ProgramSource::File("k.cl".into())])
        );
        assert_eq!(program.options, [Known::Is("-DSTEP=2".to_string())]);
        let buffers: Vec<_> = facts
            .buffers
            .iter()
            .map(|b| (b.site.line, &b.size))
            .collect();
        let size = Value::Const(4096);
        let (a, b) = (line("cl_mem a ="), line("cl_mem b ="));
        assert_eq!(buffers, [(a, &size), (b, &size)], "{name}");
        let flags = facts.buffers[0].flags.clone().unwrap();
        assert_eq!(flags, ["READ_WRITE", "COPY_HOST_PTR"]);
        check_launches(&facts, a, b, line("check(clEnqueueNDRangeKernel"));
    }
}

fn check_launches(facts: &Facts, a: u32, b: u32, line: u32) {
    let (a, b) = (format!("host.c:{a}"), format!("host.c:{b}"));
    let [scale] = launches(facts, "scale")[..] else {
        panic!("{:?}", facts.launches);
    };
    assert_eq!(
        (scale.site.file.as_str(), scale.site.line),
        ("host.c", line)
    );
    assert_eq!(scale.work_dim, Value::Const(1));
    assert_eq!(scale.offset, [Value::Const(0)]);
    assert_eq!(scale.global, [Value::Const(1024)]);
    assert_eq!(scale.local, sizes(64));
    assert_eq!(scale.queue, QueueOrder::InOrder);
    let args: Vec<_> = scale.args.iter().map(|arg| &arg.value).collect();
    let expected = [
        &ArgValue::AnyOf(vec![a.clone(), b.clone()]),
        &ArgValue::AnyOf(vec![b.clone(), a.clone()]),
        &ArgValue::Seen(vec!["0.5".to_string()]),
        &ArgValue::Scalar(Value::OneOf(vec![0, 1, 2, 3])),
    ];
    assert_eq!(args, expected);
    let recorded = scale.recorded.as_ref().unwrap();
    assert_eq!((recorded.count, recorded.time.unwrap().count), (4, 4));
    assert_eq!(recorded.types, ["float*", "float*", "float", "int"]);
    assert_eq!(recorded.sizes, [8, 8, 4, 4]);
    assert!(recorded.overlapping.is_empty());
    assert!(recorded.caller.starts_with("app+0x"), "{}", recorded.caller);
    let [sums] = launches(facts, "sums")[..] else {
        panic!("{:?}", facts.launches);
    };
    let args: Vec<_> = sums.args.iter().map(|arg| &arg.value).collect();
    let expected = [
        &ArgValue::Memory(a),
        &ArgValue::Memory(b),
        &ArgValue::Local(Value::Const(256)),
    ];
    assert_eq!(args, expected);
}

#[test]
fn recorded_facts_specialise_kernels_and_are_guarded() {
    let shop = shop();
    shop.fpgacc("trace -o facts.yaml --quiet -- ./app")
        .success();
    for platform in ["pocl", "intel"] {
        let build = format!(
            "--platform={platform} -fexecution-model=swi host.c k.cl facts.yaml -o fast -Rpass"
        );
        let output = shop.fpgacc(&build).success();
        has(
            &output.stderr,
            &[
                "local size 64 x 1 x 1",
                "parameters 'from' and 'to' are restrict",
            ],
        );
        assert_eq!(shop.sh("./fast").success().stdout, STDOUT);
        // Kernels are not compiled for global sizes that were seen.
        let plain = shop.sh("ITEMS=512 ./app").success();
        assert_ne!(plain.stdout, STDOUT);
        assert_eq!(shop.sh("ITEMS=512 ./fast").success().stdout, plain.stdout);
        // What was only seen makes no launch fail, unless the user asks for that.
        for words in ["32", "64 same"] {
            let plain = shop.sh(&format!("./app {words}")).success();
            let fast = shop.sh(&format!("./fast {words}")).success();
            assert_eq!(fast.stdout, plain.stdout, "{words}");
        }
        shop.fpgacc(&format!("--no-general {build}")).success();
        other_launches_are_refused(|words| shop.sh(&format!("./fast {words}")));
    }
}

/// Another local size, and one buffer for two parameters.
#[track_caller]
fn other_launches_are_refused(run: impl Fn(&str) -> Outcome) {
    let other = run("32");
    assert_eq!(
        (other.code, other.stdout.as_str()),
        (Some(3), "launch: error -54\n")
    );
    has(
        &other.stderr,
        &["kernel `scale` is not launched: it was compiled for local size 64"],
    );
    let same = run("64 same");
    assert_eq!(
        (same.code, same.stdout.as_str()),
        (Some(3), "launch: error -52\n")
    );
    has(
        &same.stderr,
        &["arguments 0 (`from`) and 1 (`to`) as distinct memory"],
    );
}

#[test]
fn runs_are_joined_and_what_differs_is_not_relied_on() {
    let shop = shop();
    shop.fpgacc("trace -o facts.yaml -- ./app").success();
    shop.fpgacc("trace -o facts.yaml --append -- ./app 32")
        .success();
    shop.fpgacc("trace -o same.yaml -- ./app 64 same").success();
    shop.fpgacc("trace -o all.yaml --merge facts.yaml same.yaml")
        .success();
    let all = facts(&shop, "all.yaml");
    assert_eq!(all.recording.as_ref().unwrap().runs, 3);
    assert_eq!(all.programs.len(), 1);
    assert_eq!(all.buffers.len(), 2);
    let scale = launches(&all, "scale");
    let locals: Vec<_> = scale.iter().map(|launch| &launch.local).collect();
    assert_eq!(locals, [&sizes(64), &sizes(32)]);
    let recorded = scale[0].recorded.as_ref().unwrap();
    assert_eq!(
        (recorded.count, &recorded.overlapping[..]),
        (8, &[(0, 1)][..])
    );
    shop.fpgacc("host.c k.cl all.yaml -o fast").success();
    for words in ["", "32", "64 same"] {
        let plain = shop.sh(&format!("./app {words}")).success();
        let fast = shop.sh(&format!("./fast {words}")).success();
        assert_eq!(fast.stdout, plain.stdout, "{words}");
    }
}

#[test]
fn a_program_runs_with_compiled_kernels_without_being_built_again() {
    let shop = shop();
    shop.fpgacc("trace -o facts.yaml -- ./app").success();
    for platform in ["pocl", "intel"] {
        let build = format!(
            "--platform={platform} -fexecution-model=swi k.cl --facts facts.yaml -o fast.aocx"
        );
        shop.fpgacc(&build).success();
        let run = |words: &str| {
            shop.sh(&format!(
                "fpgacc run --aocx fast.aocx --facts facts.yaml -- ./app {words}"
            ))
        };
        assert_eq!(run("").success().stdout, STDOUT);
        for words in ["32", "64 same"] {
            let plain = shop.sh(&format!("./app {words}")).success();
            assert_eq!(run(words).success().stdout, plain.stdout, "{words}");
        }
        shop.fpgacc(&format!("--no-general {build}")).success();
        other_launches_are_refused(run);
        let output = shop
            .sh("FPGACC_VERBOSE=1 fpgacc run --aocx fast.aocx -- ./app")
            .success();
        has(
            &output.stderr,
            &["app+0x", "kernel `scale` launched as one work-item"],
        );
    }
    // Names are not relied on.
    shop.sh("mkdir d && mv fast.aocx d/a.aocx && mv fast.aocx.json d/a.aocx.json")
        .success();
    let moved = shop.fpgacc("run --aocx d/a.aocx -- ./app").failure();
    has(&moved.stderr, &["fast.aocx"]);
}

#[test]
fn python_is_recorded_and_run_too() {
    let shop = shop();
    let line = |text| line_of(&shop, "host.py", text);
    for (platform, environment) in implementations() {
        let trace = format!("{environment} fpgacc trace -o facts.yaml -- python3 host.py");
        let plain = shop.sh(&format!("{environment} python3 host.py")).success();
        assert_eq!(shop.sh(&trace).success().stdout, plain.stdout);
        let facts = facts(&shop, "facts.yaml");
        let [launch] = &facts.launches[..] else {
            panic!("{:?}", facts.launches);
        };
        let site = (launch.site.file.as_str(), launch.site.line);
        assert_eq!(site, ("host.py", line("getattr(cl, name)(")));
        assert_eq!(launch.local, LocalSize::Null);
        let Known::Is(sources) = &facts.programs[0].sources else {
            panic!("{:?}", facts.programs);
        };
        assert!(
            matches!(&sources[0], ProgramSource::Text { text, .. } if text == "#define STEP 3\n")
        );
        assert_eq!(sources[1], ProgramSource::File("k.cl".to_string()));
        let parts: Vec<_> = facts.buffers.iter().filter(|b| b.sub_buffer).collect();
        let origins: Vec<_> = parts.iter().map(|b| b.origin.clone().unwrap()).collect();
        assert_eq!(origins, [Value::Const(0), Value::Const(1024)]);
        assert!(launch.recorded.as_ref().unwrap().overlapping.is_empty());
        let build = format!(
            "--platform={platform} -fexecution-model=swi k.cl --facts facts.yaml -o py.aocx"
        );
        shop.fpgacc(&build).success();
        let fast = shop
            .sh("FPGACC_VERBOSE=1 fpgacc run --aocx py.aocx -- python3 host.py")
            .success();
        assert_eq!(fast.stdout, plain.stdout);
        has(&fast.stderr, &["kernel `scale` launched as one work-item"]);
        // A local size where there was none.
        let other = shop.fpgacc("run --aocx py.aocx -- python3 host.py 64");
        assert!(
            other.code == Some(1) || other.stdout == plain.stdout,
            "{other:?}"
        );
    }
}

#[test]
fn wrong_uses_have_messages_and_leave_what_was_there() {
    let shop = shop();
    shop.write("old.yaml", "kept\n");
    shop.sh("fpgacc trace -o facts.yaml -- ./app && fpgacc k.cl facts.yaml -o k.aocx")
        .success();
    shop.sh("fpgacc trace -o python.yaml -- python3 host.py")
        .success();
    let before = shop.entries();
    for (words, code, message) in [
        ("trace", 2, "there is no program to trace"),
        ("trace -o old.yaml", 2, "there is no program to trace"),
        ("trace -- ./app", 2, "no file is named for the facts"),
        ("trace -o old.yaml ./app", 2, "'./app' stands before `--`"),
        (
            "trace -o old.yaml --frob -- ./app",
            2,
            "unknown option '--frob'",
        ),
        (
            "trace -o old.yaml -- ./no-such",
            1,
            "cannot find the program ./no-such",
        ),
        ("trace -o old.yaml -- ./k.cl", 1, "cannot execute ./k.cl"),
        (
            "trace -o old.yaml -- true",
            1,
            "no OpenCL call of the program was seen",
        ),
        (
            "trace -o no/old.yaml -- ./app",
            1,
            "the folder no does not exist",
        ),
        (
            "trace -o old.yaml --append -- ./app",
            1,
            "old.yaml:1:1: not launch facts",
        ),
        (
            "trace -o python.yaml --append -- ./app",
            1,
            "facts of another program",
        ),
        (
            "trace -o old.yaml --merge facts.yaml python.yaml",
            1,
            "facts of another program",
        ),
        (
            "trace -o old.yaml --merge no.yaml",
            1,
            "cannot read 'no.yaml'",
        ),
        (
            "trace -o old.yaml --merge facts.yaml -- ./app",
            2,
            "runs no program",
        ),
        ("run", 2, "no kernels are named"),
        ("run --aocx k.aocx", 2, "there is no program to run"),
        ("run --aocx k.aocx ./app", 2, "'./app' stands before `--`"),
        ("run --aocx no.aocx -- ./app", 1, "cannot read no.aocx.json"),
        (
            "run --aocx k.aocx --facts python.yaml -- ./app",
            1,
            "compiled with other facts",
        ),
        (
            "run --aocx k.aocx -- ./no-such",
            1,
            "cannot find the program ./no-such",
        ),
        (
            "facts.yaml -o x.aocx",
            1,
            "there are no kernels among the inputs",
        ),
    ] {
        let output = shop.fpgacc(words);
        assert_eq!(output.code, Some(code), "{words}: {}", output.stderr);
        has(&output.stderr, &[message]);
        assert_eq!(shop.text("old.yaml"), "kept\n", "{words}");
        assert_eq!(shop.entries(), before, "{words}");
    }
    shop.sh("cp k.aocx.json kept.json && sed -i 's/\"size\": 8/\"size\": 4/' k.aocx.json")
        .success();
    let output = shop.fpgacc("run --aocx k.aocx -- ./app").failure();
    has(&output.stderr, &["k.aocx.json is damaged"]);
    shop.sh("mv kept.json k.aocx.json && echo >>k.aocx")
        .success();
    let output = shop.fpgacc("run --aocx k.aocx -- ./app").failure();
    has(
        &output.stderr,
        &["k.aocx is not the file that k.aocx.json describes"],
    );
}

#[test]
fn a_program_that_fails_keeps_its_exit_code_and_the_facts() {
    let shop = shop();
    let output = shop.fpgacc("trace -o facts.yaml -- ./app 7");
    assert_eq!(output.code, Some(3), "{}", output.stderr);
    has(&output.stderr, &["the program failed: exit code 3"]);
    let facts = facts(&shop, "facts.yaml");
    assert_eq!((facts.programs.len(), facts.launches.len()), (1, 0));
}

/// It waits for what does not come, and is killed meanwhile: without any call after its launches.
#[test]
fn a_program_that_is_killed_while_it_waits_has_facts() {
    let shop = shop();
    let host = shop.text("host.c");
    let (before, after) = host.split_once("    printf(\"sum %g").unwrap();
    let host = format!("#include <unistd.h>\n{before}    pause();\n    printf(\"sum %g{after}");
    shop.write("waiting.c", host);
    shop.sh("cc -g waiting.c -o app -lOpenCL").success();
    let output = shop.sh("fpgacc trace -o facts.yaml -- timeout -s KILL 10 ./app");
    assert_eq!(output.code, Some(137), "{}", output.stderr);
    has(&output.stderr, &["5 launches of 2 kernels recorded"]);
    assert_eq!(launches(&facts(&shop, "facts.yaml"), "sums").len(), 1);
}

/// A host that launches `COUNT` times, with buffers of one function and of one line, and then ends.
const ENDING: &str = r#"#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static cl_context context;

static cl_mem make(void)
{
    return clCreateBuffer(context, CL_MEM_READ_WRITE, 256, NULL, NULL);
}

int main(void)
{
    const size_t global = 64;
    const char *text = "__kernel void add(__global int *a, __global int *b, __global int *c)\n"
                       "{\n    int i = get_global_id(0);\n    c[i] = a[i] + b[i];\n}\n";
    cl_platform_id platform;
    cl_device_id device;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "add", NULL);
    cl_mem a = make(), b = make();
    cl_mem c = make();
    clSetKernelArg(kernel, 0, sizeof a, &a);
    clSetKernelArg(kernel, 1, sizeof b, &b);
    clSetKernelArg(kernel, 2, sizeof c, &c);
    for (int i = 0; i < COUNT; i++)
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    clFinish(queue);
    END;
}
"#;

fn ending(shop: &Workshop, count: u32, end: &str) {
    let host = ENDING.replace("COUNT", &count.to_string());
    shop.write("ending.c", host.replace("END", end));
    shop.sh("cc -g -O1 ending.c -o app -lOpenCL").success();
}

/// What one call creates for two callers, or two calls of one line, is not one buffer.
#[test]
fn buffers_of_one_line_are_several() {
    let shop = Workshop::new();
    ending(&shop, 1, "return 0");
    shop.fpgacc("trace -o facts.yaml -- ./app").success();
    let facts = facts(&shop, "facts.yaml");
    let names: Vec<_> = facts
        .buffers
        .iter()
        .map(|b| b.variable.as_deref())
        .collect();
    let line = line_of(&shop, "ending.c", "return clCreateBuffer");
    let place = format!("ending.c:{line}");
    let second = format!("{place}#2");
    let third = format!("{place}#3");
    assert_eq!(names, [Some(&*place), Some(&second), Some(&third)]);
    let memory = |name: &str| ArgValue::Memory(name.to_string());
    let args: Vec<_> = facts.launches[0]
        .args
        .iter()
        .map(|a| a.value.clone())
        .collect();
    assert_eq!(args, [memory(&place), memory(&second), memory(&third)]);
    shop.write(
        "add.cl",
        "__kernel void add(__global int *a, __global int *b, __global int *c)\n\
                          {\n    int i = get_global_id(0);\n    c[i] = a[i] + b[i];\n}\n",
    );
    let output = shop
        .fpgacc("-Rpass=restrict --emit=kernels add.cl --facts facts.yaml")
        .success();
    has(
        &output.stderr,
        &["parameters 'a', 'b' and 'c' are restrict"],
    );
}

/// However a program ends, a launch is in the facts, or it is said that it is not.
#[test]
fn a_program_may_end_without_a_word() {
    for (end, code) in [
        ("_exit(3)", 3),
        ("_Exit(3)", 3),
        ("quick_exit(3)", 3),
        ("abort()", 134),
        ("raise(SIGKILL)", 137),
        ("*(volatile int *)0 = 0; return 0", 139),
    ] {
        let shop = Workshop::new();
        ending(&shop, 1, end);
        let output = shop.sh("fpgacc trace -o facts.yaml -- ./app");
        assert_eq!(output.code, Some(code), "{end}: {}", output.stderr);
        has(&output.stderr, &["1 launches of 1 kernels recorded"]);
        assert!(
            !output.stderr.contains("missing"),
            "{end}: {}",
            output.stderr
        );
        // Of many in a row the last ones may be missing.
        ending(&shop, 500, end);
        let output = shop.sh("fpgacc trace -o facts.yaml -- ./app");
        let facts = facts(&shop, "facts.yaml");
        let recorded = facts.launches[0].recorded.as_ref().unwrap().count;
        let number = |text: &str| text.split_whitespace().find_map(|word| word.parse().ok());
        let lost = output.stderr.split_once("warning: the last ");
        let lost: u64 = lost.map_or(0, |(_, text)| number(text).unwrap_or(1));
        assert_eq!(recorded + lost, 500, "{end}: {}", output.stderr);
    }
}
