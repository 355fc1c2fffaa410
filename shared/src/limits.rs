//! Every number that both ends must agree on, with its unit and its reason.

use std::time::Duration;

/// How long an unsaved beam lives.
pub const BEAM_LIFETIME: Duration = Duration::from_hours(24);
/// Devices in one beam: what one fan-out can serve without a device feeling it.
pub const MAX_DEVICES: usize = 100;
/// Live items that the server keeps for late joiners; the oldest go first.
pub const MAX_LIVE_ITEMS: usize = 500;
/// Bytes of live items that the server keeps for late joiners.
pub const MAX_LIVE_BYTES: usize = 8 * 1024 * 1024;
/// Notes of a saved beam: what one list can still show.
pub const MAX_NOTES: usize = 5000;
/// Bytes of the notes of a saved beam: its list is one answer.
pub const MAX_NOTES_BYTES: usize = 16 * 1024 * 1024;
/// Requests to change a saved beam that may wait while one is being stored.
pub const MAX_WAITING_CHANGES: usize = 1024;
/// Bytes of such requests: as much as may wait for a slow device.
pub const MAX_WAITING_BYTES: usize = OUTBOX_BYTES;
/// Devices that can be removed from one beam: against more, its link is renewed.
pub const MAX_REMOVED_DEVICES: usize = 1000;
/// How long live items stay after the last device left, so that a reload finds them again.
pub const LINGER: Duration = Duration::from_mins(1);

/// Bytes of one text message above which the sender is told that it is too long.
pub const MAX_MESSAGE_BYTES: usize = 256 * 1024;
/// Levels of arrays and objects in a field of a message or of a body. Readers in other languages give up, or run out of
/// stack, at some hundreds.
pub const MAX_JSON_DEPTH: usize = 100;
/// Bytes of one message above which the socket is closed (1009).
pub const MAX_FRAME_BYTES: usize = 1024 * 1024;
/// Text messages a second that a socket may send for ever.
pub const MESSAGES_PER_SECOND: u32 = 100;
/// Text messages that a socket may send at once, before it is read more slowly.
pub const MESSAGE_BURST: u32 = 500;
/// KiB of text a second that a socket may send for ever: the outboxes of the others must not fill by one device's texts.
pub const TEXT_KIB_PER_SECOND: u32 = 1024;
/// KiB of text that a socket may send at once: half of an outbox.
pub const TEXT_KIB_BURST: u32 = 2048;
/// Time for the first message, `auth`.
pub const AUTH_TIMEOUT: Duration = Duration::from_secs(10);
/// The server's protocol ping, and the client's text `ping`.
pub const PING_INTERVAL: Duration = Duration::from_secs(25);
/// Silence after which a socket counts as dead.
pub const SOCKET_IDLE: Duration = Duration::from_mins(1);
/// Messages that may wait for a slow device.
pub const OUTBOX_MESSAGES: usize = 1024;
/// Bytes that may wait for a slow device.
pub const OUTBOX_BYTES: usize = 4 * 1024 * 1024;
/// Items of one `sync` page.
pub const SYNC_PAGE_ITEMS: usize = 100;
/// Bytes of one `sync` page, unless one item alone is larger.
pub const SYNC_PAGE_BYTES: usize = 256 * 1024;

/// Attempts of the client to reconnect, then it stops and offers a button.
pub const RECONNECT_ATTEMPTS: u32 = 20;
/// Pause between two attempts; the client adds up to [`RECONNECT_JITTER`].
pub const RECONNECT_DELAY: Duration = Duration::from_secs(5);
/// Most that is added to [`RECONNECT_DELAY`], so that a restart is not met by everybody at once.
pub const RECONNECT_JITTER: Duration = Duration::from_secs(1);

/// Bytes of one chunk of a file: the unit of wants, of resuming and, later, of sealing.
pub const CHUNK_BYTES: usize = 16 * 1024;
/// Largest frame between two devices: what browsers announce as `max-message-size`.
pub const MAX_RELAYED_FRAME_BYTES: usize = 256 * 1024;
/// Bytes wanted and not yet durable between two devices in one direction.
pub const WINDOW_BYTES: usize = 4 * 1024 * 1024;
/// Bytes that may wait in the server's relay from one device to another: a window and its headers.
pub const RELAY_PAIR_BYTES: usize = WINDOW_BYTES + 64 * 1024;
/// Bytes that may wait in the server's relay towards one device.
pub const RELAY_DEVICE_BYTES: usize = 16 * 1024 * 1024;
/// Time for a data channel to open before the relay is used.
pub const DIRECT_TIMEOUT: Duration = Duration::from_secs(8);
/// Media up to this size come by themselves; everything else on a tap.
pub const AUTO_RECEIVE_BYTES: u64 = 25 * 1024 * 1024;
/// Characters of a device's name.
pub const MAX_DEVICE_NAME: usize = 80;
