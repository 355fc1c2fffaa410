//! The network between one node and the bus: a proxy that can be cut, and led to another server.

use std::net::{Ipv4Addr, SocketAddr};

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::AbortHandle;

use crate::Failure;

/// What happens to the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    To(SocketAddr),
    /// They go nowhere, and nobody is told.
    Cut,
}

/// A proxy. It ends when it is dropped.
pub struct Proxy {
    pub address: SocketAddr,
    way: watch::Sender<Way>,
    task: AbortHandle,
}

impl Proxy {
    /// A proxy to this server.
    pub async fn to(server: SocketAddr) -> Result<Self, Failure> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let (way, look) = watch::channel(Way::To(server));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(pass(stream, look.clone()));
            }
        });
        Ok(Self { address, way, task: task.abort_handle() })
    }

    pub fn cut(&self) {
        self.way.send_replace(Way::Cut);
    }

    /// Leads to this server from now on. The connections so far end.
    pub fn lead_to(&self, server: SocketAddr) {
        self.way.send_replace(Way::To(server));
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Passes one connection on. When it is cut, it stays open and silent until it is not cut any more, and then ends: bytes
/// may have been lost.
async fn pass(mut stream: TcpStream, mut look: watch::Receiver<Way>) {
    let way = *look.borrow_and_update();
    let mut other = None;
    if let Way::To(server) = way {
        let Ok(mut connected) = TcpStream::connect(server).await else { return };
        let _ = (stream.set_nodelay(true), connected.set_nodelay(true));
        tokio::select! {
            _ = copy_bidirectional(&mut stream, &mut connected) => return,
            _ = look.changed() => {}
        }
        other = Some(connected);
    }
    let _ = look.wait_for(|way| *way != Way::Cut).await;
    drop(other);
}
