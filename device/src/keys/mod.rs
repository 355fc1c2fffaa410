//! The keys of one sealed beam (`PROTOCOL.md`, section E): what a device has of them, how it is let in by the secret of a link, or by
//! a comparison, and how it hands them on. `client/src/crypto` has the same for the browser, under the same names.
//!
//! Nothing here reads a clock or sends anything. Randomness and the time come in as arguments.

mod compared_keyring;
pub mod comparisons;
pub mod found_keys;
pub mod handing_over;
mod kept_keyring;
pub mod keyring;
mod known_devices;
pub mod link_joining;
mod openers;
pub mod page_numbers;
pub mod password;
pub mod saved_keys;
pub mod shared_keys;
pub mod signs;
mod text;
mod unverified_devices;
pub mod vault_memory;
pub mod way_in;
