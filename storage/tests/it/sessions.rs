//! Sessions and their tokens.

use std::time::Duration;

use heliograph_shared::time::Millis;
use heliograph_storage::secrets::Secret;
use heliograph_storage::sessions::{
    GRACE, NewSession, NewToken, NewTokens, Refreshed, Session, SessionId,
};
use heliograph_storage::{Error, Storage};

use crate::accounts::{account, person};
use crate::stage::{MS, at, on_both};

/// Tokens whose hashes are derived from this number.
pub fn tokens(n: u8, now: i64) -> NewTokens {
    let token = |kind: u8, lives: u64| {
        let mut hash = [n; 32];
        hash[0] = kind;
        NewToken { hash, expires_at: at(now) + Duration::from_millis(lives) }
    };
    NewTokens { access: token(1, 900_000), refresh: token(2, 2_592_000_000) }
}

/// Session `id` of account `of`, with the tokens of its own number.
pub fn session(id: u8, of: u8, now: i64) -> NewSession {
    let tokens = tokens(id, now);
    let id = SessionId::from_random([id; 16]);
    NewSession { id, account: account(of), tokens, created_at: at(now) }
}

async fn who(storage: &Storage, n: u8, now: i64) -> Option<Session> {
    storage.find_session(tokens(n, 0).access.hash, at(now)).await.unwrap()
}

#[tokio::test]
async fn an_access_token_stands_for_its_login_until_its_time_is_over() {
    on_both(async |storage| {
        storage.create_account(&person(1, "ada"), &session(7, 1, 0)).await.unwrap();

        let found = who(&storage, 7, 899_999).await.unwrap();

        assert_eq!((found.id, found.account.username), (session(7, 1, 0).id, "ada".to_owned()));
        assert_eq!(found.expires_at, at(900_000));
        assert_eq!(who(&storage, 7, 900_000).await, None);
        let refresh = tokens(7, 0).refresh.hash;
        assert_eq!(storage.find_session(refresh, at(0)).await.unwrap(), None);
    })
    .await;
}

#[tokio::test]
async fn nobody_logs_in_to_an_account_that_is_not_there() {
    on_both(async |storage| {
        let opened = storage.open_session(&session(7, 1, 0), "hash of ada").await;
        assert!(matches!(opened, Err(Error::Missing)));
        assert_eq!(who(&storage, 7, 0).await, None);
    })
    .await;
}

#[tokio::test]
async fn h11_nobody_logs_in_by_a_password_that_was_replaced_after_it_was_checked() {
    on_both(async |storage| {
        storage.create_account(&person(1, "ada"), &session(1, 1, 0)).await.unwrap();
        storage.replace_password(account(1), "of the operator").await.unwrap();

        let late = storage.open_session(&session(7, 1, 0), "hash of ada").await;

        assert!(matches!(late, Err(Error::Missing)));
        assert_eq!(who(&storage, 7, 0).await, None);
        storage.open_session(&session(7, 1, 0), "of the operator").await.unwrap();
        assert!(who(&storage, 7, 0).await.is_some());
    })
    .await;
}

#[tokio::test]
async fn a_refresh_token_is_taken_once_and_known_for_the_grace() {
    on_both(async |storage| {
        storage.create_account(&person(1, "ada"), &session(7, 1, 0)).await.unwrap();
        let old = tokens(7, 0).refresh.hash;
        let refresh = async |now: Millis| {
            storage.refresh_session(old, &tokens(8, now.get()), now).await.unwrap()
        };

        assert_eq!(refresh(at(1_000)).await, Refreshed::Renewed);
        assert!(who(&storage, 8, 1_000).await.is_some());
        assert_eq!(refresh(at(1_000) + GRACE).await, Refreshed::Renewed);
        assert_eq!(refresh(at(1_001) + GRACE).await, Refreshed::Replayed(session(7, 1, 0).id));

        assert_eq!(who(&storage, 8, 1_000).await, None);
        assert!(storage.account_of(session(7, 1, 0).id).await.unwrap().is_none());
        assert_eq!(refresh(at(1_002) + GRACE).await, Refreshed::Unknown);
    })
    .await;
}

#[tokio::test]
async fn forty_at_once_take_one_refresh_token_once() {
    on_both(async |storage| {
        storage.create_account(&person(1, "ada"), &session(7, 1, 0)).await.unwrap();
        let old = tokens(7, 0).refresh.hash;
        let all: Vec<_> = (0..40)
            .map(|_| {
                let storage = storage.clone();
                tokio::spawn(
                    async move { storage.refresh_session(old, &tokens(8, 5), at(5)).await },
                )
            })
            .collect();
        for one in all {
            assert_eq!(one.await.unwrap().unwrap(), Refreshed::Renewed);
        }
    })
    .await;
}

#[tokio::test]
async fn of_many_logins_those_that_last_are_told_at_once() {
    on_both(async |storage| {
        storage.create_account(&person(1, "ada"), &session(7, 1, 0)).await.unwrap();
        storage.open_session(&session(9, 1, 0), "hash of ada").await.unwrap();
        let asked: Vec<_> = (0..=255).map(|id| session(id, 1, 0).id).collect();
        let lasting = storage.lasting(&asked).await.unwrap();
        assert_eq!(lasting, [7, 9].map(|id| session(id, 1, 0).id).into());
        assert!(storage.lasting(&[]).await.unwrap().is_empty());
    })
    .await;
}

#[tokio::test]
async fn a_refresh_prolongs_the_login_and_its_time_ends_it() {
    on_both(async |storage| {
        let days_30 = at(2_592_000_000);
        storage.create_account(&person(1, "ada"), &session(7, 1, 0)).await.unwrap();
        storage.open_session(&session(9, 1, 0), "hash of ada").await.unwrap();
        let old = tokens(7, 0).refresh.hash;
        storage.refresh_session(old, &tokens(8, 10), at(10)).await.unwrap();

        let ended = storage.forget_old_sessions(days_30).await.unwrap();
        assert_eq!(ended, [session(9, 1, 0).id]);

        assert!(storage.account_of(session(7, 1, 0).id).await.unwrap().is_some());
        assert!(storage.account_of(session(9, 1, 0).id).await.unwrap().is_none());
        let (last, next) = (tokens(8, 0).refresh.hash, tokens(3, 0));
        let late = storage.refresh_session(last, &next, days_30 + 10 * MS).await.unwrap();
        assert_eq!(late, Refreshed::Unknown);
        storage.forget_old_sessions(days_30 + 10 * MS).await.unwrap();
        assert!(storage.account_of(session(7, 1, 0).id).await.unwrap().is_none());
    })
    .await;
}

#[tokio::test]
async fn the_end_of_a_login_is_the_end_of_its_tokens_only() {
    on_both(async |storage| {
        storage.create_account(&person(1, "ada"), &session(7, 1, 0)).await.unwrap();
        storage.open_session(&session(9, 1, 0), "hash of ada").await.unwrap();

        storage.end_session(session(7, 1, 0).id).await.unwrap();
        storage.end_session(session(7, 1, 0).id).await.unwrap();

        assert_eq!(who(&storage, 7, 0).await, None);
        assert!(who(&storage, 9, 0).await.is_some());
        let refresh = tokens(7, 0).refresh.hash;
        assert_eq!(storage.find_refreshable(refresh).await.unwrap(), None);
    })
    .await;
}

#[tokio::test]
async fn a_secret_is_made_once() {
    on_both(async |storage| {
        let secret = |byte| Secret::new([byte; 32]);
        assert_eq!(storage.secret("a", secret(1)).await.unwrap(), secret(1));
        assert_eq!(storage.secret("a", secret(2)).await.unwrap(), secret(1));
        assert_eq!(storage.secret("b", secret(3)).await.unwrap(), secret(3));
    })
    .await;
}

#[tokio::test]
async fn h11_an_account_has_a_hundred_logins_and_the_oldest_go() {
    on_both(async |storage| {
        storage.create_account(&person(1, "ada"), &session(1, 1, 1)).await.unwrap();
        storage.create_account(&person(2, "bob"), &session(200, 2, 0)).await.unwrap();
        for n in 2..=100 {
            let ended =
                storage.open_session(&session(n, 1, n.into()), "hash of ada").await.unwrap();
            assert_eq!(ended, [], "{n}");
        }

        let ended = storage.open_session(&session(101, 1, 101), "hash of ada").await.unwrap();

        assert_eq!(ended, [session(1, 1, 1).id]);
        assert_eq!(who(&storage, 1, 1).await, None);
        for n in [2, 101, 200] {
            assert!(who(&storage, n, 1).await.is_some(), "{n}");
        }
    })
    .await;
}
