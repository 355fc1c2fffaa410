//! Records of unsaved beams.

use heliograph_shared::ids::{BeamId, BeamKey};
use heliograph_storage::beams::{BeamRecord, Life, REMEMBERED};
use heliograph_storage::{Error, Location, Storage};

use crate::stage::{MS, at, in_turns, on_both, with_each};

const BEAM: [u8; 16] = [7; 16];

fn record() -> BeamRecord {
    let key_hash = Some(BeamKey::from_random([1; 32]).hash());
    let life = Life::Unsaved { expires_at: at(2_000), kept: None };
    BeamRecord {
        key_hash,
        created_at: at(1_000),
        had_items: false,
        last_seq: 0,
        earlier: None,
        life,
    }
}

async fn create(storage: &Storage, id: BeamId) -> Result<(), Error> {
    storage.create_beam(id, BeamKey::from_random([1; 32]).hash(), at(1_000), at(2_000)).await
}

#[tokio::test]
async fn a_beam_is_found_as_it_was_created() {
    on_both(async |storage| {
        let id = BeamId::from_random(BEAM);

        create(&storage, id).await.unwrap();

        assert_eq!(storage.find_beam(id).await.unwrap(), Some(record()));
        assert_eq!(storage.find_beam(BeamId::from_random([8; 16])).await.unwrap(), None);
    })
    .await;
}

#[tokio::test]
async fn s31_a_beam_in_which_nothing_was_shared_yet_is_recorded_as_such() {
    on_both(async |storage| {
        let had_items =
            async |id| storage.find_beam(id).await.unwrap().map(|record| record.had_items);
        let id = BeamId::from_random(BEAM);

        storage.record_beam(id, at(1_000), at(2_000)).await.unwrap();
        assert_eq!(had_items(id).await, Some(false));

        storage.record_shared_beam(id, at(1_000), at(2_000)).await.unwrap();
        storage.record_beam(id, at(1_000), at(2_000)).await.unwrap();
        assert_eq!(had_items(id).await, Some(true));
    })
    .await;
}

#[tokio::test]
async fn an_id_is_created_once() {
    on_both(async |storage| {
        let id = BeamId::from_random(BEAM);
        create(&storage, id).await.unwrap();

        assert!(matches!(create(&storage, id).await, Err(Error::Conflict)));
    })
    .await;
}

#[tokio::test]
async fn a_shared_beam_is_recorded_once_and_never_takes_the_place_of_a_created_one() {
    on_both(async |storage| {
        let (known, unknown) = (BeamId::from_random(BEAM), BeamId::from_random([8; 16]));
        create(&storage, known).await.unwrap();

        for start in [5_000, 6_000] {
            storage.record_shared_beam(known, at(start), at(start + 1)).await.unwrap();
            storage.record_shared_beam(unknown, at(start), at(start + 1)).await.unwrap();
        }

        let known = storage.find_beam(known).await.unwrap();
        assert_eq!(known, Some(BeamRecord { had_items: true, ..record() }));
        let found = storage.find_beam(unknown).await.unwrap().unwrap();
        assert_eq!(
            (found.key_hash, found.created_at, found.life),
            (None, at(5_000), Life::Unsaved { expires_at: at(5_001), kept: None })
        );
    })
    .await;
}

#[tokio::test]
async fn an_ended_beam_is_remembered_thirty_days() {
    on_both(async |storage| {
        let id = BeamId::from_random(BEAM);
        create(&storage, id).await.unwrap();
        let last = at(2_000) + REMEMBERED;

        assert_eq!(storage.forget_old_beams(last).await.unwrap(), 0);
        assert!(storage.find_beam(id).await.unwrap().unwrap().has_ended(last));
        assert_eq!(storage.forget_old_beams(last + MS).await.unwrap(), 1);
        assert_eq!(storage.find_beam(id).await.unwrap(), None);
    })
    .await;
}

#[tokio::test]
async fn a_restart_finds_what_was_created() {
    let folder = tempfile::tempdir().unwrap();
    let id = BeamId::from_random(BEAM);
    let (before, _) = Storage::open(&Location::Folder(folder.path().to_owned())).await.unwrap();
    create(&before, id).await.unwrap();
    before.close().await;

    let (after, _) = Storage::open(&Location::Folder(folder.path().to_owned())).await.unwrap();

    assert_eq!(after.find_beam(id).await.unwrap(), Some(record()));
    after.check().await.unwrap();
}

#[tokio::test]
async fn forty_writers_of_whom_many_come_at_once_all_succeed() {
    with_each(async |storage, _writer, at_once| {
        let writers = (0..40).map(|n| {
            let storage = storage.clone();
            let id = BeamId::from_random([n; 16]);
            async move { create(&storage, id).await }
        });

        for created in in_turns(at_once, writers).await {
            created.unwrap();
        }
    })
    .await;
}

#[test]
fn a_beam_ends_at_its_time_or_when_it_was_deleted() {
    let beam = record();
    assert!(!beam.has_ended(at(1_999)));
    assert!(beam.has_ended(at(2_000)));
    assert!(BeamRecord { life: Life::Ended, ..beam }.has_ended(at(1_600)));
}
