//! Which node drives a beam, and that the changes of an earlier one are refused.

use heliograph_shared::ids::{BeamId, DeviceId, ItemId};
use heliograph_storage::Error;
use heliograph_storage::beam_drivers::EarlierDriver;
use heliograph_storage::kept_beams::Keep;
use heliograph_storage::notes::{NewNote, Quota};
use uuid::Uuid;

use super::stage::{at, on_both, quotas, with_writer};

fn note(number: u8) -> NewNote {
    NewNote {
        id: ItemId::from_random([number; 16]),
        seq: u64::from(number),
        content: "1".to_owned(),
        upload: None,
        kind: "text".to_owned(),
        device: DeviceId::from_bytes([1; 16]),
        author: None,
        created_at: at(1),
    }
}

#[tokio::test]
async fn a_node_that_has_lost_a_beam_changes_nothing_of_it() {
    with_writer(async |storage, writer| {
        let beam = BeamId::from_random([1; 16]);
        let (one, two) = (Uuid::from_bytes([1; 16]), Uuid::from_bytes([2; 16]));
        let quota = Quota { quotas: quotas(1_000), now: at(2) };
        storage.record_shared_beam(beam, at(0), at(1_000)).await.unwrap();
        storage.drive_beam(beam, one, one, at(1)).await.unwrap();
        let first = writer.driven_with(one);
        let keep = Keep {
            until: at(500),
            by: DeviceId::from_bytes([1; 16]),
            address: None,
            earlier: None,
        };
        first.keep_beam(beam, &keep, at(1_000), &[], quota).await.unwrap();
        first.put_note(beam, &note(1), quota).await.unwrap();

        storage.drive_beam(beam, two, two, at(3)).await.unwrap();

        let superseded = |result| matches!(result, Err(Error::Superseded));
        assert!(superseded(first.put_note(beam, &note(2), quota).await));
        assert!(superseded(first.delete_notes(beam, &[note(1).id], at(4)).await));
        assert!(superseded(first.put_earlier(beam, "{}", at(4)).await));
        assert!(superseded(first.stop_keeping(beam, at(4)).await));
        assert!(superseded(first.remove_device(beam, DeviceId::from_bytes([1; 16])).await));
        assert!(superseded(first.arrange(beam, true, &[]).await));
        writer.driven_with(two).put_note(beam, &note(3), quota).await.unwrap();
        let ids: Vec<_> = storage.notes_of(beam).await.unwrap().into_iter().map(|n| n.id).collect();
        assert_eq!(ids, [note(1).id, note(3).id]);
        // Changes over HTTP are of no node.
        writer.put_note(beam, &note(4), quota).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn it_is_known_which_node_drives_a_beam_until_it_gives_it_back() {
    with_writer(async |storage, writer| {
        let [one, two] = [1, 2].map(|n| BeamId::from_random([n; 16]));
        let (node, other) = (Uuid::from_bytes([1; 16]), Uuid::from_bytes([2; 16]));
        let token = |n: u8| Uuid::from_bytes([n; 16]);
        storage.drive_beam(one, node, token(3), at(1)).await.unwrap();
        storage.drive_beam(two, node, token(4), at(1)).await.unwrap();
        storage.drive_beam(two, other, token(5), at(2)).await.unwrap();
        assert_eq!(storage.beams_driven_by(node).await.unwrap(), [(one, token(3))]);
        assert_eq!(storage.driver_of(two).await.unwrap(), Some((other, token(5))));

        // The earlier one gives back what it has no more.
        storage.stop_driving(two, token(4)).await.unwrap();
        assert_eq!(storage.driver_of(two).await.unwrap(), Some((other, token(5))));
        storage.stop_driving(two, token(5)).await.unwrap();
        assert_eq!(storage.driver_of(two).await.unwrap(), None);

        let month = std::time::Duration::from_hours(31 * 24);
        assert_eq!(storage.forget_old_drivers(at(1) + month).await.unwrap(), 1);
        let quota = Quota { quotas: quotas(1_000), now: at(2) };
        let late = writer.driven_with(token(3)).put_note(one, &note(1), quota).await;
        assert!(matches!(late, Err(Error::Superseded)));
    })
    .await;
}

#[tokio::test]
async fn a_beam_that_is_behind_stays_so_until_its_driver_says_otherwise() {
    with_writer(async |storage, _writer| {
        let beam = BeamId::from_random([1; 16]);
        let [one, two, three] = [1, 2, 3].map(|n| Uuid::from_bytes([n; 16]));
        let drive = async |node: Uuid| storage.drive_beam(beam, node, node, at(1)).await.unwrap();
        let earlier = |node, is_behind| EarlierDriver { node, is_behind };
        assert_eq!(drive(one).await, earlier(None, false));
        assert!(storage.set_behind(beam, one, true).await.unwrap());
        assert_eq!(drive(two).await, earlier(Some(one), true));
        assert!(!storage.set_behind(beam, one, false).await.unwrap());

        // Given back, it is of no node.
        storage.stop_driving(beam, two).await.unwrap();
        assert_eq!(storage.driver_of(beam).await.unwrap(), None);
        assert_eq!(drive(three).await, earlier(None, true));

        assert!(storage.set_behind(beam, three, false).await.unwrap());
        storage.stop_driving(beam, three).await.unwrap();
        assert_eq!(drive(one).await, earlier(None, false));
    })
    .await;
}

#[tokio::test]
async fn the_clock_of_the_database_goes_on_in_milliseconds_since_1970() {
    on_both(async |storage| {
        let (first, later) = (storage.now().await.unwrap(), storage.now().await.unwrap());
        assert!(first > at(1_700_000_000_000) && first < at(10_000_000_000_000), "{first:?}");
        assert!(later >= first);
    })
    .await;
}
