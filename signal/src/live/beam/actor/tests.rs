//! The task of a beam, with devices that read their outboxes or do not.

use futures_util::FutureExt as _;
use heliograph_shared::ids::{BeamId, ItemId};
use heliograph_shared::limits::{BEAM_LIFETIME, LINGER, OUTBOX_MESSAGES};
use heliograph_shared::names::{BeamName, Email, Kind, PersonName, Username};
use heliograph_shared::socket::{
    Arrange, Device, DeviceUser, JoinPolicy, KeepTime, Placed, RelayUse, SyncFrom,
};
use heliograph_shared::time::Millis;
use heliograph_storage::accounts::{AccountId, NewAccount};
use heliograph_storage::blobs::{self, Blobs};
use heliograph_storage::kept_beams::Keep;
use heliograph_storage::notes::{NewNote, Quota};
use heliograph_storage::quota::Quotas;
use heliograph_storage::saved_beams::Contents;
use heliograph_storage::secrets::Secret;
use heliograph_storage::sessions::{NewSession, NewToken, NewTokens, SessionId};
use heliograph_storage::{Location, Storage};
use serde_json::value::RawValue;
use tempfile::TempDir;

use super::*;
use crate::budget::Budget;
use crate::bus::Bus;
use crate::limit::{Buckets, Rate};
use crate::live::beam::ConnectionId;
use crate::live::beam::handle::{BeamHandle, Finished, Membership};
use crate::live::beam::request::Request;
use crate::live::beam::state::{Newcomer, Saying};
use crate::quota::Capacity;

/// A live beam with its own database.
struct Live {
    beam: BeamHandle,
    running: tokio::task::JoinHandle<()>,
    storage: Storage,
    _folder: TempDir,
}

fn beam_id() -> BeamId {
    BeamId::from_random([7; 16])
}

pub(super) async fn keeper(folder: &TempDir) -> Keeper {
    let location = Location::Folder(folder.path().to_owned());
    let (storage, writer) = Storage::open(&location).await.unwrap();
    let (epoch, budget, clock) =
        ("e".to_owned(), Budget::unlimited(), Clock::running(Millis::new(0)));
    let blobs = Blobs::open(&blobs::Location::Folder(folder.path().to_owned())).unwrap();
    let capacity = Capacity::new(Quotas::UNLIMITED, 100, blobs, storage.clone());
    let address_secret = Secret::new([1; 32]);
    let removals = Arc::new(Buckets::new(Rate { burst: 1, every: Duration::from_secs(1) }));
    Keeper {
        beam: beam_id(),
        epoch,
        clock,
        bus: Bus::Alone,
        lease: None,
        storage,
        writer,
        capacity,
        address_secret,
        budget,
        removals,
    }
}

async fn live() -> Live {
    let folder = tempfile::tempdir().unwrap();
    let keeper = keeper(&folder).await;
    let (clock, storage) = (keeper.clock, keeper.storage.clone());
    let (handle, mailbox) = BeamHandle::new();
    let running = tokio::spawn(run(keeper, clock, handle.relay().clone(), mailbox));
    Live { beam: handle, running, storage, _folder: folder }
}

/// The task's own value for a beam.
pub(super) async fn actor(keeper: Keeper) -> Actor {
    let state = BeamState::new(keeper.load().await.unwrap());
    Actor::new(state, keeper.clock, Arc::default(), keeper)
}

/// The same for a beam that Ada has saved, with her first device in it.
async fn saved(folder: &TempDir) -> (Actor, AccountId) {
    let keeper = keeper(folder).await;
    let (storage, writer, ada) = (&keeper.storage, &keeper.writer, AccountId::from_random([1; 16]));
    storage.create_account(&account(ada), &session(ada)).await.unwrap();
    storage.record_shared_beam(beam_id(), Millis::new(0), Millis::new(1_000)).await.unwrap();
    let (name, quota) = (name("Beam"), Quota { quotas: Quotas::UNLIMITED, now: Millis::new(0) });
    writer.save_beam(beam_id(), ada, &name, Contents::default(), quota).await.unwrap();
    let mut actor = actor(keeper).await;
    let newcomer = Newcomer { account: Some(ada), ..newcomer(1) };
    assert!(actor.apply(Input::Join(newcomer)).await.is_continue());
    (actor, ada)
}

fn name(text: &str) -> BeamName {
    BeamName::parse(text).unwrap()
}

fn account(id: AccountId) -> NewAccount {
    NewAccount {
        id,
        username: Username::parse("ada").unwrap(),
        first_name: PersonName::first("Ada").unwrap(),
        last_name: PersonName::last("Byron").unwrap(),
        email: Email::parse("ada@example.org").unwrap(),
        password_hash: String::new(),
        picture: None,
        created_at: Millis::new(0),
    }
}

fn session(account: AccountId) -> NewSession {
    let token = |n| NewToken { hash: [n; 32], expires_at: Millis::new(1_000) };
    let tokens = NewTokens { access: token(1), refresh: token(2) };
    NewSession { id: SessionId::from_random([1; 16]), account, tokens, created_at: Millis::new(0) }
}

async fn time_passes(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

pub(super) fn newcomer(number: u8) -> Newcomer {
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
    let saying = Saying::Request(Request::Share { message, kind, id, to: None });
    beam.said(ConnectionId(number.into()), saying).await;
}

/// Reads until items come, and returns their ids.
async fn next_items(outbox: &Outbox) -> Vec<String> {
    let batch = outbox.take(Clock::System).await;
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
    let Live { beam, mut running, _folder, .. } = live().await;
    for number in [1, 2] {
        drop(join(&beam, number).await);
        // Returns when the beam has handled the leaving.
        beam.refresh().await;
        time_passes(LINGER / 2).await;
    }
    assert!((&mut running).now_or_never().is_none());

    time_passes(LINGER).await;

    running.await.unwrap();
}

#[tokio::test]
async fn s17_a_lonely_beam_lingers_for_a_minute_however_the_wall_clock_jumps() {
    let day = Duration::from_hours(24);
    for now in [Millis::new(0) + day, Millis::new(0) - day] {
        let folder = tempfile::tempdir().unwrap();
        let (mut actor, _) = saved(&folder).await;
        let (_beam, mut mailbox) = BeamHandle::new();
        tokio::time::pause();
        let start = Instant::now();
        assert!(actor.apply(Input::Gone(ConnectionId(1))).await.is_continue());

        actor.clock = Clock::running(now);
        let end = actor.run(&mut mailbox, &mut Vec::new()).await;

        assert_eq!((end, start.elapsed().as_secs()), (End::Asleep, LINGER.as_secs()));
        tokio::time::resume();
    }
}

#[tokio::test]
async fn s18_the_end_closes_everybody_and_the_next_join_fails() {
    let Live { beam, running, _folder, .. } = live().await;
    let (_ada, outbox) = join(&beam, 1).await;

    time_passes(BEAM_LIFETIME).await;

    assert_eq!(outbox.closing().await, CloseCode::Ended);
    running.await.unwrap();
    assert_eq!(beam.join(newcomer(2), Arc::default()).await.unwrap_err(), Finished);
}

#[tokio::test]
async fn s17_an_unsaved_beam_outlives_a_database_that_cannot_be_read() {
    let Live { beam, running, storage, _folder } = live().await;
    let (_ada, outbox) = join(&beam, 1).await;
    share(&beam, 1, 7).await;
    while next_items(&outbox).await.is_empty() {}

    storage.close().await;
    beam.refresh().await;
    beam.said(ConnectionId(1), Saying::Sync(SyncFrom { after: None })).await;

    assert!(outbox.closing().now_or_never().is_none());
    let page = outbox.take(Clock::System).await;
    let Message::Text(page) = &page.messages[0] else { panic!("{page:?}") };
    assert!(page.contains("\"seq\":1"), "{page}");
    assert!(!running.is_finished());
}

#[tokio::test]
async fn s22_an_unsaved_beam_whose_write_is_unknown_refuses_it_and_keeps_its_items() {
    let folder = tempfile::tempdir().unwrap();
    let mut actor = actor(keeper(&folder).await).await;
    let ada = Newcomer { creator: true, ..newcomer(1) };
    for newcomer in [ada, newcomer(2)] {
        assert!(actor.apply(Input::Join(newcomer)).await.is_continue());
    }
    let removal = Request::RemoveDevice(newcomer(2).device.device_id);
    let said = Input::Said(ConnectionId(1), Saying::Request(removal));
    assert!(actor.apply(said).await.is_continue());
    assert!(actor.writing.take().is_some());

    assert_eq!(actor.finish_write(Err(Failed::Unknown)).await, Continue(()));

    let page = Input::Said(ConnectionId(1), Saying::Sync(SyncFrom { after: None }));
    assert!(matches!(&actor.state.handle(page, Millis::new(0))[..], [Output::Send(..)]));
}

/// Lets a device ask for something in a beam of its own whose write ends as unknown.
async fn unknown_after(requests: impl IntoIterator<Item = Request>) -> ControlFlow<End> {
    let folder = tempfile::tempdir().unwrap();
    let mut actor = actor(keeper(&folder).await).await;
    assert!(actor.apply(Input::Join(newcomer(1))).await.is_continue());
    for request in requests {
        if let Some(writing) = actor.writing.take() {
            let written = writing.await;
            assert!(actor.finish_write(written).await.is_continue());
        }
        let said = Input::Said(ConnectionId(1), Saying::Request(request));
        assert!(actor.apply(said).await.is_continue());
    }
    assert!(actor.writing.take().is_some());
    actor.finish_write(Err(Failed::Unknown)).await
}

#[tokio::test]
async fn s30_a_beam_that_may_be_kept_or_not_is_loaded_again() {
    let end = unknown_after([Request::Keep(Some(KeepTime::Day))]).await;
    assert_eq!(end, Break(End::Asleep));
}

#[tokio::test]
async fn s30_a_kept_beam_whose_item_may_be_stored_or_not_is_loaded_again() {
    let share = Request::Share {
        message: RawValue::from_string("1".to_owned()).unwrap(),
        kind: Kind::parse("text".to_owned()).unwrap(),
        id: ItemId::from_random([1; 16]),
        to: None,
    };
    let end = unknown_after([Request::Keep(Some(KeepTime::Day)), share]).await;
    assert_eq!(end, Break(End::Asleep));
}

#[tokio::test]
async fn h31_a_change_after_the_write_under_way_is_what_holds() {
    let folder = tempfile::tempdir().unwrap();
    let (mut actor, ada) = saved(&folder).await;
    let rename = Saying::Request(Request::Save(name("Earlier")));
    assert!(actor.apply(Input::Said(ConnectionId(1), rename)).await.is_continue());
    // The device's write is over, and the beam does not know yet.
    let written = actor.writing.take().unwrap().await;
    actor.writing = Some(Box::pin(async { written }));
    let writer = actor.keeper.writer.clone();
    writer.change_beam(ada, beam_id(), Some(&name("Later")), None).await.unwrap();

    assert!(actor.refresh().await.is_continue());

    assert_eq!(
        actor.state.saved_for(&Newcomer { account: Some(ada), ..newcomer(1) }).unwrap().beam_name,
        "Later"
    );
}

#[tokio::test]
async fn s35_a_move_is_stored_by_itself_within_a_second() {
    let folder = tempfile::tempdir().unwrap();
    let (mut actor, _) = saved(&folder).await;
    let storage = actor.keeper.storage.clone();
    let (beam, mut mailbox) = BeamHandle::new();
    let running = tokio::spawn(async move {
        actor.run(&mut mailbox, &mut Vec::new()).await;
    });
    share(&beam, 1, 1).await;
    let id = ItemId::from_random([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    for (shared, x) in [(Some(true), 1), (None, 2)] {
        let places = vec![Placed { id, x, y: 0 }];
        let change = Request::Arrange(Arrange { shared, places });
        beam.said(ConnectionId(1), Saying::Request(change)).await;
    }
    // Each returns when a write has ended: the note's, and that of the switch, after which the move is handled.
    for _ in 0..2 {
        beam.refresh().await;
    }
    let place = async || storage.arrangement_of(beam_id()).await.unwrap().unwrap()[0].x;

    time_passes(WRITE_BEHIND).await;

    while place().await != 2 {}
    running.abort();
}

#[tokio::test]
async fn s28_the_numbers_of_a_new_memory_follow_a_burst_and_everything_that_was_stored() {
    let folder = tempfile::tempdir().unwrap();
    let mut keeper = keeper(&folder).await;
    let (now, end) = (Millis::new(0), Millis::new(1_000_000));
    keeper.storage.record_shared_beam(beam_id(), now, end).await.unwrap();
    keeper.clock = Clock::running(Millis::new(50));
    let next = keeper.load().await.unwrap().items.next_seq();
    assert!(next > 50_000, "a hundred devices may share five hundred items at once: {next}");

    let keep = Keep { until: end, by: DeviceId::from_bytes([1; 16]), address: None, earlier: None };
    let quota = Quota { quotas: Quotas::UNLIMITED, now };
    let note = NewNote {
        id: ItemId::from_random([1; 16]),
        seq: 90_000_000,
        content: "1".to_owned(),
        upload: None,
        kind: "text".to_owned(),
        device: keep.by,
        author: None,
        created_at: now,
    };
    let (writer, id) = (&keeper.writer, note.id);
    writer.keep_beam(beam_id(), &keep, end, &[note], quota).await.unwrap();
    writer.delete_notes(beam_id(), &[id], now).await.unwrap();
    assert_eq!(keeper.load().await.unwrap().items.next_seq(), 90_000_001);
    writer.stop_keeping(beam_id(), now).await.unwrap();
    assert_eq!(keeper.load().await.unwrap().items.next_seq(), 90_000_001);
}
