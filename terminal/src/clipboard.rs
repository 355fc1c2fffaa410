//! The system's clipboard. No other file names the library.

use arboard::{Clipboard, Error};

use crate::exit::{Exit, Stop};

/// The text that is there; empty where there is none.
///
/// # Errors
/// Where this program has no clipboard.
pub fn read() -> Result<String, Stop> {
    let text = Clipboard::new().and_then(|mut clipboard| clipboard.get_text());
    match text {
        Err(Error::ContentNotAvailable) => Ok(String::new()),
        text => text.map_err(|why| failed(&why)),
    }
}

fn failed(why: &Error) -> Stop {
    let hint = match why {
        Error::ClipboardNotSupported | Error::Unknown { .. } if !has_display() => {
            ": this program runs without a desktop"
        }
        _ => "",
    };
    Stop::new(Exit::Failed, format!("There is no clipboard{hint} ({why})."))
}

/// Whether there may be a desktop.
fn has_display() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    cfg!(not(target_os = "linux")) || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}

/// Puts a text there.
///
/// # Errors
/// As for [`read`].
#[cfg(not(all(unix, not(target_vendor = "apple"))))]
pub fn write(text: &str) -> Result<(), Stop> {
    Clipboard::new().and_then(|mut clipboard| clipboard.set_text(text)).map_err(|why| failed(&why))
}

/// Puts a text there. On these systems, a text is on the clipboard as long as a program runs that gives it to the others: another process
/// of this program does so, until something else is there.
///
/// # Errors
/// As for [`read`], and where there can be no other process.
#[cfg(all(unix, not(target_vendor = "apple")))]
pub fn write(text: &str) -> Result<(), Stop> {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::os::unix::process::CommandExt as _;
    use std::process::{Command, Stdio};

    let mut holder = Command::new(std::env::current_exe()?)
        .args(["paste", "--holds-clipboard"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        // What ends this program is not for that one.
        .process_group(0)
        .spawn()?;
    if let Some(mut input) = holder.stdin.take() {
        input.write_all(text.as_bytes())?;
    }
    let mut said = String::new();
    if let Some(output) = holder.stdout.take() {
        BufReader::new(output).read_line(&mut said)?;
    }
    match said.trim_end() {
        HELD => Ok(()),
        why => Err(Stop::new(Exit::Failed, why)),
    }
}

/// What the other process says once it has the clipboard. Anything else is why it has not.
const HELD: &str = "held";

/// Reads a text from the standard input, and has it on the clipboard until something else is there.
///
/// # Errors
/// As for [`read`].
pub fn holds() -> Result<(), Stop> {
    use std::io::{Read as _, Write as _};

    let mut text = String::new();
    std::io::stdin().lock().read_to_string(&mut text)?;
    let mut out = std::io::stdout().lock();
    let mut clipboard = match Clipboard::new() {
        Ok(clipboard) => clipboard,
        Err(why) => {
            let stop = failed(&why);
            writeln!(out, "{stop}")?;
            return Err(stop);
        }
    };
    writeln!(out, "{HELD}")?;
    out.flush()?;
    drop(out);
    hold(&mut clipboard, text).map_err(|why| failed(&why))
}

#[cfg(all(unix, not(target_vendor = "apple")))]
fn hold(clipboard: &mut Clipboard, text: String) -> Result<(), Error> {
    use arboard::SetExtLinux as _;
    clipboard.set().wait().text(text)
}

#[cfg(not(all(unix, not(target_vendor = "apple"))))]
fn hold(clipboard: &mut Clipboard, text: String) -> Result<(), Error> {
    clipboard.set_text(text)
}
