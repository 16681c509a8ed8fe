//! `--measured`: times of forms that were measured, and what they say of others.

use std::fmt::Write;

use fpgacc_tests::command::Workshop;
use serde_json::Value;

/// Kernels of one kind; nothing is known of their launches.
fn workshop() -> Workshop {
    let shop = Workshop::new();
    let mut kernels = String::new();
    for (name, size) in [("a", 20), ("b", 40), ("c", 80), ("d", 160)] {
        let _ = writeln!(
            kernels,
            "__kernel void {name}(__global const float *restrict in, __global float *restrict out) {{\n  \
               int i = get_global_id(0);\n  float x = in[i];\n  for (int j = 0; j < {size}; j++)\n    \
               x = x * 0.5f + in[j];\n  out[i] = x;\n}}"
        );
    }
    shop.write("k.cl", kernels);
    shop
}

fn report(shop: &Workshop, options: &str) -> Value {
    let command = format!("report --json k.cl {options}");
    serde_json::from_str(&shop.fpgacc(&command).success().stdout).expect("JSON")
}

/// Of forms: label, seconds, where these come from.
type Forms = Vec<(String, f64, String)>;

/// Each kernel's forms.
fn forms(report: &Value) -> Vec<(String, Forms)> {
    let kernels = report["programs"][0]["kernels"]
        .as_array()
        .expect("kernels");
    let form = |form: &Value| {
        let text = |key: &str| form[key].as_str().expect("text").to_string();
        (
            text("label"),
            form["seconds"]["value"].as_f64().unwrap(),
            text("origin"),
        )
    };
    let kernel = |kernel: &Value| {
        let forms = kernel["candidates"].as_array().expect("forms");
        let name = kernel["name"].as_str().expect("a name").to_string();
        (name, forms.iter().map(form).collect())
    };
    kernels.iter().map(kernel).collect()
}

/// A file in which forms of these kernels take this factor of what is predicted.
fn measured(shop: &Workshop, kernels: &[&str], factor: impl Fn(&str, &str) -> f64) {
    let mut text = String::from("kernel,form,ms\n");
    for (name, forms) in forms(&report(shop, "")) {
        for (label, seconds, _) in forms.iter().filter(|_| kernels.contains(&name.as_str())) {
            let ms = seconds * 1e3 * factor(&name, label);
            let _ = writeln!(text, "{name},\"{label}\",{ms}");
        }
    }
    shop.write("times.csv", text);
}

fn of_family(_: &str, label: &str) -> f64 {
    if label.starts_with("NDRange") {
        5.0
    } else {
        1.5
    }
}

#[test]
fn what_is_measured_of_some_kernels_corrects_others() {
    let shop = workshop();
    let predicted = forms(&report(&shop, ""));
    measured(&shop, &["a", "b", "c"], of_family);
    let with = report(&shop, "--measured times.csv");
    let learned = &with["programs"][0]["learned"];
    assert_eq!(learned["is_used"], true, "{learned}");
    assert_eq!(learned["left_out"], "kernel");
    let factor = |key: &str| learned[key].as_f64().unwrap();
    assert!(
        factor("corrected") < 1.3 && factor("predicted") > 1.4,
        "{learned}"
    );
    for ((name, before), (_, after)) in predicted.iter().zip(forms(&with)) {
        for ((label, old, _), (_, new, origin)) in before.iter().zip(after) {
            let is_known = name != "d";
            assert_eq!(origin, if is_known { "measured" } else { "corrected" });
            let off = new / (old * of_family(name, label));
            let most = if is_known { 1.001 } else { 1.35 };
            assert!((1.0 / most..most).contains(&off), "{name} {label}: {off}");
        }
    }
    // The total is that of the times that count.
    let total = |report: &Value| {
        report["programs"][0]["total"]["seconds"]["value"]
            .as_f64()
            .unwrap()
    };
    assert!(total(&with) > 1.2 * total(&report(&shop, "")));
}

#[test]
fn the_choice_follows_what_was_measured() {
    let shop = workshop();
    let chosen = |report: &Value| {
        let kernel = &report["programs"][0]["kernels"][0];
        let at = kernel["chosen"].as_u64().unwrap() as usize;
        kernel["candidates"][at]["label"]
            .as_str()
            .unwrap()
            .to_string()
    };
    let before = chosen(&report(&shop, ""));
    measured(
        &shop,
        &["a"],
        |_, label| if label == before { 50.0 } else { 1.0 },
    );
    let after = chosen(&report(&shop, "--measured times.csv"));
    assert_ne!(before, after);
    // Builds take what reports say.
    let text = |options: &str| {
        let command = format!("-S k.cl {options} -o -");
        shop.fpgacc(&command).success().stdout
    };
    assert_ne!(text(""), text("--measured times.csv"));
}

#[test]
fn errors_without_order_and_few_times_correct_nothing() {
    let shop = workshop();
    let origins = |report: &Value| -> Vec<String> {
        let forms = forms(report).into_iter().flat_map(|(_, forms)| forms);
        forms.map(|(_, _, origin)| origin).collect()
    };
    measured(&shop, &["a"], |_, label| {
        // No two of them alike.
        [0.3, 3.0, 0.9, 1.1][label.len() % 4]
    });
    let with = report(&shop, "--measured times.csv");
    let is_corrected = origins(&with).contains(&"corrected".to_string());
    assert_eq!(with["programs"][0]["learned"]["is_used"], is_corrected);
    shop.write(
        "times.csv",
        "kernel,form,ms\na,\"NDRange, as it is\",3\na,\"NDRange, as it is\",5\n",
    );
    let with = report(&shop, "--measured times.csv");
    assert_eq!(with["programs"][0]["learned"]["predicted"], Value::Null);
    let counted = |origin: &str| origins(&with).iter().filter(|one| *one == origin).count();
    assert_eq!((counted("measured"), counted("corrected")), (1, 0));
    // Of several times of a form, the middle.
    assert_eq!(forms(&with)[0].1[0].1, 4e-3);
    let output = shop.fpgacc("report k.cl --measured times.csv");
    let output = output.success().stdout;
    assert!(
        output.contains("NDRange, as it is (measured; predicted:"),
        "{output}"
    );
    assert!(
        output.contains("measured: 1 form of 1 kernel; too few"),
        "{output}"
    );
}
