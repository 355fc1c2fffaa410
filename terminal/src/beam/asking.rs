//! Asks the person at the terminal, or a program, whether two devices show the same pictures. A read of a terminal cannot be given up, so
//! it is in a thread of its own, which ends with the program.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use heliograph_device::keys::signs::{Signs, pictures};
use tokio::sync::mpsc::UnboundedSender;

use crate::safe;

/// What was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The pictures are the same.
    Same,
    /// They are others.
    Differs,
    /// Nothing that could be understood.
    Nothing,
}

/// Asks a program: by the names of the pictures and of the device, as five arguments.
pub(super) fn program(
    program: PathBuf,
    device: &str,
    signs: Signs,
    answer: UnboundedSender<Answer>,
) {
    let names = pictures(signs).map(|sign| sign.name);
    let device = safe::line(device).into_owned();
    std::thread::spawn(move || {
        let asked = Command::new(program).args(names).arg(device).stdin(Stdio::null()).status();
        let said = match asked.map(|status| status.code()) {
            Ok(Some(0)) => Answer::Same,
            Ok(Some(1)) => Answer::Differs,
            _ => Answer::Nothing,
        };
        // Where nobody waits for it any more, nothing is lost.
        let _ = answer.send(said);
    });
}

/// Asks whoever is at the terminal. Returns whether anybody is.
#[cfg(unix)]
pub(super) fn terminal(text: String, answer: UnboundedSender<Answer>) -> bool {
    use std::fs::OpenOptions;
    use std::io::{BufRead as _, BufReader, Write as _};

    let Ok(mut out) = OpenOptions::new().read(true).write(true).open("/dev/tty") else {
        return false;
    };
    // The system stops a program in the background that reads from its terminal.
    if rustix::termios::tcgetpgrp(&out).ok() != Some(rustix::process::getpgrp()) {
        return false;
    }
    std::thread::spawn(move || {
        let Ok(lines) = out.try_clone() else { return };
        let mut lines = BufReader::new(lines);
        loop {
            let mut line = String::new();
            let is_asked = out.write_all(text.as_bytes()).is_ok();
            if !is_asked || !lines.read_line(&mut line).is_ok_and(|read| read > 0) {
                return;
            }
            let said = match line.trim().to_ascii_lowercase().as_str() {
                "y" | "yes" => Answer::Same,
                "n" | "no" => Answer::Differs,
                _ => continue,
            };
            let _ = answer.send(said);
            return;
        }
    });
    true
}

/// Nobody is asked: the lines of `join` can answer.
#[cfg(not(unix))]
pub(super) fn terminal(_text: String, _answer: UnboundedSender<Answer>) -> bool {
    false
}
