//! A process that holds sockets of devices which only listen. A system gives a process a certain number of files, so
//! many sockets take several of them.

use std::env;
use std::net::SocketAddr;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines, stdin};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::Failure;
use crate::client::{Socket, beam, join, see_devices};
use crate::load::allow_many_sockets;

/// By which the process is chosen.
pub const COMMAND: &str = "hold";
/// Devices per beam: a desktop and a phone.
const DEVICES_OF_A_BEAM: u32 = 2;
/// The buffer is small, so that this process does not run out of memory.
const READ_BUFFER: usize = 4 * 1024;
/// Beams that are joined at a time.
const AT_A_TIME: usize = 16;

/// Sockets in another process. Dropping it ends them.
pub struct Held {
    _child: Child,
    says: ChildStdin,
    hears: Lines<BufReader<ChildStdout>>,
}

impl Held {
    /// Joins this many devices, the first of each beam at the first of these addresses or at a later one in turns, the
    /// second at the next. The beams are those from `first` on.
    pub fn start(first: u32, count: u32, at: &[SocketAddr]) -> Result<Self, Failure> {
        let mut command = Command::new(env::current_exe()?);
        command.arg(COMMAND).arg(first.to_string()).arg(count.to_string());
        command.args(at.iter().map(SocketAddr::to_string));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn()?;
        let says = child.stdin.take().ok_or("no input")?;
        let hears = BufReader::new(child.stdout.take().ok_or("no output")?).lines();
        Ok(Self { _child: child, says, hears })
    }

    /// Waits until all have joined that could.
    pub async fn joined(&mut self) -> Result<u32, Failure> {
        Ok(self.hears.next_line().await?.ok_or("the sockets are gone")?.parse()?)
    }

    /// How many are still there.
    pub async fn still(&mut self) -> Result<u32, Failure> {
        self.says.write_all(b"\n").await?;
        self.joined().await
    }
}

/// Is that process.
pub async fn serve() -> Result<(), Failure> {
    allow_many_sockets()?;
    let mut words = env::args().skip(2);
    let mut number = || words.next().ok_or("which beams?")?.parse::<u32>().map_err(Failure::from);
    let (first, count) = (number()?, number()?);
    let addresses = words.map(|word| word.parse()).collect::<Result<Vec<SocketAddr>, _>>()?;
    let there = Arc::new(AtomicUsize::new(0));
    let beams = first..first + count / DEVICES_OF_A_BEAM;
    let joining = stream::iter(beams)
        .map(|beam| join_beam(beam, &addresses, &there))
        .buffer_unordered(AT_A_TIME);
    // Whoever cannot join is not counted.
    if let Err(error) = joining.try_collect::<Vec<_>>().await {
        eprintln!("{error}");
    }
    let mut input = BufReader::new(stdin()).lines();
    loop {
        println!("{}", there.load(Ordering::Relaxed));
        if input.next_line().await?.is_none() {
            return Ok(());
        }
    }
}

async fn join_beam(
    number: u32,
    addresses: &[SocketAddr],
    there: &Arc<AtomicUsize>,
) -> Result<(), Failure> {
    for device in 0..DEVICES_OF_A_BEAM {
        let at = usize::try_from(number + device)? % addresses.len().max(1);
        let address = *addresses.get(at).ok_or("no address")?;
        let (mut socket, _) = join(address, beam(u128::from(number)), READ_BUFFER).await?;
        see_devices(&mut socket, usize::try_from(device + 1)?).await?;
        tokio::spawn(listen(socket, there.clone()));
    }
    Ok(())
}

/// Answers pings as long as the socket is there.
async fn listen(mut socket: Socket, there: Arc<AtomicUsize>) {
    there.fetch_add(1, Ordering::Relaxed);
    while let Some(Ok(_)) = socket.next().await {}
    there.fetch_sub(1, Ordering::Relaxed);
}
