//! Our websocket codec against the two fastest general ones. Each implements [`Codec`] in a server of its own that does
//! the same work: rooms in which a text goes to every member and a binary message to every other one.
//!
//! The load is nearly free ([`load`]), so that the measurement shows the codec and the operating system. On a busy
//! machine the processor time says more than the speed. The codecs take turns, run by run.

mod fast;
mod load;
mod ours;
mod server;
mod tokio_ws;

use std::env;

use tokio::net::TcpStream;

use crate::Failure;
use crate::process::Process;
use crate::table::{Row, Target, median};
use fast::FastWebsockets;
use ours::Ours;
use tokio_ws::TokioWebsockets;

/// The first argument that makes this program serve a codec. The second one is the codec's name.
pub const COMMAND: &str = "codec";

const NAMES: [&str; 3] = [Ours::NAME, FastWebsockets::NAME, TokioWebsockets::NAME];
/// Longest message that a codec accepts, as in the product.
const MAX_MESSAGE_BYTES: usize = 1024 * 1024;
/// Many short runs, because the machine's speed drifts and the codecs are compared within each run.
const RUNS: usize = 15;

/// The server's side of a websocket codec.
trait Codec: 'static {
    const NAME: &str;
    /// A data message. Cloning shares the payload.
    type Message: Clone + Send + 'static;
    type Reader: Read<Self::Message>;
    type Writer: Write<Self::Message>;

    /// The two halves of a connection after the handshake.
    fn split(stream: TcpStream) -> (Self::Reader, Self::Writer);

    fn is_text(message: &Self::Message) -> bool;
}

trait Read<M>: Send + 'static {
    /// The next data message; `None` at the end.
    fn next(&mut self) -> impl Future<Output = Option<M>> + Send;
}

trait Write<M>: Send + 'static {
    /// Writes all messages, with one system call where the codec can.
    fn write(&mut self, batch: &mut Vec<M>) -> impl Future<Output = Result<(), Failure>> + Send;
}

/// Serves the codec that the arguments name.
pub async fn serve() -> Result<(), Failure> {
    let name = env::args().nth(2).ok_or("the name of a codec")?;
    let address = env::args().nth(3).ok_or("an address")?.parse()?;
    match name.as_str() {
        Ours::NAME => server::serve::<Ours>(address).await,
        FastWebsockets::NAME => server::serve::<FastWebsockets>(address).await,
        TokioWebsockets::NAME => server::serve::<TokioWebsockets>(address).await,
        _ => Err(format!("no codec {name}").into()),
    }
}

/// The result of one run of one codec.
#[derive(Clone, Copy, Default)]
struct Run {
    /// Bytes or deliveries per second.
    speed: f64,
    /// Processor time of the server in seconds.
    processor: f64,
}

/// The work to measure.
#[derive(Clone, Copy)]
enum Work {
    /// Messages of this many bytes from one socket to another.
    Relay(usize),
    /// Texts to every socket of many rooms.
    FanOut,
}

impl Work {
    fn figure(self) -> String {
        match self {
            Self::Relay(bytes) => format!("codec: relay, {} KiB", bytes / 1024),
            Self::FanOut => "codec: fan-out, 100 rooms of 8".to_owned(),
        }
    }

    async fn run(self, server: &Process, room: usize) -> Result<Run, Failure> {
        let before = server.processor_seconds()?;
        let speed = match self {
            Self::Relay(bytes) => load::relay(server.address, room, bytes).await?,
            Self::FanOut => load::fan_out(server.address, room).await?,
        };
        Ok(Run { speed, processor: server.processor_seconds()? - before })
    }
}

/// Measures speed, processor time and memory.
pub async fn measure() -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for work in [Work::Relay(64 * 1024), Work::Relay(240 * 1024), Work::FanOut] {
        rows.extend(compare(work).await?);
    }
    rows.push(idle().await?);
    Ok(rows)
}

/// Runs the codecs in turns, in a different order each time.
async fn compare(work: Work) -> Result<[Row; 2], Failure> {
    let mut servers = Vec::new();
    for name in NAMES {
        let server = Process::own(&[COMMAND, name]).await?;
        load::check(server.address).await?;
        work.run(&server, 0).await?;
        servers.push(server);
    }
    let mut runs = Vec::new();
    for number in 1..=RUNS {
        let mut run = [Run::default(); NAMES.len()];
        for turn in 0..NAMES.len() {
            let codec = (number + turn) % NAMES.len();
            run[codec] = work.run(&servers[codec], number).await?;
        }
        println!("{} run {number}: {}", work.figure(), line(&run));
        runs.push(run);
    }
    let speed = |run: &Run| run.speed / 1e6;
    Ok([
        row(format!("{}, speed", work.figure()), "M/s", &runs, speed, |ours, other| ours / other),
        row(
            format!("{}, processor", work.figure()),
            "s",
            &runs,
            |run| run.processor,
            |ours, other| other / ours,
        ),
    ])
}

/// Our codec against the better of the two others: the one against which the median of the runs is lower.
fn row(
    figure: String,
    unit: &str,
    runs: &[[Run; NAMES.len()]],
    of: impl Fn(&Run) -> f64,
    ratio: impl Fn(f64, f64) -> f64,
) -> Row {
    let middle = |codec: usize| median(runs.iter().map(|run| of(&run[codec])).collect());
    let beside =
        |codec: usize| median(runs.iter().map(|run| ratio(of(&run[0]), of(&run[codec]))).collect());
    let better = if beside(1) < beside(2) { 1 } else { 2 };
    Row {
        figure,
        product: format!("{:.2} {unit}", middle(0)),
        reference: format!("{:.2} {unit}", middle(better)),
        value: beside(better),
        target: Target::AtLeast(1.0),
    }
}

/// The results of all codecs in one run.
fn line(run: &[Run]) -> String {
    let parts = NAMES.iter().zip(run).map(|(name, Run { speed, processor })| {
        format!("{name} {:.2} M/s {processor:.3} s", speed / 1e6)
    });
    parts.collect::<Vec<_>>().join(" · ")
}

/// Measures the memory of an idle socket.
async fn idle() -> Result<Row, Failure> {
    let mut kib = Vec::new();
    for name in NAMES {
        let server = Process::own(&[COMMAND, name]).await?;
        let before = server.resident_bytes()?;
        let sockets = load::idle(server.address).await?;
        #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
        kib.push((server.resident_bytes()? - before) as f64 / 1024.0 / sockets.len() as f64);
    }
    let [ours, fast, tokio_ws] = kib[..] else { return Err("not three codecs".into()) };
    println!("codec: memory of an idle socket, KiB: {NAMES:?} {kib:.2?}");
    Ok(Row {
        figure: "codec: memory of an idle socket".to_owned(),
        product: format!("{ours:.2} KiB"),
        reference: format!("{:.2} KiB", fast.min(tokio_ws)),
        value: fast.min(tokio_ws) / ours,
        target: Target::AtLeast(1.0),
    })
}
