//! Concurrent changes of saved beams: changes of one beam happen one after the other, and none fails for lack of a
//! lock.

use std::future::Future;
use std::pin::Pin;

use heliograph_shared::api::beams::Level;
use heliograph_shared::ids::{BeamId, DeviceId, ItemId, ShareId};
use heliograph_shared::names::BeamName;
use heliograph_storage::accounts::AccountId;
use heliograph_storage::blobs::BlobId;
use heliograph_storage::kept_beams::Keep;
use heliograph_storage::notes::NewNote;
use heliograph_storage::saved_beams::Contents;
use heliograph_storage::uploads::{NewUpload, Wish};
use heliograph_storage::{BeamWriter, Error, Storage};

use crate::accounts::{QUOTA, account, person};
use crate::sessions::session;
use crate::stage::{at, in_turns, quotas, with_each};

/// Rounds of each storm. Every round deadlocked before beams were locked first.
const ROUNDS: u8 = 8;

fn beam(n: u8) -> BeamId {
    BeamId::from_random([n; 16])
}

fn upload(n: u8) -> BlobId {
    BlobId::from_random([n; 16])
}

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

/// Ada, Bob and Cat have accounts. Ada owns a beam that the others manage.
async fn stage(storage: &Storage, writer: &BeamWriter, round: u8) {
    let people = [(1, "ada"), (2, "bob"), (3, "cat")];
    for (n, name) in people {
        let name = format!("{name}{round}");
        let n = 10 * round + n;
        storage.create_account(&person(n, &name), &session(n, n, 0)).await.unwrap();
    }
    saved(storage, writer, round, 10 * round + 1).await;
    for (n, name) in [(2, "bob"), (3, "cat")] {
        let (id, name) = (ShareId::from_random([10 * round + n; 16]), format!("{name}{round}"));
        let (owner, beam) = (account(10 * round + 1), beam(round));
        writer.create_share(owner, id, beam, &name, Level::Admin, at(0)).await.unwrap();
    }
}

async fn saved(storage: &Storage, writer: &BeamWriter, n: u8, owner: u8) {
    storage.record_shared_beam(beam(n), at(0), at(1_000)).await.unwrap();
    let name = BeamName::parse("Beam").unwrap();
    writer.save_beam(beam(n), account(owner), &name, Contents::default(), QUOTA).await.unwrap();
}

type Job = Pin<Box<dyn Future<Output = Result<(), Error>> + Send>>;

/// Runs all jobs, so many at once. Refusals are fine, other errors are not.
async fn all_at_once(at_once: usize, jobs: Vec<Job>) {
    for outcome in in_turns(at_once, jobs).await {
        match outcome {
            Ok(()) => {}
            Err(error) => assert!(error.is_refusal(), "{error:?}"),
        }
    }
}

/// A change with the writer, as a job.
macro_rules! job {
    ($store:expr => $work:expr) => {{
        let store = $store.clone();
        let job: Job = Box::pin(async move { $work(store).await });
        job
    }};
}

fn put(writer: &BeamWriter, id: BeamId, note: NewNote) -> Job {
    job!(writer => async |writer: BeamWriter| writer.put_note(id, &note, QUOTA).await)
}

fn renames(writer: &BeamWriter, id: BeamId, actor: AccountId) -> Job {
    job!(writer => async |writer: BeamWriter| rename(&writer, id, actor, "Other").await)
}

async fn rename(
    writer: &BeamWriter,
    id: BeamId,
    actor: AccountId,
    name: &str,
) -> Result<(), Error> {
    let name = BeamName::parse(name).unwrap();
    writer.change_beam(actor, id, Some(&name), None).await.map(drop)
}

fn unshares(writer: &BeamWriter, id: BeamId, actor: AccountId, share: u8) -> Job {
    let share = ShareId::from_random([share; 16]);
    job!(writer => async |writer: BeamWriter| writer.delete_share(actor, id, share).await)
}

fn renews(writer: &BeamWriter, old: BeamId, actor: AccountId, new: BeamId) -> Job {
    job!(writer => async |writer: BeamWriter| writer.renew_beam(actor, old, new, at(50)).await.map(drop))
}

fn deletes(writer: &BeamWriter, id: BeamId, actor: AccountId) -> Job {
    job!(writer => async |writer: BeamWriter| writer.delete_beam(actor, id, at(50)).await)
}

fn goes(writer: &BeamWriter, who: AccountId) -> Job {
    job!(writer => async |writer: BeamWriter| writer.delete_account(who, at(50)).await.map(drop))
}

fn sweeps(storage: &Storage) -> Job {
    job!(storage => async |storage: Storage| storage.bury_old_uploads(at(50)).await.map(drop))
}

/// Sweeps after this many reads, so that the rounds of a storm meet at different steps.
fn sweeps_after(storage: &Storage, reads: u32, id: BeamId) -> Job {
    job!(storage => async |storage: Storage| {
        for _ in 0..reads {
            storage.find_beam(id).await?;
        }
        storage.bury_old_uploads(at(50)).await.map(drop)
    })
}

fn keeps(writer: &BeamWriter, id: BeamId, notes: Vec<NewNote>) -> Job {
    let keep =
        Keep { until: at(500), by: DeviceId::from_bytes([1; 16]), address: None, earlier: None };
    job!(writer => async |writer: BeamWriter| {
        writer.keep_beam(id, &keep, at(1_000), &notes, QUOTA).await
    })
}

fn keeps_no_longer(writer: &BeamWriter, id: BeamId) -> Job {
    job!(writer => async |writer: BeamWriter| writer.stop_keeping(id, at(10)).await)
}

fn uploads(storage: &Storage, id: BeamId, who: AccountId, n: u8) -> Job {
    sends(storage, NewUpload { account: Some(who), ..file(id, n) })
}

/// A guest's file for an item.
fn uploads_for_item(storage: &Storage, id: BeamId, n: u8) -> Job {
    sends(storage, NewUpload { for_item: true, ..file(id, n) })
}

fn file(id: BeamId, n: u8) -> NewUpload {
    NewUpload {
        id: upload(n),
        account: None,
        beam: Some(id),
        sender: None,
        address: None,
        name: "a.png".to_owned(),
        media_type: "image/png".to_owned(),
        created_at: at(10),
        expires_at: None,
        for_item: false,
    }
}

/// Stores the file with this number in a round. Its time is over.
async fn has_old_file(storage: &Storage, new: NewUpload, round: u8, n: u8) -> BlobId {
    let id = BlobId::from_random(std::array::from_fn(|at| if at == 0 { n } else { round }));
    storage.start_upload(&NewUpload { id, expires_at: Some(at(20)), ..new }).await.unwrap();
    storage.finish_upload(id, 1, at(10)).await.unwrap();
    id
}

fn sends(storage: &Storage, new: NewUpload) -> Job {
    job!(storage => async |storage: Storage| {
        storage.start_upload(&new).await?;
        let wish = Wish { least: 1, most: 1, quotas: quotas(1_000) };
        storage.grow_upload(new.id, wish, at(10)).await?;
        storage.finish_upload(new.id, 1, at(10)).await.map(drop)
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn s9_a_beam_that_is_deleted_in_a_storm_of_changes_leaves_nothing() {
    with_each(async |storage, writer, at_once| {
        for round in 1..=ROUNDS {
            stage(&storage, &writer, round).await;
            let (id, [ada, bob, cat]) = (beam(round), [1, 2, 3].map(|n| account(10 * round + n)));
            let mut jobs: Vec<Job> = Vec::new();
            for n in 1..=10 {
                jobs.push(put(&writer, id, note(n, Some([ada, bob, cat][usize::from(n % 3)]))));
                jobs.push(uploads(&storage, id, ada, 16 * round + n));
                jobs.push(renames(&writer, id, bob));
            }
            jobs.push(unshares(&writer, id, ada, 10 * round + 3));
            jobs.push(deletes(&writer, id, ada));
            jobs.push(sweeps(&storage));
            all_at_once(at_once, jobs).await;

            assert!(storage.find_beam(id).await.unwrap().unwrap().has_ended(at(50)));
            assert_eq!(storage.notes_of(id).await.unwrap(), [], "round {round}");
            assert_eq!(storage.shares_of_beam(id).await.unwrap(), []);
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn s9_a_beam_that_is_kept_again_and_again_in_a_storm_of_uploads_ends_in_peace() {
    with_each(async |storage, writer, at_once| {
        for round in 1..=ROUNDS {
            stage(&storage, &writer, round).await;
            let (id, [ada, bob]) = (beam(100 + round), [1, 2].map(|n| account(10 * round + n)));
            storage.record_shared_beam(id, at(0), at(1_000)).await.unwrap();
            let mut jobs: Vec<Job> = Vec::new();
            for n in 1..=10 {
                jobs.push(keeps(&writer, id, vec![note(1, Some(ada)), note(2, Some(bob))]));
                jobs.push(uploads_for_item(&storage, id, 16 * round + n));
                jobs.push(keeps_no_longer(&writer, id));
                jobs.push(put(&writer, beam(round), note(n, Some(bob))));
            }
            jobs.push(sweeps(&storage));
            all_at_once(at_once, jobs).await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn s9_a_beam_that_is_renewed_in_a_storm_of_uploads_keeps_them() {
    with_each(async |storage, writer, at_once| {
        for round in 1..=ROUNDS {
            stage(&storage, &writer, round).await;
            let (id, ada) = (beam(round), account(10 * round + 1));
            let mut jobs: Vec<Job> = Vec::new();
            for n in 1..=12 {
                jobs.push(uploads(&storage, id, ada, 16 * round + n));
            }
            jobs.push(renews(&writer, id, ada, beam(100 + round)));
            jobs.push(sweeps(&storage));
            all_at_once(at_once, jobs).await;
            assert_eq!(storage.shares_of_beam(beam(100 + round)).await.unwrap().len(), 2);
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn s9_two_who_share_each_others_beams_delete_their_accounts_at_once() {
    with_each(async |storage, writer, at_once| {
        for round in 1..=ROUNDS {
            stage(&storage, &writer, round).await;
            let [ada, bob, cat] = [1, 2, 3].map(|n| account(10 * round + n));
            saved(&storage, &writer, 100 + round, 10 * round + 2).await;
            let share = ShareId::from_random([200 + round; 16]);
            let name = format!("ada{round}");
            writer
                .create_share(bob, share, beam(100 + round), &name, Level::Write, at(0))
                .await
                .unwrap();
            let mut jobs: Vec<Job> = Vec::new();
            for n in 1..=8 {
                jobs.push(put(&writer, beam(round), note(n, Some(bob))));
                jobs.push(put(&writer, beam(100 + round), note(n, Some(ada))));
                jobs.push(uploads(&storage, beam(round), bob, 16 * round + n));
            }
            jobs.push(goes(&writer, ada));
            jobs.push(goes(&writer, bob));
            jobs.push(goes(&writer, cat));
            all_at_once(at_once, jobs).await;
            for id in [beam(round), beam(100 + round)] {
                assert_eq!(storage.access_to(id).await.unwrap(), None);
                assert_eq!(storage.notes_of(id).await.unwrap(), []);
            }
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn s9_an_admin_changes_nothing_after_the_demotion_was_answered() {
    with_each(async |storage, writer, _| {
        for round in 1..=ROUNDS {
            stage(&storage, &writer, round).await;
            let (id, [ada, bob]) = (beam(round), [1, 2].map(|n| account(10 * round + n)));
            let attempts: Vec<_> = (0..6)
                .map(|attempt| {
                    let writer = writer.clone();
                    tokio::spawn(async move {
                        for number in 0.. {
                            let name = format!("{attempt} {number}");
                            if let Err(error) = rename(&writer, id, bob, &name).await {
                                return error;
                            }
                        }
                        unreachable!()
                    })
                })
                .collect();
            while storage.access_to(id).await.unwrap().unwrap().name == "Beam" {}

            let share = ShareId::from_random([10 * round + 2; 16]);
            writer.change_share(ada, id, share, Level::Read).await.unwrap();

            let then = storage.access_to(id).await.unwrap().unwrap().name;
            for attempt in attempts {
                assert!(matches!(attempt.await.unwrap(), Error::LevelTooLow));
            }
            assert_eq!(storage.access_to(id).await.unwrap().unwrap().name, then, "round {round}");
        }
    })
    .await;
}

/// Saves the beam with notes that name these uploads, the last one first.
fn saves_with_files(writer: &BeamWriter, id: BeamId, owner: AccountId, files: &[BlobId]) -> Job {
    let naming = |(n, file): (u8, &BlobId)| NewNote { upload: Some(*file), ..note(n, None) };
    let notes: Vec<_> = (1..).zip(files.iter().rev()).map(naming).collect();
    job!(writer => async |writer: BeamWriter| {
        let name = BeamName::parse("Beam").unwrap();
        writer.save_beam(id, owner, &name, Contents { notes: &notes, ..Contents::default() }, QUOTA).await
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn s21_a_beam_is_saved_while_its_files_are_swept() {
    with_each(async |storage, writer, at_once| {
        for round in 1..=2 * ROUNDS {
            let (id, ada) = (beam(round), account(round));
            let name = format!("ada{round}");
            storage.create_account(&person(round, &name), &session(round, round, 0)).await.unwrap();
            storage.record_shared_beam(id, at(0), at(1_000)).await.unwrap();
            let mut files = Vec::new();
            for n in 0..100 {
                files.push(has_old_file(&storage, file(id, 0), round, n).await);
            }
            let saves = saves_with_files(&writer, id, ada, &files);
            all_at_once(at_once, vec![saves, sweeps_after(&storage, 20 * u32::from(round), id)])
                .await;
            assert!(storage.access_to(id).await.unwrap().is_some(), "round {round}");
        }
    })
    .await;
}

/// Uses the session's first refresh token.
fn refreshes(storage: &Storage, n: u8, into: u8) -> Job {
    let (old, new) = (session(n, 1, 0).tokens.refresh.hash, session(into, 1, 0).tokens);
    job!(storage => async |storage: Storage| storage.refresh_session(old, &new, at(1)).await.map(drop))
}

fn ends(storage: &Storage, n: u8) -> Job {
    let id = session(n, 1, 0).id;
    job!(storage => async |storage: Storage| storage.end_session(id).await)
}

#[tokio::test(flavor = "multi_thread")]
async fn h16_a_login_that_ends_while_it_is_refreshed_ends_in_peace() {
    with_each(async |storage, _writer, at_once| {
        storage.create_account(&person(1, "ada"), &session(255, 1, 0)).await.unwrap();
        for _ in 0..2 * ROUNDS {
            let mut jobs = Vec::new();
            for n in 1..=20 {
                storage.open_session(&session(n, 1, 0), "hash of ada").await.unwrap();
                jobs.push(refreshes(&storage, n, 100 + n));
                jobs.push(ends(&storage, n));
            }
            all_at_once(at_once, jobs).await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn h15_an_account_goes_while_its_files_are_swept() {
    with_each(async |storage, writer, at_once| {
        for round in 1..=2 * ROUNDS {
            let name = format!("ada{round}");
            storage.create_account(&person(round, &name), &session(round, round, 0)).await.unwrap();
            let beams = [round, 100 + round];
            for n in beams {
                saved(&storage, &writer, n, round).await;
            }
            // The file with the lowest id is in the last beam.
            for n in 0..100 {
                let new = file(beam(beams[usize::from(n < 50)]), 0);
                let new = NewUpload { account: Some(account(round)), ..new };
                has_old_file(&storage, new, round, n).await;
            }
            all_at_once(at_once, vec![goes(&writer, account(round)), sweeps(&storage)]).await;
        }
    })
    .await;
}
