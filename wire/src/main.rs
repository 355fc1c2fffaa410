//! A wire with delay, loss and a rate between two network interfaces, for tests and benchmarks on kernels without
//! `netem`. It makes two TUN interfaces; its caller moves each into a network namespace and gives it an address.
//! A line with new traits on its standard input changes the wire; the end of the input ends it.

#![expect(clippy::disallowed_methods, reason = "real packets wait in real time")]

mod direction;

use std::io::{self, BufRead, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use clap::Parser;
use direction::{Direction, Traits};
use tun_rs::{DeviceBuilder, SyncDevice};

/// The largest packet of an interface, in bytes.
const MTU: u16 = 1_500;

#[derive(Parser)]
struct Args {
    /// Name of the interface at one end.
    one: String,
    /// Name of the interface at the other end.
    other: String,
    /// `DELAY_MS LOSS_PERCENT MBIT_PER_SECOND QUEUE_KIB`, as one argument.
    traits: Traits,
}

/// A packet, and when it leaves the wire.
struct Packet {
    due: Instant,
    bytes: Vec<u8>,
}

fn main() -> io::Result<()> {
    let args = Args::parse();
    let one = Arc::new(interface(&args.one)?);
    let other = Arc::new(interface(&args.other)?);
    let traits = Arc::new(RwLock::new(args.traits));
    carry(&one, &other, &traits, 7);
    carry(&other, &one, &traits, 11);
    println!("ready");
    io::stdout().flush()?;
    for line in io::stdin().lock().lines() {
        match line?.parse() {
            Ok(changed) => *traits.write().unwrap_or_else(PoisonError::into_inner) = changed,
            Err(error) => eprintln!("{error}"),
        }
    }
    Ok(())
}

fn interface(name: &str) -> io::Result<SyncDevice> {
    DeviceBuilder::new().name(name).mtu(MTU).build_sync()
}

/// Carries what enters at one end to the other. Reading and writing have a thread each, because both block.
fn carry(from: &Arc<SyncDevice>, to: &Arc<SyncDevice>, traits: &Arc<RwLock<Traits>>, seed: u64) {
    let (queue, waiting) = channel();
    let (from, to, traits) = (from.clone(), to.clone(), traits.clone());
    thread::spawn(move || read(&from, &queue, &traits, seed));
    thread::spawn(move || write(&to, &waiting));
}

fn read(from: &SyncDevice, queue: &Sender<Packet>, traits: &RwLock<Traits>, seed: u64) {
    let began = Instant::now();
    let mut direction = Direction::new(seed);
    let mut buffer = [0; MTU as usize];
    loop {
        let Ok(length) = from.recv(&mut buffer) else {
            // The interface is down while it is moved to its namespace.
            thread::sleep(Duration::from_millis(1));
            continue;
        };
        let now = began.elapsed();
        let traits = *traits.read().unwrap_or_else(PoisonError::into_inner);
        let (Some(due), Some(bytes)) =
            (direction.enters(&traits, length, now), buffer.get(..length))
        else {
            continue;
        };
        if queue.send(Packet { due: began + due, bytes: bytes.to_vec() }).is_err() {
            return;
        }
    }
}

/// Packets keep their order, also when the delay becomes shorter.
fn write(to: &SyncDevice, waiting: &Receiver<Packet>) {
    for Packet { due, bytes } in waiting {
        thread::sleep(due.saturating_duration_since(Instant::now()));
        // An interface that is down takes nothing, as a cable that is pulled.
        let _ = to.send(&bytes);
    }
}
