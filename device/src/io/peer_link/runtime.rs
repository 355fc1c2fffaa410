//! The library's runtime, but for the sockets that it makes: they get larger buffers.

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

#[derive(Debug)]
pub(super) struct LargeBuffers(pub(super) TokioRuntime);

impl Runtime for LargeBuffers {
    fn wrap_udp_socket(&self, socket: UdpSocket) -> io::Result<Arc<dyn AsyncUdpSocket>> {
        system_buffers::enlarge(&socket);
        self.0.wrap_udp_socket(socket)
    }

    fn spawn(&self, task: Task<'static>) -> Box<dyn JoinHandle> {
        self.0.spawn(task)
    }

    fn spawn_reactor(&self, pool: usize, task: Task<'static>) -> Box<dyn JoinHandle> {
        self.0.spawn_reactor(pool, task)
    }

    fn wrap_tcp_listener(&self, listener: TcpListener) -> io::Result<Arc<dyn AsyncTcpListener>> {
        self.0.wrap_tcp_listener(listener)
    }

    fn connect_tcp(&self, address: SocketAddr) -> Task<'_, io::Result<Arc<dyn AsyncTcpStream>>> {
        self.0.connect_tcp(address)
    }

    fn resolve_host<'a>(&'a self, host: &'a str) -> Task<'a, io::Result<Vec<SocketAddr>>> {
        self.0.resolve_host(host)
    }

    fn now(&self) -> Instant {
        self.0.now()
    }

    fn sleep(&self, time: Duration) -> Task<'static> {
        self.0.sleep(time)
    }

    fn interval(&self, period: Duration) -> Box<dyn AsyncInterval> {
        self.0.interval(period)
    }

    fn block_on(&self, task: Pin<Box<dyn Future<Output = ()> + '_>>) {
        self.0.block_on(task);
    }

    fn yield_now(&self) -> Task<'static> {
        self.0.yield_now()
    }

    fn name(&self) -> &'static str {
        self.0.name()
    }
}
