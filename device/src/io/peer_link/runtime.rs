//! The library's runtime, but for the sockets that it makes, which get larger buffers, and for the sleep of its driver.
//!
//! The driver moves the packets of a connection. In a round it sends what there is, reads what came, and sleeps until something happens.
//! What it reads from a relay it answers in the next round only, and what it sends over a relay leaves in the one after that. By itself,
//! each of them begins when the next packet comes or a timer runs out, after 200 ms mostly: there and back, a relay took half a second
//! longer than its network. So wherever there may be a relay, two rounds come soon.

use std::cell::Cell;
use std::io;
use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use webrtc::runtime::{
    AsyncInterval, AsyncTcpListener, AsyncTcpStream, AsyncUdpSocket, JoinHandle, Runtime,
    TokioRuntime,
};

use crate::io::system_buffers;

type Task<'a, T = ()> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The rounds that come soon after another.
const SOON: u8 = 2;
/// The sleep before each. A driver that is busy does not come to sleep for so long.
const SHORT_SLEEP: Duration = Duration::from_millis(1);

tokio::task_local! {
    /// How many short sleeps the driver has slept to their ends, one after the other. Nobody else has one.
    static SLEPT: Cell<u8>;
}

#[derive(Debug)]
pub(super) struct LinkRuntime {
    library: TokioRuntime,
    /// Whether packets may go over a relay.
    may_relay: bool,
}

impl LinkRuntime {
    pub(super) fn new(may_relay: bool) -> Self {
        Self { library: TokioRuntime, may_relay }
    }

    /// The task of the driver, which begins in it.
    fn driver(&self, task: Task<'static>) -> Task<'static> {
        if self.may_relay { Box::pin(SLEPT.scope(Cell::new(0), task)) } else { task }
    }
}

impl Runtime for LinkRuntime {
    fn wrap_udp_socket(&self, socket: UdpSocket) -> io::Result<Arc<dyn AsyncUdpSocket>> {
        system_buffers::enlarge(&socket);
        self.library.wrap_udp_socket(socket)
    }

    fn spawn(&self, task: Task<'static>) -> Box<dyn JoinHandle> {
        self.library.spawn(self.driver(task))
    }

    fn spawn_reactor(&self, pool: usize, task: Task<'static>) -> Box<dyn JoinHandle> {
        self.library.spawn_reactor(pool, self.driver(task))
    }

    fn wrap_tcp_listener(&self, listener: TcpListener) -> io::Result<Arc<dyn AsyncTcpListener>> {
        self.library.wrap_tcp_listener(listener)
    }

    fn connect_tcp(&self, address: SocketAddr) -> Task<'_, io::Result<Arc<dyn AsyncTcpStream>>> {
        self.library.connect_tcp(address)
    }

    fn resolve_host<'a>(&'a self, host: &'a str) -> Task<'a, io::Result<Vec<SocketAddr>>> {
        self.library.resolve_host(host)
    }

    fn now(&self) -> Instant {
        self.library.now()
    }

    fn sleep(&self, time: Duration) -> Task<'static> {
        // The next one is the first again, unless this one comes to its end.
        let slept = SLEPT.try_with(|slept| slept.replace(0));
        let Some(slept) = slept.ok().filter(|slept| *slept < SOON) else {
            return self.library.sleep(time);
        };
        let sleep = self.library.sleep(time.min(SHORT_SLEEP));
        Box::pin(async move {
            sleep.await;
            let _ = SLEPT.try_with(|counted| counted.set(slept + 1));
        })
    }

    fn interval(&self, period: Duration) -> Box<dyn AsyncInterval> {
        self.library.interval(period)
    }

    fn block_on(&self, task: Pin<Box<dyn Future<Output = ()> + '_>>) {
        self.library.block_on(task);
    }

    fn yield_now(&self) -> Task<'static> {
        self.library.yield_now()
    }

    fn name(&self) -> &'static str {
        self.library.name()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says so by failing")]
mod tests {
    use tokio::sync::mpsc;
    use tokio::time::timeout;

    use super::*;

    const HOUR: Duration = Duration::from_hours(1);
    const A_WHILE: Duration = Duration::from_millis(50);

    /// A driver to which nothing happens, and its rounds.
    fn driver(may_relay: bool) -> (Box<dyn JoinHandle>, mpsc::Receiver<()>) {
        let (round, rounds) = mpsc::channel(8);
        let runtime = Arc::new(LinkRuntime::new(may_relay));
        let sleeping = Arc::clone(&runtime);
        let task = runtime.spawn(Box::pin(async move {
            while round.send(()).await.is_ok() {
                sleeping.sleep(HOUR).await;
            }
        }));
        (task, rounds)
    }

    #[tokio::test]
    async fn two_rounds_come_soon_after_another_where_there_may_be_a_relay() {
        let (task, mut rounds) = driver(true);
        for _ in 0..=SOON {
            timeout(HOUR, rounds.recv()).await.unwrap();
        }
        assert!(timeout(A_WHILE, rounds.recv()).await.is_err(), "it does not sleep");
        task.abort();
    }

    #[tokio::test]
    async fn a_driver_without_a_relay_and_others_sleep_for_as_long_as_they_want() {
        let (task, mut rounds) = driver(false);
        rounds.recv().await.unwrap();
        assert!(timeout(A_WHILE, rounds.recv()).await.is_err(), "it is woken");
        task.abort();
        let other = LinkRuntime::new(true).sleep(HOUR);
        assert!(timeout(A_WHILE, other).await.is_err(), "it is woken");
    }
}
