//! The handlers. The rules they apply are in the other modules.

mod access;
pub mod accounts;
pub mod beams;
pub mod certificate;
pub mod codes;
pub mod doctor;
pub mod export;
pub mod health;
pub mod keys;
pub mod notes;
pub mod pictures;
pub mod registration;
pub mod shares;
pub mod site;
pub mod socket;
pub mod tus;
pub mod uploads;
pub mod vaults;
