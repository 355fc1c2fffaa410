//! Accounts: one username in any case, found as they were made.

use heliograph_shared::names::{Email, PersonName, Username};
use heliograph_storage::Error;
use heliograph_storage::accounts::{Account, AccountId, NewAccount, ProfileChange};

use crate::sessions::session;
use crate::stage::on_both;

/// The account of this number.
pub fn account(n: u8) -> AccountId {
    AccountId::from_random([n; 16])
}

pub fn name(text: &str) -> Username {
    Username::parse(text).unwrap()
}

/// Somebody of this name, with the account of this number.
pub fn person(n: u8, username: &str) -> NewAccount {
    NewAccount {
        id: account(n),
        username: name(username),
        first_name: PersonName::first("Ada").unwrap(),
        last_name: PersonName::last("Lovelace").unwrap(),
        email: Email::parse("ada@example.org").unwrap(),
        password_hash: format!("hash of {username}"),
        picture: None,
        created_at: 5,
    }
}

#[tokio::test]
async fn an_account_is_found_by_its_name_in_any_case() {
    on_both(async |storage| {
        storage.create_account(&person(1, "Ada.L"), &session(1, 1, 0)).await.unwrap();

        let found = storage.find_credentials(&name("aDA.l")).await.unwrap();

        let expected = (Account::from(person(1, "Ada.L")), "hash of Ada.L".to_owned());
        assert_eq!(found, Some(expected));
        assert_eq!(storage.find_credentials(&name("bob")).await.unwrap(), None);
        let hash = storage.find_password_hash(account(1)).await.unwrap();
        assert_eq!(hash.as_deref(), Some("hash of Ada.L"));
    })
    .await;
}

#[tokio::test]
async fn a_name_is_taken_once_and_who_comes_second_leaves_nothing() {
    on_both(async |storage| {
        storage.create_account(&person(1, "ada"), &session(1, 1, 0)).await.unwrap();

        let second = storage.create_account(&person(2, "ADA"), &session(2, 2, 0)).await;

        assert!(matches!(second, Err(Error::Conflict)));
        assert!(!storage.is_open(session(2, 2, 0).id).await.unwrap());
        assert_eq!(storage.find_password_hash(account(2)).await.unwrap(), None);
    })
    .await;
}

#[tokio::test]
async fn a_profile_changes_where_something_is_said() {
    on_both(async |storage| {
        storage.create_account(&person(1, "ada"), &session(1, 1, 0)).await.unwrap();
        storage.create_account(&person(2, "bob"), &session(2, 2, 0)).await.unwrap();
        let change = |username: &str| ProfileChange {
            username: Some(name(username)),
            last_name: Some(PersonName::last_if_any("").unwrap()),
            ..ProfileChange::default()
        };

        let taken = storage.change_profile(account(1), &change("BOB")).await;
        assert!(matches!(taken, Err(Error::Conflict)));
        let changed = storage.change_profile(account(1), &change("Ada")).await.unwrap().unwrap();

        let mut expected = Account::from(person(1, "Ada"));
        expected.last_name = String::new();
        assert_eq!(changed, expected);
        let gone = storage.change_profile(account(3), &ProfileChange::default()).await.unwrap();
        assert_eq!(gone, None);
    })
    .await;
}
