//! Accounts: usernames are unique without case, and fields are stored as given.

use heliograph_shared::api::beams::Level;
use heliograph_shared::ids::{BeamId, DeviceId, ItemId, ShareId};
use heliograph_shared::names::{BeamName, Email, PersonName, Username};
use heliograph_storage::accounts::{Account, AccountId, NewAccount, ProfileChange};
use heliograph_storage::notes::{NewNote, Quota};
use heliograph_storage::saved_beams::Contents;
use heliograph_storage::{BeamWriter, Error, Storage};

use crate::sessions::session;
use crate::stage::{at, on_both, quotas, with_writer};

/// The id of account `n`.
pub fn account(n: u8) -> AccountId {
    AccountId::from_random([n; 16])
}

pub fn name(text: &str) -> Username {
    Username::parse(text).unwrap()
}

/// A new account `n` with this username.
pub fn person(n: u8, username: &str) -> NewAccount {
    NewAccount {
        id: account(n),
        username: name(username),
        first_name: PersonName::first("Ada").unwrap(),
        last_name: PersonName::last("Lovelace").unwrap(),
        email: Email::parse("ada@example.org").unwrap(),
        password_hash: format!("hash of {username}"),
        picture: None,
        created_at: at(5),
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
        assert!(storage.account_of(session(2, 2, 0).id).await.unwrap().is_none());
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

#[tokio::test]
async fn a7_an_account_goes_with_everything_of_it_and_what_it_shared_elsewhere_stays_without_an_author()
 {
    with_writer(async |storage, writer| {
        for (n, name) in [(1, "ada"), (2, "bob")] {
            storage.create_account(&person(n, name), &session(n, n, 0)).await.unwrap();
        }
        let (hers, his) =
            (saved_by(&storage, &writer, 1).await, saved_by(&storage, &writer, 2).await);
        for (n, owner, beam, other) in [(1, 1, hers, "bob"), (2, 2, his, "ada")] {
            let id = ShareId::from_random([n; 16]);
            writer
                .create_share(account(owner), id, beam, other, Level::Write, at(0))
                .await
                .unwrap();
        }

        let ended = writer.delete_account(account(1), at(50)).await.unwrap();

        assert_eq!(ended, [hers, his], "his has changed too");
        let beam = storage.find_beam(hers).await.unwrap().unwrap();
        assert!(beam.has_ended(at(50)), "so that its id is answered as ended");
        assert_eq!(storage.access_to(hers).await.unwrap(), None);
        assert_eq!(storage.notes_of(hers).await.unwrap(), []);
        assert!(storage.shares_with(account(2)).await.unwrap().is_empty());
        assert!(storage.shares_by(account(2)).await.unwrap().is_empty());
        assert!(storage.account_of(session(1, 1, 0).id).await.unwrap().is_none());
        assert_eq!(storage.find_credentials(&name("ada")).await.unwrap(), None);

        let notes = storage.notes_of(his).await.unwrap();
        let authors: Vec<_> = notes.iter().map(|note| note.author).collect();
        assert_eq!(authors, [None, Some(account(2))]);
        assert!(storage.account_of(session(2, 2, 0).id).await.unwrap().is_some());
        storage.create_account(&person(3, "Ada"), &session(3, 3, 0)).await.unwrap();
        assert!(writer.delete_account(account(1), at(60)).await.unwrap().is_empty(), "again");
    })
    .await;
}

/// An unlimited quota.
pub const QUOTA: Quota = Quota { quotas: quotas(u64::MAX), now: at(10) };

fn note(n: u8, author: Option<AccountId>) -> NewNote {
    NewNote {
        id: ItemId::from_random([n; 16]),
        seq: n.into(),
        content: "\"hello\"".to_owned(),
        upload: None,
        kind: "text".to_owned(),
        device: DeviceId::from_bytes([n; 16]),
        author,
        created_at: at(0),
    }
}

/// A beam saved by account `n`, with a note by each of the two accounts.
pub async fn saved_by(storage: &Storage, writer: &BeamWriter, n: u8) -> BeamId {
    let beam = BeamId::from_random([n; 16]);
    storage.record_shared_beam(beam, at(0), at(1_000)).await.unwrap();
    let notes = [1, 2].map(|author| note(author, Some(account(author))));
    let name = BeamName::parse("Beam").unwrap();
    writer
        .save_beam(
            beam,
            account(n),
            &name,
            Contents { notes: &notes, ..Contents::default() },
            QUOTA,
        )
        .await
        .unwrap();
    beam
}
