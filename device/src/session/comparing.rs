//! What both ends of a comparison need (E8): the joiner, and the device that lets it in.

use crate::keys::comparisons::Comparisons;
use crate::keys::keyring::Keyring;
use crate::keys::way_in::{Refusal, ShareMessage, Short, WayIn};

use super::trust::TrustBook;

/// What is compared, and what people have said of it.
pub(super) struct Comparing {
    pub(super) comparisons: Comparisons,
    pub(super) trust: TrustBook,
}

/// What a device says that comes without the link.
pub(super) enum Knock {
    Commit(Short),
    Reveal(ShareMessage),
}

/// The answer of a device that lets nobody in.
pub(super) fn refusal(ring: &Keyring, why: Refusal) -> WayIn {
    let has_link = (why == Refusal::Keyless).then_some(ring.invite().is_some());
    WayIn::Refused { why, has_link }
}
