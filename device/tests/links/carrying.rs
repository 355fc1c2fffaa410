//! What goes over a connection (L5, F8).

use heliograph_device::io::direct_link::LinkKind;
use heliograph_device::io::link_contract::PeerLinkEvent;

use crate::stage;

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

/// A frame of chunks by its first byte, whose other bytes tell frames apart.
fn chunks(number: usize, bytes: usize) -> Vec<u8> {
    let mut frame: Vec<u8> = (0..bytes).map(|at| ((at * 31 + number * 7) % 251) as u8).collect();
    frame[0] = 2;
    frame
}

#[tokio::test]
async fn f8_the_largest_frame_arrives_as_it_was_on_either_channel_and_in_either_direction() {
    for kind in stage::KINDS {
        let (mut first, mut second) = stage::connected(kind).await;
        let frame = chunks(1, 256 * KIB);
        first.link.send(frame.clone());
        assert!(second.frame().await == frame);
        second.link.send(frame.clone());
        assert!(first.frame().await == frame);
        second.link.say(frame.clone());
        assert!(first.frame().await == frame);
    }
}

#[tokio::test]
async fn a_sender_that_heeds_the_room_loses_nothing_and_keeps_the_order() {
    for kind in stage::KINDS {
        let (mut first, mut second) = stage::connected(kind).await;
        let frames = 24 * MIB / (256 * KIB);
        let received = tokio::spawn(async move {
            for number in 0..frames {
                assert!(second.frame().await == chunks(number, 256 * KIB), "frame {number}");
            }
            second
        });
        for number in 0..frames {
            first.room().await;
            first.link.send(chunks(number, 256 * KIB));
            let most = if kind == LinkKind::Quic { 10 } else { 4 };
            assert!(first.link.buffer().unsent < most * MIB as u64);
        }
        received.await.expect("all frames came");
    }
}

#[tokio::test]
async fn an_end_that_does_not_read_leaves_its_sender_no_room() {
    for kind in stage::KINDS {
        let (mut first, mut second) = stage::connected(kind).await;
        let mut sent = 0;
        'sending: loop {
            while first.link.buffer().room > 0 {
                first.link.send(chunks(sent, 64 * KIB));
                sent += 1;
            }
            while first.link.buffer().room == 0 {
                match first.next_soon().await {
                    Some(event) => assert!(!matches!(event, PeerLinkEvent::Closed)),
                    None => break 'sending,
                }
            }
            assert!(sent * 64 * KIB < 64 * MIB, "it is held up long before that");
        }
        for number in 0..sent {
            assert!(second.frame().await == chunks(number, 64 * KIB), "frame {number}");
        }
        first.room().await;
    }
}

#[tokio::test]
async fn l5_another_frame_does_not_wait_behind_the_chunks_that_are_queued() {
    for kind in stage::KINDS {
        let (first, mut second) = stage::connected(kind).await;
        let queued = 12;
        for number in 0..queued {
            first.link.send(chunks(number, 256 * KIB));
        }
        first.link.say(vec![7; 17]);
        let mut before = 0;
        while second.frame().await[0] == 2 {
            before += 1;
        }
        assert!(before < queued / 2, "{before} of {queued} came before it");
    }
}

#[tokio::test]
async fn a_link_on_which_too_much_waits_closes() {
    for kind in stage::KINDS {
        let (mut first, mut second) = stage::connected(kind).await;
        for number in 0..100 {
            first.link.send(chunks(number, 256 * KIB));
        }
        first.closed().await;
        second.closed().await;
    }
}

#[tokio::test]
async fn what_waits_and_leaves_no_longer_counts() {
    for kind in stage::KINDS {
        let (first, mut second) = stage::connected(kind).await;
        first.link.say(vec![7; 4 * KIB]);
        assert!(first.link.buffer().unsaid >= 4 * KIB as u64);
        assert_eq!(second.frame().await.len(), 4 * KIB);
        while first.link.buffer().unsent > 0 {
            tokio::task::yield_now().await;
        }
    }
}
