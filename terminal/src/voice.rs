//! What the program says: results to the standard output, everything else to the standard error; or all of it as JSON.

use std::borrow::Cow;
use std::io::{self, IsTerminal as _, Write as _};

use anstream::ColorChoice;
use anstyle::{AnsiColor, Style};
use heliograph_shared::api::BeamCode;
use heliograph_shared::ids::{BeamId, DeviceId, ItemId};
use heliograph_shared::short_code::ShortCode;
use heliograph_shared::time::Millis;
use serde::Serialize;

use crate::cli::{Colour, Common};
use crate::exit::Stop;
use crate::pictures::Picture;
use crate::qr::{self, Screen, Shown};
use crate::safe;

/// Names.
pub const NAME: Style = AnsiColor::Cyan.on_default();
/// What is less important than texts.
pub const ASIDE: Style = Style::new().dimmed();

/// Something that has happened, as a line of `--json`.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event<'a> {
    /// A beam was made.
    Beam {
        /// Its id.
        id: BeamId,
        /// Its link, with the secret.
        link: &'a str,
        /// Whether what is shared there is sealed.
        is_sealed: bool,
    },
    /// A short code stands for the beam.
    Code {
        /// The code.
        code: ShortCode,
        /// How long it still does, in milliseconds.
        expires_in: u64,
    },
    /// The server has a text of this device.
    Shared {
        /// Its id.
        id: ItemId,
    },
    /// A text has come, or was there.
    Text {
        /// Its id.
        id: ItemId,
        /// The device that shared it.
        from: DeviceId,
        /// How that is called.
        name: &'a str,
        /// When, by the server's clock.
        at: Millis,
        /// The text.
        text: &'a str,
        /// Whether the server could read it, or have made it up (E12).
        is_clear: bool,
    },
    /// Something else than a text has come.
    Other {
        /// Its id.
        id: ItemId,
        /// The device that shared it.
        from: DeviceId,
        /// How that is called.
        name: &'a str,
        /// When, by the server's clock.
        at: Millis,
        /// Its kind.
        kind: &'a str,
        /// The name of the file, or the title of the note; null without one.
        title: Option<&'a str>,
        /// The size of the file in bytes; null for anything else.
        size: Option<u64>,
    },
    /// This device offers a file, or files that are one item.
    Offered {
        /// Its id.
        id: ItemId,
        /// The name of the file.
        file: &'a str,
        /// Its size in bytes.
        size: u64,
    },
    /// A file or folder is not sent with the rest.
    LeftOut {
        /// Its path, within what was named or as it was named.
        path: &'a str,
        /// Why.
        why: &'a str,
    },
    /// A file has come, or was there, that can be received.
    File {
        /// Its id.
        id: ItemId,
        /// The device that offers it.
        from: DeviceId,
        /// How that is called.
        name: &'a str,
        /// The name of the file.
        file: &'a str,
        /// Its size in bytes.
        size: u64,
        /// How many files it is; null for a single one.
        files: Option<u64>,
    },
    /// How a file is doing that goes to a device.
    Sending {
        /// Its id.
        id: ItemId,
        /// The device.
        device: DeviceId,
        /// How that is called.
        name: &'a str,
        /// The name of the file.
        file: &'a str,
        /// Its progress.
        #[serde(flatten)]
        moves: Moves,
    },
    /// How a file is doing that comes here.
    Receiving {
        /// Its id.
        id: ItemId,
        /// The name of the file.
        file: &'a str,
        /// Its progress.
        #[serde(flatten)]
        moves: Moves,
    },
    /// A file was received.
    Received {
        /// Its id.
        id: ItemId,
        /// Where it is, or the files and folders at the top of it.
        paths: &'a [Cow<'a, str>],
    },
    /// An item is there no more.
    Gone {
        /// Its id.
        id: ItemId,
    },
    /// The server keeps what is in the beam.
    Kept {
        /// Until when, by the server's clock.
        until: Millis,
    },
    /// The devices that are here.
    Devices {
        /// Each of them, in the order in which they joined.
        devices: Vec<Named<'a>>,
    },
    /// What is known of a device that came without the link, or of one by which this one comes in, has changed (E8).
    Compared {
        /// The device.
        device: DeviceId,
        /// How that is called.
        name: &'a str,
        /// `asking`, `refused`, `unverified` or `verified`; null where it needs no comparison any more.
        trust: Option<&'static str>,
        /// Whether one of the two has let the other in.
        is_in: bool,
        /// What both show; null where only others could compare that device.
        pictures: Option<[Picture; 4]>,
        /// `person` or `locked`: why it does not compare itself with this one for now; null where it does.
        turned_away: Option<&'static str>,
    },
    /// A device that was compared, perhaps in an earlier run, has another key since.
    OtherKey {
        /// The device.
        device: DeviceId,
        /// How that is called.
        name: &'a str,
    },
    /// So many items that other devices were given are missing here (E14).
    Missing {
        /// How many; 0 where none is any more.
        count: usize,
    },
    /// The connection to the server.
    Status {
        /// `live` or `reconnecting`.
        status: &'a str,
    },
    /// Somebody is logged in now.
    LoggedIn {
        /// Address of the server.
        server: &'a str,
        /// The account.
        username: &'a str,
        /// `open`, `none` or `locked`.
        vault: &'a str,
    },
    /// Nobody is logged in any more.
    LoggedOut {
        /// Address of the server.
        server: &'a str,
    },
    /// A saved beam of the account.
    SavedBeam {
        /// Its id.
        id: BeamId,
        /// Its name.
        name: &'a str,
        /// Whose it is; null for an own one.
        owner: Option<&'a str>,
        /// `owner`, `admin`, `write` or `read`.
        level: &'a str,
        /// How its keys are kept: `sealed`, `sealed_since` (the server had earlier ones), `readable` (by the server), `closed` or `none`.
        keys: &'a str,
    },
    /// The program ends with an error.
    Error {
        /// The exit code.
        exit: u8,
        /// Why.
        message: &'a str,
    },
}

/// A device.
#[derive(Debug, Serialize)]
pub struct Named<'a> {
    /// Its id.
    pub id: DeviceId,
    /// How it is called.
    pub name: &'a str,
    /// Whether it is this one.
    pub is_me: bool,
    /// `asking`, `refused`, `unverified` or `verified`; null for one that came by the link.
    pub trust: Option<&'static str>,
}

/// How a transfer is doing.
#[derive(Debug, Serialize)]
pub struct Moves {
    /// `queued`, `moving`, `parked` (the other device is waited for), `paused`, `done`, `offered`, `cancelled` or `failed`.
    pub state: &'static str,
    /// Bytes that are at the receiver.
    pub bytes: u64,
    /// Bytes in all.
    pub size: u64,
    /// Its speed while it moves.
    pub bytes_per_second: Option<f64>,
    /// Bytes that came more than once.
    pub twice: Option<u64>,
    /// `direct`, `turn` where all of it goes over a TURN server, `relay` where the server of the beam passes it on, `both` for
    /// this beside a direct link, or `stored` for the copy of it that the server has; null where nothing is known of it.
    pub via: Option<&'static str>,
    /// Why it ended without the file, or waits.
    pub why: Option<String>,
}

/// How the program speaks.
#[derive(Clone)]
pub struct Voice {
    /// The program's name.
    program: String,
    is_json: bool,
    is_quiet: bool,
}

impl Voice {
    /// Of a program of this name, as its command line says.
    #[must_use]
    pub fn new(program: &str, common: Option<&Common>) -> Self {
        match common.map(|common| common.color).unwrap_or_default() {
            Colour::Auto => ColorChoice::Auto,
            Colour::Always => ColorChoice::Always,
            Colour::Never => ColorChoice::Never,
        }
        .write_global();
        Self {
            program: program.to_owned(),
            is_json: common.is_some_and(|common| common.json),
            is_quiet: common.is_some_and(|common| common.quiet),
        }
    }

    /// Whether it speaks JSON.
    #[must_use]
    pub const fn is_json(&self) -> bool {
        self.is_json
    }

    /// Whether it may draw what moves.
    #[must_use]
    pub fn draws(&self) -> bool {
        !self.is_json && !self.is_quiet && io::stderr().is_terminal()
    }

    /// Prints what has happened where JSON is wanted.
    ///
    /// # Errors
    /// Where nobody reads the output any more.
    pub fn event(&self, event: &Event<'_>) -> io::Result<()> {
        if !self.is_json {
            return Ok(());
        }
        let line = serde_json::to_string(event)?;
        let mut out = io::stdout().lock();
        writeln!(out, "{}", safe::json(&line))?;
        out.flush()
    }

    /// Prints a line where no JSON is wanted. All of others in it must have gone through [`safe`].
    ///
    /// # Errors
    /// Where nobody reads the output any more.
    pub fn line(&self, line: &str) -> io::Result<()> {
        if self.is_json {
            return Ok(());
        }
        let mut out = anstream::stdout().lock();
        writeln!(out, "{line}")?;
        out.flush()
    }

    /// Prints a text as a result where no JSON is wanted: as it is to a file or a pipe, and safely to a terminal.
    ///
    /// # Errors
    /// Where nobody reads the output any more.
    pub fn result(&self, text: &str) -> io::Result<()> {
        if self.is_json {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        if out.is_terminal() {
            let text = safe::lines(text);
            writeln!(out, "{}", text.strip_suffix('\n').unwrap_or(&text))?;
        } else {
            out.write_all(text.as_bytes())?;
        }
        out.flush()
    }

    /// Says to the person what goes on.
    pub fn hint(&self, text: &str) {
        if !self.is_quiet {
            // Where nobody can read it, nothing is lost.
            let _ = writeln!(anstream::stderr(), "{ASIDE}{text}{ASIDE:#}");
        }
    }

    /// Says what does not go as its person wants. It is no aside, so it is said to whoever wants to hear nothing else too.
    pub fn warn(&self, text: &str) {
        let _ = writeln!(anstream::stderr(), "{text}");
    }

    /// Says what its person has to see, unless JSON is wanted.
    ///
    /// # Errors
    /// Where nobody reads it any more.
    pub fn tell(&self, text: &str) -> io::Result<()> {
        if self.is_json { Ok(()) } else { writeln!(anstream::stderr(), "{text}") }
    }

    /// Shows the link of a new beam. Who has it may join, so it goes nowhere else.
    ///
    /// # Errors
    /// Where nobody reads the output any more.
    pub fn link(&self, id: BeamId, link: &str, is_sealed: bool) -> io::Result<()> {
        if self.is_json {
            return self.event(&Event::Beam { id, link, is_sealed });
        }
        let mut err = anstream::stderr();
        writeln!(err, "{link}")?;
        if self.is_quiet || !io::stderr().is_terminal() {
            return Ok(());
        }
        match qr::code(link, Screen::of_stderr()) {
            // Below the link: what a small terminal pushes off its top can be scrolled back to, and a camera sees only what is there.
            Shown::Code(lines) => lines.iter().try_for_each(|line| writeln!(err, "{line}")),
            Shown::Needs(Screen { columns, lines }) => {
                self.hint(&format!(
                    "No code to scan: it needs a terminal of {columns} columns and {lines} lines."
                ));
                Ok(())
            }
            Shown::TooLong => Ok(()),
        }
    }

    /// Shows a short code.
    ///
    /// # Errors
    /// Where nobody reads it any more.
    pub fn code(&self, BeamCode { code, expires_in }: &BeamCode) -> io::Result<()> {
        self.event(&Event::Code { code: *code, expires_in: *expires_in })?;
        let text = code.to_string();
        let (first, last) = text.split_at(text.len() / 2);
        let minutes = expires_in.div_ceil(60_000);
        self.tell(&format!("Short code: {first}-{last} (for {minutes} min)"))
    }

    /// Says why the program ends.
    pub fn stop(&self, stop: &Stop) {
        if !stop.why.is_empty() {
            // It may hold words of the server.
            let why = safe::lines(&stop.why);
            let _ = writeln!(anstream::stderr(), "{}: {why}", self.program);
        }
        let message = stop.message();
        if !message.is_empty() {
            let _ = self.event(&Event::Error { exit: stop.exit.code(), message: &message });
        }
    }
}
