//! `fpgacc tune`: the fastest variant is found, kept as facts that builds take, and found again after any end.

use std::time::Duration;

use fpgacc_tests::command::{Outcome, Workshop, implementations};

/// The host computes with both kernels, once; PoCL is at hand everywhere.
const HOST: &str = include_str!("../fixture/tune.c");
const KERNELS: &str = include_str!("../fixture/tune.cl");
/// Three forms of one of the kernels.
const SPACE: &str = "version: 1\nparameters:\n- {name: scale.form, values: [ndrange, swi]}\n\
                     - {name: scale.coarsen, values: [1, 4]}\n";

fn shop() -> Workshop {
    let shop = Workshop::new();
    shop.write("tune.c", HOST);
    shop.write("tune.cl", KERNELS);
    shop.write("space.yaml", SPACE);
    shop
}

fn tune(shop: &Workshop, words: &str) -> Outcome {
    shop.fpgacc(&format!(
        "tune --platform=pocl --runs=1 --run-off=7 tune.c tune.cl {words}"
    ))
}

/// The whole lines of all journals that say what came of a point.
fn trials(shop: &Workshop) -> Vec<String> {
    let files = std::fs::read_dir(shop.path("fpgacc-tune/journals"));
    let texts = files
        .into_iter()
        .flatten()
        .flatten()
        .map(|file| std::fs::read_to_string(file.path()).unwrap());
    let lines = texts.flat_map(|text| {
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        whole
            .lines()
            .skip(1)
            .map(str::to_string)
            .collect::<Vec<_>>()
    });
    lines.filter(|line| line.contains("\"outcome\"")).collect()
}

/// The points of trials, in order.
fn points(trials: &[String]) -> Vec<&str> {
    let mut points: Vec<&str> = trials
        .iter()
        .map(|line| line.split(",\"outcome\"").next().unwrap())
        .collect();
    points.sort_unstable();
    points
}

#[test]
fn the_fastest_variant_is_built_from_its_facts() {
    let shop = shop();
    let words = "--strategy=exhaustive --space=space.yaml -o tuned.yaml -- 4096";
    let output = tune(&shop, words).success();
    assert!(
        output
            .stdout
            .starts_with("3 builds measured; 4 variants of 2 kernels\nfastest: "),
        "{}",
        output.stdout
    );
    assert_eq!(trials(&shop).len(), 3);
    let facts = shop.text("tuned.yaml");
    assert!(
        facts.contains("device: pocl\n  kernels:\n    copy:"),
        "{facts}"
    );
    // The facts decide, whatever was the fastest here.
    shop.write(
        "mine.yaml",
        "version: 1\ntuned: [{device: pocl, kernels: {scale: {form: ndrange, coarsen: '0:4'}}}]\n",
    );
    let build = "--platform=pocl tune.c tune.cl --facts";
    let kernels = shop
        .fpgacc(&format!("--emit=kernels {build} mine.yaml"))
        .success()
        .stdout;
    assert!(kernels.contains("4 work-items"), "{kernels}");
    shop.fpgacc(&format!("{build} mine.yaml -o app")).success();
    assert_eq!(shop.sh("./app 4096").success().stdout, "right\n");
    // Another device's are left out.
    shop.write("other.yaml", facts.replace("device: pocl", "device: a10"));
    let output = shop
        .fpgacc(&format!("--emit=kernels {build} other.yaml"))
        .success();
    assert!(
        output
            .stderr
            .contains("facts that were tuned on 'a10' are left out"),
        "{}",
        output.stderr
    );
}

#[test]
fn what_was_measured_is_not_measured_again() {
    let shop = shop();
    let words = "--strategy=exhaustive --space=space.yaml --jobs=2";
    tune(&shop, &format!("{words} --budget=2 -- 4096")).success();
    let before = trials(&shop);
    assert_eq!(before.len(), 2);
    // A torn line counts for nothing.
    shop.sh("printf '{\"point\":{\"scale.fo' >>fpgacc-tune/journals/0001.jsonl")
        .success();
    tune(&shop, &format!("{words} -- 4096")).success();
    let after = shop
        .sh("cat fpgacc-tune/journals/0002.jsonl")
        .success()
        .stdout;
    let outcomes = after.lines().filter(|line| line.contains("\"outcome\""));
    assert_eq!(outcomes.count(), 1, "{after}");
    let output = tune(&shop, &format!("{words} -- 4096")).success();
    assert!(
        output.stdout.starts_with("3 builds measured"),
        "{}",
        output.stdout
    );
    assert!(!shop.path("fpgacc-tune/journals/0003.jsonl").exists());
    // Another program's results are no use.
    let output = tune(&shop, &format!("{words} -- 8192")).failure();
    assert!(
        output.stderr.contains("the folder of another search"),
        "{}",
        output.stderr
    );
}

#[test]
fn two_searches_at_once_share_the_work() {
    let shop = shop();
    let space = "version: 1\nparameters:\n- {name: scale.form, values: [ndrange, swi]}\n\
                 - {name: scale.coarsen, values: [1, 2, 4, 8]}\n";
    shop.write("all.yaml", space);
    let words = "tune --platform=pocl --runs=1 --run-off=7 --quiet tune.c tune.cl --space=all.yaml \
                 --strategy=exhaustive -- 4096";
    let start = || {
        let mut command = shop.command(fpgacc_tests::command::built().join("fpgacc"));
        command
            .args(words.split(' ').filter(|word| !word.is_empty()))
            .spawn()
            .unwrap()
    };
    let mut both = [start(), start()];
    assert!(both.iter_mut().all(|child| child.wait().unwrap().success()));
    let mut all = trials(&shop);
    let tried = points(&all).len();
    all.sort();
    let mut distinct = points(&all);
    distinct.dedup();
    assert_eq!(distinct.len(), tried, "measured twice: {all:?}");
    assert_eq!(tried, 5);
    let of = |number: &str| {
        let text = shop.text(format!("fpgacc-tune/journals/{number}.jsonl"));
        text.lines()
            .filter(|line| line.contains("\"outcome\""))
            .count()
    };
    let (first, second) = (of("0001"), of("0002"));
    assert!(first > 0 && second > 0, "{first} and {second}");
}

/// Six loops, lanes and units: far more combinations than can be looked at.
const LARGE: &str = "__kernel void scale(__global int *a)
{
    int i = get_global_id(0), sum = 0;
    for (int j = 0; j < 16; j++)
        sum += j * i;
    for (int j = 0; j < 16; j++)
        sum ^= j + i;
    for (int j = 0; j < 16; j++)
        sum += j & i;
    for (int j = 0; j < 16; j++)
        sum ^= j | i;
    a[i] = 3 * a[i] + 0 * sum;
}

__kernel void copy(__global const int *a, __global int *b)
{
    int i = get_global_id(0);
    b[i] = a[i];
}
";

#[test]
fn a_space_that_is_too_large_is_searched_in_part_and_says_so() {
    let shop = shop();
    shop.write("tune.cl", LARGE);
    stand_in(&shop);
    let aoc = shop.path("aoc/aoc").display().to_string();
    let tune = format!(
        "tune --target=hardware --board=de5a-net --aoc={aoc} --runs=1 --run-off=7 --budget=4 tune.c tune.cl -- 4096"
    );
    let output = shop.fpgacc(&tune).success();
    assert!(
        output
            .stderr
            .contains("warning: 'scale' has more than 20000 combinations: "),
        "{}",
        output.stderr
    );
    assert!(
        output.stdout.contains("of more that there are"),
        "{}",
        output.stdout
    );
    let tried = trials(&shop).len();
    assert!((2..=4).contains(&tried), "{tried}");
}

/// What stands in for aoc.
fn stand_in(shop: &Workshop) {
    shop.write(
        "aoc/aoc",
        include_bytes!("../../aoc-wrappers/tests/stand-in/aoc"),
    );
    shop.write("aoc/version", "19.4\n");
    shop.write("aoc/mode", "ok\n");
    shop.sh("chmod +x aoc/aoc").success();
}

#[test]
fn a_program_that_fails_is_not_tuned() {
    let shop = shop();
    let output = tune(&shop, "--space=space.yaml -- nothing").failure();
    assert!(
        output.stderr.contains("cannot be measured as it is: "),
        "{}",
        output.stderr
    );
    let output = shop
        .fpgacc("tune --platform=intel tune.c tune.cl -- 4096")
        .failure();
    assert!(
        output.stderr.contains("an emulator's times say nothing"),
        "{}",
        output.stderr
    );
}

#[test]
fn aoc_builds_variants_for_boards() {
    let shop = shop();
    stand_in(&shop);
    let aoc = shop.path("aoc/aoc").display().to_string();
    let words = "--target=hardware --board=de5a-net --strategy=exhaustive --space=space.yaml";
    // What the stand-in builds runs here: times of kernels alone, since nothing builds the original ones.
    let tune = format!(
        "tune {words} --aoc={aoc} --runs=1 --run-off=7 -o tuned.yaml tune.c tune.cl -- 4096"
    );
    let output = shop.fpgacc(&tune).success();
    assert!(
        output.stdout.starts_with("3 builds measured"),
        "{}",
        output.stdout
    );
    assert!(
        !output.stdout.contains("as fast as the original"),
        "{}",
        output.stdout
    );
    assert!(shop.text("tuned.yaml").contains("device: de5a-net"));
    let built = shop.sh("ls fpgacc-tune/points/*/app.aocx").success();
    assert_eq!(built.stdout.lines().count(), 3, "{}", built.stdout);
    // The best of them with two seeds more.
    shop.write(
        "seeds.yaml",
        "version: 1\nparameters: [{name: aoc.seed, values: [0, 3, 4]}]\n",
    );
    let tune = tune
        .replace("space.yaml", "seeds.yaml")
        .replace("--runs=1", "--runs=1 --folder=seeds");
    let output = shop.fpgacc(&tune).success();
    assert!(
        output.stdout.starts_with("3 builds measured"),
        "{}",
        output.stdout
    );
    let facts = shop.sh("cat seeds/points/*/tuned.yaml").success().stdout;
    assert!(
        facts.contains("-seed=3") && facts.contains("-seed=4"),
        "{facts}"
    );
    let space = shop.fpgacc("tune --show-space --target=hardware tune.c tune.cl");
    let space = space.success().stdout;
    assert!(
        space.contains("scale.simd") && space.contains("scale.compute_units"),
        "{space}"
    );
}

#[test]
fn faults_of_spaces_are_reported_with_their_place() {
    let shop = shop();
    for (text, expected) in [
        (
            "version: 1\nparameters:\n- {name: scale.frm, values: [swi]}\n",
            "space.yaml:3:10: error: there is no parameter 'scale.frm'",
        ),
        (
            "version: 1\nparameters:\n- {name: scale.form, values: [fast]}\n",
            "space.yaml:3:10: error: 'scale.form' cannot be fast",
        ),
        (
            "version: 1\nparameters:\n- {nam: scale.form}\n",
            "space.yaml:3:",
        ),
        (
            "version: 7\nparameters: []\n",
            "space.yaml:1:1: error: a space of version 7, not 1",
        ),
    ] {
        shop.write("space.yaml", text);
        let output = tune(&shop, "--space=space.yaml -- 4096").failure();
        assert!(output.stderr.contains(expected), "{}", output.stderr);
    }
    let output = shop.fpgacc("tune tune.c tune.cl --run-off=6");
    assert!(
        output
            .stderr
            .contains("--run-off: 6 rounds cannot show that anything is faster"),
        "{}",
        output.stderr
    );
    let output = shop.fpgacc("tune tune.c tune.cl --runs=0");
    assert_eq!(output.code, Some(2));
    assert!(
        output
            .stderr
            .contains("--runs: '0' is no number of at least 1"),
        "{}",
        output.stderr
    );
}

/// `FPGACC_KILLS=100` kills more often.
#[test]
fn killed_at_any_moment_it_ends_with_the_same_and_measures_nothing_twice() {
    let kills = std::env::var("FPGACC_KILLS")
        .ok()
        .and_then(|text| text.parse().ok());
    let kills: u64 = kills.unwrap_or(6);
    let words = "tune --platform=pocl --runs=1 --run-off=7 --quiet tune.c tune.cl --space=all.yaml --strategy=exhaustive -- 4096";
    let space = "version: 1\nparameters:\n- {name: scale.form, values: [ndrange, swi]}\n\
                 - {name: scale.coarsen, values: [1, 2, 4, 8]}\n";
    let shop = shop();
    shop.write("all.yaml", space);
    let mut random = fpgacc_tests::random::Random::new(7);
    let mut done = 0;
    for _ in 0..kills {
        let mut command = shop.command(fpgacc_tests::command::built().join("fpgacc"));
        let mut child = command.args(words.split(' ')).spawn().unwrap();
        // Most of these moments lie in a build or a run; the later ones let something be done.
        std::thread::sleep(Duration::from_millis(50 + random.below(900) as u64));
        child.kill().unwrap();
        child.wait().unwrap();
        let now = trials(&shop).len();
        assert!(now >= done, "{now} trials are left of {done}");
        done = now;
    }
    shop.fpgacc(words).success();
    let whole = self::shop();
    whole.write("all.yaml", space);
    whole.fpgacc(words).success();
    assert_eq!(points(&trials(&shop)), points(&trials(&whole)));
    assert_eq!(trials(&whole).len(), 5);
}

/// What stands in for Slurm: `sbatch` runs the tasks of an array one after the other, beside its caller.
const SBATCH: &str = "#!/bin/sh
for word; do case $word in --array=0-*) last=${word#--array=0-} ;; esac; script=$word; done
echo \"$@\" >>sbatch.log
(for at in $(seq 0 $last); do
    echo 7_$at >>waiting
    SLURM_ARRAY_TASK_ID=$at sh $script
done; rm -f waiting) >/dev/null 2>&1 &
sleep 0.3
echo 7
";

#[test]
fn builds_can_be_jobs_of_a_cluster() {
    let shop = shop();
    shop.write("bin/sbatch", SBATCH);
    shop.write("bin/squeue", "#!/bin/sh\ncat waiting 2>/dev/null || true\n");
    shop.sh("chmod +x bin/*").success();
    let line = "PATH=$PWD/bin:$PATH fpgacc tune --platform=pocl --runs=1 --quiet --jobs=4 --strategy=exhaustive \
                '--slurm=--mem=2G --time=1:00:00' --space=space.yaml tune.c tune.cl -- 4096";
    let output = shop.sh(line).success();
    assert!(
        output.stdout.starts_with("3 builds measured"),
        "{}",
        output.stdout
    );
    let asked = shop.text("sbatch.log");
    assert_eq!(asked.lines().count(), 2, "{asked}");
    assert!(
        asked.contains("--array=0-1 --mem=2G --time=1:00:00 "),
        "{asked}"
    );
    assert!(
        shop.sh("cat fpgacc-tune/points/*/slurm-job")
            .success()
            .stdout
            .contains("7_1")
    );
    // Nothing is left to build.
    shop.sh(line).success();
    assert_eq!(shop.text("sbatch.log"), asked);
    shop.write(
        "bin/sbatch",
        "#!/bin/sh\necho no such partition >&2; exit 1\n",
    );
    shop.sh("rm -r fpgacc-tune").success();
    let output = shop.sh(line).failure();
    assert!(
        output.stderr.contains("no such partition"),
        "{}",
        output.stderr
    );
}

/// Work-items are merged in work-groups that the host does not ask for, on both implementations.
#[test]
fn facts_give_work_groups_and_merge_their_work_items() {
    let shop = shop();
    let host = HOST.replace("argc > 1 ? strtoul(argv[1], NULL, 10) : 0", "4096");
    // The host's own work-groups cannot be merged.
    let host = host.replace("size_t local = 64", "size_t local = 1");
    shop.write("tune.c", host);
    for (name, _) in implementations() {
        let facts = format!(
            "version: 1\ntuned: [{{device: {name}, kernels: {{scale: {{form: ndrange, coarsen: '0:4:local', local: 32x1}}, \
             copy: {{form: ndrange, vectorise: 8, local: 128x1}}}}}}]\n"
        );
        shop.write("mine.yaml", facts);
        shop.fpgacc(&format!(
            "-w --platform={name} tune.c tune.cl --facts mine.yaml -o app"
        ))
        .success();
        let ran = shop.sh("FPGACC_VERBOSE=1 ./app").success();
        assert_eq!(ran.stdout, "right\n");
        for said in [
            "`scale` launched with 4 work-items as one in dimension 0, with the local size 32 in place of the host's",
            "`copy` launched with 8 work-items as one in dimension 0, with the local size 128 in place of the host's",
        ] {
            assert!(ran.stderr.contains(said), "{}", ran.stderr);
        }
    }
    let space = shop
        .fpgacc("tune --platform=pocl --show-space tune.c tune.cl")
        .success()
        .stdout;
    // What only other work-groups allow is tried.
    for parameter in [
        "scale.coarsen",
        "scale.coarsen.stride",
        "scale.vectorise",
        "scale.local",
    ] {
        assert!(space.contains(&format!("name: {parameter}\n")), "{space}");
    }
}
