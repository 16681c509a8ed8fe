//! Running other programs: the one place that starts processes.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::scratch::{Attached, Running};

/// How often a program that is being written is tried to start, and how long is waited between.
const BUSY_TRIES: u32 = 100;
const BUSY_PAUSE: Duration = Duration::from_millis(10);

/// A program that could not be run to its end. A program that ran and failed is no
/// [`ProcessError`]: its [`Status`] says so.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// There is no such program.
    #[error("cannot find the program {}", .0.display())]
    NotFound(PathBuf),
    /// The file may not be executed.
    #[error("cannot execute {}: permission denied", .0.display())]
    NotExecutable(PathBuf),
    /// The system refused to start it, or its output could not be read.
    #[error("cannot run {}: {source}", .program.display())]
    Io {
        /// The program.
        program: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// It did not end in time and was killed.
    #[error("{} did not answer within {} s", .program.display(), .limit.as_secs())]
    TimedOut {
        /// The program.
        program: PathBuf,
        /// How long it was given.
        limit: Duration,
    },
    /// It wrote more than [`Command::at_most`] allows and was killed.
    #[error("{} wrote more than {limit} bytes", .program.display())]
    TooMuch {
        /// The program.
        program: PathBuf,
        /// How much it was allowed to write, in bytes.
        limit: usize,
        /// The first so many bytes of it.
        start: Vec<u8>,
    },
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It returned this exit code.
    Code(i32),
    /// This signal killed it.
    Signal(i32),
}

impl Status {
    /// Whether it ended with exit code 0.
    pub fn success(self) -> bool {
        self == Status::Code(0)
    }

    /// The exit code to hand on: the program's own, or 128 + signal as shells do.
    pub fn code(self) -> i32 {
        match self {
            Status::Code(code) => code,
            Status::Signal(signal) => 128 + signal,
        }
    }

    fn of(status: ExitStatus) -> Self {
        match status.code() {
            Some(code) => Status::Code(code),
            None => Status::Signal(status.signal().unwrap_or(0)),
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Status::Code(code) => write!(f, "exit code {code}"),
            Status::Signal(signal) => match signal_name(signal) {
                Some(name) => write!(f, "killed by signal {signal} ({name})"),
                None => write!(f, "killed by signal {signal}"),
            },
        }
    }
}

/// What the user knows a signal by; those that compilers die of.
fn signal_name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        1 => "SIGHUP, hang-up",
        2 => "SIGINT, interrupted",
        3 => "SIGQUIT, quit",
        4 => "SIGILL, illegal instruction",
        6 => "SIGABRT, aborted",
        7 => "SIGBUS, bus error",
        8 => "SIGFPE, arithmetic error",
        9 => "SIGKILL, killed; often for want of memory",
        11 => "SIGSEGV, segmentation fault",
        13 => "SIGPIPE, broken pipe",
        15 => "SIGTERM, terminated",
        24 => "SIGXCPU, CPU time limit",
        25 => "SIGXFSZ, file size limit",
        _ => return None,
    })
}

/// What a program wrote, and how it ended.
#[derive(Clone, Debug)]
pub struct Captured {
    /// How it ended.
    pub status: Status,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: Vec<u8>,
}

impl Captured {
    /// Standard output as text; bytes that are not UTF-8 become U+FFFD.
    pub fn stdout_text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Standard error as text; bytes that are not UTF-8 become U+FFFD.
    pub fn stderr_text(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }
}

/// Whether each command is printed before it runs; see [`trace`].
static TRACE: AtomicBool = AtomicBool::new(false);

/// From now on each command is printed on standard error before it runs (`-v`).
pub fn trace() {
    TRACE.store(true, Ordering::Relaxed);
}

/// Whether commands that make something are only printed; see [`dry_run`].
static DRY: AtomicBool = AtomicBool::new(false);

/// From now on commands that make something are printed instead of run (`-###`). Those that only
/// ask, such as the preprocessor, still run: what comes next depends on them.
pub fn dry_run() {
    DRY.store(true, Ordering::Relaxed);
}

/// Whether [`dry_run`] was called.
pub fn is_dry() -> bool {
    DRY.load(Ordering::Relaxed)
}

/// Lets the programs that are run have huge pages: an allocator that takes none itself turns them off for the
/// whole process, and children inherit that.
pub fn leave_huge_pages_to_children() {
    let off: libc::c_ulong = 0;
    // SAFETY: the call takes numbers only.
    unsafe {
        libc::prctl(libc::PR_SET_THP_DISABLE, off, off, off, off);
    }
}

/// A command to run: program, arguments, working folder, environment, input.
///
/// Standard input is empty unless [`Command::stdin`] gives it something: no tool of a compiler
/// waits for the keyboard.
#[derive(Clone, Debug)]
pub struct Command {
    program: PathBuf,
    args: Vec<OsString>,
    dir: Option<PathBuf>,
    env: Vec<(OsString, Option<OsString>)>,
    stdin: Vec<u8>,
    limit: Option<Duration>,
    at_most: Option<usize>,
    silent: bool,
}

impl Command {
    /// A command without arguments.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Command {
            program: program.into(),
            args: Vec::new(),
            dir: None,
            env: Vec::new(),
            stdin: Vec::new(),
            limit: None,
            at_most: None,
            silent: false,
        }
    }

    /// Adds an argument.
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds arguments.
    pub fn args<T: Into<OsString>>(mut self, args: impl IntoIterator<Item = T>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets the working folder.
    pub fn dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.dir = Some(dir.into());
        self
    }

    /// Sets an environment variable.
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), Some(value.into())));
        self
    }

    /// Sets environment variables.
    pub fn envs(
        self,
        variables: impl IntoIterator<Item = (impl Into<OsString>, impl Into<OsString>)>,
    ) -> Self {
        let set = |command: Self, (name, value)| command.env(name, value);
        variables.into_iter().fold(self, set)
    }

    /// Unsets an environment variable.
    pub fn env_remove(mut self, name: impl Into<OsString>) -> Self {
        self.env.push((name.into(), None));
        self
    }

    /// Gives it standard input.
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    /// Kills it when it takes longer than this. Obeyed by [`Command::capture`].
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Does not print it, whatever [`trace`] says: it is fpgacc's own business.
    pub fn silent(mut self) -> Self {
        self.silent = true;
        self
    }

    /// Bounds what it may write to standard output, in bytes, where [`Command::capture`] keeps it.
    pub fn at_most(mut self, bytes: usize) -> Self {
        self.at_most = Some(bytes);
        self
    }

    /// Prints it as [`trace`] does, without running it.
    pub fn show(&self) {
        let mut line = std::io::stderr().lock();
        // A closed standard error is no reason to fail.
        let _ = writeln!(line, " {}", self.line());
    }

    /// The program.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// The command as one would type it in a shell; for `-v` and `-###`.
    pub fn line(&self) -> String {
        std::iter::once(self.program.as_os_str())
            .chain(self.args.iter().map(OsString::as_os_str))
            .map(quoted)
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Runs it and keeps what it writes.
    pub fn capture(&self) -> Result<Captured, ProcessError> {
        if let Some(limit) = self.at_most {
            return self.capture_at_most(limit);
        }
        let expression = self.expression().stdout_capture().stderr_capture();
        let handle = self.started(|| expression.start())?;
        let _running = Running::new(handle.pids());
        let output = match self.limit {
            None => handle.wait().map_err(|e| self.error(e))?.clone(),
            Some(limit) => match handle.wait_timeout(limit).map_err(|e| self.error(e))? {
                Some(output) => output.clone(),
                None => {
                    handle.kill().map_err(|e| self.error(e))?;
                    return Err(ProcessError::TimedOut {
                        program: self.program.clone(),
                        limit,
                    });
                }
            },
        };
        Ok(Captured {
            status: Status::of(output.status),
            stdout: output.stdout,
            stderr: output.stderr,
        })
    }

    fn capture_at_most(&self, limit: usize) -> Result<Captured, ProcessError> {
        let expression = self.expression().stderr_capture();
        let handle = self.started(|| expression.reader())?;
        let _running = Running::new(handle.pids());
        let mut stdout = Vec::new();
        let read = (&handle).take(limit as u64 + 1).read_to_end(&mut stdout);
        read.map_err(|e| self.error(e))?;
        if stdout.len() > limit {
            handle.kill().map_err(|e| self.error(e))?;
            stdout.truncate(limit);
            return Err(ProcessError::TooMuch {
                program: self.program.clone(),
                limit,
                start: stdout,
            });
        }
        let output = self.ended(&handle)?;
        Ok(Captured {
            status: Status::of(output.status),
            stdout,
            stderr: output.stderr.clone(),
        })
    }

    /// How a process ended whose output was read to the end: it is waited for then.
    fn ended<'a>(
        &self,
        handle: &'a duct::ReaderHandle,
    ) -> Result<&'a std::process::Output, ProcessError> {
        let output = handle.try_wait().map_err(|e| self.error(e))?;
        output.ok_or_else(|| self.error(io::Error::other("it closed its output but goes on")))
    }

    /// Runs it and hands on each line that it writes, standard output and standard error in the
    /// order in which they come, without the line's end.
    pub fn stream(&self, mut line: impl FnMut(&str)) -> Result<Status, ProcessError> {
        let expression = self.expression().stderr_to_stdout();
        let handle = self.started(|| expression.reader())?;
        let _running = Running::new(handle.pids());
        let mut reader = BufReader::new(&handle);
        let mut bytes = Vec::new();
        while reader
            .read_until(b'\n', &mut bytes)
            .map_err(|e| self.error(e))?
            > 0
        {
            while matches!(bytes.last(), Some(b'\n' | b'\r')) {
                bytes.pop();
            }
            line(&String::from_utf8_lossy(&bytes));
            bytes.clear();
        }
        Ok(Status::of(self.ended(&handle)?.status))
    }

    /// Runs it as the user would: with this program's standard input, output and error. An interrupt
    /// from the keyboard does not end this program, but what it does to the other.
    pub fn attached(&self) -> Result<Status, ProcessError> {
        let _attached = Attached::new();
        let expression = self.with_environment(self.command_itself());
        let handle = self.started(|| expression.start())?;
        let _running = Running::new(handle.pids());
        let output = handle.wait().map_err(|e| self.error(e))?;
        Ok(Status::of(output.status))
    }

    fn command_itself(&self) -> duct::Expression {
        if TRACE.load(Ordering::Relaxed) && !self.silent {
            self.show();
        }
        // As text, not as a path: duct takes a path without a slash for a file in this folder.
        duct::cmd(self.program.as_os_str(), &self.args).unchecked()
    }

    fn expression(&self) -> duct::Expression {
        let expression = self.command_itself();
        self.with_environment(match self.stdin.is_empty() {
            true => expression.stdin_null(),
            false => expression.stdin_bytes(self.stdin.clone()),
        })
    }

    fn with_environment(&self, mut expression: duct::Expression) -> duct::Expression {
        if let Some(dir) = &self.dir {
            expression = expression.dir(dir);
        }
        // Of two settings of one variable duct obeys the first; here the last one counts.
        for (name, value) in self.env.iter().rev() {
            expression = match value {
                Some(value) => expression.env(name, value),
                None => expression.env_remove(name),
            };
        }
        expression
    }

    /// Starts it. A program that was just written may still be open in a process that was forked at that
    /// moment and has not become another program yet: it is not executable until then.
    fn started<T>(&self, start: impl Fn() -> io::Result<T>) -> Result<T, ProcessError> {
        for _ in 0..BUSY_TRIES {
            match start() {
                Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => {
                    std::thread::sleep(BUSY_PAUSE);
                }
                result => return result.map_err(|e| self.error(e)),
            }
        }
        start().map_err(|e| self.error(e))
    }

    fn error(&self, source: io::Error) -> ProcessError {
        let program = self.program.clone();
        match source.kind() {
            io::ErrorKind::NotFound => ProcessError::NotFound(program),
            io::ErrorKind::PermissionDenied => ProcessError::NotExecutable(program),
            _ => ProcessError::Io { program, source },
        }
    }
}

/// A word as a shell reads it back.
pub fn quoted(word: &OsStr) -> String {
    let text = word.to_string_lossy();
    shlex::try_quote(&text).map_or_else(|_| text.to_string(), |quoted| quoted.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        Command::new("/bin/sh").arg("-c").arg(script)
    }

    #[test]
    fn captures_both_outputs_and_the_exit_code() {
        let captured = shell("echo out; echo err >&2; exit 3").capture().unwrap();
        assert_eq!(captured.status, Status::Code(3));
        assert_eq!(captured.stdout_text(), "out\n");
        assert_eq!(captured.stderr_text(), "err\n");
    }

    #[test]
    fn waits_for_a_program_that_is_being_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        std::fs::copy("/bin/true", &path).unwrap();
        let open = std::fs::File::options().append(true).open(&path).unwrap();
        let writer = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(100));
            drop(open);
        });
        let captured = Command::new(&path).capture().unwrap();
        assert_eq!(captured.status, Status::Code(0));
        writer.join().unwrap();
    }

    #[test]
    fn kills_what_writes_without_end() {
        let error = shell("while :; do echo 12345; done").at_most(9).capture();
        let Err(ProcessError::TooMuch { start, .. }) = error else {
            panic!("{error:?}");
        };
        assert_eq!(start, b"12345\n123");
        let captured = shell("echo out; echo err >&2; exit 3").at_most(4).capture();
        let captured = captured.unwrap();
        assert_eq!(captured.status, Status::Code(3));
        assert_eq!(captured.stdout_text(), "out\n");
        assert_eq!(captured.stderr_text(), "err\n");
    }

    #[test]
    fn describes_death_by_signal() {
        let captured = shell("kill -SEGV $$").capture().unwrap();
        assert_eq!(captured.status, Status::Signal(11));
        assert_eq!(captured.status.code(), 139);
        assert_eq!(
            captured.status.to_string(),
            "killed by signal 11 (SIGSEGV, segmentation fault)"
        );
    }

    #[test]
    fn streams_lines_in_order_and_gives_the_status() {
        let mut lines = Vec::new();
        let status = shell("echo a; echo b >&2; printf 'c\\r\\nd'; exit 2")
            .stream(|line| lines.push(line.to_string()))
            .unwrap();
        assert_eq!(lines, ["a", "b", "c", "d"]);
        assert_eq!(status, Status::Code(2));
    }

    #[test]
    fn stream_waits_for_a_process_that_closes_its_output_early() {
        let status = shell("exec >&- 2>&-; sleep 0.2; exit 5")
            .stream(|_| {})
            .unwrap();
        assert_eq!(status, Status::Code(5));
    }

    #[test]
    fn hands_in_standard_input_folder_and_environment() {
        let captured = shell("cat; pwd; echo $FPGACC_A-$HOME")
            .stdin("text\n")
            .dir("/")
            .env_remove("FPGACC_A")
            .env("FPGACC_A", "a")
            .env("FPGACC_A", "b")
            .env("HOME", "/")
            .env_remove("HOME")
            .capture()
            .unwrap();
        assert_eq!(captured.stdout_text(), "text\n/\nb-\n");
    }

    #[test]
    fn kills_what_hangs() {
        let error = shell("exec sleep 60")
            .limit(Duration::from_millis(50))
            .capture()
            .unwrap_err();
        assert!(matches!(error, ProcessError::TimedOut { .. }), "{error}");
    }

    #[test]
    fn names_a_missing_program() {
        let error = Command::new("/nonexistent/aoc").capture().unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot find the program /nonexistent/aoc"
        );
    }

    #[test]
    fn shows_the_command_as_typed() {
        let command = Command::new("aoc").arg("-DA=b c").arg("k.cl");
        assert_eq!(command.line(), "aoc '-DA=b c' k.cl");
    }
}
