//! How the program ends. Scripts rely on these numbers.

use std::fmt;
use std::process::ExitCode;

use heliograph_device::io::server::Failure;

/// What an exit code says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// It did what it was asked for.
    Done = 0,
    /// It failed for another reason than those below.
    Failed = 1,
    /// The command line or the configuration is wrong.
    Usage = 2,
    /// There was nothing to share, to paste or to receive.
    Nothing = 3,
    /// It is no link, id or short code and names no saved beam, or leads into clear text and `--clear` is missing.
    BadLink = 4,
    /// The server cannot be reached, or does not prove that it is the one of that name.
    Unreachable = 5,
    /// No device of the beam lets this one in, or its link was replaced by another one.
    NotLetIn = 6,
    /// The beam has ended, or there is none of that link.
    Ended = 7,
    /// This device may not be in the beam, or was removed.
    Forbidden = 8,
    /// The server does not take what was shared: it is too long, there is no room, or this device may only read.
    Refused = 9,
    /// The time of `--timeout` is over.
    TimedOut = 10,
    /// Nobody is logged in, or the username or password is wrong.
    LoggedOut = 11,
    /// What the server shows of an account, its vault or a beam's keys is refused.
    Untrusted = 12,
    /// The pictures of two devices differ: somebody may stand between them.
    NotVerified = 13,
    /// It was ended by Ctrl-C or another signal.
    Interrupted = 130,
}

impl Exit {
    /// All of them, each with what it says to whoever writes a script.
    pub const ALL: [(Self, &'static str); 15] = [
        (Self::Done, "It did what it was asked for."),
        (Self::Failed, "It failed for another reason than those below."),
        (Self::Usage, "The command line or the configuration is wrong."),
        (Self::Nothing, "There was nothing to share, to paste or to receive."),
        (
            Self::BadLink,
            "It is no link, code or saved beam, or in clear text and --clear is missing.",
        ),
        (Self::Unreachable, "The server cannot be reached, or does not prove who it is."),
        (Self::NotLetIn, "No device lets this one in, or the link was replaced by another one."),
        (Self::Ended, "The beam has ended, or there is none of that link."),
        (Self::Forbidden, "This device may not be in the beam, or was removed."),
        (Self::Refused, "The server does not take it: too long, no room, or read only."),
        (Self::TimedOut, "The time of --timeout is over."),
        (Self::LoggedOut, "Nobody is logged in, or the username or password is wrong."),
        (Self::Untrusted, "What the server shows of an account or of keys is refused."),
        (Self::NotVerified, "The pictures of two devices differ: somebody may stand between them."),
        (Self::Interrupted, "It was ended by Ctrl-C or another signal."),
    ];

    /// The number.
    #[must_use]
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// All of them, as a table for the help and the manual.
    #[must_use]
    pub fn table() -> String {
        let line = |(exit, says): &(Self, &str)| format!("  {:>3}  {says}\n", exit.code());
        Self::ALL.iter().map(line).collect()
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// Why a server does not take what it has no room for (507).
pub const SERVER_IS_FULL: &str = "its disk, or the part of it for this beam or account, is full";

/// Why bytes are not shared as a text.
pub const NO_TEXT: &str = "This is no text: its bytes are not UTF-8.";

/// Why the program ends before it has done what it was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// For scripts.
    pub exit: Exit,
    /// For a person. Empty where there is nothing to say.
    pub why: String,
    /// What its person has heard before. It is for programs alone, before the rest.
    pub heard: String,
    /// Whether the server may be there in a while: what stays tries it again.
    pub may_pass: bool,
}

impl Stop {
    /// Ends so.
    pub fn new(exit: Exit, why: impl Into<String>) -> Self {
        let may_pass = exit == Exit::Unreachable;
        Self { exit, why: why.into(), heard: String::new(), may_pass }
    }

    /// All that there is to say.
    #[must_use]
    pub fn message(&self) -> String {
        let said = [self.heard.as_str(), &self.why];
        said.into_iter().filter(|said| !said.is_empty()).collect::<Vec<_>>().join("\n")
    }

    /// The server was not reached, or does not do what it was asked for.
    #[must_use]
    pub fn unreached(why: &Failure) -> Self {
        let exit = match why {
            Failure::NoAddress => Exit::BadLink,
            Failure::Trust(_) | Failure::Store(_) => Exit::Failed,
            Failure::LoggedOut => Exit::LoggedOut,
            Failure::Refused { status: 404, .. } => Exit::Ended,
            Failure::Refused { status: 403, .. } => Exit::Forbidden,
            Failure::Refused { status: 413 | 423 | 429 | 503 | 507, .. } => Exit::Refused,
            _ => Exit::Unreachable,
        };
        let said = match why {
            Failure::Refused { status: 507, .. } => SERVER_IS_FULL.to_owned(),
            why => why.to_string(),
        };
        let said = said.trim_end_matches('.');
        let said = match exit {
            Exit::Forbidden | Exit::Refused => format!("The server refuses: {said}."),
            _ => format!("The server is not reached: {said}."),
        };
        let stop = Self::new(exit, said);
        // A proxy answers so for a server that is away, and a server that has too much to do.
        let is_for_now = matches!(why, Failure::Refused { status: 404 | 429 | 503, .. });
        Self { may_pass: stop.may_pass || is_for_now, ..stop }
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

impl From<std::io::Error> for Stop {
    fn from(error: std::io::Error) -> Self {
        // Whoever reads the output has enough of it, as `head` has.
        let is_enough = error.kind() == std::io::ErrorKind::BrokenPipe;
        Self::new(Exit::Failed, if is_enough { String::new() } else { error.to_string() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_refuses_was_reached_and_has_the_codes_of_the_table() {
        let stop = |status| Stop::unreached(&Failure::Refused { status, detail: "No.".to_owned() });
        for status in [413, 423, 429, 503] {
            let said = format!("The server refuses: it answers {status}: No.");
            let stop = stop(status);
            assert_eq!((stop.exit, stop.why), (Exit::Refused, said));
        }
        // Nobody takes it for the disk of this device.
        let said =
            "The server refuses: its disk, or the part of it for this beam or account, is full.";
        assert_eq!(stop(507), Stop::new(Exit::Refused, said));
        assert_eq!(stop(403).exit, Exit::Forbidden);
        assert_eq!(stop(404).exit, Exit::Ended);
        // What stays waits for what may only be so now.
        for (status, may_pass) in
            [(404, true), (429, true), (502, true), (503, true), (403, false), (413, false)]
        {
            assert_eq!(stop(status).may_pass, may_pass, "{status}");
        }
        // What stands in front of a server says so where it reaches none.
        let said = "The server is not reached: it answers 502: No.";
        assert_eq!(stop(502), Stop::new(Exit::Unreachable, said));
    }
}
