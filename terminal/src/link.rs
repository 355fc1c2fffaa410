//! Which beam is meant: its link, from wherever its person gives it.

use std::io::{self, BufRead as _, IsTerminal as _};

use heliograph_device::io::account::Account;
use heliograph_device::session::beam_link::{
    BeamLink, NoLink, has_secret, opens_sealed, server_of,
};
use heliograph_shared::ids::BeamId;
use heliograph_shared::short_code::ShortCode;
use url::Url;
use zeroize::Zeroizing;

use crate::exit::{Exit, Stop};
use crate::known_beam::KnownBeam;
use crate::saved::SavedBeam;

/// The word in place of a link that asks for it.
const ASK: &str = "-";
/// Longest line that is read as a link.
const MOST_LINK: u64 = 8 * 1024;

/// A beam to be in.
pub enum Destination {
    /// One that is there.
    Existing {
        /// Its link, or what is known of it.
        link: BeamLink,
        /// Whether what is shared there is sealed.
        is_sealed: bool,
    },
    /// The one that a short code stands for (H34).
    Code {
        /// On which server.
        server: Url,
        /// The code.
        code: ShortCode,
        /// Whether what is shared there is sealed.
        is_sealed: bool,
    },
    /// One in which this device was before.
    Known(Box<KnownBeam>),
    /// One to be made.
    New {
        /// On which server.
        server: Url,
        /// Whether what is shared there is sealed.
        is_sealed: bool,
    },
    /// A saved one.
    Saved(Box<SavedBeam>),
    /// One to be made at the server of an account, sealed.
    OfAccount(Box<Account>),
}

/// What its person has named.
pub enum Wanted {
    /// A beam by its link, or a new one.
    Here(Destination),
    /// What is no link: perhaps the name or the id of a saved beam, or the id or a short code of any other.
    Saved {
        /// The name.
        name: String,
        /// What its person says.
        is_clear: bool,
    },
}

impl Destination {
    /// Whether what is shared there is sealed.
    #[must_use]
    pub const fn is_sealed(&self) -> bool {
        match self {
            Self::Existing { is_sealed, .. }
            | Self::Code { is_sealed, .. }
            | Self::New { is_sealed, .. } => *is_sealed,
            Self::Known(known) => known.keys.is_some(),
            Self::Saved(saved) => saved.keys.is_some(),
            Self::OfAccount(_) => true,
        }
    }

    /// Whether people have to let this device in: it comes without the link of a beam that is sealed.
    #[must_use]
    pub const fn needs_people(&self) -> bool {
        match self {
            Self::Existing { link, is_sealed } => *is_sealed && link.invite.is_none(),
            Self::Code { is_sealed, .. } => *is_sealed,
            Self::New { .. } | Self::Known(_) | Self::Saved(_) | Self::OfAccount(_) => false,
        }
    }
}

/// The beam of a link, an id or a short code: the one that was given, or one that is asked for. `is_clear` is what its person says.
///
/// # Errors
/// [`Exit::BadLink`] where it is none, or leads elsewhere than its person says.
pub fn existing(given: Option<&str>, is_clear: bool) -> Result<Wanted, Stop> {
    let text = match given.filter(|given| *given != ASK) {
        Some(given) => Zeroizing::new(given.to_owned()),
        None if io::stdin().is_terminal() => typed_here()?,
        None => first_line()?,
    };
    named(&text, is_clear)
}

/// The beam to share into: that of the link, id or short code that was given, or a new one. The standard input is the text.
///
/// # Errors
/// As for [`existing`], and [`Exit::Usage`] where no server is known.
pub fn to_share(given: Option<&str>, is_clear: bool, server: Option<&Url>) -> Result<Wanted, Stop> {
    match given {
        Some(ASK) => named(&typed_here()?, is_clear),
        Some(given) => named(given, is_clear),
        None => new(server, is_clear).map(Wanted::Here),
    }
}

/// The beam of an id or a short code; `None` for what is neither.
///
/// # Errors
/// [`Exit::Usage`] where no server is known.
pub fn typed(
    text: &str,
    is_clear: bool,
    server: Option<&Url>,
) -> Result<Option<Destination>, Stop> {
    let is_sealed = !is_clear;
    if let Ok(beam) = BeamId::parse(text) {
        let link = BeamLink { server: known(server, is_clear)?, beam, invite: None };
        return Ok(Some(Destination::Existing { link, is_sealed }));
    }
    let Ok(code) = ShortCode::parse(text) else { return Ok(None) };
    Ok(Some(Destination::Code { server: known(server, is_clear)?, code, is_sealed }))
}

fn named(text: &str, is_clear: bool) -> Result<Wanted, Stop> {
    let link = BeamLink::parse(text);
    let name = text.trim();
    if name.is_empty() {
        let why =
            "No link was given. Name it, set HELIOGRAPH_LINK, or write it to the standard input.";
        return Err(Stop::new(Exit::BadLink, why));
    }
    // What looks like a part of a link was meant to be one.
    if matches!(link, Err(NoLink::NoAddress)) && !has_secret(name) {
        return Ok(Wanted::Saved { name: name.to_owned(), is_clear });
    }
    let link = link.map_err(|why| {
        let why = match why {
            NoLink::NoAddress => "This is no link: it does not begin with https:// or http://.",
            NoLink::NoBeam => "This link names no beam.",
            NoLink::Broken => "This link is broken: its end is missing. Copy it once more, whole.",
        };
        Stop::new(Exit::BadLink, why)
    })?;
    match (&link.invite, is_clear) {
        (None, false) if !opens_sealed(&link.server) => Err(Stop::new(
            Exit::BadLink,
            "This link leads into clear text, which the server and the network can read. Say --clear if you want that.",
        )),
        (Some(_), true) => Err(Stop::new(
            Exit::BadLink,
            "This link has a secret and leads into an encrypted beam: leave out --clear.",
        )),
        _ => Ok(Wanted::Here(Destination::Existing { link, is_sealed: !is_clear })),
    }
}

fn new(server: Option<&Url>, is_clear: bool) -> Result<Destination, Stop> {
    Ok(Destination::New { server: known(server, is_clear)?, is_sealed: !is_clear })
}

/// The server that its person has named.
fn known(server: Option<&Url>, is_clear: bool) -> Result<Url, Stop> {
    let server = server.ok_or_else(|| {
        Stop::new(
            Exit::Usage,
            "On which server? Say --server URL, or name it in the configuration file.",
        )
    })?;
    let server = server_of(server).ok_or_else(|| {
        Stop::new(Exit::Usage, "The address of a server begins with https:// or http://.")
    })?;
    if !is_clear && !opens_sealed(&server) {
        return Err(Stop::new(
            Exit::Usage,
            "Browsers can encrypt nothing on a page without https, so a beam there is in clear text, which the server and the network \
             can read. Name an address with https, or say --clear if you want that.",
        ));
    }
    Ok(server)
}

/// Asks for the link on the terminal, which does not show it.
fn typed_here() -> Result<Zeroizing<String>, Stop> {
    let typed = rpassword::prompt_password("Link, id or short code (it is not shown): ");
    typed.map(Zeroizing::new).map_err(|why| {
        let why = format!("There is no terminal to ask for the link ({why}). Set HELIOGRAPH_LINK.");
        Stop::new(Exit::BadLink, why)
    })
}

fn first_line() -> Result<Zeroizing<String>, Stop> {
    let mut line = Zeroizing::new(String::new());
    // The lock keeps what follows of the line for later readers.
    let read = io::Read::take(io::stdin().lock(), MOST_LINK).read_line(&mut line);
    read.map_err(|why| Stop::new(Exit::BadLink, why.to_string()))?;
    Ok(line)
}
