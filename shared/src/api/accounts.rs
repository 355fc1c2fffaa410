//! Bodies of the calls about accounts.

use serde::{Deserialize, Serialize};
use ts_rs::TS;
use utoipa::ToSchema;

/// A user, as the user sees the account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct User {
    /// Unique without case.
    pub username: String,
    /// Given name.
    pub first_name: String,
    /// Family name; may be empty after the specification's single `name`.
    pub last_name: String,
    /// E-mail address. Only the user sees it.
    pub email: String,
    /// Address of the picture, relative to the origin; null without one.
    pub profile_picture: Option<String>,
}

/// A user, as others see the account (B7).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct PublicUser {
    /// Unique without case.
    pub username: String,
    /// Given name.
    pub first_name: String,
    /// Family name.
    pub last_name: String,
    /// Address of the picture, relative to the origin; null without one.
    pub profile_picture: Option<String>,
}

/// Response of me (H10).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct Me {
    /// The logged-in user; absent when nobody is logged in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub user: Option<User>,
}

/// Response of login, register, profile and profile-picture (H11 to H14).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct CurrentUser {
    /// The logged-in user.
    pub user: User,
}

/// Body of `POST /api/auth/login/` (H11). Without `Debug`, so that no log can contain the password.
#[derive(Clone, Deserialize, TS, ToSchema)]
pub struct Login {
    /// The username, matched without case.
    pub username: String,
    /// The password.
    pub password: String,
}

/// Body of `PUT /api/auth/profile/` (H13). Absent fields stay as they are; `name` is split at its first space (A5).
#[derive(Clone, Debug, Default, Deserialize, TS, ToSchema)]
pub struct ProfileChange {
    /// The new given name.
    #[ts(optional)]
    pub first_name: Option<String>,
    /// The new family name.
    #[ts(optional)]
    pub last_name: Option<String>,
    /// Both names in one field.
    #[ts(optional)]
    pub name: Option<String>,
    /// The new username.
    #[ts(optional)]
    pub username: Option<String>,
    /// The new e-mail address.
    #[ts(optional)]
    pub email: Option<String>,
}

/// Body of `DELETE /api/auth/delete-account/` (H15). Without `Debug`, so that no log can contain the password.
#[derive(Clone, Deserialize, TS, ToSchema)]
pub struct AccountDeletion {
    /// The account's password, as a confirmation.
    pub password: String,
}

/// Response of a call without other content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS, ToSchema)]
pub struct Done {
    /// Always true: a failure has another status.
    pub success: bool,
}

impl Done {
    /// The response.
    pub const OK: Self = Self { success: true };
}
