//! Inputs that nobody writes, and conditions that nobody wants: nesting without end, noise, strange
//! names, full disks, signals. fpgacc says what is wrong and leaves what was there; it never panics.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use fpgacc_tests::command::{Outcome, Workshop};
use fpgacc_tests::random::Random;
use fpgacc_tests::seeds::seeds;

const DEEP: usize = 10_000;

/// Bodies of a kernel, or of a `main`, that nest [`DEEP`] levels.
fn deep_bodies() -> Vec<(&'static str, String)> {
    let n = |text: &str| text.repeat(DEEP);
    vec![
        ("parentheses", format!("a[0] = {}1{};", n("("), n(")"))),
        ("blocks", format!("{}{}", n("{"), n("}"))),
        ("indices", format!("a[0] = {}0{};", n("a["), n("]"))),
        ("ifs", format!("{};", n("if (a[0]) "))),
        ("elses", format!("{};", n("if (a[0]) ; else "))),
        ("fors", format!("{};", n("for (;a[0];) "))),
        ("dos", format!("{};{}", n("do "), n("while (0);"))),
        ("switches", format!("{};", n("switch (a[0]) case 0: "))),
        ("casts", format!("a[0] = {}1;", n("(int)"))),
        ("signs", format!("a[0] = {}1;", n("- ~"))),
        ("sums", format!("a[0] = 1{};", n(" + 1"))),
        ("assignments", format!("a[0]{};", n(" = a[0]"))),
        ("commas", format!("a[0]{};", n(", a[0]"))),
        ("conditions", format!("a[0] = {}0;", n("a[0] ? 1 : "))),
        (
            "sizeofs",
            format!("a[0] = {}1{};", n("sizeof(int["), n("])")),
        ),
        ("initialisers", format!("int b[1] = {}1{};", n("{"), n("}"))),
        ("calls", format!("a[0] = {}1{};", n("abs("), n(")"))),
        ("members", format!("a[0]{} = 1;", n(".x"))),
        ("pointers", format!("int {}p;", n("*"))),
        ("arrays", format!("int p{};", n("[1]"))),
        ("parameters", format!("int f({}int{});", n("int ("), n(")"))),
        ("open parentheses", format!("a[0] = {}", n("("))),
        ("open blocks", n("{")),
    ]
}

/// Runs a check on each item, two at a time.
fn each<T: Send + Sync>(items: &[T], check: impl Fn(&T) + Sync) {
    let next = std::sync::atomic::AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(item) =
                    items.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
                {
                    check(item);
                }
            });
        }
    });
}

/// fpgacc ended by itself, with a word about the input if it did not take it.
#[track_caller]
fn ended_well(what: &str, file: &str, outcome: &Outcome) {
    let Outcome { code, stderr, .. } = outcome;
    let shown: String = stderr.chars().take(2000).collect();
    assert!(!stderr.contains("panicked"), "{what}: {shown}");
    match code {
        Some(0) => {}
        Some(1) => assert!(
            stderr.contains(&format!("{file}:")) && stderr.contains("error: "),
            "{what}: {shown}"
        ),
        _ => panic!("{what}: ended with {code:?}: {shown}"),
    }
}

#[test]
fn kernels_may_nest_without_end() {
    each(&deep_bodies(), |(what, body)| {
        let shop = Workshop::new();
        shop.write(
            "k.cl",
            format!("kernel void f(global int *a) {{ {body} }}\n"),
        );
        let outcome = shop.fpgacc("-c k.cl");
        ended_well(what, "k.cl", &outcome);
        let outcome = shop.fpgacc("--emit=kernels k.cl");
        ended_well(what, "k.cl", &outcome);
    });
}

#[test]
fn hosts_may_nest_without_end() {
    // What a C compiler makes of such texts is its own affair, and takes it long: here the host is
    // read and patched only.
    each(&deep_bodies(), |(what, body)| {
        let shop = Workshop::new();
        shop.write("h.c", format!("int main(int c, int *a) {{ {body} }}\n"));
        let outcome = shop.fpgacc("--emit=facts h.c");
        ended_well(what, "h.c", &outcome);
        let outcome = shop.fpgacc("--emit=host h.c").success();
        assert!(outcome.stdout.contains("int main"), "{what}");
    });
}

#[test]
fn what_is_outside_of_functions_may_nest_too() {
    let n = |text: &str| text.repeat(DEEP);
    let texts = [
        (
            "structs",
            format!("{}int x;{}\n", n("struct S { "), n("} s;")),
        ),
        ("conditionals", format!("{}{}", n("#if 1\n"), n("#endif\n"))),
        (
            "parameters",
            format!("void f(int {}x{});\n", n("("), n(")")),
        ),
        ("unclosed conditionals", n("#if 1\n")),
    ];
    each(&texts, |(what, text)| {
        for file in ["k.cl", "h.c"] {
            let shop = Workshop::new();
            shop.write(file, text);
            let outcome = shop.run(shop.command("fpgacc").args(["--emit=kernels", file]));
            ended_well(what, file, &outcome);
        }
    });
}

const MEGABYTES: usize = 10 << 20;

fn noise_of_bytes(seed: u64) -> Vec<u8> {
    let mut noise = Random::new(seed);
    (0..MEGABYTES).map(|_| noise.bits() as u8).collect()
}

fn noise_of_text(seed: u64) -> Vec<u8> {
    let mut noise = Random::new(seed);
    let character = |noise: &mut Random| match noise.bits() as usize % 60 {
        0 => b'\n',
        _ => b' ' + (noise.bits() as usize % 95) as u8,
    };
    (0..MEGABYTES).map(|_| character(&mut noise)).collect()
}

fn noise_of_tokens(seed: u64) -> Vec<u8> {
    let tokens: Vec<&str> =
        "kernel void global int float4 * ( ) { } [ ] ; , = + - if for while return \
                             struct a b c 1 2.0f \"s\" get_global_id . -> ? : << switch case"
            .split_whitespace()
            .collect();
    let mut noise = Random::new(seed);
    let mut text = Vec::with_capacity(MEGABYTES + 100);
    while text.len() < MEGABYTES {
        for _ in 0..12 {
            text.extend(tokens[noise.bits() as usize % tokens.len()].as_bytes());
            text.push(b' ');
        }
        text.push(b'\n');
    }
    text
}

#[test]
fn ten_megabytes_of_noise_are_refused() {
    let seed = seeds(1).start;
    let noises = [
        noise_of_bytes(seed),
        noise_of_text(seed + 1),
        noise_of_tokens(seed + 2),
    ];
    let what = format!("noise, seed {seed}");
    each(&noises, |noise| {
        for file in ["k.cl", "h.c"] {
            let shop = Workshop::new();
            shop.write(file, noise);
            let outcome = shop.run(shop.command("fpgacc").args(["-c", file]));
            assert_eq!(outcome.code, Some(1), "{what}: {file}");
            ended_well(&what, file, &outcome);
            assert_eq!(shop.entries(), [file]);
        }
    });
}

/// Editors of Windows put a byte order mark in front.
/// A file of facts in which one value, key or line is something else.
fn altered(facts: &str, noise: &mut Random) -> String {
    const VALUES: [&str; 16] = [
        "0",
        "1",
        "-1",
        "2147483648",
        "4294967312",
        "18446744073709551616",
        "1e400",
        "x",
        "''",
        "[]",
        "{}",
        "null",
        "[0, 0, 0, 0]",
        "{is: []}",
        "{unknown: x}",
        "{const: 4294967312}",
    ];
    let mut lines: Vec<String> = facts.lines().map(String::from).collect();
    let at = noise.bits() as usize % lines.len();
    let line = lines[at].clone();
    let indent = line.find(|c| c != ' ').unwrap_or(0);
    match (noise.bits() as usize % 6, line.find(": ")) {
        (0, _) => drop(lines.remove(at)),
        (1, _) => lines.insert(at, line),
        (2, _) => lines[at] = line[indent..].into(),
        (_, Some(colon)) => {
            lines[at].truncate(colon + 2);
            lines[at] += VALUES[noise.bits() as usize % VALUES.len()];
        }
        _ => {
            lines[at] = format!(
                "{}- {}",
                &line[..indent],
                VALUES[noise.bits() as usize % VALUES.len()]
            )
        }
    }
    lines.join("\n")
}

#[test]
fn facts_that_cannot_be_end_in_a_message() {
    let base = Workshop::with_fixture();
    let facts = base.fpgacc("--emit=facts host.c").success().stdout;
    let seed = seeds(1).start;
    let mut noise = Random::new(seed);
    let altered: Vec<String> = (0..120).map(|_| altered(&facts, &mut noise)).collect();
    each(&altered, |facts| {
        let shop = Workshop::with_fixture();
        shop.write("facts.yaml", facts);
        let outcome = shop.fpgacc("-w -fexecution-model=swi -S --facts facts.yaml k.cl -o -");
        let is_told = outcome.code == Some(1) && outcome.stderr.contains("error: ");
        let is_done = outcome.code == Some(0);
        assert!(
            (is_told || is_done) && !outcome.stderr.contains("panicked"),
            "seed {seed}: {}\n{facts}",
            outcome.stderr
        );
    });
}

#[test]
fn byte_order_marks_are_read() {
    let shop = Workshop::with_fixture();
    let mark = |name: &str, text: &str| shop.write(name, format!("\u{feff}{text}"));
    let host = shop.text("host.c");
    mark("own.h", "#include <CL/cl.h>\n");
    mark("host.c", &host.replace("<CL/cl.h>", "\"own.h\""));
    mark("one.h", "#define ONE 1\n");
    mark(
        "k.cl",
        "#include \"one.h\"\nkernel void f(global int *a) { a[get_global_id(0)] = ONE; }\n",
    );
    for line in [
        "-fexecution-model=swi host.c k.cl -o app",
        "-c host.c",
        "-c k.cl",
        "-fexecution-model=swi host.o k.o -o app",
    ] {
        let outcome = shop.fpgacc(line).success();
        assert_eq!(outcome.stderr, "", "{line}");
        if line.ends_with("app") {
            let ran = shop.sh("FPGACC_VERBOSE=1 ./app").success();
            assert!(
                ran.stderr.contains("launched as one work-item"),
                "{}",
                ran.stderr
            );
        }
    }
    mark("k.cl", "kernel void f(global int *a) { a[0] = a.x; }\n");
    let outcome = shop.fpgacc("-c k.cl").failure();
    assert!(
        outcome.stderr.starts_with("k.cl:1:39: error: `.` needs"),
        "{}",
        outcome.stderr
    );
    // What is not parsed is built as it is.
    mark(
        "k.cl",
        "kernel void f(global int *a) { goto b; b: a[0] = 1; }\n",
    );
    shop.fpgacc("host.c k.cl -o app").success();
    shop.sh("./app").success();
}

#[test]
fn long_lines_and_names_are_read() {
    let shop = Workshop::new();
    let long = "x".repeat(1 << 20);
    shop.write(
        "comment.cl",
        format!("/*{long}*/kernel void f(global int *a) {{ a[0] = 1; }}\n"),
    );
    shop.fpgacc("-c comment.cl").success();
    shop.write(
        "name.cl",
        format!("kernel void f(global int *a) {{ int {long} = 1; a[0] = a.y; }}\n"),
    );
    let outcome = shop.fpgacc("-c name.cl").failure();
    assert!(
        outcome
            .stderr
            .starts_with("name.cl:1:1048625: error: `.` needs")
    );
    // A message does not repeat a megabyte.
    assert!(outcome.stderr.len() < 10_000, "{}", outcome.stderr.len());
    shop.write(
        "string.c",
        format!("const char *s = \"{long}\";\nint main(void) {{ return 0; }}\n"),
    );
    shop.fpgacc("-c string.c").success();
}

#[test]
fn a_zero_byte_is_reported() {
    let shop = Workshop::new();
    shop.write("k.cl", "kernel void f(global int *a) { a[0] = \0 1; }\n");
    let outcome = shop.fpgacc("-c k.cl");
    assert!(outcome.stderr.contains("k.cl:1:"), "{}", outcome.stderr);
}

#[test]
fn a_hundred_thousand_kernels_are_no_trouble() {
    let shop = Workshop::new();
    let text: String = (0..100_000)
        .map(|i| format!("kernel void f{i}(global int *a) {{ a[get_global_id(0)] = {i}; }}\n"))
        .collect();
    shop.write("k.cl", text);
    shop.fpgacc("-c k.cl").success();
}

#[test]
fn files_may_have_any_name() {
    let names: [&[u8]; 6] = [
        b"a b",
        b"it's",
        b"say \"hi\"",
        b"new\nline",
        b"$HOME;#&",
        b"-dash",
    ];
    for name in names {
        let shop = Workshop::with_fixture();
        let named = |suffix: &[u8]| OsStr::from_bytes(&[name, suffix].concat()).to_os_string();
        fs::rename(shop.path("host.c"), shop.path(named(b".c"))).unwrap();
        fs::rename(shop.path("k.cl"), shop.path(named(b".cl"))).unwrap();
        let mut command = shop.command("fpgacc");
        command.args(["-MD", "-o"]).arg(named(b".app")).arg("--");
        let outcome = shop.run(command.arg(named(b".c")).arg(named(b".cl")));
        assert_eq!(outcome.code, Some(0), "{name:?}: {}", outcome.stderr);
        assert!(
            shop.path(named(b".app.aocx")).is_file(),
            "{name:?}: {:?}",
            shop.entries()
        );
    }
}

#[test]
fn a_name_that_is_no_text_is_refused_or_taken() {
    let shop = Workshop::with_fixture();
    let name = OsStr::from_bytes(b"k\xff.cl");
    fs::rename(shop.path("k.cl"), shop.path(name)).unwrap();
    let outcome = shop.run(shop.command("fpgacc").arg("-c").arg(name));
    ended_well("not UTF-8", "fpgacc", &outcome);
    assert_eq!(outcome.code, Some(1));
    assert!(outcome.stderr.contains("UTF-8"), "{}", outcome.stderr);
}

#[test]
fn a_file_in_place_of_a_folder_is_reported() {
    let shop = Workshop::with_fixture();
    shop.write("f", "");
    let outcome = shop.fpgacc("-c f/k.cl").failure();
    assert!(outcome.stderr.contains("'f/k.cl'"), "{}", outcome.stderr);
    let outcome = shop.fpgacc("-c k.cl -o f/k.o").failure();
    assert!(outcome.stderr.contains("f/k.o"), "{}", outcome.stderr);
    let outcome = shop.fpgacc("host.c k.cl --save-temps=f -o app").failure();
    assert!(
        outcome.stderr.contains("cannot make f"),
        "{}",
        outcome.stderr
    );
    assert_eq!(shop.entries(), ["f", "host.c", "k.cl"]);
}

#[test]
fn closed_outputs_are_no_trouble() {
    let shop = Workshop::with_fixture();
    shop.write("bad.cl", "kernel void f(global int *a) { a[0] = a.x; }\n");
    for (line, code) in [
        ("fpgacc --help >&-", 0),
        ("fpgacc --emit=kernels k.cl 2>&-", 0),
        ("fpgacc -c k.cl >&- 2>&-", 0),
        ("fpgacc -v -c k.cl 2>&-", 0),
        ("fpgacc -c bad.cl 2>&-", 1),
        ("fpgacc -c bad.cl >&- 2>&- <&-", 1),
        ("fpgacc --help | head -1", 0),
        ("fpgacc -c k.cl --nonsense 2>&-", 2),
    ] {
        let outcome = shop.sh(line);
        assert_eq!(outcome.code, Some(code), "{line}: {}", outcome.stderr);
        assert!(
            !outcome.stderr.contains("panicked"),
            "{line}: {}",
            outcome.stderr
        );
    }
    // What was asked for on standard output and could not be written there is an error.
    let outcome = shop.sh("fpgacc --emit=kernels k.cl >/dev/full").failure();
    assert!(
        outcome.stderr.contains("No space left"),
        "{}",
        outcome.stderr
    );
}

/// A stand-in for aoc that takes `seconds` for a build.
fn slow_aoc(shop: &Workshop, seconds: u32) {
    let script = format!(
        "#!/bin/sh\ncase $1 in\n*version) echo 'Intel(R) FPGA SDK for OpenCL(TM), 64-Bit Offline \
         Compiler'; echo 'Version 19.4.0 Build 64 Pro Edition';;\n*) echo $$ >started; exec sleep \
         {seconds};;\nesac\n"
    );
    shop.write("aoc", script);
    shop.sh("chmod +x aoc").success();
}

#[test]
fn an_interrupted_build_leaves_what_was_there() {
    for signal in [2, 15] {
        let shop = Workshop::with_fixture();
        slow_aoc(&shop, 600);
        shop.write("app", "old");
        shop.write("app.aocx", "old kernels");
        shop.write("tmp/.keep", "");
        let before = shop.entries();
        // Whoever runs the tests in the background may ignore signals, which children inherit.
        let mut child = shop
            .command("env")
            .args(["--default-signal=INT,TERM", "fpgacc"])
            .args([
                "--target=hardware",
                "--aoc=./aoc",
                "host.c",
                "k.cl",
                "-o",
                "app",
            ])
            .env("FPGACC_CACHE", "off")
            .env("TMPDIR", shop.path("tmp"))
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // The stand-in runs in a folder of fpgacc's own below this one.
        let started = wait_for(|| find(&shop, "started"));
        let aoc: u32 = fs::read_to_string(shop.path(&started))
            .unwrap()
            .trim()
            .parse()
            .unwrap();
        shop.sh(&format!("kill -{signal} {}", child.id())).success();
        let status = child.wait().unwrap();
        assert_eq!(status.signal(), Some(signal), "{status}");
        fs::remove_file(shop.path(&started)).unwrap();
        assert_eq!(shop.entries(), before);
        assert_eq!(shop.text("app"), "old");
        assert_eq!(shop.text("app.aocx"), "old kernels");
        wait_for(|| (!fs::exists(format!("/proc/{aoc}")).unwrap()).then(String::new));
    }
}

/// The path below the folder of a file that is there and not empty.
fn find(shop: &Workshop, name: &str) -> Option<String> {
    let is_it = |entry: &String| entry.rsplit('/').next() == Some(name);
    let found = shop.entries().into_iter().find(is_it)?;
    (!shop.read(&found).is_empty()).then_some(found)
}

fn wait_for(mut done: impl FnMut() -> Option<String>) -> String {
    let start = Instant::now();
    loop {
        if let Some(value) = done() {
            return value;
        }
        assert!(
            start.elapsed() < Duration::from_secs(600),
            "waited ten minutes in vain"
        );
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_failed_run_leaves_existing_outputs() {
    let shop = Workshop::with_fixture();
    shop.fpgacc("host.c k.cl -o app -MD").success();
    shop.fpgacc("-c k.cl -MD").success();
    let names = ["app", "app.aocx", "app.d", "k.o", "k.d"];
    let all = || names.map(|name| shop.read(name));
    let before = all();
    shop.write("k.cl", "kernel void f(global int *a) { a[0] = a.x; }\n");
    shop.fpgacc("host.c k.cl -o app -MD").failure();
    shop.fpgacc("-c k.cl -MD").failure();
    assert!(before == all());
    shop.write("k.cl", "kernel void f(global int *a) { a[0] = 1; }\n");
    shop.sh("chmod a-w app.aocx").success();
    let outcome = shop.fpgacc("host.c k.cl -o app -MD").failure();
    assert!(
        outcome.stderr.contains("app.aocx: permission denied"),
        "{}",
        outcome.stderr
    );
    assert!(before == all());
}

#[test]
fn a_full_disk_leaves_what_was_there() {
    let shop = Workshop::with_fixture();
    fs::create_dir(shop.path("small")).unwrap();
    let mounted = shop.sh("mount -t tmpfs -o size=64k tmpfs small 2>/dev/null");
    if mounted.code != Some(0) {
        // Only root may mount; a device that is always full serves others.
        let outcome = shop.fpgacc("host.c k.cl -o /dev/full").failure();
        assert!(
            outcome.stderr.contains("No space left"),
            "{}",
            outcome.stderr
        );
        return;
    }
    shop.write("small/app", "old");
    shop.write("small/app.aocx", "old kernels");
    let before = shop.entries();
    let built = shop.fpgacc("host.c k.cl -o small/app");
    let (after, app, kernels) = (
        shop.entries(),
        shop.text("small/app"),
        shop.text("small/app.aocx"),
    );
    shop.sh("umount small").success();
    let outcome = built.failure();
    assert!(
        outcome.stderr.contains("No space left"),
        "{}",
        outcome.stderr
    );
    assert_eq!((app.as_str(), kernels.as_str()), ("old", "old kernels"));
    assert_eq!(after, before);
}
