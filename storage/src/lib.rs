//! Everything that outlives a restart. One [`Storage`], one module per entity, plain SQL that both SQLite and Postgres
//! understand. No clock: callers pass the time.

mod access;
mod account_deletion;
pub mod account_list;
pub mod accounts;
mod arrangements;
pub mod backup;
mod beam_writer;
pub mod beams;
pub mod blobs;
mod database;
pub mod dead_blobs;
mod deposited_keys;
mod disk;
mod error;
mod examination;
pub mod export;
mod fingerprint;
pub mod kept_beams;
mod lease;
pub mod notes;
pub mod passwords;
mod pictures;
pub mod quota;
pub mod resumable_uploads;
mod revision;
pub mod saved_beams;
pub mod secrets;
pub mod sessions;
pub mod shares;
mod sqlite;
pub mod staging;
mod storage;
pub mod totals;
mod upload_endings;
mod upload_parts;
pub mod uploads;
mod words;

pub use beam_writer::BeamWriter;
pub use database::Location;
pub use error::{Error, Unshareable};
pub use examination::{Examination, examine};
pub use lease::{Lease, LeaseError};
pub use storage::Storage;
pub use upload_endings::UNDO_TIME;
