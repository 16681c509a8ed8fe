use super::*;

fn cc() -> Compiler {
    Compiler::find_in(Language::C, None, std::env::var_os("PATH").as_deref()).unwrap()
}

fn sections(object: &Path) -> String {
    let output = Command::new("readelf")
        .args(["-SW"])
        .arg(object)
        .capture()
        .unwrap();
    output.stdout_text()
}

#[test]
fn takes_the_compiler_and_arguments_from_the_environment() {
    let found = Compiler::find_in(Language::C, Some(OsStr::new("/bin/sh -c 'a b'")), None).unwrap();
    assert_eq!(found.command().line(), "/bin/sh -c 'a b'");
    let error = Compiler::find_in(Language::Cxx, Some(OsStr::new("'c++")), None).unwrap_err();
    assert!(error.to_string().contains("unbalanced quotes"), "{error}");
}

#[test]
fn names_the_package_of_a_missing_compiler() {
    let empty = tempfile::tempdir().unwrap();
    let error = Compiler::find_in(Language::Cxx, None, Some(empty.path().as_os_str()))
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "cannot find a C++ compiler (tried c++, g++, clang++): install the Debian package \
         `g++`, or name one in $CXX"
    );
}

#[test]
fn preprocesses_a_kernel_text_under_its_own_name() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("size.h"), "#define SIZE 7\n").unwrap();
    let path = folder.path().join("k.cl");
    let text = "#include \"size.h\"\nint a[SIZE + N]; // __FILE__\nconstant char *f = __FILE__;\n";
    let made = cc()
        .preprocess_kernel(
            Source {
                path: &path,
                text: Some(text.as_bytes()),
            },
            &["N=3".into()],
            &[],
            &[],
        )
        .unwrap();
    let shown = path.to_string_lossy();
    assert!(made.text.contains("int a[7 + 3];"), "{}", made.text);
    assert!(made.text.contains("#define SIZE 7"), "{}", made.text);
    assert!(
        made.text.contains(&format!("*f = \"{shown}\"")),
        "{}",
        made.text
    );
    assert!(!made.text.contains("__linux__"), "{}", made.text);
    let markers = made.text.lines().filter(|line| line.starts_with("# "));
    for marker in markers.filter(|line| !line.contains('<')) {
        assert!(
            marker.contains(&*folder.path().to_string_lossy()),
            "temporary name in {marker}"
        );
    }
    // The marker before the second line must give it its number.
    assert!(
        made.text.contains(&format!("# 2 \"{shown}\" 2\n")),
        "{}",
        made.text
    );
}

#[test]
fn a_header_of_the_working_folder_does_not_shadow_the_sources_own() {
    let folder = tempfile::tempdir().unwrap();
    let sub = folder.path().join("sub");
    fs::create_dir(&sub).unwrap();
    fs::write(folder.path().join("x.h"), "#define WHO wrong\n").unwrap();
    fs::write(sub.join("x.h"), "#define WHO right\n").unwrap();
    let input = Input::new(Source {
        path: Path::new("sub/k.cl"),
        text: Some(b"#include \"x.h\"\nWHO\n"),
    })
    .unwrap();
    let command = cc()
        .command()
        .args(input.quote_flags())
        .args(["-E", "-x", "c"])
        .arg(input.path())
        .dir(folder.path());
    assert!(
        command
            .capture()
            .unwrap()
            .stdout_text()
            .contains("\nright\n")
    );
}

#[test]
fn gives_the_compilers_own_messages_with_the_users_names() {
    let error = cc()
        .preprocess_kernel(
            Source {
                path: Path::new("sub/k.cl"),
                text: Some(b"\n#error no \"way\"\n"),
            },
            &[],
            &[],
            &[],
        )
        .unwrap_err();
    let diagnostics = error.diagnostics().unwrap();
    assert!(
        diagnostics.starts_with("sub/k.cl:2:2: error: #error no \"way\""),
        "{diagnostics}"
    );
}

#[test]
fn compiles_a_patched_text_to_the_same_bytes_each_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("host.c");
    fs::write(folder.path().join("v.h"), "#define V 42\n").unwrap();
    let text = "#include \"v.h\"\nconst char *f = __FILE__; int v(void) { return V; }\n";
    let source = Source {
        path: &path,
        text: Some(text.as_bytes()),
    };
    let flags = ["-g".into(), "-O1".into()];
    let [a, b] = ["a.o", "b.o"].map(|name| {
        let object = folder.path().join(name);
        cc().compile(source, &flags, &object).unwrap();
        fs::read(object).unwrap()
    });
    assert!(a == b);
    let temporary = std::env::temp_dir().join("fpgacc-");
    let needle = temporary.as_os_str().as_encoded_bytes().to_vec();
    assert!(!a.windows(needle.len()).any(|window| window == needle));
}

#[test]
fn files_beside_the_object_stay_there() {
    let folder = tempfile::tempdir().unwrap();
    let object = folder.path().join("host.o");
    let source = Source {
        path: Path::new("host.c"),
        text: Some(b"int v(void) { return 1; }\n"),
    };
    cc().compile(source, &["--coverage".into()], &object)
        .unwrap();
    assert!(object.is_file() && folder.path().join("host.gcno").is_file());
}

#[test]
fn a_failed_compilation_leaves_the_old_object() {
    let folder = tempfile::tempdir().unwrap();
    let object = folder.path().join("host.o");
    fs::write(&object, "old").unwrap();
    let error = cc()
        .compile(
            Source {
                path: Path::new("host.c"),
                text: Some(b"int v = ;\n"),
            },
            &[],
            &object,
        )
        .unwrap_err();
    assert!(
        error
            .diagnostics()
            .unwrap()
            .starts_with("host.c:1:9: error"),
        "{error:?}"
    );
    assert_eq!(fs::read(&object).unwrap(), b"old");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn data_travels_in_objects_and_not_into_executables() {
    let folder = tempfile::tempdir().unwrap();
    let [host, data, app] = ["host.o", "data.o", "app"].map(|name| folder.path().join(name));
    let source = Source {
        path: Path::new("host.c"),
        text: Some(b"int main(void) { return 0; }\n"),
    };
    cc().compile(source, &[], &host).unwrap();
    attach_section(&host, ".fpgacc.facts", b"first").unwrap();
    attach_section(&host, ".fpgacc.facts", b"second").unwrap();
    cc().data_object(".fpgacc.kernels", b"kernels", &data)
        .unwrap();
    assert_eq!(sections(&host).matches(".fpgacc.facts").count(), 1);
    assert!(sections(&data).contains(".fpgacc.kernels"));
    cc().link(&[host.clone().into(), data.into()], &app)
        .unwrap();
    assert!(!sections(&app).contains("fpgacc"), "{}", sections(&app));
    assert!(Command::new(&app).capture().unwrap().status.success());
    let object = fs::read(&host).unwrap();
    assert!(object.windows(6).any(|window| window == b"second"));
}

#[test]
fn compilers_of_cxx_have_siblings() {
    for (named, c) in [
        ("g++", "gcc"),
        (
            "/opt/bin/aarch64-linux-gnu-g++-12 -O1",
            "/opt/bin/aarch64-linux-gnu-gcc-12 -O1",
        ),
        ("ccache clang++", "ccache clang"),
        ("c++", "cc"),
    ] {
        assert!(names_cxx(OsStr::new(named)), "{named}");
        assert_eq!(as_c_compiler(OsStr::new(named)), c);
    }
    for named in ["gcc -Wno-c++-compat", "cc", "", "fpgacc++"] {
        assert!(!names_cxx(OsStr::new(named)), "{named}");
        assert_eq!(as_c_compiler(OsStr::new(named)), named);
    }
}
