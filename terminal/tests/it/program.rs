//! The program in a process of its own, with what it prints.

use std::env;
use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// Longer than anything takes here.
const PATIENCE: Duration = Duration::from_mins(2);
/// Between two looks whether a program has ended.
const LOOKS: Duration = Duration::from_millis(10);

/// A command line, before it is run.
pub struct Words {
    command: Command,
    /// Its home, without a configuration unless a test writes one.
    home: tempfile::TempDir,
}

/// What a program has printed in all, and its exit code.
pub struct Ended {
    pub code: i32,
    pub out: Vec<u8>,
    pub err: String,
}

impl Ended {
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.out).unwrap()
    }

    #[track_caller]
    pub fn is(&self, code: i32, says: &str) {
        assert_eq!(self.code, code, "{}", self.err);
        assert!(self.err.contains(says), "{:?}", self.err);
    }
}

pub fn program(words: &[&str]) -> Words {
    let home = tempfile::tempdir().unwrap();
    let built = || env!("CARGO_BIN_EXE_heliograph-device").into();
    let mut command = Command::new(env::var_os("HELIOGRAPH_DEVICE").unwrap_or_else(built));
    command.env_clear().env("HOME", home.path()).args(words);
    Words { command, home }
}

impl Words {
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    pub fn args(mut self, words: &[&str]) -> Self {
        self.command.args(words);
        self
    }

    /// The same at a terminal of this size. Its standard output has what it says and what is typed, as a screen would have it.
    pub fn at_terminal(self, columns: usize, lines: usize) -> Self {
        let Self { command: inner, home } = self;
        let quoted = |word: &OsStr| format!("'{}'", word.to_str().unwrap());
        let words = [inner.get_program()].into_iter().chain(inner.get_args());
        let words: Vec<_> = words.map(quoted).collect();
        let line = format!("stty cols {columns} rows {lines} && exec {}", words.join(" "));
        // Of util-linux, which every Linux has.
        let mut command = Command::new("script");
        command.env_clear().envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.env("PATH", "/usr/bin:/bin").args(["-qefc", &line, "/dev/null"]);
        Self { command, home }
    }

    pub fn link(self, link: &str) -> Self {
        self.env("HELIOGRAPH_LINK", link)
    }

    pub fn config(self, text: &str) -> Self {
        let folder = self.home.path().join(".config/heliograph");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("device.toml"), text).unwrap();
        self
    }

    /// Runs it to its end with this on its standard input.
    pub fn ends_with(mut self, input: &[u8]) -> Ended {
        let pipes = self.command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = pipes.stderr(Stdio::piped()).spawn().unwrap();
        let (mut stdin, input) = (child.stdin.take().unwrap(), input.to_owned());
        // One that does not read its input is as good.
        let writing = thread::spawn(move || drop(stdin.write_all(&input)));
        let output = child.wait_with_output().unwrap();
        writing.join().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        Ended { code: output.status.code().unwrap_or(-1), out: output.stdout, err }
    }

    pub fn ends(self) -> Ended {
        self.ends_with(b"")
    }

    /// Starts it. Its standard input stays open.
    pub fn starts(mut self) -> Running {
        let pipes = self.command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = pipes.stderr(Stdio::piped()).spawn().unwrap();
        let out = lines_of(child.stdout.take().unwrap());
        let err = lines_of(child.stderr.take().unwrap());
        let stdin = child.stdin.take();
        Running { child, stdin, out, err, _home: self.home }
    }
}

fn lines_of(pipe: impl std::io::Read + Send + 'static) -> Receiver<String> {
    let (line, lines) = channel();
    thread::spawn(move || {
        for text in BufReader::new(pipe).lines() {
            if line.send(text.unwrap()).is_err() {
                return;
            }
        }
    });
    lines
}

/// A program that runs. It is killed when it is dropped.
pub struct Running {
    child: Child,
    stdin: Option<ChildStdin>,
    out: Receiver<String>,
    err: Receiver<String>,
    _home: tempfile::TempDir,
}

impl Running {
    /// Waits for a line. Returns it, and those before it.
    #[track_caller]
    fn line(
        &self,
        lines: &Receiver<String>,
        wanted: impl Fn(&str) -> bool,
    ) -> (String, Vec<String>) {
        let mut before = Vec::new();
        let why = loop {
            match lines.recv_timeout(PATIENCE) {
                Ok(line) if wanted(&line) => return (line, before),
                Ok(line) => before.push(line),
                Err(RecvTimeoutError::Timeout) => break "it did not come",
                Err(RecvTimeoutError::Disconnected) => break "it ended before",
            }
        };
        panic!("{why}: {before:#?}\n{:#?}", self.unread());
    }

    /// What was printed and said, and not waited for.
    fn unread(&self) -> Vec<String> {
        self.out.try_iter().chain(self.err.try_iter()).collect()
    }

    /// Waits for a line of its standard output with this in it.
    #[track_caller]
    pub fn prints(&self, text: &str) -> String {
        self.line(&self.out, |line| line.contains(text)).0
    }

    /// Waits for a line of its standard output with this in it. Returns those before it.
    #[track_caller]
    pub fn lines_until(&self, text: &str) -> Vec<String> {
        self.line(&self.out, |line| line.contains(text)).1
    }

    /// Waits for a line of its standard error with this in it.
    #[track_caller]
    pub fn says(&self, text: &str) -> String {
        self.line(&self.err, |line| line.contains(text)).0
    }

    /// Waits for something that has happened, as JSON.
    #[track_caller]
    pub fn event(&self, name: &str) -> Value {
        let named = format!(r#"{{"event":"{name}""#);
        let (line, _) = self.line(&self.out, |line| line.starts_with(&named));
        serde_json::from_str(&line).unwrap()
    }

    /// Waits for something of one of these kinds, as JSON.
    #[track_caller]
    pub fn next_of(&self, kinds: &[&str]) -> Value {
        let is_one = |line: &str| {
            kinds.iter().any(|kind| line.starts_with(&format!(r#"{{"event":"{kind}""#)))
        };
        serde_json::from_str(&self.line(&self.out, is_one).0).unwrap()
    }

    /// Waits until so many devices are here.
    #[track_caller]
    pub fn sees_devices(&self, count: usize) {
        while self.event("devices")["devices"].as_array().unwrap().len() != count {}
    }

    /// Types a line.
    pub fn types(&mut self, line: &str) {
        self.stdin.as_mut().unwrap().write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// Gives it all of its standard input.
    pub fn gets(&mut self, input: &[u8]) {
        self.stdin.take().unwrap().write_all(input).unwrap();
    }

    /// Ends its standard input.
    pub fn input_ends(&mut self) {
        self.stdin = None;
    }

    pub fn is_interrupted(&self) {
        kill_process(Pid::from_child(&self.child), Signal::INT).unwrap();
    }

    pub fn is_killed(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits for its end. Returns its exit code.
    #[track_caller]
    pub fn ends(&mut self) -> i32 {
        for _ in 0..PATIENCE.as_millis() / LOOKS.as_millis() {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code().unwrap_or(-1);
            }
            thread::sleep(LOOKS);
        }
        panic!("it does not end: {:#?}", self.unread());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A copy into a new beam of a server that runs, and the beam's link.
pub fn copies(server: &str, text: &[u8]) -> (Running, String) {
    let mut copy = program(&["copy", "--json", "--server", server]).starts();
    copy.gets(text);
    let link = copy.event("beam")["link"].as_str().unwrap().to_owned();
    copy.event("shared");
    (copy, link)
}

/// So many random bytes, as hexadecimal digits.
pub fn random_text(bytes: usize) -> String {
    let mut random = vec![0; bytes];
    std::fs::File::open("/dev/urandom").unwrap().read_exact(&mut random).unwrap();
    random.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}
