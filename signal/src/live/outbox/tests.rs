//! What an outbox holds, whom it closes, and what comes back when a batch is written.

use std::time::Duration;

use heliograph_shared::limits::MAX_RELAYED_FRAME_BYTES as RELAY_FRAME;

use super::*;
use crate::budget::tests::budget;
use crate::live::rates::{Options, Rates};
use crate::size::Size;

const ADA: DeviceId = DeviceId::from_bytes([1; 16]);
const BOB: DeviceId = DeviceId::from_bytes([2; 16]);
const MIB: usize = 1024 * 1024;

fn is_closing(outbox: &Outbox) -> Option<CloseCode> {
    outbox.lock().close
}

fn frame(len: usize) -> Bytes {
    Bytes::from(vec![0; len])
}

#[tokio::test]
async fn r2_a_frame_counts_for_the_whole_buffer_that_it_keeps() {
    let budget = budget(&[]);
    let outbox = Outbox::new(
        budget.clone(),
        SharedTexts::new(budget.clone()),
        Turns::default(),
        Arc::default(),
    );
    // Four chunks, and what stands before them.
    outbox.push_frame(ADA, frame(64 * 1024 + 37)).unwrap();
    assert_eq!(budget.taken(Kind::Frames), 80 * 1024);
    let batch = outbox.take(Clock::System).await;
    outbox.written(&batch);
    assert_eq!(budget.taken(Kind::Frames), 0);
}

#[test]
fn s16_an_outbox_holds_1024_messages() {
    let outbox = Outbox::default();
    for _ in 0..OUTBOX_MESSAGES {
        outbox.push(Message::text("hi"));
    }
    assert_eq!(is_closing(&outbox), None);

    outbox.push(Message::text("hi"));

    assert_eq!(is_closing(&outbox), Some(CloseCode::TooSlow));
}

#[test]
fn s16_an_outbox_holds_4_mib() {
    let outbox = Outbox::default();
    for _ in 0..4 {
        outbox.push(Message::text("x".repeat(MIB)));
    }
    assert_eq!(is_closing(&outbox), None);

    outbox.push(Message::text("x"));

    assert_eq!(is_closing(&outbox), Some(CloseCode::TooSlow));
}

#[tokio::test]
async fn s16_what_was_written_makes_room_and_what_was_only_taken_does_not() {
    let outbox = Outbox::default();
    for _ in 0..OUTBOX_MESSAGES {
        outbox.push(Message::text("hi"));
    }
    let batch = outbox.take(Clock::System).await;
    assert_eq!(batch.messages.len(), BATCH_MESSAGES);
    outbox.written(&batch);
    for _ in 0..BATCH_MESSAGES {
        outbox.push(Message::text("hi"));
    }
    assert_eq!(is_closing(&outbox), None);

    let _taken = outbox.take(Clock::System).await;
    outbox.push(Message::text("hi"));

    assert_eq!(is_closing(&outbox), Some(CloseCode::TooSlow));
}

#[test]
fn r2_a_window_waits_from_one_device_and_no_byte_more() {
    let outbox = Outbox::default();
    assert_eq!(outbox.push_frame(ADA, frame(RELAY_PAIR_BYTES)), Ok(()));
    assert_eq!(outbox.push_frame(ADA, frame(1)), Err(RelayFull));
    assert_eq!(outbox.push_frame(BOB, frame(1)), Ok(()));
}

#[test]
fn r2_sixteen_mib_wait_towards_one_device_and_no_byte_more() {
    let outbox = Outbox::default();
    for sender in 0..16 {
        let from = DeviceId::from_bytes([sender; 16]);
        assert_eq!(outbox.push_frame(from, frame(MIB)), Ok(()));
    }
    assert_eq!(outbox.push_frame(ADA, frame(1)), Err(RelayFull));
}

#[tokio::test]
async fn r2_credit_comes_back_when_a_frame_was_written() {
    let outbox = Outbox::default();
    outbox.push_frame(ADA, frame(RELAY_PAIR_BYTES)).unwrap();
    let batch = outbox.take(Clock::System).await;
    assert_eq!(outbox.push_frame(ADA, frame(1)), Err(RelayFull));

    outbox.written(&batch);

    assert_eq!(outbox.push_frame(ADA, frame(RELAY_PAIR_BYTES)), Ok(()));
}

#[tokio::test]
async fn r3_frames_do_not_count_for_the_outbox_and_wait_behind_messages() {
    let outbox = Outbox::default();
    outbox.push_frame(ADA, frame(RELAY_PAIR_BYTES)).unwrap();
    for _ in 0..4 {
        outbox.push(Message::text("x".repeat(MIB)));
    }
    assert_eq!(is_closing(&outbox), None);
    assert!(matches!(outbox.take(Clock::System).await.messages[0], Message::Text(_)));
}

#[tokio::test]
async fn s16_a_flood_of_pings_fills_nothing() {
    let outbox = Outbox::default();
    for n in 0..10_000_u32 {
        outbox.push_pong(Bytes::copy_from_slice(&n.to_be_bytes()));
    }
    let last = Bytes::copy_from_slice(&9_999_u32.to_be_bytes());
    assert_eq!(outbox.take(Clock::System).await.messages, [Message::Pong(last)]);
}

#[test]
fn r2_a_window_of_short_frames_is_short() {
    let outbox = Outbox::default();
    let pushed = (0..100_000).take_while(|_| outbox.push_frame(ADA, frame(16)).is_ok());
    assert_eq!(pushed.count(), RELAY_PAIR_BYTES / SHORTEST_FRAME);
}

/// Outboxes that share a budget of 1 MiB for messages and 1 MiB for frames.
fn outboxes<const N: usize>() -> (Arc<Budget>, [Outbox; N]) {
    let flags = ["--memory-messages", "1MiB", "--memory-frames", "1MiB"];
    let budget = budget(&flags);
    let texts = SharedTexts::new(budget.clone());
    let outboxes = [(); N]
        .map(|()| Outbox::new(budget.clone(), texts.clone(), Turns::default(), Arc::default()));
    (budget, outboxes)
}

#[tokio::test]
async fn s16_with_the_budget_spent_who_reads_nothing_is_closed_and_who_keeps_up_is_served() {
    let (budget, [slow, slower, quick]) = outboxes();
    let mut sent = 0;
    while is_closing(&slow).is_none() || is_closing(&slower).is_none() {
        for outbox in [&slow, &slower] {
            outbox.push(Message::text("x".repeat(20 * 1024)));
        }
        quick.push(Message::text("x".repeat(20 * 1024)));
        let batch = quick.take(Clock::System).await;
        quick.written(&batch);
        sent += 1;
        assert!(budget.taken(Kind::Messages) <= MIB && sent < 1_000);
    }
    assert_eq!(is_closing(&slow).or(is_closing(&slower)), Some(CloseCode::Overload));
    assert_eq!(is_closing(&quick), None);
    drop((slow, slower, quick));
    assert_eq!(budget.taken_in_all(), 0);
}

#[tokio::test]
async fn r2_with_the_budget_spent_a_frame_is_refused_and_who_holds_little_still_gets_some() {
    let (budget, [greedy, modest]) = outboxes();
    let pushed = (0..2_000).take_while(|_| greedy.push_frame(ADA, frame(1_000)).is_ok());
    assert!(pushed.count() <= MIB / 2 / 1_000);
    assert_eq!(modest.push_frame(ADA, frame(MIB / 4)), Ok(()));
    let batch = modest.take(Clock::System).await;
    modest.written(&batch);
    greedy.close(CloseCode::Ended);
    assert_eq!(budget.taken_in_all(), 0);
}

#[tokio::test]
async fn the_first_reason_to_close_counts() {
    let outbox = Outbox::default();
    outbox.close(CloseCode::Ended);
    outbox.close(CloseCode::Restart);
    assert_eq!(outbox.closing().await, CloseCode::Ended);
}

#[tokio::test]
async fn s16_a_newer_list_of_devices_takes_the_place_of_one_that_waits() {
    let (budget, [outbox]) = outboxes();
    let list = |n: usize| Message::text(n.to_string().repeat(5_000));
    outbox.push(Message::text("before"));
    for n in 0..2 * OUTBOX_MESSAGES {
        outbox.push_devices(list(n % 10));
        if n == 0 {
            outbox.push(Message::text("after"));
        }
    }
    let batch = outbox.take(Clock::System).await;
    assert_eq!(batch.messages, [Message::text("before"), list(7), Message::text("after")]);

    // One that was taken is on its way.
    outbox.push_devices(list(8));
    outbox.written(&batch);
    drop(batch);
    let batch = outbox.take(Clock::System).await;
    assert_eq!(batch.messages, [list(8)]);
    outbox.written(&batch);
    drop(batch);
    assert_eq!(budget.taken_in_all(), 0);
}

#[tokio::test]
async fn r2_a_batch_has_frames_of_four_chunks_one_by_one_so_that_a_message_waits_for_one() {
    let outbox = Outbox::default();
    let sizes = [65_700, 65_700, RELAY_FRAME, 30_000, 30_000, 30_000];
    for size in sizes {
        outbox.push_frame(ADA, frame(size)).unwrap();
    }
    let first = outbox.take(Clock::System).await;
    assert_eq!(first.messages, [Message::Binary(frame(65_700))]);
    outbox.push(Message::text("hi"));
    let second = outbox.take(Clock::System).await;
    assert_eq!(second.messages, [Message::text("hi"), Message::Binary(frame(65_700))]);
    assert_eq!(outbox.take(Clock::System).await.messages, [Message::Binary(frame(RELAY_FRAME))]);
    assert_eq!(outbox.take(Clock::System).await.messages.len(), 2);
}

/// An outbox whose device gets 1 MiB a second.
fn paced() -> Outbox {
    let limits = Options { relay_device_rate: Some(Size(1 << 20)), ..Options::default() };
    let (budget, turns) = (Budget::unlimited(), Turns::new(Rates::new(&limits)));
    Outbox::new(budget.clone(), SharedTexts::new(budget), turns, Arc::default())
}

#[tokio::test(start_paused = true)]
async fn r5_frames_go_at_the_rate_of_the_device_and_in_their_order() {
    let outbox = paced();
    let start = Clock::System.steady();
    for number in 0..16 {
        outbox.push_frame(ADA, Bytes::from(vec![number; RELAY_FRAME])).unwrap();
    }
    for number in 0..16 {
        let batch = outbox.take(Clock::System).await;
        assert_eq!(batch.messages, [Message::Binary(Bytes::from(vec![number; RELAY_FRAME]))]);
        outbox.written(&batch);
    }
    // The first goes at once, and frames may be 50 ms ahead.
    let took = start.elapsed();
    assert!((3_690..=3_760).contains(&took.as_millis()), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn r5_a_message_does_not_wait_with_the_frames() {
    let outbox = Arc::new(paced());
    for _ in 0..8 {
        outbox.push_frame(ADA, frame(RELAY_FRAME)).unwrap();
    }
    outbox.take(Clock::System).await;
    let start = Clock::System.steady();
    let taking = tokio::spawn({
        let outbox = outbox.clone();
        async move { outbox.take(Clock::System).await.messages }
    });
    tokio::task::yield_now().await;
    outbox.push(Message::text("hi"));
    assert_eq!(taking.await.unwrap(), [Message::text("hi")]);
    assert_eq!(start.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn r5_the_bounds_of_the_queue_stay() {
    let outbox = paced();
    outbox.push_frame(ADA, frame(RELAY_PAIR_BYTES)).unwrap();
    assert_eq!(outbox.push_frame(ADA, frame(1)), Err(RelayFull));
}
