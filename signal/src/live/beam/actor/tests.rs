//! The task of a beam, with devices that read their outboxes or do not.

use futures_util::FutureExt as _;
use heliograph_shared::ids::{BeamId, ItemId};
use heliograph_shared::limits::{BEAM_LIFETIME, LINGER, OUTBOX_MESSAGES};
use heliograph_shared::names::Kind;
use heliograph_shared::socket::{Device, DeviceUser};
use heliograph_storage::{Location, Storage};
use serde_json::value::RawValue;
use tempfile::TempDir;

use super::*;
use crate::budget::Budget;
use crate::live::beam::ConnectionId;
use crate::live::beam::handle::{BeamHandle, Finished, Membership};
use crate::live::beam::request::Request;
use crate::live::beam::state::{Newcomer, Saying};

/// A live beam with its own database.
struct Live {
    beam: BeamHandle,
    running: tokio::task::JoinHandle<()>,
    _folder: TempDir,
}

async fn live() -> Live {
    let folder = tempfile::tempdir().unwrap();
    let location = Location::Folder(folder.path().to_owned());
    let (storage, writer) = Storage::open(&location).await.unwrap();
    let (clock, beam) = (Clock::running(0), BeamId::from_random([7; 16]));
    let (epoch, budget) = ("e".to_owned(), Budget::unlimited());
    let keeper = Keeper { beam, epoch, clock, storage, writer, quota: u64::MAX, budget };
    let (handle, mailbox) = BeamHandle::new();
    let running = tokio::spawn(run(keeper, clock, handle.relay().clone(), mailbox));
    Live { beam: handle, running, _folder: folder }
}

async fn time_passes(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

fn newcomer(number: u8) -> Newcomer {
    let device_id = DeviceId::from_bytes([number; 16]);
    let user = DeviceUser::default();
    let device = Device { device_id, name: String::new(), caps: Vec::new(), user };
    let connection = ConnectionId(number.into());
    Newcomer { connection, device, plain: false, creator: false, account: None }
}

async fn join(beam: &BeamHandle, number: u8) -> (Membership, Arc<Outbox>) {
    let outbox = Arc::<Outbox>::default();
    (beam.join(newcomer(number), outbox.clone()).await.unwrap(), outbox)
}

async fn share(beam: &BeamHandle, number: u8, item: usize) {
    let mut id = [0; 16];
    id[8..].copy_from_slice(&item.to_be_bytes());
    let message = RawValue::from_string(item.to_string()).unwrap();
    let id = ItemId::from_random(id);
    let kind = Kind::parse("text".to_owned()).unwrap();
    let saying = Saying::Request(Request::Share { message, kind, id });
    beam.said(ConnectionId(number.into()), saying).await;
}

/// Reads until items come, and returns their ids.
async fn next_items(outbox: &Outbox) -> Vec<String> {
    let batch = outbox.take().await;
    outbox.written(&batch);
    let texts = batch.messages.iter().filter_map(|message| match message {
        Message::Text(text) => Some(text.to_string()),
        _ => None,
    });
    texts.filter(|text| text.contains("rec_clipboard")).collect()
}

#[tokio::test]
async fn s16_who_never_reads_is_closed_and_the_others_get_everything() {
    let Live { beam, .. } = &live().await;
    let ((_ada, ada), (_bob, bob)) = (join(beam, 1).await, join(beam, 2).await);
    let reader = tokio::spawn(async move {
        let mut seen = 0;
        while seen < 2 * OUTBOX_MESSAGES {
            seen += next_items(&ada).await.len();
        }
    });

    for item in 0..2 * OUTBOX_MESSAGES {
        share(beam, 1, item).await;
        tokio::task::yield_now().await;
    }

    reader.await.unwrap();
    assert_eq!(bob.closing().await, CloseCode::TooSlow);
}

#[tokio::test]
async fn s7_everybody_sees_one_order_and_one_text() {
    let Live { beam, .. } = &live().await;
    let ((_ada, ada), (_bob, bob)) = (join(beam, 1).await, join(beam, 2).await);
    for item in 0..50 {
        share(beam, 1 + u8::from(item % 3 == 0), item).await;
    }
    let (mut at_ada, mut at_bob) = (Vec::new(), Vec::new());
    while at_ada.len() < 50 || at_bob.len() < 50 {
        if at_ada.len() < 50 {
            at_ada.extend(next_items(&ada).await);
        } else {
            at_bob.extend(next_items(&bob).await);
        }
    }
    assert_eq!(at_ada, at_bob);
}

#[tokio::test]
async fn s17_a_lonely_beam_ends_by_itself_and_not_before_its_time() {
    let Live { beam, mut running, _folder } = live().await;
    for number in [1, 2] {
        drop(join(&beam, number).await);
        // Returns when the beam has handled the leaving.
        beam.refresh().await;
        time_passes(LINGER.saturating_sub(Duration::from_secs(1))).await;
    }
    assert!((&mut running).now_or_never().is_none());

    time_passes(Duration::from_secs(2)).await;

    running.await.unwrap();
}

#[tokio::test]
async fn s18_the_end_closes_everybody_and_the_next_join_fails() {
    let Live { beam, running, _folder } = live().await;
    let (_ada, outbox) = join(&beam, 1).await;

    time_passes(BEAM_LIFETIME).await;

    assert_eq!(outbox.closing().await, CloseCode::Ended);
    running.await.unwrap();
    assert_eq!(beam.join(newcomer(2), Arc::default()).await.unwrap_err(), Finished);
}
