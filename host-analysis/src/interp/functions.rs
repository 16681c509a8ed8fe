//! What functions of libraries mean to the analysis, one row each. A function that is not here is
//! one of which nothing is known.

use std::sync::LazyLock;

use indexmap::IndexMap;

use crate::number::{IntType, Num};
use crate::syntax::QuickHash;

/// A function of C's, C++'s or the system's libraries.
#[derive(Clone, Copy)]
pub(super) struct Function {
    name: &'static str,
    pub pointers: Pointers,
    pub effect: Effect,
    pub calls: Calls,
    /// The type of the number that it returns, where hosts take numbers from it.
    pub result: Option<Num>,
}

/// What a function does with pointers that it gets.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Pointers {
    Unknown,
    /// It takes all arguments by value, neither changes what they point to nor keeps one.
    Read,
    /// It takes all arguments by value, and changes what they point to.
    Written,
}

/// What is followed of a call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    Unknown,
    /// It does not return.
    Ends,
    /// It may return a second time, with other values of variables.
    Returns,
    /// A number that is read from a text.
    Number,
    /// New memory: of zeros, or not set.
    Allocate {
        zeros: bool,
    },
    Reallocate,
    /// The length of a text.
    Length,
    /// A copy of a text.
    Duplicate,
    /// A number as a text.
    Print,
    /// A string of C++.
    Text,
    /// A file is opened.
    Open,
    /// It reads from a file to where an argument points, which stands first or not, and the file
    /// last or first; its result is this.
    Read {
        to: usize,
        file: usize,
        args: usize,
        result: &'static str,
    },
    /// A date as a text.
    Date,
    /// A line of a stream.
    Line,
    /// Bytes are set: `(to, byte, count)`, or to zero: `(to, count)`.
    SetBytes {
        zero: bool,
    },
    CopyBytes,
    /// A text is written, up to a number of characters or not, after the one that is there or not.
    CopyText {
        bounded: bool,
        after: bool,
    },
    /// A text is formatted; its format stands at this index, and before it how many bytes there is
    /// room for, or not; what is put into it are the arguments after it, or those of a `va_list`.
    Format {
        at: usize,
        list: bool,
    },
    /// A text is formatted into new memory, which the first argument's target points to then.
    NewFormat {
        list: bool,
    },
    /// A function of numbers, by its name for `double`, in single precision or not.
    Math {
        base: &'static str,
        single: bool,
    },
}

/// Which functions a function calls.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Calls {
    None,
    /// Those that it gets, before it returns.
    Now,
    /// Those that it gets, at some time.
    Later,
    /// One that it gets, in a thread, with the arguments from this index on.
    InThread(usize),
    /// It finds functions by their names.
    ByName,
}

const INT: Num = Num::Int(IntType::INT);
const LONG: Num = Num::Int(IntType::LONG);
const SIZE: Num = Num::Int(IntType::SIZE);

/// A function of which nothing is known.
const fn of(name: &'static str) -> Function {
    Function {
        name,
        pointers: Pointers::Unknown,
        effect: Effect::Unknown,
        calls: Calls::None,
        result: None,
    }
}

/// A function that only reads what its arguments point to.
const fn reads(name: &'static str) -> Function {
    Function {
        pointers: Pointers::Read,
        ..of(name)
    }
}

/// A function that changes what its arguments point to.
const fn writes(name: &'static str) -> Function {
    Function {
        pointers: Pointers::Written,
        ..of(name)
    }
}

/// A function of numbers.
const fn math(base: &'static str) -> Function {
    of(base).does(Effect::Math {
        base,
        single: false,
    })
}

/// The one in single precision.
const fn mathf(name: &'static str, base: &'static str) -> Function {
    of(name).does(Effect::Math { base, single: true })
}

impl Function {
    const fn does(self, effect: Effect) -> Function {
        Function { effect, ..self }
    }

    const fn calls(self, calls: Calls) -> Function {
        Function { calls, ..self }
    }

    const fn gives(self, result: Num) -> Function {
        Function {
            result: Some(result),
            ..self
        }
    }
}

const ALLOCATES: Effect = Effect::Allocate { zeros: false };

#[rustfmt::skip]
const FUNCTIONS: &[Function] = &[
    // Output, files.
    reads("printf"),
    reads("fprintf"),
    reads("puts"),
    reads("fputs"),
    reads("putchar"),
    reads("fputc"),
    reads("putc"),
    reads("fwrite"),
    reads("write"),
    reads("perror"),
    reads("fflush"),
    reads("fclose"),
    reads("close"),
    reads("fseek"),
    reads("fseeko"),
    reads("rewind"),
    reads("ftell"),
    reads("ftello"),
    reads("feof"),
    reads("ferror"),
    reads("remove"),
    reads("unlink"),
    reads("access"),
    reads("setbuf"),
    reads("setvbuf"),
    reads("fsync"),
    of("fopen").does(Effect::Open),
    of("fopen64").does(Effect::Open),
    of("open").does(Effect::Open),
    of("fread").does(Effect::Read { to: 0, file: 3, args: 4, result: "the number of elements read from a file" }).gives(SIZE),
    of("read").does(Effect::Read { to: 1, file: 0, args: 3, result: "the number of bytes read from a file" }),
    // NULL at the end of the file.
    of("fgets").does(Effect::Read { to: 0, file: 2, args: 3, result: "whether a line was read" }),
    writes("getline").does(Effect::Line),
    writes("fgetc"),
    writes("getc"),
    writes("getchar"),
    writes("scanf"),
    writes("fscanf"),
    writes("sscanf"),
    writes("stat"),
    writes("fstat"),
    reads("vfprintf"),
    reads("vprintf"),
    // Memory.
    of("malloc").does(ALLOCATES),
    of("calloc").does(Effect::Allocate { zeros: true }),
    of("alloca").does(ALLOCATES),
    of("aligned_alloc").does(ALLOCATES),
    of("valloc").does(ALLOCATES),
    of("memalign").does(ALLOCATES),
    of("realloc").does(Effect::Reallocate),
    writes("posix_memalign"),
    writes("mmap"),
    writes("munmap"),
    reads("free"),
    reads("delete"),
    of("memset").does(Effect::SetBytes { zero: false }),
    of("bzero").does(Effect::SetBytes { zero: true }),
    of("memcpy").does(Effect::CopyBytes),
    of("memmove").does(Effect::CopyBytes),
    reads("memcmp"),
    writes("memchr"),
    // Texts.
    of("strlen").does(Effect::Length).gives(SIZE),
    of("strdup").does(Effect::Duplicate),
    of("strcpy").does(Effect::CopyText { bounded: false, after: false }),
    of("strncpy").does(Effect::CopyText { bounded: true, after: false }),
    of("strcat").does(Effect::CopyText { bounded: false, after: true }),
    of("strncat").does(Effect::CopyText { bounded: true, after: true }),
    of("sprintf").does(Effect::Format { at: 1, list: false }),
    of("snprintf").does(Effect::Format { at: 2, list: false }),
    of("asprintf").does(Effect::NewFormat { list: false }),
    of("vasprintf").does(Effect::NewFormat { list: true }),
    of("vsprintf").does(Effect::Format { at: 1, list: true }),
    of("vsnprintf").does(Effect::Format { at: 2, list: true }),
    of("to_string").does(Effect::Print),
    of("string").does(Effect::Text),
    of("string_view").does(Effect::Text),
    reads("strcmp").gives(INT),
    reads("strncmp").gives(INT),
    reads("strcasecmp"),
    reads("strncasecmp"),
    writes("strtok"),
    writes("strtok_r"),
    reads("isdigit"),
    reads("isspace"),
    reads("isalpha"),
    reads("isalnum"),
    reads("toupper").gives(INT),
    reads("tolower").gives(INT),
    reads("strerror"),
    // Texts to numbers.
    reads("atoi").does(Effect::Number).gives(INT),
    reads("atol").does(Effect::Number).gives(LONG),
    reads("atoll").does(Effect::Number).gives(LONG),
    reads("atof").gives(Num::Double),
    writes("strtol").gives(LONG),
    writes("strtoll").gives(LONG),
    writes("strtoul").gives(SIZE),
    writes("strtoull").gives(SIZE),
    writes("strtod").gives(Num::Double),
    writes("strtof").gives(Num::Float),
    of("stoi").gives(INT),
    of("stol").gives(LONG),
    of("stoll").gives(LONG),
    of("stoul").gives(SIZE),
    of("stoull").gives(SIZE),
    of("stod").gives(Num::Double),
    of("stof").gives(Num::Float),
    // Numbers.
    math("ceil"),
    math("floor"),
    math("round"),
    math("trunc"),
    math("sqrt"),
    math("pow"),
    math("fabs"),
    math("abs"),
    math("labs"),
    math("log"),
    math("log2"),
    math("log10"),
    math("exp"),
    math("fmin"),
    math("fmax"),
    math("min"),
    math("max"),
    math("sin"),
    math("cos"),
    math("tan"),
    mathf("ceilf", "ceil"),
    mathf("floorf", "floor"),
    mathf("roundf", "round"),
    mathf("truncf", "trunc"),
    mathf("sqrtf", "sqrt"),
    mathf("powf", "pow"),
    mathf("fabsf", "fabs"),
    mathf("logf", "log"),
    mathf("log2f", "log2"),
    mathf("expf", "exp"),
    mathf("fminf", "fmin"),
    mathf("fmaxf", "fmax"),
    reads("rand").gives(INT),
    reads("srand"),
    reads("random"),
    reads("srandom"),
    reads("drand48"),
    reads("srand48"),
    // The system, time.
    reads("system"),
    reads("getenv"),
    reads("putenv"),
    reads("setenv"),
    reads("getpid"),
    reads("time"),
    reads("ctime").does(Effect::Date),
    reads("asctime").does(Effect::Date),
    reads("clock"),
    reads("sleep"),
    reads("usleep"),
    reads("omp_get_wtime"),
    reads("omp_get_num_threads"),
    reads("omp_get_thread_num"),
    reads("omp_set_num_threads"),
    reads("omp_get_max_threads"),
    writes("gettimeofday"),
    writes("clock_gettime"),
    writes("times"),
    writes("getrusage"),
    writes("getopt"),
    writes("getopt_long"),
    // Ends and jumps.
    reads("assert"),
    reads("static_assert"),
    of("exit").does(Effect::Ends),
    of("_exit").does(Effect::Ends),
    of("_Exit").does(Effect::Ends),
    of("abort").does(Effect::Ends),
    of("quick_exit").does(Effect::Ends),
    of("terminate").does(Effect::Ends),
    of("longjmp").does(Effect::Ends),
    of("__assert_fail").does(Effect::Ends),
    of("__builtin_unreachable").does(Effect::Ends),
    of("pthread_exit").does(Effect::Ends),
    of("setjmp").does(Effect::Returns),
    of("_setjmp").does(Effect::Returns),
    of("sigsetjmp").does(Effect::Returns),
    of("__sigsetjmp").does(Effect::Returns),
    // Functions that call what they are given.
    writes("qsort").calls(Calls::Now),
    of("qsort_r").calls(Calls::Now),
    of("bsearch").calls(Calls::Now),
    of("lfind").calls(Calls::Now),
    of("lsearch").calls(Calls::Now),
    of("tsearch").calls(Calls::Now),
    of("tfind").calls(Calls::Now),
    of("twalk").calls(Calls::Now),
    of("ftw").calls(Calls::Now),
    of("nftw").calls(Calls::Now),
    of("scandir").calls(Calls::Now),
    of("pthread_once").calls(Calls::Now),
    of("call_once").calls(Calls::Now),
    of("std::call_once").calls(Calls::Now),
    of("clone").calls(Calls::Now),
    of("makecontext").calls(Calls::Now),
    writes("pthread_create").calls(Calls::InThread(3)),
    writes("pthread_join"),
    of("thrd_create").calls(Calls::InThread(2)),
    of("std::thread").calls(Calls::InThread(0)),
    of("std::jthread").calls(Calls::InThread(0)),
    of("std::async").calls(Calls::InThread(0)),
    of("thread").calls(Calls::InThread(0)),
    of("async").calls(Calls::InThread(0)),
    of("signal").calls(Calls::Later),
    of("sigaction").calls(Calls::Later),
    of("sigset").calls(Calls::Later),
    of("timer_create").calls(Calls::Later),
    of("atexit").calls(Calls::Later),
    of("at_quick_exit").calls(Calls::Later),
    of("on_exit").calls(Calls::Later),
    of("pthread_key_create").calls(Calls::Later),
    of("pthread_atfork").calls(Calls::Later),
    of("dlsym").calls(Calls::ByName),
    of("dlvsym").calls(Calls::ByName),
    of("GetProcAddress").calls(Calls::ByName),
];

/// What an OpenCL function that is not followed by its name writes through its arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Writes {
    Nothing,
    /// Through its last argument: the error's code, or an event.
    Last,
    All,
}

/// OpenCL functions by how their names start, the first one that fits: whether they only answer,
/// wait or count references, and what they write.
#[rustfmt::skip]
const OPENCL: &[(&str, bool, Writes)] = &[
    ("clGet", true, Writes::All),
    ("clRelease", true, Writes::Nothing),
    ("clRetain", true, Writes::Nothing),
    ("clWait", true, Writes::Nothing),
    ("clFinish", true, Writes::Nothing),
    ("clFlush", true, Writes::Nothing),
    ("clCreateProgramWithBinary", false, Writes::All),
    ("clCreateSubDevices", false, Writes::All),
    ("clCreate", false, Writes::Last),
    ("clEnqueueRead", false, Writes::All),
    ("clEnqueueMap", false, Writes::All),
    ("clEnqueueNativeKernel", false, Writes::All),
    ("clEnqueueSVM", false, Writes::All),
    ("clEnqueue", false, Writes::Last),
    ("cl", false, Writes::All),
];

static BY_NAME: LazyLock<IndexMap<&str, &Function, QuickHash>> =
    LazyLock::new(|| FUNCTIONS.iter().map(|row| (row.name, row)).collect());

/// The row of a function that is called just so.
fn exact(name: &str) -> Option<&'static Function> {
    BY_NAME.get(name).copied()
}

/// The row of a function, with or without `std::`.
fn row(name: &str) -> Option<&'static Function> {
    exact(name.strip_prefix("std::").unwrap_or(name))
}

/// What is followed of a call of a function.
pub(super) fn effect(name: &str) -> Effect {
    row(name).map_or(Effect::Unknown, |row| row.effect)
}

/// What a function does with pointers.
fn pointers(name: &str) -> Pointers {
    row(name).map_or(Pointers::Unknown, |row| row.pointers)
}

/// Whether a function is one of C's, which takes its arguments by value.
pub(super) fn takes_values(name: &str) -> bool {
    pointers(name) != Pointers::Unknown
}

/// Whether a function neither changes what its arguments point to nor keeps a pointer.
pub(super) fn reads_only(name: &str) -> bool {
    pointers(name) == Pointers::Read
}

/// Whether a function does not return.
pub(super) fn ends_program(name: &str) -> bool {
    effect(name) == Effect::Ends
}

/// Whether a function may return a second time.
pub(super) fn returns_again(name: &str) -> bool {
    exact(name).is_some_and(|row| row.effect == Effect::Returns)
}

/// Whether effects of a function on texts, bytes and files are followed: code that calls it does
/// more than computing.
pub(super) fn has_effect(name: &str) -> bool {
    matches!(
        effect(name),
        Effect::Ends
            | Effect::Open
            | Effect::Read { .. }
            | Effect::Line
            | Effect::SetBytes { .. }
            | Effect::CopyBytes
            | Effect::CopyText { .. }
            | Effect::Format { .. }
    )
}

/// The type of the number that a function returns.
pub(super) fn result_type(name: &str) -> Option<Num> {
    exact(name)?.result
}

fn calls(name: &str) -> Calls {
    exact(name).map_or(Calls::None, |row| row.calls)
}

/// Whether a function calls functions that it is given, now or later.
pub(super) fn calls_back(name: &str) -> bool {
    calls(name) == Calls::Now || calls_later(name)
}

/// Whether a function calls its arguments at times that are not known.
pub(super) fn calls_later(name: &str) -> bool {
    matches!(calls(name), Calls::Later | Calls::InThread(_)) || is_opencl(name)
}

/// The first argument of a function that starts a thread which is passed on to the thread's
/// function, as it is.
pub(super) fn first_passed(name: Option<&str>) -> Option<usize> {
    match calls(name?) {
        Calls::InThread(first) => Some(first),
        _ => None,
    }
}

/// Whether a function finds other functions by their names.
pub(super) fn finds_by_name(name: &str) -> bool {
    calls(name) == Calls::ByName
}

/// Whether a name is that of an OpenCL function.
pub(super) fn is_opencl(name: &str) -> bool {
    let rest = name.strip_prefix("cl").unwrap_or_default();
    rest.starts_with(|c: char| c.is_ascii_uppercase())
}

fn opencl(name: &str) -> Option<&'static (&'static str, bool, Writes)> {
    OPENCL.iter().find(|(start, ..)| name.starts_with(start))
}

/// Whether a call of an OpenCL function does nothing but write what it was asked for, wait or
/// count references.
pub(super) fn asks_only(name: &str) -> bool {
    opencl(name).is_some_and(|row| row.1)
}

/// What an OpenCL function writes through its arguments.
pub(super) fn opencl_writes(name: &str) -> Writes {
    opencl(name).map_or(Writes::All, |row| row.2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_function_has_one_row() {
        assert_eq!(BY_NAME.len(), FUNCTIONS.len());
    }

    #[test]
    fn functions_of_the_standard_namespace_are_those_of_c() {
        assert!(reads_only("std::printf") && reads_only("printf"));
        assert!(ends_program("std::exit") && !ends_program("atexit"));
        assert_eq!(first_passed(Some("std::thread")), Some(0));
        assert!(!takes_values("own::printf"));
    }
}
