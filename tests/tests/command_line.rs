//! The command line itself: help, man page and completions, stages, colours, exit codes.

use std::collections::BTreeSet;

use fpgacc_tests::command::Workshop;

fn program() -> Workshop {
    let shop = Workshop::new();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixture/program");
    for name in ["main.c", "launch.c", "launch.h", "twice.cl", "twice.h"] {
        shop.write(name, std::fs::read(folder.join(name)).unwrap());
    }
    shop
}

/// The options that a text names at the places that `starts` begin: `-o`, `--emit`, `-std`.
fn options_after(text: &str, starts: &[&str]) -> BTreeSet<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-#+".contains(c);
    let mut found = BTreeSet::new();
    for start in starts {
        for (at, _) in text.match_indices(start) {
            let rest = &text[at + start.len()..];
            let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            let name = &rest[..end];
            if name.len() > 1 && name.starts_with('-') {
                found.insert(name.to_string());
            }
        }
    }
    found
}

/// In the help, an option is the first word of its line, indented by at most six blanks.
fn options_of(help: &str) -> BTreeSet<String> {
    let lines = help.lines().filter(|line| {
        let indent = line.len() - line.trim_start().len();
        (2..=6).contains(&indent) && line.trim_start().starts_with('-')
    });
    // What an option does stands after two blanks.
    lines
        .filter_map(|line| line.trim_start().split("  ").next())
        .flat_map(|line| options_after(&format!(" {line}"), &[" ", ", "]))
        .collect()
}

const COMMANDS: [&str; 7] = ["doctor", "facts", "report", "check", "trace", "tune", "run"];

#[test]
fn the_summary_is_a_screen_and_names_the_commands() {
    let shop = Workshop::new();
    let summary = shop.fpgacc("--help").success().stdout;
    assert_eq!(shop.fpgacc("-h").success().stdout, summary);
    assert!(summary.lines().count() <= 45, "{summary}");
    let all = options_of(&shop.fpgacc("--help-all").success().stdout);
    let common = options_of(&summary);
    assert!(common.len() >= 15 && common.is_subset(&all), "{common:?}");
    for command in COMMANDS {
        assert!(
            summary.contains(&format!("  fpgacc {command} ")),
            "{summary}"
        );
        let help = shop.fpgacc(&format!("{command} --help")).success().stdout;
        assert!(help.contains(&format!("Usage: fpgacc {command}")), "{help}");
    }
    let help = shop.fpgacc("facts explain --help").success().stdout;
    assert!(help.contains("FILE:LINE"), "{help}");
}

#[test]
fn help_man_pages_and_completions_name_the_same_options() {
    let shop = Workshop::new();
    let help = shop.fpgacc("--help-all").success().stdout;
    let documented = options_of(&help);
    for option in [
        "-o", "-c", "-std", "-MMD", "-Rpass", "-###", "--emit", "--help", "-h", "-O",
    ] {
        assert!(
            documented.contains(option),
            "{option} is not in {documented:?}"
        );
    }
    assert!(documented.len() >= 50, "{documented:?}");
    shop.fpgacc("--generate=share -o share").success();
    let page = |name: &str| {
        let text = shop.text(format!("share/man/man1/{name}.1"));
        options_after(&text.replace("\\-", "-"), &["\n\\fB", ", \\fB"])
    };
    assert_eq!(page("fpgacc"), documented);
    for command in ["trace", "run", "report"] {
        let help = shop.fpgacc(&format!("{command} --help")).success().stdout;
        let options = options_of(&help);
        assert!(options.len() >= 3, "{help}");
        assert_eq!(page(&format!("fpgacc-{command}")), options, "{command}");
    }
    let bash = shop.text("share/bash-completion/completions/fpgacc");
    let proposed = |command: &str| {
        let start = format!("\n        {command})\n");
        let at = bash.find(&start).unwrap_or_else(|| panic!("{command}"));
        let words = bash[at..]
            .lines()
            .find(|line| line.contains("opts=\""))
            .unwrap();
        options_after(words, &[" ", "\""])
    };
    let words = proposed("fpgacc");
    assert!(documented.is_subset(&words), "{words:?}");
    for switch in ["-fndrange-to-loop", "-fno-ndrange-to-loop", "-frestrict"] {
        assert!(words.contains(switch), "{switch}");
    }
    for (command, option) in [
        ("trace", "--trip-counts"),
        ("report", "--html"),
        ("report", "--board"),
    ] {
        let words = proposed(&format!("fpgacc__subcmd__{command}"));
        assert!(words.contains(option), "{command}: {words:?}");
    }
    let fish = shop.text("share/fish/vendor_completions.d/fpgacc.fish");
    for option in &documented {
        let (kind, name) = match option.as_bytes() {
            [b'-', b'-', ..] => ("-l", &option[2..]),
            // A flag for each pass stands for it.
            b"-f" => ("-o", "fno-restrict"),
            [b'-', _] => ("-s", &option[1..]),
            b"-###" => ("-o", "'###'"),
            _ => ("-o", &option[1..]),
        };
        let word = format!(" {kind} {name} ");
        assert!(
            fish.lines().any(|line| line.contains(&word)),
            "fish: {word}"
        );
    }
    let zsh = shop.text("share/zsh/site-functions/_fpgacc");
    for option in &documented {
        let ends = ["[", "+[", "=[", "=-["].map(|end| format!("{option}{end}"));
        assert!(ends.iter().any(|word| zsh.contains(word)), "zsh: {option}");
    }
    // cc's long options have one dash, everywhere.
    for text in [&help, &bash, &zsh, &fish] {
        for wrong in [
            "--std",
            "--MMD",
            "--Rpass",
            "--save-temps",
            "--pthread",
            "--frestrict",
        ] {
            assert!(!text.contains(wrong), "{wrong}");
        }
    }
}

/// The words of a line of a shell's own completion of `fpgacc ..`.
fn completed(shop: &Workshop, line: &str) -> Vec<String> {
    let script = format!(
        "COMP_WORDS=({line}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); . share/bash-completion/completions/fpgacc; \
         _fpgacc \"${{COMP_WORDS[0]}}\" \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    );
    shop.write("complete", script);
    let ran = shop.sh("bash complete").success().stdout;
    ran.lines().map(String::from).collect()
}

#[test]
fn bash_completes_options_values_passes_and_commands() {
    let shop = Workshop::new();
    shop.fpgacc("--generate=share -o share").success();
    assert_eq!(completed(&shop, "fpgacc --verif"), ["--verify"]);
    assert_eq!(completed(&shop, "fpgacc --target em"), ["emulator"]);
    assert_eq!(completed(&shop, "fpgacc -fno-spec"), ["-fno-specialise"]);
    assert_eq!(completed(&shop, "fpgacc trace --trip"), ["--trip-counts"]);
    assert_eq!(completed(&shop, "fpgacc facts sch"), ["schema"]);
    // The loader of bash-completion looks for a file of the command's name.
    let script = ". share/bash-completion/completions/fpgacc++; complete -p fpgacc++";
    let ran = shop.sh(&format!("bash -c '{script}'")).success();
    assert!(ran.stdout.contains("-F _fpgacc "), "{}", ran.stdout);
    assert_eq!(completed(&shop, "fpgacc++ --verif"), ["--verify"]);
}

#[test]
fn fish_completes_options_values_passes_and_commands() {
    let shop = Workshop::new();
    shop.fpgacc("--generate=share -o share").success();
    if shop.sh("command -v fish").code != Some(0) {
        return;
    }
    for (line, expected) in [
        ("fpgacc --verif", "--verify"),
        ("fpgacc host.c kernels.cl --kernel-o", "--kernel-opt"),
        ("fpgacc -fno-spec", "-fno-specialise"),
        ("fpgacc --target em", "emulator"),
        ("fpgacc repo", "report"),
        ("fpgacc report --htm", "--html"),
        ("fpgacc trace --trip", "--trip-counts"),
        ("fpgacc facts sch", "schema"),
        ("fpgacc++ --verif", "--verify"),
    ] {
        let script =
            "for file in share/fish/vendor_completions.d/*; source \\$file; end; complete -C";
        let ran = shop.sh(&format!("fish -c \"{script} '{line}'\"")).success();
        assert_eq!(ran.stderr, "", "{line}");
        let has =
            |shown: &str| shown.trim_end_matches('=').split(['\t', '=']).next() == Some(expected);
        assert!(ran.stdout.lines().any(has), "{line}: {}", ran.stdout);
    }
}

/// A line that zsh completes itself, on a terminal of its own.
const ZSH: &str = r#"zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "fpath=($PWD/share/zsh/site-functions \$fpath); autoload -Uz compinit; compinit -u -D; PS1='> '; print rea''dy"
while zpty -r z out '*ready*'; do [[ $out == *ready* ]] && break; done
zpty -n -w z "$1"$'\t'
for i in {1..100}; do sleep 0.1; zpty -r -t z out && all+=${out//$'\a'/}; [[ $all == *$2* ]] && exit 0; done
print -r -- $all; exit 1
"#;

#[test]
fn zsh_completes_options_values_passes_and_commands() {
    let shop = Workshop::new();
    shop.fpgacc("--generate=share -o share").success();
    if shop.sh("command -v zsh").code != Some(0) {
        return;
    }
    shop.write("complete", ZSH);
    for (line, expected) in [
        ("fpgacc --verif", "--verify"),
        ("fpgacc host.c kernels.cl --kernel-o", "--kernel-opt"),
        ("fpgacc -fno-spec", "-fno-specialise"),
        ("fpgacc repo", "report"),
        ("fpgacc report --htm", "--html"),
        ("fpgacc trace --trip", "--trip-counts"),
        ("fpgacc facts sch", "schema"),
        ("fpgacc++ --verif", "--verify"),
    ] {
        let ran = shop.sh(&format!("zsh complete '{line}' '{expected}'"));
        assert_eq!(ran.code, Some(0), "{line}: {}", ran.stdout);
    }
}

#[test]
fn manual_pages_name_every_variable_and_show_examples() {
    let shop = Workshop::new();
    shop.fpgacc("--generate=share -o share").success();
    let main = shop.text("share/man/man1/fpgacc.1").replace("\\-", "-");
    let docs = fpgacc_tests::book::repository().join("docs");
    let mut named = BTreeSet::new();
    for entry in std::fs::read_dir(docs).unwrap().flatten() {
        if entry
            .path()
            .extension()
            .is_none_or(|extension| extension != "md")
        {
            continue;
        }
        let text = std::fs::read_to_string(entry.path()).unwrap();
        for (at, _) in text.match_indices("FPGACC_") {
            let is_part = |c: char| c.is_ascii_uppercase() || c == '_';
            let end = text[at..].find(|c| !is_part(c)).unwrap_or(text.len() - at);
            named.insert(text[at..at + end].to_string());
        }
    }
    // Where tests find a suite, and how they write what they compare; and no variables.
    for own in [
        "FPGACC_RODINIA",
        "FPGACC_SEED",
        "FPGACC_BATCHES",
        "FPGACC_KILLS",
        // Macros of patched hosts.
        "FPGACC_LOOP",
        "FPGACC_NUMBER",
    ] {
        named.remove(own);
    }
    assert!(named.len() > 8, "{named:?}");
    for name in &named {
        assert!(main.contains(&format!("\\fB{name}\\fR")), "{name}");
    }
    for page in COMMANDS.map(|command| format!("fpgacc-{command}")) {
        let text = shop.text(format!("share/man/man1/{page}.1"));
        for section in [
            "NAME",
            "SYNOPSIS",
            "DESCRIPTION",
            "ENVIRONMENT",
            "EXAMPLES",
            "SEE ALSO",
        ] {
            assert!(
                text.contains(&format!(".SH {section}\n")),
                "{page}: {section}"
            );
        }
        if shop.sh("command -v man").code == Some(0) {
            let ran = shop.sh(&format!(
                "man --warnings -l share/man/man1/{page}.1 >/dev/null"
            ));
            assert_eq!(ran.success().stderr, "", "{page}");
        }
    }
    let page = shop.text("share/man/man1/fpgacc-aoc.1");
    for section in ["SYNOPSIS", "DESCRIPTION", "ENVIRONMENT", "EXAMPLES"] {
        assert!(page.contains(&format!(".SH {section}\n")), "{section}");
    }
}

#[test]
fn shells_and_man_take_what_is_generated() {
    let shop = Workshop::new();
    for (what, check) in [
        ("bash", "bash -n"),
        ("zsh", "zsh -n"),
        ("fish", "fish -n"),
        ("man", "man -l"),
    ] {
        let program = check.split(' ').next().unwrap();
        shop.sh(&format!("fpgacc --generate={what} >it")).success();
        if shop.sh(&format!("command -v {program}")).code == Some(0) {
            let outcome = shop.sh(&format!("{check} it >shown")).success();
            assert_eq!(outcome.stderr, "", "{what}");
        }
    }
}

#[test]
fn versions_and_passes_are_reported() {
    let shop = Workshop::new();
    let version = shop.fpgacc("--version").success().stdout;
    let own = format!("fpgacc {}\n", env!("CARGO_PKG_VERSION"));
    assert!(version.ends_with(&own), "{version}");
    let passes = shop.fpgacc("--print-passes").success().stdout;
    let names: Vec<&str> = passes.lines().filter_map(|l| l.split(' ').next()).collect();
    for name in ["ndrange-to-loop", "restrict", "reduction"] {
        assert!(names.contains(&name), "{passes}");
        assert!(
            passes.lines().all(|line| line.contains("  --kernel-opt=")),
            "{passes}"
        );
    }
}

#[test]
fn doctor_names_what_is_there_and_what_is_missing() {
    let shop = Workshop::new();
    let there = shop.fpgacc("doctor").success().stdout;
    assert!(there.contains("ok       C compiler"), "{there}");
    let elsewhere = shop.sh("OCL_ICD_VENDORS=/nothing fpgacc doctor").stdout;
    let pocl = "-> cannot find PoCL (looked in /nothing, as $OCL_ICD_VENDORS says): install ";
    assert!(elsewhere.contains(pocl), "{elsewhere}");
    let missing = shop.sh("PATH=${PATH%%:*} fpgacc doctor").failure().stdout;
    assert!(missing.contains("missing  C compiler"), "{missing}");
    assert!(
        missing.contains("apt") || missing.contains("Debian package"),
        "{missing}"
    );
}

#[test]
fn stages_are_shown() {
    let shop = program();
    let kernels = shop
        .fpgacc("-fexecution-model=swi --emit=kernels main.c launch.c twice.cl")
        .success()
        .stdout;
    assert!(
        kernels.contains("kernel") && kernels.contains("for ("),
        "{kernels}"
    );
    assert!(kernels.contains("#line 5 \"twice.cl\""), "{kernels}");
    let plain = shop
        .fpgacc("--kernel-opt=0 --emit=kernels main.c launch.c twice.cl")
        .success()
        .stdout;
    assert!(
        plain.contains("get_global_id(0)") && !plain.contains("for ("),
        "{plain}"
    );
    // Passes are switched one by one.
    let without = "-fno-ndrange-to-loop -fno-specialise -fno-work-group-size -fno-alignment \
                   --emit=kernels main.c launch.c twice.cl";
    let without = shop.fpgacc(without).success().stdout;
    assert!(
        without.contains("restrict") && !without.contains("for ("),
        "{without}"
    );
    let only = "--kernel-opt=0 -frestrict --emit=kernels main.c launch.c twice.cl";
    assert_eq!(shop.fpgacc(only).success().stdout, without);
    let host = shop.fpgacc("--emit=host launch.c").success().stdout;
    let original = shop.text("launch.c");
    let changed = original.replace(
        "clEnqueueNDRangeKernel(queue",
        "fpgacc_clEnqueueNDRangeKernel(__FILE__, __LINE__, queue",
    );
    assert_eq!(
        host,
        format!("#include \"fpgacc_rt.h\"\n#line 1 \"launch.c\"\n{changed}")
    );
    let diff = shop.fpgacc("--emit=host-diff launch.c -o patch").success();
    assert_eq!(diff.stdout, "");
    shop.sh("cp launch.c copy.c && patch -s copy.c patch")
        .success();
    assert_eq!(shop.text("copy.c"), host);
    let facts = shop.fpgacc("--emit=facts main.c launch.c").success().stdout;
    assert!(
        facts.starts_with("version: 1\n") && facts.contains("- twice\n"),
        "{facts}"
    );
    let ast = shop.fpgacc("--emit=ast main.c twice.cl").success().stdout;
    assert!(ast.contains("name: \"twice\""), "{ast}");
}

#[test]
fn levels_of_hosts_are_not_levels_of_kernels() {
    let shop = program();
    let kernels = |options: &str| {
        let line = format!("{options} --emit=kernels main.c launch.c twice.cl");
        shop.fpgacc(&line).success().stdout
    };
    let usual = kernels("");
    for level in ["-O0", "-O", "-O1", "-O2", "-O3", "-Os", "-Og", "-Ofast"] {
        assert_eq!(kernels(level), usual, "{level}");
    }
    assert_ne!(kernels("--kernel-opt=0"), usual);
    assert_ne!(kernels("--kernel-opt=0 -O3"), usual);
    let ran = shop.fpgacc("-v -O3 -c launch.c").success().stderr;
    assert!(
        ran.starts_with("fpgacc: hosts -O3, kernels --kernel-opt=2\n"),
        "{ran}"
    );
    assert!(ran.contains(" -O3 "), "{ran}");
}

#[test]
fn facts_that_are_given_do_what_analysed_facts_do() {
    let shop = program();
    shop.sh("fpgacc --emit=facts main.c launch.c >facts.yaml")
        .success();
    let known = shop
        .fpgacc("--emit=kernels main.c launch.c twice.cl")
        .success()
        .stdout;
    let given = shop
        .fpgacc("--emit=kernels facts.yaml twice.cl")
        .success()
        .stdout;
    assert_eq!(given, known);
}

#[test]
fn stages_of_cc_are_those_of_cc() {
    let shop = program();
    let theirs = shop.sh("cc -E -P main.c").success().stdout;
    let ours = shop.fpgacc("-E -Xcc -P main.c").success().stdout;
    let lines = |text: &str| -> Vec<String> {
        let lines = text
            .lines()
            .filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
        lines.map(String::from).collect()
    };
    assert_eq!(lines(&ours), lines(&theirs));
    let kernels = shop.fpgacc("-E twice.cl -DADDED=3").success().stdout;
    assert!(
        kernels.contains("to[i] = (2 * (from[i])) + 3;"),
        "{kernels}"
    );
    assert!(!kernels.contains("#define"), "{kernels}");
    shop.fpgacc("-S main.c -o m.s").success();
    assert!(shop.text("m.s").contains("fpgacc_clBuildProgram"));
    shop.fpgacc("-S twice.cl -DADDED=3").success();
    assert!(shop.text("twice.fpga.cl").contains("3"));
    for (input, output) in [("main.c", "m.s"), ("twice.cl -DADDED=3", "twice.fpga.cl")] {
        let shown = shop.fpgacc(&format!("-S {input} -o -")).success();
        assert_eq!(shown.stdout, shop.text(output), "{input}");
    }
    assert!(!shop.entries().contains(&"-".to_string()));
}

#[test]
fn commands_are_shown_and_with_hashes_not_run() {
    let shop = program();
    let before = shop.entries();
    let shown = shop
        .fpgacc("-### main.c launch.c twice.cl -o app")
        .success();
    assert_eq!(shop.entries(), before);
    let commands: Vec<&str> = shown.stderr.lines().collect();
    assert!(
        commands.iter().all(|line| line.starts_with(' ')),
        "{}",
        shown.stderr
    );
    let last = "fpgacc-aoc '-march=emulator' twice.cl -o app.aocx";
    assert_eq!(commands.last().unwrap().trim(), last);
    shop.fpgacc("-### -c main.c launch.c twice.cl").success();
    assert_eq!(shop.entries(), before);
    let verbose = shop.fpgacc("-v main.c launch.c twice.cl -o app").success();
    assert!(verbose.stderr.contains(" -c -x c "), "{}", verbose.stderr);
    assert!(verbose.stderr.contains(last), "{}", verbose.stderr);
    let quiet = shop.fpgacc("main.c launch.c twice.cl -o app").success();
    assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), ("", ""));
}

#[test]
fn intermediate_files_are_kept_on_request() {
    let shop = program();
    shop.fpgacc("-save-temps main.c launch.c twice.cl -o app")
        .success();
    shop.fpgacc("--save-temps=kept main.c launch.c twice.cl -o app")
        .success();
    for name in [
        "main.fpga.c",
        "launch.fpga.c",
        "twice.fpga.cl",
        "fpgacc_manifest.c",
    ] {
        assert_eq!(shop.text(name), shop.text(format!("kept/{name}")));
    }
    let patched = shop.fpgacc("--emit=host main.c").success().stdout;
    assert_eq!(shop.text("main.fpga.c"), patched);
}

#[test]
fn a_folder_of_sources_builds_without_fpgacc() {
    let shop = program();
    shop.fpgacc("--target=source -DX=1 main.c launch.c twice.cl -o out")
        .success();
    let makefile = shop.text("out/Makefile");
    assert!(makefile.contains("\nAOC = aoc\n"), "{makefile}");
    // From where fpgacc ran, and from elsewhere.
    for (platform, make) in [
        ("intel", "make -j2 -f out/Makefile"),
        ("pocl", "make -j2 -C out"),
    ] {
        let line = format!("--target=source --platform={platform} main.c launch.c twice.cl -o out");
        shop.fpgacc(&line).success();
        shop.sh(&format!("rm -f out/*.o app app.aocx && {make}"))
            .success();
        let outcome = shop.sh("./app").success();
        assert_eq!(
            (outcome.stdout.as_str(), outcome.stderr.as_str()),
            ("PASS\n", "")
        );
    }
}

#[test]
fn colours_are_for_people() {
    let shop = Workshop::new();
    shop.write("k.cl", "kernel void f(global int *a) { a[0] = 1 }\n");
    let is_coloured = |line: &str| shop.sh(line).failure().stderr.contains("\x1b[");
    assert!(!is_coloured("fpgacc -c k.cl"));
    assert!(is_coloured("fpgacc --color=always -c k.cl"));
    assert!(is_coloured("NO_COLOR=1 fpgacc --color=always -c k.cl"));
    assert!(!is_coloured("fpgacc --color=never -c k.cl"));
    // `script` makes a terminal.
    let terminal = |line: &str| shop.sh(&format!("script -qec '{line}' /dev/null")).stdout;
    if shop.sh("command -v script").code == Some(0) {
        assert!(terminal("TERM=xterm fpgacc -c k.cl").contains("\x1b["));
        assert!(!terminal("NO_COLOR=1 TERM=xterm fpgacc -c k.cl").contains("\x1b["));
        assert!(!terminal("TERM=dumb fpgacc -c k.cl").contains("\x1b["));
    }
}

#[test]
fn progress_is_for_people() {
    let shop = program();
    let line = "fpgacc --kernel-opt=3 --search-time=5s --emit=kernels main.c launch.c twice.cl -o k.out.cl";
    let progress = "searching for the best form of a kernel";
    assert_eq!(shop.sh(line).success().stderr, "");
    if shop.sh("command -v script").code != Some(0) {
        return;
    }
    let terminal = |more: &str| {
        let line = format!("script -qec 'stty cols 100; {line} {more}' /dev/null");
        shop.sh(&line).success().stdout
    };
    let shown = terminal("");
    assert!(
        shown.contains(progress) && shown.contains("/ about 5 seconds]"),
        "{shown}"
    );
    assert!(!terminal("--quiet").contains(progress));
}

#[test]
fn remarks_say_what_was_done_and_what_was_not() {
    let shop = program();
    let line = "-Rpass -Rpass-missed -fexecution-model=swi --emit=kernels main.c launch.c twice.cl \
                -o k.out.cl";
    let all = shop.fpgacc(line).success().stderr;
    assert!(
        all.contains("twice.cl:3:13: remark: kernel 'twice': single work-item"),
        "{all}"
    );
    assert!(all.contains("[-Rpass=restrict]"), "{all}");
    let one = shop
        .fpgacc(&line.replace("-Rpass ", "-Rpass=restrict "))
        .success()
        .stderr;
    assert!(
        one.contains("[-Rpass=restrict]") && !one.contains("[-Rpass=ndrange"),
        "{one}"
    );
    let none = shop
        .fpgacc("--emit=kernels main.c launch.c twice.cl -o k.out.cl")
        .success();
    assert_eq!(none.stderr, "");
    let alone = "-Rpass-missed -DADDED=1 --emit=kernels twice.cl -o k.out.cl";
    let alone = shop.fpgacc(alone).success().stderr;
    assert!(alone.contains("[-Rpass-missed=restrict]"), "{alone}");
}

#[test]
fn exit_codes_tell_misuse_from_errors() {
    let shop = program();
    for (line, code) in [
        ("fpgacc --help", 0),
        ("fpgacc -h", 0),
        ("fpgacc --version", 0),
        ("fpgacc -c twice.cl", 0),
        ("fpgacc -c nothing.cl", 1),
        ("fpgacc main.c twice.cl", 1),
        ("fpgacc", 2),
        ("fpgacc --nonsense", 2),
        ("fpgacc --target=moon main.c", 2),
    ] {
        assert_eq!(shop.sh(line).code, Some(code), "{line}");
    }
}

#[test]
fn options_of_other_tools_are_known() {
    let shop = program();
    for (words, code, remedy) in [
        ("-march=emulator main.c", 2, "--target=emulator"),
        ("-march=simulator main.c", 2, "--target=simulator"),
        ("-fp-relaxed main.c", 2, "-Xaoc -fp-relaxed"),
        ("-rtl main.c", 2, "-Xaoc -rtl"),
        ("-cl-mad-enable main.c", 2, "-Xkernel -cl-mad-enable"),
        ("--emit=kernel main.c", 2, "did you mean 'kernels'?"),
        ("--target=emulater main.c", 2, "did you mean 'emulator'?"),
        ("--platform=poc main.c", 2, "did you mean 'pocl'?"),
        ("-fexecution-model=swo main.c", 2, "did you mean 'swi'?"),
        ("--stop-after=restrct main.c", 2, "did you mean 'restrict'?"),
        ("-board=a10_ref main.c", 2, "--board=a10_ref"),
        ("-list-boards", 2, "aoc -list-boards"),
        ("report --htlm main.c", 2, "did you mean '--html'?"),
        ("tune --strategy=randon main.c", 2, "did you mean 'random'?"),
        (
            "check --device=h20 main.c twice.cl",
            1,
            "did you mean 'h200'?",
        ),
        ("check", 2, "fpgacc check host.c kernels.cl"),
        (
            "repot main.c",
            1,
            "did you mean the command `fpgacc report`?",
        ),
        ("main.c twise.cl", 1, "did you mean 'twice.cl'?"),
        (
            "report main.c launch.c",
            1,
            "fpgacc report host.c kernels.cl",
        ),
    ] {
        let ran = shop.fpgacc(words);
        assert_eq!(ran.code, Some(code), "{words}: {}", ran.stderr);
        assert!(ran.stderr.contains(remedy), "{words}: {}", ran.stderr);
    }
    // What is cc's stays cc's.
    shop.fpgacc("-march=x86-64 -ffp-contract=fast -c main.c -o main.o")
        .success();
    // cc's name of --color.
    let ran = shop.fpgacc("-fdiagnostics-color=always -Rpass main.c launch.c twice.cl -o app");
    assert!(ran.success().stderr.contains('\u{1b}'));
    let ran = shop
        .fpgacc("-fdiagnostics-color=always --color=never -Rpass main.c launch.c twice.cl -o app");
    assert!(!ran.success().stderr.contains("\u{1b}[1mremark"));
}

#[test]
fn c_plus_plus_has_many_suffixes() {
    let shop = Workshop::new();
    for suffix in ["cc", "cp", "cxx", "cpp", "c++", "C", "CPP"] {
        let name = format!("host.{suffix}");
        shop.write(
            &name,
            "namespace n { int x; }\nint main() { return n::x; }\n",
        );
        let facts = shop.fpgacc(&format!("--emit=facts {name}")).success();
        assert!(facts.stdout.contains("version: 1"), "{suffix}: {facts:?}");
    }
}
