//! The hub with a real database in a folder of its own. The clock follows the machine's and is set forward, so that the
//! database is not hurried.

use std::time::Duration;

use futures_util::FutureExt as _;
use heliograph_shared::close::CloseCode;
use heliograph_shared::ids::{BeamKey, DeviceId};
use heliograph_shared::limits::LINGER;
use heliograph_shared::socket::{Device, DeviceUser, JoinPolicy, RelayUse};
use heliograph_shared::time::Millis;
use heliograph_storage::Location;
use heliograph_storage::blobs::{self, Blobs};
use heliograph_storage::quota::Quotas;
use tempfile::TempDir;
use tokio::time::timeout;

use super::*;
use crate::limit::Rate;
use crate::live::beam::ConnectionId;
use crate::live::beam::handle::Command;
use crate::live::websocket::Message;

/// Makes a test that would hang fail instead.
const PATIENCE: Duration = Duration::from_secs(20);

struct Stage {
    hub: Hub,
    storage: Storage,
    _folder: TempDir,
}

impl Stage {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let location = Location::Folder(folder.path().to_owned());
        let (storage, writer) = Storage::open(&location).await.unwrap();
        let budget = Budget::unlimited();
        let clock = Clock::running(Millis::new(0));
        let blobs = Blobs::open(&blobs::Location::Folder(folder.path().to_owned())).unwrap();
        let capacity = Capacity::new(Quotas::UNLIMITED, 100, blobs, storage.clone());
        let secret = Secret::new([1; 32]);
        let removals = Arc::new(Buckets::new(Rate { burst: 1, every: Duration::from_secs(1) }));
        let hub = Hub::new(clock, storage.clone(), writer, capacity, secret, budget, removals);
        Self { hub, storage, _folder: folder }
    }

    async fn joins(&self, at: u8, number: u8) -> (Membership, Arc<Outbox>) {
        let outbox = Arc::<Outbox>::default();
        let join = self.hub.join(beam(at), "e", newcomer(number), outbox.clone());
        (timeout(PATIENCE, join).await.expect("the join ends"), outbox)
    }

    async fn is_asleep(&self, at: u8) {
        let asleep = async {
            while self.hub.is_live(beam(at)) {
                tokio::task::yield_now().await;
            }
        };
        timeout(PATIENCE, asleep).await.expect("the beam falls asleep");
    }
}

/// A device leaves, and the beam has handled it.
async fn leaves(membership: Membership) -> BeamHandle {
    let beam = BeamHandle::clone(&membership);
    drop(membership);
    beam.refresh().await;
    beam
}

async fn time_passes(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

fn beam(number: u8) -> BeamId {
    BeamId::from_random([number; 16])
}

fn newcomer(number: u8) -> Newcomer {
    let device_id = DeviceId::from_bytes([number; 16]);
    let user = DeviceUser::default();
    let device = Device { device_id, name: String::new(), caps: Vec::new(), user };
    let connection = ConnectionId(number.into());
    Newcomer {
        connection,
        device,
        plain: false,
        knows_sealed: false,
        creator: false,
        account: None,
        client: None,
        ice_servers: Vec::new(),
        relay: RelayUse::Fallback,
        join_policy: JoinPolicy::Ask,
        upload_bytes: 7,
    }
}

/// The first message to a device.
async fn first_message(outbox: &Outbox) -> String {
    let batch = timeout(PATIENCE, outbox.take(Clock::System)).await.expect("something is written");
    match &batch.messages[0] {
        Message::Text(text) => text.to_string(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn two_newcomers_meet_in_the_same_beam() {
    let stage = Stage::new().await;
    let ((ada, _), (bob, _), (cat, _)) =
        tokio::join!(stage.joins(7, 1), stage.joins(7, 2), stage.joins(8, 3));
    assert!(ada.is_same(&bob));
    assert!(!ada.is_same(&cat));
}

#[tokio::test]
async fn a_beam_that_fell_asleep_is_forgotten_and_woken_again() {
    let stage = Stage::new().await;
    let (first, _) = stage.joins(7, 1).await;
    let handle = leaves(first).await;
    time_passes(LINGER * 2).await;
    stage.is_asleep(7).await;

    let (second, _) = stage.joins(7, 2).await;

    assert!(!second.is_same(&handle));
    assert!(stage.hub.is_live(beam(7)));
}

#[tokio::test]
async fn who_comes_just_as_a_beam_falls_asleep_is_welcomed() {
    let stage = Stage::new().await;
    for early in [Duration::ZERO, Duration::from_millis(1)].repeat(10) {
        leaves(stage.joins(7, 1).await.0).await;
        time_passes(LINGER.saturating_sub(early)).await;
        let (bob, outbox) = stage.joins(7, 2).await;
        assert!(first_message(&outbox).await.contains("auth_success"));
        leaves(bob).await;
    }
}

#[tokio::test]
async fn s2_a_beam_that_ends_between_the_look_up_and_the_join_is_ended_for_who_joins() {
    let stage = Stage::new().await;
    let key = BeamKey::from_random([1; 32]).hash();
    stage.storage.create_beam(beam(7), key, Millis::new(-2), Millis::new(-1)).await.unwrap();

    let (_ada, outbox) = stage.joins(7, 1).await;

    let code = timeout(PATIENCE, outbox.closing()).await.expect("the device is closed");
    assert_eq!(code, CloseCode::Ended);
    stage.is_asleep(7).await;
}

#[tokio::test]
async fn s17_a_device_whose_join_was_cut_off_is_gone() {
    let stage = Stage::new().await;
    let (ada, _) = stage.joins(7, 1).await;
    // Bob's socket ends while his join waits in the mailbox.
    let mut join = Box::pin(ada.join(newcomer(2), Arc::default()));
    assert!(join.as_mut().now_or_never().is_none(), "it waits to be read");
    drop(join);
    drop(ada);
    // A newcomer is told who is here after all of that was handled.
    let (_cat, outbox) = stage.joins(7, 3).await;
    let devices = loop {
        let batch = timeout(PATIENCE, outbox.take(Clock::System)).await.expect("the list comes");
        let list = batch.messages.iter().rev().find_map(|message| match message {
            Message::Text(text) if text.contains("authed_users") => Some(text.to_string()),
            _ => None,
        });
        if let Some(list) = list {
            break list.matches("device_id").count();
        }
    };
    assert_eq!(devices, 1);
}

#[tokio::test]
async fn s35_at_the_end_no_beam_waits_for_another_to_be_stored() {
    let stage = Stage::new().await;
    let mailboxes = [7, 8].map(|at| {
        let (handle, mailbox) = BeamHandle::new();
        stage.hub.lock().insert(beam(at), handle);
        mailbox
    });

    let mut stored = Box::pin(stage.hub.store_all());

    assert!(stored.as_mut().now_or_never().is_none(), "neither beam has answered");
    for mut mailbox in mailboxes {
        assert!(matches!(mailbox.try_recv(), Ok(Command::Store(_))));
    }
}
