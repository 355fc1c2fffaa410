//! Tells devices the hashes of the pieces of a file that this device has shared (F19): each as soon as it is made, and those that
//! are known to one that begins a part at a time, because all of a large file's would overflow its link. A link that is too slow for
//! that is told the rest once it has room.

use std::collections::BTreeMap;

use heliograph_shared::ids::{DeviceId, ItemId};

use super::context::Context;
use super::offers::{Asking, Offer};
use crate::chunk_set::ChunkRange;
use crate::frames::ControlFrame;
use crate::piece_hash::PieceHash;

/// Hashes in one frame. With it a frame is within the smallest that a device takes (F8).
pub const MOST_HASHES: usize = 1_000;
/// While more bytes than this wait to be said to a device, it is told no hash: about as many as one frame of hashes has.
const MOST_WAITING_BYTES: u64 = 32 * 1024;
/// Pieces that are read for one question.
const MOST_READ: u32 = 64;

type Hashes = BTreeMap<u32, PieceHash>;

/// A piece was hashed.
pub fn made(offer: &mut Offer, piece: u32, hash: PieceHash, context: &mut Context) {
    let id = offer.file.id;
    for (device, outgoing) in &mut offer.to {
        if !outgoing.has_ended() && says(context, *device, id, piece, vec![hash]) {
            outgoing.told.add(ChunkRange::new(piece, 1));
        }
    }
}

/// Tells a device the next of the hashes that it was not told yet. Called when it begins, and several times a second.
pub fn tell(offer: &mut Offer, device: DeviceId, context: &mut Context) {
    let file = &offer.file;
    let Some(outgoing) = offer.to.get_mut(&device) else { return };
    if outgoing.told.size() as usize >= file.hashes.len() {
        return;
    }
    let missing = outgoing.told.missing(ChunkRange::new(0, file.size.piece_count()));
    let next = missing.into_iter().find_map(|range| run_of(&file.hashes, range.first, range.end()));
    let Some((first, hashes)) = next else { return };
    let told = range_of(first, &hashes);
    if says(context, device, file.id, first, hashes) {
        outgoing.told.add(told);
    }
}

/// A device asks for the hashes of pieces. The first of them that are not known are read before it is answered. Returns the first
/// one to read, where there is one.
pub fn asked(
    offer: &mut Offer,
    device: DeviceId,
    pieces: ChunkRange,
    context: &mut Context,
) -> Option<u32> {
    if offer.asking.contains_key(&device) {
        return None;
    }
    let most = u32::try_from(MOST_HASHES).unwrap_or(u32::MAX);
    let end = pieces.first.saturating_add(pieces.count.min(most));
    let end = end.min(offer.file.size.piece_count());
    offer.asking.insert(device, Asking { first: pieces.first, end, left: MOST_READ });
    goes_on(offer, device, context)
}

/// A piece was read: answers a question, or returns the next piece to read for it.
pub fn goes_on(offer: &mut Offer, device: DeviceId, context: &mut Context) -> Option<u32> {
    let asking = offer.asking.get_mut(&device)?;
    let next = (asking.first..asking.end).find(|piece| !offer.file.hashes.contains_key(piece));
    if let Some(piece) = next.filter(|_| asking.left > 0) {
        if offer.file.is_reading(piece) {
            return None;
        }
        asking.left -= 1;
        return Some(piece);
    }
    let asking = offer.asking.remove(&device)?;
    let mut at = asking.first;
    while let Some((first, hashes)) = run_of(&offer.file.hashes, at, asking.end) {
        let told = range_of(first, &hashes);
        at = told.end();
        if !says(context, device, offer.file.id, first, hashes) {
            break;
        }
        if let Some(outgoing) = offer.to.get_mut(&device) {
            outgoing.told.add(told);
        }
    }
    None
}

/// Returns whether it was said. What is not is told later, as is all that is not known to be told.
fn says(
    context: &mut Context,
    device: DeviceId,
    transfer: ItemId,
    first: u32,
    hashes: Vec<PieceHash>,
) -> bool {
    let has_room = context.unsaid(device).is_some_and(|unsaid| unsaid <= MOST_WAITING_BYTES);
    has_room && context.say(device, &ControlFrame::Hashes { transfer, first, hashes })
}

fn range_of(first: u32, hashes: &[PieceHash]) -> ChunkRange {
    ChunkRange::new(first, u32::try_from(hashes.len()).unwrap_or(u32::MAX))
}

/// The first hashes in a row of the pieces from `from` to `end`, as many as a frame takes.
fn run_of(known: &Hashes, from: u32, end: u32) -> Option<(u32, Vec<PieceHash>)> {
    let mut pieces = known.range(from..end.max(from));
    let (first, hash) = pieces.next()?;
    let more = (first + 1..).zip(pieces).take_while(|(at, (piece, _))| *at == **piece);
    let more = more.map(|(_, (_, hash))| *hash);
    Some((*first, std::iter::once(*hash).chain(more).take(MOST_HASHES).collect()))
}
