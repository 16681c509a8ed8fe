//! The programs in `examples/`: each gives what it gives without fpgacc, and the table of what fpgacc
//! does with them is what comes out.

use std::fmt::Write;

use fpgacc_tests::book;
use fpgacc_tests::command::{Workshop, implementations};
use serde_json::Value;

/// An example.
struct Example {
    folder: &'static str,
    /// The host, with its suffix.
    host: &'static str,
    /// The kernels' file without its suffix, and the program.
    name: &'static str,
    /// What it computes.
    what: &'static str,
}

const FIRST: Example = example("first", "nn.c", "nn", "the nearest of many places");
const BLUR: Example = example("image-filter", "blur.c", "blur", "a filter of 5 x 5 pixels");
const SCAN: Example = example("scan", "scan.cpp", "scan", "prefix sums, in blocks");
const MATMUL: Example = example(
    "matrix-multiplication",
    "matmul.c",
    "matmul",
    "a product of matrices, in tiles",
);
const N_BODY: Example = example(
    "n-body",
    "nbody.cpp",
    "nbody",
    "bodies that attract each other",
);
const HISTOGRAM: Example = example(
    "histogram",
    "histogram.c",
    "histogram",
    "counts of bytes, with atomics",
);
const STENCIL: Example = example(
    "stencil",
    "heat.cpp",
    "heat",
    "heat on a plate, step by step",
);

const fn example(
    folder: &'static str,
    host: &'static str,
    name: &'static str,
    what: &'static str,
) -> Example {
    Example {
        folder,
        host,
        name,
        what,
    }
}

/// Builds and runs an example without fpgacc and with it, and once more with all single work-items
/// that there can be.
fn is_the_same(example: &Example) {
    let shop = Workshop::new();
    let Example {
        folder, host, name, ..
    } = example;
    book::copy(&shop, &format!("examples/{folder}"));
    let compiler = match host.ends_with(".c") {
        true => "cc -Wall -Wextra -Werror",
        false => "c++ -Wall -Wextra -Werror",
    };
    let cd = format!("cd examples/{folder} &&");
    let [_, (_, intel)] = implementations();
    shop.sh(&format!("{cd} {compiler} {host} -o plain -lOpenCL"))
        .success();
    let plain = shop.sh(&format!("{cd} {intel} ./plain")).success().stdout;
    assert!(!plain.is_empty());
    let built = shop.sh(&format!("{cd} fpgacc {host} {name}.cl -o {name}"));
    assert_eq!(built.success().stderr, "", "{folder}");
    let output = shop
        .sh(&format!("{cd} FPGACC_VERBOSE=1 ./{name}"))
        .success();
    assert_eq!(output.stdout, plain, "{folder}");
    assert!(
        output.stderr.contains("loaded"),
        "{folder}: {}",
        output.stderr
    );
    let swi = format!("{cd} fpgacc -fexecution-model=swi --strict-fp {host} {name}.cl -o swi");
    shop.sh(&swi).success();
    let output = shop.sh(&format!("{cd} FPGACC_VERBOSE=1 ./swi")).success();
    assert_eq!(output.stdout, plain, "{folder}");
    let is_task = output.stderr.contains("as one work-item");
    assert!(is_task, "{folder}: {}", output.stderr);
}

#[test]
fn the_first_example_is_the_same() {
    is_the_same(&FIRST);
}

#[test]
fn the_image_filter_is_the_same() {
    is_the_same(&BLUR);
}

#[test]
fn the_scan_is_the_same() {
    is_the_same(&SCAN);
}

#[test]
fn the_matrix_multiplication_is_the_same() {
    is_the_same(&MATMUL);
}

#[test]
fn the_bodies_are_the_same() {
    is_the_same(&N_BODY);
}

#[test]
fn the_histogram_is_the_same() {
    is_the_same(&HISTOGRAM);
}

#[test]
fn the_stencil_is_the_same() {
    is_the_same(&STENCIL);
}

/// What the report says of the kernels of an example at a level: the form that each gets, and how much less time
/// all of them take.
fn gained(shop: &Workshop, example: &Example, level: u8) -> (String, f64) {
    let line = format!(
        "cd examples/{} && fpgacc report --json --kernel-opt={level} {} {}.cl",
        example.folder, example.host, example.name
    );
    let report = shop.sh(&line).success().stdout;
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let kernels = report["programs"][0]["kernels"].as_array();
    let kernels = kernels.expect("kernels");
    let mut forms = Vec::new();
    let [mut as_it_is, mut chosen] = [0.0, 0.0];
    for kernel in kernels {
        let seconds = |at: usize| {
            let seconds = &kernel["candidates"][at]["seconds"]["value"];
            seconds.as_f64().expect("a number")
        };
        let at = kernel["chosen"].as_u64().expect("a number") as usize;
        as_it_is += seconds(0);
        chosen += seconds(at);
        let label = kernel["candidates"][at]["label"].as_str();
        let name = kernel["name"].as_str().expect("a name");
        forms.push(format!("`{name}`: {}", label.expect("a label")));
    }
    (forms.join("; "), as_it_is / chosen)
}

fn row(example: &Example) -> String {
    let shop = Workshop::new();
    let Example {
        folder, host, what, ..
    } = example;
    book::copy(&shop, &format!("examples/{folder}"));
    let (_, usual) = gained(&shop, example, 2);
    let (forms, search) = gained(&shop, example, 3);
    format!(
        "| [`{folder}`]({folder}) | [`{host}`]({folder}/{host}) | {what} | {usual:.1}x | {search:.1}x | {forms} |\n"
    )
}

#[test]
fn the_table_is_what_comes_out() {
    let mut table = String::from(
        "| folder | host | what it computes | speed | with `--kernel-opt=3` | what its kernels become there |\n\
         |---|---|---|--:|--:|---|\n",
    );
    for example in [FIRST, BLUR, SCAN, MATMUL, N_BODY, HISTOGRAM, STENCIL] {
        let _ = write!(table, "{}", row(&example));
    }
    book::check_table("examples/README.md", "examples", &table);
}
