//! The native device: what a program in a beam does that is no browser. Its rules are without I/O, clock or randomness: values
//! that are told what happened, and say what to do. [`session`] is a device in a beam (`PROTOCOL.md`, sections S and E) with
//! the [`keys`] of a sealed one; [`engine`] moves files by the rules of a transfer (section F), which are all else. [`io`] has
//! the sockets, connections and files around them. The browser's side of it is in `client/src`.
//!
//! Sizes are bytes. A time is the [`Duration`](std::time::Duration) since a fixed moment, by a clock that does not go
//! back.
//!
//! A file of 40,000 bytes, from the wants of its receiver to the last chunk:
//!
//! ```
//! use std::time::Duration;
//!
//! use heliograph_device::file_size::FileSize;
//! use heliograph_device::receiver::{LinkKey, Receiver};
//! use heliograph_device::scheduler::{Receivers, Scheduler};
//! use heliograph_device::send_queue::SendQueue;
//! use heliograph_device::sender::Sender;
//! use heliograph_shared::ids::ItemId;
//!
//! let (file, link, now) = (ItemId::from_random([7; 16]), LinkKey::Direct(1), Duration::ZERO);
//! let size = FileSize::new(40_000).expect("a frame can name its chunks");
//! let mut receivers = Receivers::from([(file, Receiver::new(size))]);
//! let mut scheduler = Scheduler::default();
//! scheduler.begin(file);
//! let (mut sender, mut queue) = (Sender::new(size), SendQueue::default());
//!
//! // Here a `want` goes over the link.
//! while let Some(want) = scheduler.want(&mut receivers, &[link], |_| true, now) {
//!     let chunks = sender.wanted(want.range, true).expect("the file has them");
//!     queue.want(want.transfer, chunks);
//! }
//! // And here the chunks come back, four in a frame.
//! while let Some(turn) = queue.next(4) {
//!     queue.sent(turn);
//!     sender.gave(turn.range);
//!     let (first, bytes) = (turn.range.first, size.range_bytes(turn.range) as usize);
//!     for fresh in scheduler.arrived(&mut receivers, turn.transfer, link, first, bytes, now) {
//!         // Once its bytes are on the disk:
//!         receivers.get_mut(&file).expect("it was begun").wrote(fresh);
//!     }
//! }
//! assert!(receivers[&file].is_complete());
//! assert_eq!(sender.sent(), 40_000);
//! ```

mod bounded_json;
pub mod bundle;
pub mod carriers;
pub mod chunk_set;
pub mod claims;
pub mod engine;
pub mod file_facts;
pub mod file_size;
pub mod frames;
pub mod io;
pub mod keys;
pub mod link_meter;
pub mod manifest;
mod measures;
pub mod names;
pub mod pack_paths;
mod paths;
pub mod piece_checks;
pub mod piece_hash;
pub mod random;
pub mod receiver;
pub mod relay_joining;
pub mod saved_names;
pub mod scheduler;
pub mod send_queue;
pub mod sender;
pub mod session;
pub mod speed;
pub mod split_mix;
pub mod stall_clock;
pub mod swarm;
pub mod unheard_ends;
