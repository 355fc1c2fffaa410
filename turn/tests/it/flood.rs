//! Requests of strangers leave no trace in memory. `HELIOGRAPH_REQUESTS` sets their number; `make test-long` sends a
//! million of each kind.

use std::fs;
use std::net::SocketAddr;

use heliograph_turn::core::event::FiveTuple;

use super::lab::{Lab, client};
use super::running::{TurnClient, start};
use super::wire::{ALLOCATE, Answer, BINDING, Message};

/// What the process may grow by while it is flooded, in bytes: other tests run beside. A leak of 64 bytes a request
/// shows in the long form.
const GROWTH: u64 = 32 * 1024 * 1024;

fn requests(default: u32) -> u32 {
    std::env::var("HELIOGRAPH_REQUESTS").map_or(default, |count| count.parse().unwrap())
}

/// Memory of this process, in bytes.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
}

/// Another client for each number.
fn stranger(number: u32) -> FiveTuple {
    let [a, b, c, d] = number.to_be_bytes();
    let port = u16::from_be_bytes([c, d]).max(1);
    FiveTuple { client: SocketAddr::new([93, a, b, c].into(), port), ..client(1) }
}

/// A message that breaks a rule, another one for each number.
fn malformed(number: u32) -> Vec<u8> {
    let mut message = Message::new(ALLOCATE, number.into()).transport().unsigned();
    let length = message.len();
    match number % 5 {
        0 => message.truncate(length - 1),
        1 => message[3] = 0xFC,
        2 => message[23] = 0xFF,
        3 => message[4] = 0,
        _ => message = number.to_be_bytes().repeat(9),
    }
    message
}

#[test]
fn strangers_leave_nothing_in_the_core() {
    let mut lab = Lab::new();
    let count = requests(100_000);
    let mut before = 0;
    for number in 0..count {
        if number == count / 10 {
            before = resident();
        }
        let request = Message::new(ALLOCATE, number.into()).transport().unsigned();
        assert_eq!(lab.says(stranger(number), &request).len(), 1);
        assert_eq!(lab.says(stranger(number), &malformed(number)), []);
    }
    let grown = resident().saturating_sub(before);
    println!("{count} requests of strangers and {count} malformed ones: grown by {grown} bytes");
    assert!(lab.core.is_empty());
    assert_eq!(lab.terms.counts().allocations, 0);
    assert!(grown < GROWTH, "{grown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn strangers_leave_nothing_in_the_server() {
    let server = start();
    let strangers = TurnClient::connect(server.addresses().udp[0]).await;
    let count = requests(20_000);
    let mut before = 0;
    for number in 0..count {
        if number == count / 10 {
            before = resident();
        }
        strangers.send(&Message::new(ALLOCATE, number.into()).transport().unsigned()).await;
        strangers.send(&malformed(number)).await;
        assert_eq!(Answer::read(&strangers.receive().await).code(), 401);
    }
    let grown = resident().saturating_sub(before);
    println!("{count} and {count} over UDP: grown by {grown} bytes");
    assert!(grown < GROWTH, "{grown}");
    strangers.send(&Message::new(BINDING, 1).unsigned()).await;
    assert!(Answer::read(&strangers.receive().await).is_success());
    let counts = server.counts();
    assert_eq!((counts.unauthorized, counts.allocations_made), (count.into(), 0));
}
