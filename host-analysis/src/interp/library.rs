//! Functions of the C and C++ libraries.

use super::call::Arg;
use super::lvalue::Target;
use super::{Code, Interp};
use crate::arith;
use crate::number::Num;
use crate::syntax::ast::ExprId;
use crate::text::Text;
use crate::value::{Sym, Val};

/// Functions that neither change what their arguments point to nor keep a pointer.
const READERS: &[&str] = &[
    "printf",
    "fprintf",
    "puts",
    "fputs",
    "putchar",
    "fputc",
    "putc",
    "fwrite",
    "write",
    "perror",
    "fflush",
    "free",
    "delete",
    "fclose",
    "close",
    "fseek",
    "fseeko",
    "rewind",
    "ftell",
    "ftello",
    "feof",
    "ferror",
    "strcmp",
    "strncmp",
    "strcasecmp",
    "strncasecmp",
    "memcmp",
    "atoi",
    "atol",
    "atoll",
    "atof",
    "remove",
    "unlink",
    "system",
    "getenv",
    "access",
    "rand",
    "srand",
    "time",
    "clock",
    "sleep",
    "usleep",
    "isdigit",
    "isspace",
    "isalpha",
    "isalnum",
    "toupper",
    "tolower",
    "random",
    "srandom",
    "drand48",
    "srand48",
    "omp_get_wtime",
    "omp_get_num_threads",
    "omp_get_thread_num",
    "omp_set_num_threads",
    "omp_get_max_threads",
    "assert",
    "static_assert",
    "setbuf",
    "fsync",
    "getpid",
    "strerror",
    "setvbuf",
    "putenv",
    "setenv",
];

/// Functions that change what pointers point to, but take all arguments by value.
const WRITERS: &[&str] = &[
    "scanf",
    "fscanf",
    "sscanf",
    "gettimeofday",
    "clock_gettime",
    "strtol",
    "strtoul",
    "strtod",
    "strtof",
    "strtoll",
    "strtoull",
    "qsort",
    "pthread_create",
    "pthread_join",
    "stat",
    "fstat",
    "getopt",
    "getopt_long",
    "memchr",
    "strtok",
    "strtok_r",
    "vsprintf",
    "vsnprintf",
    "vfprintf",
    "vprintf",
    "fgetc",
    "getc",
    "getchar",
    "getline",
    "times",
    "getrusage",
    "mmap",
    "munmap",
    "posix_memalign",
];

/// Whether a function is one of C's, which takes its arguments by value.
pub(super) fn takes_values(name: &str) -> bool {
    let name = name.strip_prefix("std::").unwrap_or(name);
    READERS.contains(&name) || WRITERS.contains(&name)
}

/// Whether a function neither changes what its arguments point to nor keeps a pointer.
pub(super) fn reads_only(name: &str) -> bool {
    READERS.contains(&name.strip_prefix("std::").unwrap_or(name))
}

/// Whether a function does not return.
pub(super) fn ends_program(name: &str) -> bool {
    let name = name.strip_prefix("std::").unwrap_or(name);
    matches!(
        name,
        "exit"
            | "_exit"
            | "_Exit"
            | "abort"
            | "quick_exit"
            | "terminate"
            | "longjmp"
            | "__assert_fail"
            | "__builtin_unreachable"
            | "pthread_exit"
    )
}

impl<'a> Interp<'a> {
    /// A function of the library; nothing if it is not known.
    pub(super) fn library(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        name: &str,
        args: &[Arg<'a>],
    ) -> Option<Val> {
        let name = name.strip_prefix("std::").unwrap_or(name);
        // `min<size_t>`
        let name = name.split_once('<').map_or(name, |(name, _)| name);
        if ends_program(name) {
            self.values(args);
            self.state.reachable = false;
            return Some(Val::Unset);
        }
        if READERS.contains(&name) {
            let values = self.values(args);
            if let ("atoi" | "atol" | "atoll", [text]) = (name, &values[..])
                && let Some(number) = self
                    .chars_of(text)
                    .and_then(|t| t.trim().parse::<i32>().ok())
            {
                return Some(Val::int(i128::from(number)));
            }
            return Some(self.result(code, id, "the result of a function of the library"));
        }
        if name.starts_with("istreambuf_iterator") || name.starts_with("istream_iterator") {
            let values = self.values(args);
            return Some(values.into_iter().next().unwrap_or(Val::Unset));
        }
        if let Some(value) = self.memory_function(code, id, name, args) {
            return Some(value);
        }
        if let Some(value) = self.string_function(code, id, name, args) {
            return Some(value);
        }
        self.math(code, name, args)
    }

    fn memory_function(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        name: &str,
        args: &[Arg<'a>],
    ) -> Option<Val> {
        let site = code.site(code.ast().expr(id).span);
        match name {
            "malloc" | "calloc" | "alloca" | "aligned_alloc" | "valloc" | "memalign" => {
                self.values(args);
                let place = self.heap(site);
                let content = if name == "calloc" {
                    Val::Zero
                } else {
                    Val::Unset
                };
                self.state.set(&place, content);
                Some(Val::Pointer(place.index(0)))
            }
            "realloc" => {
                let values = self.values(args);
                Some(match values.into_iter().next() {
                    Some(Val::Null) | None => {
                        let place = self.heap(site);
                        self.state.set(&place, Val::Unset);
                        Val::Pointer(place.index(0))
                    }
                    Some(old) => old,
                })
            }
            "memset" | "bzero" => Some(self.set_bytes(name, args)),
            "memcpy" | "memmove" => Some(self.copy_bytes(args)),
            "fopen" | "fopen64" | "open" => {
                let values = self.values(args);
                Some(match values.first() {
                    Some(first) => self.opened(first),
                    None => Val::Unset,
                })
            }
            "fread" => {
                let values = self.values(args);
                if let [to, _, _, file] = &values[..] {
                    self.read_into(to, file);
                }
                Some(self.result(code, id, "the number of elements read from a file"))
            }
            "read" => {
                let values = self.values(args);
                if let [file, to, _] = &values[..] {
                    self.read_into(to, file);
                }
                Some(self.result(code, id, "the number of bytes read from a file"))
            }
            "fgets" => {
                let values = self.values(args);
                if let [to, _, file] = &values[..] {
                    self.read_into(to, file);
                }
                // NULL at the end of the file.
                Some(self.result(code, id, "whether a line was read"))
            }
            "getline" if args.len() == 2 => {
                let file = self.eval(&args[0].0, args[0].1);
                if let Target::Place(place) = self.plain_target(&args[1].0, args[1].1) {
                    match file {
                        Val::File(name) => self.put(&place, Val::text(Text::file(&name))),
                        _ => self.set_unknown(&place, "a line of a stream"),
                    }
                }
                Some(self.result(code, id, "whether a line was read"))
            }
            _ => None,
        }
    }

    fn string_function(
        &mut self,
        code: &Code<'a>,
        id: ExprId,
        name: &str,
        args: &[Arg<'a>],
    ) -> Option<Val> {
        match name {
            "strlen" => {
                let values = self.values(args);
                let known = values.first().and_then(|v| self.chars_of(v));
                Some(match known {
                    Some(chars) => Val::size(chars.len() as i128),
                    None => self.result(code, id, "the length of a string"),
                })
            }
            "strdup" => {
                let values = self.values(args);
                let text = values.first().and_then(|v| self.text_of(v));
                Some(match text {
                    Some(text) => Val::Text(text),
                    None => Val::unknown("a copy of a string that is not followed"),
                })
            }
            "strcpy" | "strncpy" | "strcat" | "strncat" => {
                let values = self.values(args);
                let [to, from, ..] = &values[..] else {
                    return Some(Val::Unset);
                };
                let mut text = self.text_of(from).map(|t| (*t).clone());
                if name.starts_with("strn") {
                    let most = values.get(2).and_then(Val::as_int);
                    text = text.zip(most).and_then(|(text, most)| {
                        let len = text.chars()?.len() as i128;
                        (len < most || name == "strncat" && len == most).then_some(text)
                    });
                }
                if name.ends_with("cat") {
                    let before = self.text_of(to).map(|t| (*t).clone());
                    text = before.zip(text).map(|(mut before, text)| {
                        before.append(&text);
                        before
                    });
                }
                self.write_text(to, text);
                Some(to.clone())
            }
            "sprintf" | "snprintf" => {
                let values = self.values(args);
                let skip = if name == "sprintf" { 1 } else { 2 };
                let to = values.first()?.clone();
                let format = values.get(skip).and_then(|v| self.chars_of(v));
                let rest = values.get(skip + 1..).unwrap_or_default();
                let mut text = format.and_then(|f| self.formatted(&f, rest));
                if name == "snprintf" {
                    let room = values.get(1).and_then(Val::as_int);
                    let fits = |t: &Text| {
                        let len = t.chars().map(|c| c.len() as i128);
                        len.zip(room).is_some_and(|(len, room)| len < room)
                    };
                    text = text.filter(fits);
                }
                self.write_text(&to, text);
                Some(self.result(code, id, "the length of a formatted string"))
            }
            "to_string" => {
                let values = self.values(args);
                Some(match values.first() {
                    Some(Val::Int(v, _)) => Val::text(Text::literal(&v.to_string(), None)),
                    _ => Val::unknown("a number as a string"),
                })
            }
            "string" => {
                let values = self.values(args);
                let text = match &values[..] {
                    [] => Some(std::rc::Rc::new(Text::default())),
                    [one] => self.text_of(one),
                    [Val::File(name), _] => Some(std::rc::Rc::new(Text::file(name))),
                    _ => None,
                };
                Some(match text {
                    Some(text) => Val::Text(text),
                    None => Val::unknown("a string that is not followed"),
                })
            }
            _ => None,
        }
    }

    /// What printf writes; nothing if some of it is not known.
    fn formatted(&self, format: &str, values: &[Val]) -> Option<Text> {
        let mut text = Text::default();
        let mut values = values.iter();
        let mut rest = format;
        while let Some(at) = rest.find('%') {
            text.append(&Text::literal(&rest[..at], None));
            let spec = &rest[at + 1..];
            let end =
                spec.find(|c: char| c.is_ascii_alphabetic() && !"hlzjtL".contains(c) || c == '%')?;
            let conversion = spec[end..].chars().next()?;
            let flags = spec[..end].trim_end_matches(['h', 'l', 'z', 'j', 't', 'L']);
            rest = &spec[end + 1..];
            let piece = match conversion {
                '%' => Text::literal("%", None),
                's' if flags.is_empty() => (*self.text_of(values.next()?)?).clone(),
                'c' if flags.is_empty() => {
                    let byte = u8::try_from(values.next()?.as_int()?).ok()?;
                    Text::literal(&(byte as char).to_string(), None)
                }
                'd' | 'i' | 'u' | 'x' => {
                    let value = values.next()?.as_int()?;
                    if value < 0 && conversion != 'd' && conversion != 'i' {
                        return None;
                    }
                    let digits = match conversion {
                        'x' => format!("{value:x}"),
                        _ => value.to_string(),
                    };
                    Text::literal(&padded(&digits, flags)?, None)
                }
                'f' => {
                    let value = self.as_double(values.next()?)?;
                    let precision = match flags.strip_prefix('.') {
                        Some(digits) => digits.parse().ok()?,
                        None if flags.is_empty() => 6,
                        None => return None,
                    };
                    Text::literal(&format!("{value:.precision$}"), None)
                }
                _ => return None,
            };
            text.append(&piece);
        }
        text.append(&Text::literal(rest, None));
        Some(text)
    }

    fn math(&mut self, code: &Code<'a>, name: &str, args: &[Arg<'a>]) -> Option<Val> {
        let single = name.ends_with('f')
            && matches!(
                name,
                "ceilf"
                    | "floorf"
                    | "roundf"
                    | "sqrtf"
                    | "powf"
                    | "fabsf"
                    | "logf"
                    | "log2f"
                    | "fminf"
                    | "fmaxf"
                    | "truncf"
                    | "expf"
            );
        let base = if single {
            &name[..name.len() - 1]
        } else {
            name
        };
        let known = matches!(
            base,
            "ceil"
                | "floor"
                | "round"
                | "trunc"
                | "sqrt"
                | "pow"
                | "fabs"
                | "abs"
                | "labs"
                | "log"
                | "log2"
                | "log10"
                | "exp"
                | "fmin"
                | "fmax"
                | "min"
                | "max"
                | "sin"
                | "cos"
                | "tan"
        );
        if !known || !(1..=2).contains(&args.len()) {
            return None;
        }
        let values = self.values(args);
        let mut all = vec![Vec::new()];
        for value in &values {
            // Of alternatives, each.
            let longer = |known: &Vec<Val>| {
                let known = known.clone();
                let each = value.alternatives().iter();
                each.map(move |v| [known.clone(), vec![v.clone()]].concat())
                    .collect::<Vec<_>>()
            };
            all = all.iter().flat_map(longer).collect();
        }
        let cpp = self.program.is_cpp(code);
        all.into_iter()
            .map(|values| match folded(base, single, cpp, &values) {
                Some(value) => value,
                None => self.symbolic_call(name, base, single, &values),
            })
            .reduce(|a, b| a.join(&b))
    }

    fn symbolic_call(&mut self, name: &str, base: &str, single: bool, values: &[Val]) -> Val {
        let mut ty = match base {
            "min" | "max" | "abs" | "labs" => None,
            _ if single => Some(Num::Float),
            _ => Some(Num::Double),
        };
        for value in values {
            match value {
                Val::Sym(sym) if matches!(base, "min" | "max") => ty = sym.ty,
                Val::Unknown(_) => return value.clone(),
                Val::Sym(_) | Val::Int(..) | Val::Float(_) | Val::Double(_) => {}
                _ => return Val::unknown(format!("the result of `{name}`")),
            }
        }
        Sym::call(name, base, values, ty)
    }
}

fn padded(digits: &str, flags: &str) -> Option<String> {
    if flags.is_empty() {
        return Some(digits.to_string());
    }
    let zero = flags.starts_with('0');
    let width: usize = flags.parse().ok()?;
    let fill = if zero { '0' } else { ' ' };
    let missing = width.saturating_sub(digits.len()).min(64);
    if zero && digits.starts_with('-') {
        return None;
    }
    Some(fill.to_string().repeat(missing) + digits)
}

/// A function of numbers on constants.
fn folded(base: &str, single: bool, cpp: bool, values: &[Val]) -> Option<Val> {
    use crate::syntax::ast::BinaryOp;
    if let ("min" | "max", [a, b]) = (base, values) {
        let less = arith::binary(BinaryOp::Lt, a, b).truth()?;
        return Some(if less == (base == "min") {
            a.clone()
        } else {
            b.clone()
        });
    }
    if let ("abs" | "labs", [Val::Int(v, ty)]) = (base, values) {
        return Some(Val::Int(v.abs(), *ty));
    }
    let numbers: Option<Vec<f64>> = values
        .iter()
        .map(|v| v.convert(Num::Double).number())
        .collect();
    let numbers = numbers?;
    let result = match (base, &numbers[..]) {
        ("ceil", [x]) => x.ceil(),
        ("floor", [x]) => x.floor(),
        ("round", [x]) => x.round(),
        ("trunc", [x]) => x.trunc(),
        ("sqrt", [x]) => x.sqrt(),
        ("fabs", [x]) => x.abs(),
        ("abs", [x]) if cpp => x.abs(),
        ("pow", [x, y]) if y.fract() == 0.0 && y.abs() < 64.0 => exact_power(*x, *y as i32)?,
        ("log2", [x])
            if *x >= 1.0 && *x < 1e15 && (*x as u64).is_power_of_two() && x.fract() == 0.0 =>
        {
            f64::from((*x as u64).trailing_zeros())
        }
        ("fmin", [x, y]) => x.min(*y),
        ("fmax", [x, y]) => x.max(*y),
        _ => return None,
    };
    let argument_single = matches!(values[0], Val::Float(_));
    Some(match single || cpp && argument_single {
        true => Val::Float(f64::from(result as f32)),
        false => Val::Double(result),
    })
}

/// A power whose value is an integer without rounding.
fn exact_power(base: f64, exponent: i32) -> Option<f64> {
    const EXACT: f64 = 9e15;
    let power = base.abs().powi(exponent);
    let exact = base.fract() == 0.0 && exponent >= 0 && power < EXACT;
    exact.then(|| base.powi(exponent))
}
