//! H53 to H56: vaults of accounts, and the keys of saved beams in them. The server can open none of it.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use heliograph_shared::api::beams::{Level, LinkAccess};
use heliograph_shared::ids::ShareId;
use heliograph_shared::limits::MAX_SEALED_BYTES;
use heliograph_shared::names::{Email, Password, PersonName, Username};
use heliograph_shared::time::Millis;
use heliograph_signal::budget::Kind;
use heliograph_signal::error::Error;
use heliograph_storage::KEPT_KEYS_PAGE;
use heliograph_storage::accounts::{AccountId, NewAccount};
use heliograph_storage::sessions::{NewSession, NewToken, NewTokens, SessionId};
use rcgen::KeyPair;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpSocket;

use super::person::Person;
use super::server::Answer;
use super::world::{Who, World, on_both, quota};

fn bytes(n: u8, count: usize) -> String {
    URL_SAFE_NO_PAD.encode(vec![n; count])
}

/// The public key that belongs to a number. It is a point of the curve, or the server would refuse it.
fn public_key(n: u8) -> String {
    static KEYS: LazyLock<Vec<String>> = LazyLock::new(|| {
        let keys = (0..=u8::MAX).map(|_| KeyPair::generate().unwrap());
        keys.map(|key| URL_SAFE_NO_PAD.encode(key.public_key_raw())).collect()
    });
    KEYS[usize::from(n)].clone()
}

/// A vault by its form, of somebody whose public key is made of one number.
pub fn vault(version: u32, n: u8) -> Value {
    json!({
        "version": version,
        "stretch": {"salt": bytes(n, 16), "memory_kib": 65_536, "passes": 3},
        "by_password": bytes(n, 60),
        "by_words": bytes(n, 60),
        "public_key": public_key(n),
    })
}

impl Person<'_> {
    pub async fn changes_vault(&mut self, new_password: &str, vault: &Value) -> Answer {
        let body = json!({"password": self.password, "new_password": new_password, "vault": vault});
        let answer = self.asks("PUT", "/api/auth/vault/", &body).await;
        if answer.status == 200 {
            new_password.clone_into(&mut self.password);
        }
        answer
    }
}

async fn way(world: &World<'_>, username: &str) -> Value {
    let mut guest = world.person(Who::Guest);
    let answer = guest.asks("POST", "/api/auth/way/", &json!({"username": username})).await;
    assert_eq!(answer.status, 200);
    answer.json()["stretch"].clone()
}

#[tokio::test]
async fn h54_a_vault_is_written_with_the_password_and_ends_the_other_logins() {
    on_both(async |world| {
        let mut owner = world.person(Who::Owner);
        assert_eq!(owner.gets("/api/auth/vault/").await.json(), json!({"vault": null}));
        assert_eq!(way(world, "owner").await, json!(null));
        let mut elsewhere = world.person(Who::Owner);
        assert_eq!(elsewhere.logs_in().await.status, 200);

        let wrong =
            json!({"password": "a guess", "new_password": "the login part", "vault": vault(1, 1)});
        let refused = owner.asks("PUT", "/api/auth/vault/", &wrong).await;
        assert_eq!(refused.json(), json!({"password": ["The password is wrong"]}));
        let mut other = vault(1, 1);
        for no_key in [bytes(1, 64), bytes(1, 65)] {
            other["public_key"] = json!(no_key);
            assert_eq!(owner.changes_vault("the login part", &other).await.status, 400);
        }
        assert_eq!(owner.changes_vault("the login part", &vault(2, 1)).await.status, 409);
        assert_eq!(owner.changes_vault("the login part", &vault(1, 1)).await.status, 200);

        assert_eq!(owner.gets("/api/auth/vault/").await.json()["vault"], vault(1, 1));
        assert_eq!(way(world, "OWNER").await, vault(1, 1)["stretch"]);
        assert_eq!((owner.is().await.as_deref(), elsewhere.is().await), (Some("owner"), None));
        assert_eq!(elsewhere.logs_in().await.status, 401);
        assert_eq!(owner.changes_vault("another part", &vault(2, 2)).await.status, 200);
        assert_eq!(owner.logs_in().await.status, 200);
        // Two devices that change it at once do not undo each other's change.
        assert_eq!(owner.changes_vault("a third part", &vault(2, 3)).await.status, 409);
        assert_eq!(owner.logs_in().await.status, 200);
    })
    .await;
}

fn password(text: &str) -> Password {
    Password::parse(text.to_owned()).unwrap()
}

#[tokio::test]
async fn h54_who_has_proved_a_password_neither_logs_in_nor_changes_it_once_the_operator_has_replaced_it()
 {
    on_both(async |world| {
        let (logins, account) = (&world.server.app.logins, world.account(Who::Owner).await);
        let proves = async |text| {
            let attempt = logins.attempt_login(&Username::parse("owner").unwrap(), None).await;
            logins.check(attempt.unwrap(), password(text)).await.unwrap().unwrap()
        };
        let proof = proves("owner's password").await;
        logins.replace_password(account, password("of the operator")).await.unwrap();

        assert!(matches!(logins.begin(&proof).await, Err(Error::WrongCredentials)));
        let (session, new) = (SessionId::from_random([1; 16]), password("of a thief"));
        let vault = serde_json::from_value(vault(1, 1)).unwrap();
        let written = logins.change_vault(session, proof, new, vault).await;
        assert!(matches!(written, Err(Error::Unauthorized)), "{written:?}");
        proves("of the operator").await;
    })
    .await;
}

#[tokio::test]
async fn h54_only_the_words_open_a_vault_after_the_operator_has_replaced_the_password() {
    on_both(async |world| {
        let mut owner = world.person(Who::Owner);
        owner.changes_vault("the login part", &vault(1, 1)).await;
        let account = world.account(Who::Owner).await;
        let hash = "not a hash".to_owned();
        assert!(world.server.app.storage.replace_password(account, &hash).await.unwrap());
        let left = world.server.app.storage.vault_of(account).await.unwrap().unwrap();
        assert_eq!((left.version, &left.by_password), (2, &None));
        assert_eq!(left.by_words.as_bytes(), [1; 60]);
        assert_eq!(way(world, "owner").await, json!(null));
    })
    .await;
}

/// The keys for a person, as that person gets them.
fn keys(n: u8) -> Value {
    json!({"from": bytes(n, 65), "encapsulated": bytes(n, 65), "sealed": bytes(n, 300)})
}

fn for_person(username: &str, to: u8, n: u8) -> Value {
    json!({"username": username, "to": public_key(to), "keys": keys(n)})
}

#[tokio::test]
async fn h55_the_keys_of_a_beam_come_to_those_to_whom_they_are_sealed_and_the_deposit_goes() {
    on_both(async |world| {
        let trip = world.trip(LinkAccess::Read).await;
        let path = format!("/api/beams/{}/vault/", trip.beam);
        let deposit = format!("/api/beams/{}/keys/", trip.beam);
        let [mut owner, mut admin, mut writer, mut reader, mut user] =
            [Who::Owner, Who::Admin, Who::Writer, Who::Reader, Who::User].map(|who| world.person(who));
        let deposited = json!({"keys": [bytes(1, 32)], "current": bytes(3, 8), "proof": bytes(4, 32)});
        assert_eq!(owner.asks("PUT", &deposit, &deposited).await.status, 200);
        owner.changes_vault("owner's part", &vault(1, 1)).await;
        writer.changes_vault("writer's part", &vault(1, 2)).await;
        user.changes_vault("user's part", &vault(1, 3)).await;

        let before = owner.gets(&path).await.json();
        assert_eq!((&before["version"], &before["keys"]), (&json!(0), &json!(null)));
        let people: Vec<_> = before["people"].as_array().unwrap().iter().collect();
        let names: Vec<_> = people.iter().map(|person| person["username"].as_str().unwrap()).collect();
        assert_eq!(names, ["admin", "owner", "reader", "writer"]);
        assert_eq!(people[1]["public_key"], json!(public_key(1)));
        assert_eq!(people[0]["public_key"], json!(null));
        assert_eq!(admin.gets(&path).await.json()["people"], json!([]));

        let change = json!({"version": 1, "keys": [for_person("owner", 1, 4), for_person("writer", 2, 5)]});
        for (person, status) in [(&mut admin, 403), (&mut writer, 403), (&mut user, 404)] {
            let own = for_person(&person.username, 1, 5);
            let change = json!({"version": 1, "keys": [for_person("owner", 1, 4), own]});
            assert_eq!(person.asks("PUT", &path, &change).await.status, status);
        }
        for (refused, why) in [
            (json!([]), "nobody has keys"),
            (json!([for_person("writer", 2, 5)]), "the owner has none"),
            (json!([for_person("owner", 1, 4), for_person("OWNER ", 1, 4)]), "one person twice"),
        ] {
            let refused = json!({"version": 1, "keys": refused});
            assert_eq!(owner.asks("PUT", &path, &refused).await.status, 400, "{why}");
        }
        for (outdated, why) in [
            (json!({"version": 2, "keys": change["keys"]}), "another version"),
            (json!({"version": 1, "keys": [for_person("owner", 1, 4), for_person("writer", 9, 5)]}), "another vault"),
            (json!({"version": 1, "keys": [for_person("owner", 1, 4), for_person("user", 3, 5)]}), "no share"),
            (json!({"version": 1, "keys": [for_person("owner", 1, 4), for_person("admin", 1, 5)]}), "no vault"),
        ] {
            assert_eq!(owner.asks("PUT", &path, &outdated).await.status, 409, "{why}");
        }
        assert_eq!(owner.gets(&deposit).await.json(), deposited, "what is refused changes nothing");
        assert_eq!(owner.asks("PUT", &path, &change).await.json(), change);

        assert_eq!(owner.gets(&path).await.json()["keys"], keys(4));
        assert_eq!(writer.gets(&path).await.json(), json!({"version": 1, "keys": keys(5), "people": []}));
        assert_eq!(reader.gets(&path).await.json()["keys"], json!(null));
        let nothing = json!({"keys": [], "current": null, "proof": null});
        assert_eq!(owner.gets(&deposit).await.json(), nothing);
        assert_eq!(admin.asks("PUT", &deposit, &deposited).await.status, 409);
        let kept = |keys| json!({"beams": [{"beam_id": trip.beam, "keys": keys}]});
        assert_eq!(writer.gets("/api/auth/vault/beams/").await.json(), kept(keys(5)));
        assert_eq!(reader.gets("/api/auth/vault/beams/").await.json(), json!({"beams": []}));
        let export = writer.gets("/api/auth/export/").await.json();
        assert_eq!((&export["vault"], &export["kept_keys"]), (&vault(1, 2), &kept(keys(5))["beams"]));
    })
    .await;
}

#[tokio::test]
async fn s38_devices_hear_of_keys_that_were_deposited_and_of_those_that_went_into_vaults() {
    on_both(async |world| {
        let trip = world.trip(LinkAccess::Read).await;
        let mut owner = world.person(Who::Owner);
        let (mut guest, _) = world.enters(Who::Guest, trip.beam).await;
        let deposit = json!({"keys": [bytes(1, 32)], "current": bytes(3, 8), "proof": null});
        owner.asks("PUT", &format!("/api/beams/{}/keys/", trip.beam), &deposit).await;
        assert_eq!(guest.sees("keys_changed").await, json!({"type": "keys_changed"}));

        owner.changes_vault("owner's part", &vault(1, 1)).await;
        let path = format!("/api/beams/{}/vault/", trip.beam);
        let change = json!({"version": 1, "keys": [for_person("owner", 1, 4)]});
        assert_eq!(owner.asks("PUT", &path, &change).await.status, 200);
        guest.sees("keys_changed").await;
    })
    .await;
}

#[tokio::test]
async fn h55_sealed_keys_follow_a_renewed_link_and_go_with_a_share_and_with_the_beam() {
    on_both(async |world| {
        let trip = world.trip(LinkAccess::None).await;
        let path = |beam: &str| format!("/api/beams/{beam}/vault/");
        let (mut owner, mut writer) = (world.person(Who::Owner), world.person(Who::Writer));
        owner.changes_vault("owner's part", &vault(1, 1)).await;
        writer.changes_vault("writer's part", &vault(1, 2)).await;
        let change =
            json!({"version": 1, "keys": [for_person("owner", 1, 4), for_person("writer", 2, 5)]});
        owner.asks("PUT", &path(&trip.beam.to_string()), &change).await;

        let renew = format!("/api/beams/{}/renew/", trip.beam);
        let renewed = owner.asks("POST", &renew, &json!({})).await.json();
        let new = renewed["beam_id"].as_str().unwrap();
        assert_eq!(writer.gets(&path(new)).await.json()["keys"], keys(5));
        let unshare = format!("/api/beams/unshare/{}/", json!(trip.writers).as_str().unwrap());
        assert_eq!(owner.asks("DELETE", &unshare, &json!({})).await.status, 200);
        assert_eq!(writer.gets(&path(new)).await.status, 404);
        let again = json!({"beam_id": new, "username": "writer", "share_type": "read"});
        assert_eq!(owner.asks("POST", "/api/beams/share/", &again).await.status, 201);
        assert_eq!(writer.gets(&path(new)).await.json()["keys"], json!(null));

        let beam = format!("/api/beams/{new}/");
        assert_eq!(owner.asks("DELETE", &beam, &json!({})).await.status, 200);
        assert_eq!(owner.gets("/api/auth/vault/beams/").await.json(), json!({"beams": []}));
    })
    .await;
}

/// Adds an account with a vault, without the cost of a password. Returns its username.
async fn has_vault(world: &World<'_>, n: u8) -> String {
    let (storage, username) = (&world.server.app.storage, format!("person{n}"));
    let (id, at) = (AccountId::from_random([n; 16]), world.server.app.clock.now());
    let account = NewAccount {
        id,
        username: Username::parse(&username).unwrap(),
        first_name: PersonName::first("Ada").unwrap(),
        last_name: PersonName::last_if_any("").unwrap(),
        email: Email::parse("ada@example.org").unwrap(),
        password_hash: "hash".to_owned(),
        picture: None,
        created_at: at,
    };
    let token =
        |kind: u8| NewToken { hash: [[n, kind]; 16].concat().try_into().unwrap(), expires_at: at };
    let session = NewSession {
        id: SessionId::from_random([n; 16]),
        account: id,
        tokens: NewTokens { access: token(1), refresh: token(2) },
        created_at: at,
    };
    storage.create_account(&account, &session).await.unwrap();
    let vault = serde_json::from_value(vault(1, n)).unwrap();
    storage.change_vault(id, session.id, "hash", "hash", &vault).await.unwrap();
    username
}

#[tokio::test]
async fn h55_a_beam_is_shared_with_a_hundred_people_and_most_keys_can_be_sealed_to_all_of_them() {
    on_both(async |world| {
        let trip = world.trip(LinkAccess::None).await;
        let path = format!("/api/beams/{}/vault/", trip.beam);
        let mut owner = world.person(Who::Owner);
        owner.changes_vault("owner's part", &vault(1, 200)).await;
        let account = world.account(Who::Owner).await;
        let sealed = |username: &str, to: u8, count: usize| {
            let mut sealed = for_person(username, to, to);
            sealed["keys"]["sealed"] = json!(bytes(to, count));
            sealed
        };
        // 256 keys, and for the owner itself the people besides.
        let mut keys = vec![sealed("owner", 200, 25_000)];
        // A reader, a writer and an admin are there.
        for n in 1..=97 {
            let (username, now) = (has_vault(world, n).await, world.server.app.clock.now());
            let id = ShareId::from_random([n; 16]);
            world
                .writer
                .create_share(account, id, trip.beam, &username, Level::Read, now)
                .await
                .unwrap();
            keys.push(sealed(&username, n, 12_300));
        }
        for (who, n) in [(Who::Reader, 201), (Who::Writer, 202), (Who::Admin, 203)] {
            let mut person = world.person(who);
            person.changes_vault("a part", &vault(1, n)).await;
            keys.push(sealed(&person.username, n, 12_300));
        }

        let more = json!({"beam_id": trip.beam, "username": "user", "share_type": "read"});
        let refused = owner.asks("POST", "/api/beams/share/", &more).await;
        let sentence = "This beam is shared with 100 people already. Remove somebody first.";
        assert_eq!((refused.status, refused.json()), (400, json!({"username": [sentence]})));
        let change = json!({"version": 1, "keys": keys});
        assert_eq!(owner.asks("PUT", &path, &change).await.status, 200);
        let people = owner.gets(&path).await.json()["people"].as_array().unwrap().clone();
        assert_eq!(people.len(), 101);
        assert!(people.iter().all(|person| person["has_keys"] == json!(true)));

        let long = vec![sealed("owner", 200, 49_000); 100];
        let long = json!({"version": 2, "keys": long});
        assert_eq!(owner.asks("PUT", &path, &long).await.status, 413);
    })
    .await;
}

#[tokio::test]
async fn h56_the_keys_of_many_beams_come_a_page_at_a_time_and_are_counted_before_they_are_read() {
    on_both(async |world| {
        let (mut owner, account) = (world.person(Who::Owner), world.account(Who::Owner).await);
        owner.changes_vault("owner's part", &vault(1, 1)).await;
        let mut keys = for_person("owner", 1, 4);
        keys["keys"]["sealed"] = json!(bytes(4, MAX_SEALED_BYTES));
        let change = serde_json::from_value(json!({"version": 1, "keys": [keys]})).unwrap();
        let mut beams = Vec::new();
        for _ in 0..=12 * KEPT_KEYS_PAGE {
            let beam = world.trip(LinkAccess::None).await.beam;
            world.writer.seal_keys(account, beam, &change, quota(Millis::new(0))).await.unwrap();
            beams.push(json!(beam));
        }
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(4096).unwrap();
        let mut slow = socket.connect(world.server.address).await.unwrap();
        let (host, cookies) = (world.server.address, owner.cookies_for("/api/auth/vault/beams/"));
        let ask = format!(
            "GET /api/auth/vault/beams/ HTTP/1.1\r\nhost: {host}\r\ncookie: {cookies}\r\n\r\n"
        );
        slow.write_all(ask.as_bytes()).await.unwrap();
        slow.read_exact(&mut [0; 12]).await.unwrap();
        let taken = world.server.app.budget.taken(Kind::Answers);
        let page = KEPT_KEYS_PAGE * MAX_SEALED_BYTES;
        assert_eq!(taken, 4 * page, "{taken}");
        drop(slow);

        let list = owner.gets("/api/auth/vault/beams/").await.json();
        let listed: Vec<_> = list["beams"].as_array().unwrap().iter().collect();
        assert_eq!(listed.iter().map(|kept| kept["beam_id"].clone()).collect::<Vec<_>>(), beams);
        assert!(listed.iter().all(|kept| kept["keys"] == keys["keys"]));
        let export = owner.gets("/api/auth/export/").await.json();
        assert_eq!(export["kept_keys"], list["beams"]);
    })
    .await;
}
