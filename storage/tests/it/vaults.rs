//! Vaults of accounts, and the keys of saved beams in them (E17, E18).

use heliograph_shared::api::beams::{Level, Role};
use heliograph_shared::api::vaults::{BeamVaultChange, KeysForPerson, SealedKeys, Stretch, Vault};
use heliograph_shared::ids::ShareId;
use heliograph_shared::opaque::Opaque;
use heliograph_storage::notes::Quota;
use heliograph_storage::{Error, FREE_KEY_BYTES, Storage};

use crate::accounts::{QUOTA, account, person, saved_by};
use crate::sessions::session;
use crate::stage::{at, on_both, quotas, with_writer};

fn bytes(n: u8, count: usize) -> Opaque {
    Opaque::new(vec![n; count])
}

/// A vault of account `n`.
fn vault(version: u32, n: u8) -> Vault {
    Vault {
        version,
        stretch: Stretch { salt: bytes(n, 16), memory_kib: 65_536, passes: 3 },
        by_password: Some(bytes(n, 60)),
        by_words: bytes(n, 60),
        public_key: bytes(n, 65),
    }
}

/// The keys of a beam, sealed to the vault of account `n`.
fn keys_for(username: &str, n: u8) -> KeysForPerson {
    let keys = SealedKeys { from: bytes(1, 65), encapsulated: bytes(n, 65), sealed: bytes(n, 300) };
    KeysForPerson { username: username.to_owned(), to: bytes(n, 65), keys }
}

async fn hash(storage: &Storage) -> Option<String> {
    storage.find_password_hash(account(1)).await.unwrap()
}

#[tokio::test]
async fn h54_no_vault_is_written_by_a_password_that_was_replaced_after_it_was_proved() {
    on_both(async |storage| {
        storage.create_account(&person(1, "ada"), &session(1, 1, 0)).await.unwrap();
        storage.replace_password(account(1), "of the operator").await.unwrap();
        storage.open_session(&session(2, 1, 0), "of the operator").await.unwrap();
        let writes = async |n, proved| {
            let session = session(n, 1, 0).id;
            storage.change_vault(account(1), session, proved, "of a thief", &vault(1, 1)).await
        };

        let (old, ended) = ("hash of ada", "of the operator");
        assert!(matches!(writes(2, old).await, Err(Error::Missing)), "in a later login");
        assert!(matches!(writes(1, ended).await, Err(Error::Missing)), "in a login that has ended");

        assert_eq!(hash(&storage).await.as_deref(), Some("of the operator"));
        assert_eq!(storage.vault_of(account(1)).await.unwrap(), None);
        writes(2, "of the operator").await.unwrap();
        assert_eq!(hash(&storage).await.as_deref(), Some("of a thief"));
    })
    .await;
}

#[tokio::test]
async fn h54_no_vault_is_written_of_an_account_that_went_after_its_password_was_proved() {
    with_writer(async |storage, writer| {
        storage.create_account(&person(1, "ada"), &session(1, 1, 0)).await.unwrap();
        writer.delete_account(account(1), at(5)).await.unwrap();
        let id = session(1, 1, 0).id;
        let late = storage.change_vault(account(1), id, "hash of ada", "other", &vault(1, 1)).await;
        assert!(matches!(late, Err(Error::Missing)));
    })
    .await;
}

#[tokio::test]
async fn h55_nobodys_vault_keeps_the_keys_of_a_beam_that_has_ended() {
    with_writer(async |storage, writer| {
        for (n, name) in [(1, "ada"), (2, "bob")] {
            storage.create_account(&person(n, name), &session(n, n, 0)).await.unwrap();
            let (id, hash) = (session(n, n, 0).id, format!("hash of {name}"));
            storage.change_vault(account(n), id, &hash, &hash, &vault(1, n)).await.unwrap();
        }
        let deleted = saved_by(&storage, &writer, 1).await;
        let of_deleted_account = saved_by(&storage, &writer, 2).await;
        for (n, other, beam) in [(1, "bob", deleted), (2, "ada", of_deleted_account)] {
            let id = ShareId::from_random([n; 16]);
            writer.create_share(account(n), id, beam, other, Level::Read, at(0)).await.unwrap();
            let keys = vec![keys_for("ada", 1), keys_for("bob", 2)];
            let change = BeamVaultChange { version: 1, keys };
            writer.seal_keys(account(n), beam, &change, QUOTA).await.unwrap();
        }
        // What the table has, whoever asks.
        let version =
            async |beam| storage.sealed_keys(account(1), Role::Read, beam).await.unwrap().version;
        assert_eq!((version(deleted).await, version(of_deleted_account).await), (1, 1));

        writer.delete_beam(account(1), deleted, at(50)).await.unwrap();
        writer.delete_account(account(2), at(50)).await.unwrap();

        assert_eq!((version(deleted).await, version(of_deleted_account).await), (0, 0));
    })
    .await;
}

#[tokio::test]
async fn h55_who_has_another_vault_since_does_not_have_the_keys() {
    with_writer(async |storage, writer| {
        for (n, name) in [(1, "ada"), (2, "bob")] {
            storage.create_account(&person(n, name), &session(n, n, 0)).await.unwrap();
        }
        let has_vault = async |n: u8, name: &str, version, key| {
            let (id, hash) = (session(n, n, 0).id, format!("hash of {name}"));
            storage.change_vault(account(n), id, &hash, &hash, &vault(version, key)).await.unwrap();
        };
        has_vault(1, "ada", 1, 1).await;
        has_vault(2, "bob", 1, 2).await;
        let beam = saved_by(&storage, &writer, 1).await;
        let id = ShareId::from_random([1; 16]);
        writer.create_share(account(1), id, beam, "bob", Level::Read, at(0)).await.unwrap();
        let change =
            BeamVaultChange { version: 1, keys: vec![keys_for("ada", 1), keys_for("bob", 2)] };
        writer.seal_keys(account(1), beam, &change, QUOTA).await.unwrap();
        let with_keys = async || {
            let vault = storage.sealed_keys(account(1), Role::Owner, beam).await.unwrap();
            let people = vault.people.into_iter().filter(|person| person.has_keys);
            people.map(|person| person.username).collect::<Vec<_>>()
        };
        has_vault(2, "bob", 2, 2).await;
        assert_eq!(with_keys().await, ["ada", "bob"], "another password is no other vault");

        has_vault(2, "bob", 3, 3).await;

        assert_eq!(with_keys().await, ["ada"]);
    })
    .await;
}

#[tokio::test]
async fn h55_many_keys_are_at_the_cost_of_their_owner_and_few_are_always_taken() {
    with_writer(async |storage, writer| {
        for (n, name) in [(1, "ada"), (2, "bob")] {
            storage.create_account(&person(n, name), &session(n, n, 0)).await.unwrap();
            let (id, hash) = (session(n, n, 0).id, format!("hash of {name}"));
            storage.change_vault(account(n), id, &hash, &hash, &vault(1, n)).await.unwrap();
        }
        let beam = saved_by(&storage, &writer, 1).await;
        let id = ShareId::from_random([1; 16]);
        writer.create_share(account(1), id, beam, "bob", Level::Read, at(0)).await.unwrap();
        let unlimited = quotas(u64::MAX);
        let free = async || storage.free_for_account(account(1), unlimited, at(10)).await.unwrap();
        let without_keys = free().await;
        let seals = async |version, for_ada: u64, for_bob: u64, own| {
            let mut keys = vec![keys_for("ada", 1), keys_for("bob", 2)];
            for (one, count) in keys.iter_mut().zip([for_ada, for_bob]) {
                one.keys.sealed = bytes(7, usize::try_from(count).unwrap());
            }
            let change = BeamVaultChange { version, keys };
            let quota = Quota { quotas: quotas(own), now: at(10) };
            writer.seal_keys(account(1), beam, &change, quota).await
        };

        seals(1, FREE_KEY_BYTES - 100, 100, 0).await.unwrap();
        assert_eq!(free().await, without_keys - FREE_KEY_BYTES);
        assert!(matches!(seals(2, FREE_KEY_BYTES, 100, 10_000).await, Err(Error::Full)));
        assert_eq!(free().await, without_keys - FREE_KEY_BYTES, "nothing has changed");
        seals(2, FREE_KEY_BYTES, 100, 2 * FREE_KEY_BYTES).await.unwrap();
        seals(3, FREE_KEY_BYTES, 100, 0).await.unwrap();
        assert_eq!(free().await, without_keys - FREE_KEY_BYTES - 100);

        writer.delete_account(account(2), at(20)).await.unwrap();
        assert_eq!(free().await, without_keys - FREE_KEY_BYTES);
        writer.delete_beam(account(1), beam, at(20)).await.unwrap();
        assert!(free().await >= without_keys);
    })
    .await;
}
