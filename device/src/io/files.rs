//! Files on the disk: those that are offered ([`source`], [`walk`], [`packed`]), and those that are received ([`store`],
//! [`received`]). What is received lies beside its place until all of it is there, and a [`journal`] in the folder of the
//! program's state says which chunks of it are durable, so that a later run of the program goes on with it. What a later run needs to go on
//! as the device that shared something is in [`shared_files`].
//!
//! All functions block. `tokio::task::spawn_blocking` is the place for them.

pub mod error;
pub mod journal;
pub mod packed;
mod private_folder;
pub mod received;
pub mod shared_files;
pub mod source;
pub mod source_file;
pub mod store;
mod sweep;
mod system;
pub mod target;
mod unpacking;
pub mod walk;

pub(super) use self::system::make_private_folder;
