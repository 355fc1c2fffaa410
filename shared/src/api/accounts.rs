//! Bodies of the calls about people: who is logged in, as what.

use serde::{Deserialize, Serialize};
use ts_rs::TS;
use utoipa::ToSchema;

/// A person, as that person sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct User {
    /// Unique without case.
    pub username: String,
    /// Given name.
    pub first_name: String,
    /// Family name; may be empty after the specification's single `name`.
    pub last_name: String,
    /// Only the person sees it.
    pub email: String,
    /// Address of the picture, relative to the origin.
    pub profile_picture: Option<String>,
}

/// A person, as others see it (B7).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct PublicUser {
    /// Unique without case.
    pub username: String,
    /// Given name.
    pub first_name: String,
    /// Family name.
    pub last_name: String,
    /// Address of the picture, relative to the origin.
    pub profile_picture: Option<String>,
}

/// Answer of me, login, register, profile and profile-picture (H10 to H14).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct CurrentUser {
    /// Who is logged in.
    pub user: User,
}

/// Body of `POST /api/auth/login/` (H11). Without `Debug`: a password is in no log.
#[derive(Clone, Deserialize, TS, ToSchema)]
pub struct Login {
    /// In any case.
    pub username: String,
    /// As it was chosen.
    pub password: String,
}

/// Body of `PUT /api/auth/profile/` (H13). What is absent stays; `name` is split at its first space (A5).
#[derive(Clone, Debug, Default, Deserialize, TS, ToSchema)]
pub struct ProfileChange {
    /// Given name.
    #[ts(optional)]
    pub first_name: Option<String>,
    /// Family name.
    #[ts(optional)]
    pub last_name: Option<String>,
    /// Both names in one.
    #[ts(optional)]
    pub name: Option<String>,
    /// The new username.
    #[ts(optional)]
    pub username: Option<String>,
    /// The new address.
    #[ts(optional)]
    pub email: Option<String>,
}

/// Body of `DELETE /api/auth/delete-account/` (H15). Without `Debug`: a password is in no log.
#[derive(Clone, Deserialize, TS, ToSchema)]
pub struct AccountDeletion {
    /// The account's password, once more.
    pub password: String,
}

/// Answer of a call that has nothing else to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct Done {
    /// Always true; a failure has another status.
    pub success: bool,
}

impl Done {
    /// It is done.
    pub const OK: Self = Self { success: true };
}
