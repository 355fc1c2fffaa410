//! Limits that server and client share, each with its unit and its reason.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What a device learns of the limits when it joins (S4), so that it need not send what would be refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Limits {
    /// Most bytes of a text message.
    pub message_bytes: usize,
    /// Most items of an unsaved beam that the server keeps for late joiners (S17).
    pub live_items: usize,
    /// Most items of a saved or kept beam (S22, S30).
    pub stored_items: usize,
    /// Most places in one message about the shared arrangement (S35).
    pub places: usize,
    /// Largest file that this device can upload by itself, in bytes (H40).
    pub upload_bytes: u64,
}

impl Limits {
    /// The limits for a device that can upload files of this size.
    #[must_use]
    pub const fn with_uploads(upload_bytes: u64) -> Self {
        Self {
            message_bytes: MAX_MESSAGE_BYTES,
            live_items: MAX_LIVE_ITEMS,
            stored_items: MAX_NOTES,
            places: MAX_PLACES,
            upload_bytes,
        }
    }
}

/// How long an unsaved beam lives.
pub const BEAM_LIFETIME: Duration = Duration::from_hours(24);
/// Most devices in one beam: as many as a fan-out serves without a noticeable delay.
pub const MAX_DEVICES: usize = 100;
/// Most live items that the server keeps for late joiners. It drops the oldest first.
pub const MAX_LIVE_ITEMS: usize = 500;
/// Most items that a device tells of after the server has lost its memory (S28): what one message holds.
pub const MAX_HELD_ITEMS: usize = 2_000;
/// Most ranges of numbers that it tells of besides.
pub const MAX_HELD_RANGES: usize = 64;
/// Most bytes of live items that the server keeps for late joiners.
pub const MAX_LIVE_BYTES: usize = 8 * 1024 * 1024;
/// Most files in a batch (F14): as many as a card can list. More files that are shared together make further batches.
pub const MAX_BATCH_FILES: usize = 200;
/// Most notes in a saved beam: as many as one list can show.
pub const MAX_NOTES: usize = 5000;
/// Most bytes of notes in a saved beam. Their list is one response.
pub const MAX_NOTES_BYTES: usize = 16 * 1024 * 1024;
/// Most requests that wait while a change of a saved beam is being stored.
pub const MAX_WAITING_CHANGES: usize = 1024;
/// Most bytes of such requests; as many as may wait for a slow device.
pub const MAX_WAITING_BYTES: usize = OUTBOX_BYTES;
/// Most places in one message about the shared arrangement. A canvas with more sends several.
pub const MAX_PLACES: usize = 500;
/// Most devices that can be removed from one beam. Against more, renew its link.
pub const MAX_REMOVED_DEVICES: usize = 1000;
/// Most keys that are deposited for one saved beam (H52): one more for each time that devices were removed.
pub const MAX_DEPOSITED_KEYS: usize = 256;
/// Most people with whom one saved beam is shared: a year of a school. Its keys are sealed to all of them in one request (H55).
pub const MAX_SHARES: usize = 100;
/// Most bytes of anything sealed that the server keeps for an account. The longest is what an owner seals to itself (E18): 12 KiB of
/// keys, 26 of 200 devices, 39 of a thousand that were removed, 9 of a hundred people, each with their public keys or ids. The rest
/// is for what later versions write beside them.
pub const MAX_SEALED_BYTES: usize = 128 * 1024;
/// Most bytes of the request that seals the keys of a beam (H55): 24 KiB for each person, of which 256 keys take 17, and once more
/// what the owner seals for itself.
pub const MAX_SEALING_BYTES: usize = MAX_SHARES * 24 * 1024 + MAX_SEALED_BYTES * 2;
/// How long a short code stands for its beam (H33): long enough to read it out and to type it.
pub const CODE_LIFETIME: Duration = Duration::from_mins(10);
/// Most short codes at a time, each of a different beam. It keeps guesses hopeless: one of 54,000 would be right.
pub const MAX_CODES: usize = 16_384;
/// How long live items stay after the last device left, so that a reload finds them.
pub const LINGER: Duration = Duration::from_mins(1);

/// Most bytes of a text message. A longer one is refused with an `error`.
pub const MAX_MESSAGE_BYTES: usize = 256 * 1024;
/// Most levels of arrays and objects in a field of a message or body. Parsers in other languages fail, or run out of
/// stack, at some hundreds.
pub const MAX_JSON_DEPTH: usize = 100;
/// Most bytes of the `extra` of a deletion (E4): an envelope with an id and a time has 430.
pub const MAX_DELETION_EXTRA_BYTES: usize = 1024;
/// Most bytes of any message. A longer one closes the socket (1009).
pub const MAX_FRAME_BYTES: usize = 1024 * 1024;
/// Sustained rate of text messages from one socket, per second.
pub const MESSAGES_PER_SECOND: u32 = 100;
/// Text messages that a socket may send at once, before the server reads it more slowly.
pub const MESSAGE_BURST: u32 = 500;
/// Sustained rate of text from one socket, in KiB per second. It keeps one device from filling the others' outboxes.
pub const TEXT_KIB_PER_SECOND: u32 = 1024;
/// KiB of text that a socket may send at once: half of an outbox.
pub const TEXT_KIB_BURST: u32 = 2048;
/// Time for the first message, `auth`.
pub const AUTH_TIMEOUT: Duration = Duration::from_secs(10);
/// Interval of the server's protocol pings and of the client's text `ping`.
pub const PING_INTERVAL: Duration = Duration::from_secs(25);
/// Silence after which a socket counts as dead.
pub const SOCKET_IDLE: Duration = Duration::from_mins(1);
/// Most messages that wait for a slow device.
pub const OUTBOX_MESSAGES: usize = 1024;
/// Most bytes of messages that wait for a slow device.
pub const OUTBOX_BYTES: usize = 4 * 1024 * 1024;
/// Most items in one `sync` page.
pub const SYNC_PAGE_ITEMS: usize = 100;
/// Most bytes of one `sync` page, unless a single item is larger.
pub const SYNC_PAGE_BYTES: usize = 256 * 1024;

/// Attempts of the client to reconnect. After them it stops and offers a button.
pub const RECONNECT_ATTEMPTS: u32 = 20;
/// Pause between two attempts. The client adds up to [`RECONNECT_JITTER`].
pub const RECONNECT_DELAY: Duration = Duration::from_secs(5);
/// Largest addition to [`RECONNECT_DELAY`], so that not everybody reconnects at once after a restart.
pub const RECONNECT_JITTER: Duration = Duration::from_secs(1);

/// Bytes of one chunk of a file: the unit of wants, of resuming and, later, of sealing.
pub const CHUNK_BYTES: usize = 16 * 1024;
/// Largest frame between two devices, in bytes: the `max-message-size` that browsers announce.
pub const MAX_RELAYED_FRAME_BYTES: usize = 256 * 1024;
/// Most bytes that are wanted and not yet stored durably, between two devices in one direction, on short paths.
pub const SMALLEST_BUDGET_BYTES: usize = 4 * 1024 * 1024;
/// The same on long and fast paths.
pub const LARGEST_BUDGET_BYTES: usize = 32 * 1024 * 1024;
/// Most bytes that are wanted on the relay and have not arrived, between two devices in one direction.
pub const RELAY_WINDOW_BYTES: usize = SMALLEST_BUDGET_BYTES;
/// Most bytes that wait in the relay from one device to another: a window and its headers.
pub const RELAY_PAIR_BYTES: usize = RELAY_WINDOW_BYTES + 64 * 1024;
/// Most bytes that wait in the relay for one device.
pub const RELAY_DEVICE_BYTES: usize = 16 * 1024 * 1024;
/// Time for a data channel to open before the relay is used.
pub const DIRECT_TIMEOUT: Duration = Duration::from_secs(8);
/// Largest media file that is received without a tap, in bytes.
pub const AUTO_RECEIVE_BYTES: u64 = 25 * 1024 * 1024;
/// Most characters in a device's name.
pub const MAX_DEVICE_NAME: usize = 80;
