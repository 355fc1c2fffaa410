//! The requests about accounts, and their answers.

use std::sync::Arc;

use heliograph_shared::names::{Password, Username};
use heliograph_shared::time::Millis;
use heliograph_storage::accounts::Account;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::error::{Error, causes};
use crate::files::dead_blobs;
use crate::random;

/// What the operator asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// All accounts.
    Users,
    /// A new password for the account with this name.
    ResetPassword(String),
    /// The end of the account with this name.
    DeleteUser(String),
}

/// What the operator gets.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// All accounts, by their names.
    Users(Vec<User>),
    /// The new password, which is shown once. Without `Debug`, so that no log can contain it.
    Password(String),
    /// The account is gone.
    Deleted,
    /// It was not done, for this reason.
    Refused(String),
}

/// An account, as its operator sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct User {
    /// The name to log in with.
    pub username: String,
    /// The address for letters.
    pub email: String,
    /// When it was created.
    pub created_at: Millis,
    /// Its saved beams.
    pub beams: u64,
    /// Its files.
    pub files: u64,
    /// Their bytes.
    pub file_bytes: u64,
}

/// Letters and digits that nobody takes for one another.
const ALPHABET: &[u8; 31] = b"abcdefghjkmnpqrstuvwxyz23456789";
/// Groups of a new password, of [`GROUP`] characters each: 99 random bits.
const GROUPS: usize = 4;
const GROUP: usize = 5;

/// Does what the operator asks for.
pub async fn answer(app: &Arc<App>, request: Request) -> Answer {
    let done = match request {
        Request::Users => users(app).await.map(Answer::Users),
        Request::ResetPassword(name) => reset_password(app, &name).await.map(Answer::Password),
        Request::DeleteUser(name) => delete(app, &name).await.map(|()| Answer::Deleted),
    };
    done.unwrap_or_else(|error| Answer::Refused(causes(&error)))
}

async fn users(app: &App) -> Result<Vec<User>, Error> {
    let accounts = app.storage.list_accounts().await?;
    let user = |of: heliograph_storage::account_list::AccountUse| User {
        username: of.account.username,
        email: of.account.email,
        created_at: of.account.created_at,
        beams: of.beams,
        files: of.files,
        file_bytes: of.file_bytes,
    };
    Ok(accounts.into_iter().map(user).collect())
}

async fn reset_password(app: &App, name: &str) -> Result<String, Error> {
    let account = find(app, name).await?;
    let text = fresh_password()?;
    let password = Password::parse(text.clone()).map_err(|why| Error::BadRequest(why.0))?;
    app.logins.replace_password(account.id, password).await?;
    Ok(text)
}

async fn delete(app: &App, name: &str) -> Result<(), Error> {
    let account = find(app, name).await?;
    app.logins.delete_account(account.id).await?;
    // The sweeper would come within ten minutes, and only to a server that runs.
    dead_blobs::remove(app.storage.clone(), app.blobs.clone(), app.clock).await;
    Ok(())
}

async fn find(app: &App, name: &str) -> Result<Account, Error> {
    const NOBODY: Error = Error::BadRequest("there is no account of this name; see user list");
    let username = Username::parse(name).map_err(|_| NOBODY)?;
    let found = app.storage.find_credentials(&username).await?;
    found.map(|(account, _)| account).ok_or(NOBODY)
}

fn fresh_password() -> Result<String, Error> {
    let mut text = String::new();
    while text.len() < GROUPS * (GROUP + 1) - 1 {
        let [byte] = random::bytes()?;
        // Bytes beyond the last whole round of the alphabet would make its first letters more frequent.
        let is_fair = usize::from(byte) < 256 / ALPHABET.len() * ALPHABET.len();
        let letter = ALPHABET.get(usize::from(byte) % ALPHABET.len()).filter(|_| is_fair);
        let Some(letter) = letter else { continue };
        if text.len() % (GROUP + 1) == GROUP {
            text.push('-');
        }
        text.push(char::from(*letter));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fresh_password_is_four_groups_and_never_the_same() {
        let passwords = [(); 50].map(|()| fresh_password().unwrap());
        for password in &passwords {
            let groups: Vec<_> = password.split('-').collect();
            assert_eq!(groups.iter().map(|group| group.len()).collect::<Vec<_>>(), [5; 4]);
            assert!(groups.concat().bytes().all(|letter| ALPHABET.contains(&letter)), "{password}");
        }
        let different: std::collections::BTreeSet<_> = passwords.iter().collect();
        assert_eq!(different.len(), passwords.len());
        let letters: std::collections::BTreeSet<_> = passwords.concat().bytes().collect();
        assert_eq!(letters.len(), ALPHABET.len() + 1, "every letter comes, and the hyphen");
    }
}
