//! Accounts: sessions, password attempts, and profile pictures.

pub mod beam_lists;
pub mod known_devices;
pub mod logins;
pub mod pictures;
pub mod public_keys;
pub mod stretching;
mod throttle;
pub mod tokens;

use heliograph_shared::api::accounts::{PublicUser, User};
use heliograph_storage::accounts::Account;

/// A user's fields as others see them (B7).
#[must_use]
pub fn public(account: &Account) -> PublicUser {
    let User { username, first_name, last_name, profile_picture, .. } = own(account);
    PublicUser { username, first_name, last_name, profile_picture }
}

/// A user's fields as the user sees them.
#[must_use]
pub fn own(account: &Account) -> User {
    User {
        username: account.username.clone(),
        first_name: account.first_name.clone(),
        last_name: account.last_name.clone(),
        email: account.email.clone(),
        profile_picture: account.picture.as_ref().map(|name| format!("/api/pictures/{name}")),
    }
}
