//! How files are moved, and how that is told.

use std::fmt::Display;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use heliograph_device::engine::contract::{Carrying, End, FileFailure, Progress, TransferFailure};
use heliograph_device::io::file_device::FileSettings;
use heliograph_device::io::files::target::Target;
use heliograph_device::io::files::walk::LeftOut;
use heliograph_device::io::link_contract::PeerLinkOptions;

use crate::cli::WayArgs;
use crate::exit::{Exit, Stop};
use crate::voice::{Event, Moves, Voice};
use crate::{safe, state};

/// How files are moved, as the command line says.
///
/// # Errors
/// Where the system names no place for what has to be remembered.
pub fn settings(ways: &WayArgs) -> Result<FileSettings, Stop> {
    let addresses = match (&ways.address[..], ways.no_direct) {
        (_, true) => Vec::new(),
        ([], false) => PeerLinkOptions::every_address(),
        (named, false) => named.iter().map(|ip: &IpAddr| SocketAddr::new(*ip, 0)).collect(),
    };
    let state = state::folder()?.join("received");
    Ok(FileSettings { state, addresses, shared: None })
}

/// Where the program remembers what it shares.
///
/// # Errors
/// As for [`settings`].
pub fn shared() -> Result<PathBuf, Stop> {
    Ok(state::folder()?.join("shared"))
}

/// Where the program keeps logins, and what it has seen of vaults.
///
/// # Errors
/// As for [`settings`].
pub fn accounts() -> Result<PathBuf, Stop> {
    Ok(state::folder()?.join("accounts"))
}

/// Opens a folder to receive into, which is made where it is missing.
///
/// # Errors
/// Where it cannot be used.
pub fn receiving_folder(path: &Path) -> Result<Arc<Target>, Stop> {
    let opened = match std::fs::create_dir_all(path) {
        // What the system says of it, that it exists, sounds as if all were well.
        Err(_) if path.exists() && !path.is_dir() => Err("it is no folder".to_owned()),
        made => made
            .map_err(Into::into)
            .and_then(|()| Target::open(path))
            .map_err(|why| why.to_string()),
    };
    opened.map(Arc::new).map_err(|why| unusable(path, &why))
}

/// Nothing can be kept at a place.
pub fn unusable(path: &Path, why: &impl Display) -> Stop {
    Stop::new(Exit::Failed, format!("{} cannot be used: {why}.", path.display()))
}

/// Says what is not sent with the rest, and why.
///
/// # Errors
/// Where nobody reads the output any more.
pub fn say_left_out(voice: &Voice, left_out: &[LeftOut]) -> std::io::Result<()> {
    for LeftOut { path, why } in left_out {
        voice.event(&Event::LeftOut { path, why: &why.to_string() })?;
        voice.warn(&format!("Left out: {} ({why}).", safe::line(path)));
    }
    Ok(())
}

/// The media type of a file by its name; empty where it has none that is known.
#[must_use]
pub fn media_type(name: &str) -> String {
    mime_guess::from_path(Path::new(name)).first_raw().unwrap_or_default().to_owned()
}

/// Bytes of a file that are there, of so many in all.
#[must_use]
pub const fn bytes_of(progress: &Progress, size: u64) -> u64 {
    match progress {
        Progress::Queued { bytes }
        | Progress::Moving { bytes, .. }
        | Progress::Parked { bytes, .. }
        | Progress::Paused { bytes, .. }
        | Progress::Failed { bytes, .. } => *bytes,
        Progress::Done { .. } => size,
        Progress::Offered | Progress::Cancelled { .. } => 0,
    }
}

/// A progress as JSON has it. `is_over_turn` says how the other device is reached.
#[must_use]
pub fn moves(progress: &Progress, size: u64, is_over_turn: bool) -> Moves {
    let state = match progress {
        Progress::Queued { .. } => "queued",
        Progress::Moving { .. } => "moving",
        Progress::Parked { .. } => "parked",
        Progress::Paused { .. } => "paused",
        Progress::Done { .. } => "done",
        Progress::Offered => "offered",
        Progress::Cancelled { .. } => "cancelled",
        Progress::Failed { .. } => "failed",
    };
    let (twice, via) = match progress {
        Progress::Moving { twice, via, .. } => (Some(*twice), Some(via)),
        Progress::Done { twice, via } => (Some(*twice), via.as_ref()),
        _ => (None, None),
    };
    let bytes_per_second = match progress {
        Progress::Moving { bytes_per_second, .. } => Some(*bytes_per_second),
        _ => None,
    };
    let why = why(progress);
    Moves {
        state,
        bytes: bytes_of(progress, size),
        size,
        bytes_per_second,
        twice,
        via: via.and_then(|via| way(via, is_over_turn)),
        why,
    }
}

fn way(via: &Carrying, is_over_turn: bool) -> Option<&'static str> {
    match (via.links.is_empty(), via.relay) {
        (false, true) => Some("both"),
        (false, false) if is_over_turn => Some("turn"),
        (false, false) => Some("direct"),
        (true, true) => Some("relay"),
        (true, false) => via.stored.then_some("stored"),
    }
}

/// Why a transfer ended without the file, or waits; `None` where there is nothing to say.
#[must_use]
pub fn why(progress: &Progress) -> Option<String> {
    let text = match progress {
        Progress::Parked { needs_direct: true, .. } => {
            "no direct connection opens, and the server passes no files on"
        }
        Progress::Paused { by: End::There, .. } => "it is paused at the other end",
        Progress::Paused { by: End::Here, .. } => "it is paused here",
        Progress::Cancelled { by: End::There } => "it was cancelled at the other end",
        Progress::Cancelled { by: End::Here } => "it was cancelled here",
        Progress::Failed { why, .. } => return Some(failure(why)),
        _ => return None,
    };
    Some(text.to_owned())
}

fn failure(why: &TransferFailure) -> String {
    let text = match why {
        TransferFailure::Gone => "the other device has it no more",
        TransferFailure::NoRoomThere => "the other device has no room for it on its disk",
        TransferFailure::SourceRemoved => "its device was removed from the beam",
        TransferFailure::Changed => "it has changed, or cannot be read any more",
        TransferFailure::Damaged => "what arrives is damaged",
        TransferFailure::ReadOnly => "this device may only read in the beam",
        TransferFailure::Here(FileFailure::NoRoom) => {
            "it is larger than what is free on this device's disk"
        }
        TransferFailure::Here(FileFailure::DiskFull) => {
            "this device's disk is full: free some space and receive again"
        }
        TransferFailure::Here(FileFailure::Failed(why) | FileFailure::Useless(why)) => why,
    };
    text.to_owned()
}
