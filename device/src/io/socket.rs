//! A socket to a beam, in a task of its own, so that whoever has it may stop waiting for it at any time and loses nothing.

mod queue;

use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use heliograph_shared::ids::BeamId;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::tungstenite::Message;

use self::queue::{Heard, Hearing, queue};
use super::server::{Failure, Server, WebSocket};

/// Time for what is still to be sent, and for the other end to say that it has heard of the end.
const END_WITHIN: Duration = Duration::from_secs(3);

/// What happens to a socket.
pub(super) enum Happened {
    Opened,
    Text(String),
    Binary(Vec<u8>),
    /// So many bytes of binary messages have left for the network, since it was opened.
    Left(u64),
    /// It could not be opened, or is gone, with the code of the close frame that came. Nothing comes after it.
    Closed(Option<u16>, Option<Failure>),
}

/// A socket. Once it is dropped, it sends what it was given and closes, for a few seconds at most.
pub(super) struct Socket {
    outgoing: mpsc::UnboundedSender<Message>,
    incoming: Heard<Happened>,
    left: watch::Receiver<u64>,
    task: JoinHandle<()>,
}

impl Socket {
    pub(super) fn open(server: Server, beam: BeamId) -> Self {
        let (outgoing, to_send) = mpsc::unbounded_channel();
        let (hearing, incoming) = queue();
        let (leaving, left) = watch::channel(0);
        let task = tokio::spawn(run(server, beam, to_send, hearing, leaving));
        Self { outgoing, incoming, left, task }
    }

    /// Sends a text. It is lost where the socket is gone, which is told by [`Happened::Closed`].
    pub(super) fn send(&self, text: String) {
        let _ = self.outgoing.send(Message::text(text));
    }

    /// Sends a binary message, as [`Socket::send`] does a text. [`Happened::Left`] tells when it has left.
    pub(super) fn send_binary(&self, message: Vec<u8>) {
        let _ = self.outgoing.send(Message::binary(message));
    }

    /// Waits for what happens next. Nothing is lost when the wait is given up.
    pub(super) async fn next(&mut self) -> Happened {
        tokio::select! {
            happened = self.incoming.next() => happened.unwrap_or(Happened::Closed(None, None)),
            Ok(()) = self.left.changed() => Happened::Left(*self.left.borrow_and_update()),
        }
    }

    /// Sends what it was given, closes, and waits until the other end has heard of it, for a few seconds at most.
    pub(super) async fn close(self) {
        let Self { outgoing, incoming, task, .. } = self;
        drop((outgoing, incoming));
        // A task that was ended from outside is over, too.
        let _ = timeout(END_WITHIN, task).await;
    }
}

async fn run(
    server: Server,
    beam: BeamId,
    to_send: mpsc::UnboundedReceiver<Message>,
    hearing: Hearing<Happened>,
    leaving: watch::Sender<u64>,
) {
    let opened = tokio::select! {
        opened = server.open_socket(beam) => opened,
        () = hearing.is_given_up() => return,
    };
    let end = match opened {
        Err(why) => Happened::Closed(None, Some(why)),
        Ok(socket) => {
            hearing.put(Happened::Opened, 0).await;
            let (code, why) = carry(socket, to_send, &hearing, &leaving).await;
            Happened::Closed(code, why)
        }
    };
    hearing.put(end, 0).await;
}

/// Carries messages until the socket is gone, or nobody has it any more and all was sent. Returns the code of the close frame that came.
async fn carry(
    socket: WebSocket,
    mut to_send: mpsc::UnboundedReceiver<Message>,
    hearing: &Hearing<Happened>,
    leaving: &watch::Sender<u64>,
) -> (Option<u16>, Option<Failure>) {
    let (mut sink, mut stream) = socket.split();
    let reading = async {
        let mut code = None;
        loop {
            match stream.next().await {
                // Once nobody listens, only the end is waited for.
                Some(Ok(Message::Text(text))) => {
                    hearing.put(Happened::Text(text.to_string()), text.len()).await;
                }
                Some(Ok(Message::Binary(bytes))) => {
                    let length = bytes.len();
                    hearing.put(Happened::Binary(bytes.into()), length).await;
                }
                Some(Ok(Message::Close(frame))) => code = frame.map(|frame| frame.code.into()),
                Some(Ok(_)) => {}
                Some(Err(why)) if code.is_none() => {
                    return (None, Some(Failure::Broken(why.to_string())));
                }
                Some(Err(_)) | None => return (code, None),
            }
        }
    };
    let writing = async {
        while let Some(message) = to_send.recv().await {
            let bytes = match &message {
                Message::Binary(bytes) => bytes.len() as u64,
                _ => 0,
            };
            // What is wrong is said by the end of the reading.
            if sink.feed(message).await.is_err() {
                return;
            }
            if (bytes > 0 || to_send.is_empty()) && sink.flush().await.is_err() {
                return;
            }
            if bytes > 0 {
                leaving.send_modify(|left| *left += bytes);
            }
        }
        let _ = sink.close().await;
    };
    // Where the network takes nothing, neither of them would end.
    let given_up = async {
        hearing.is_given_up().await;
        sleep(END_WITHIN).await;
    };
    tokio::pin!(reading);
    tokio::select! {
        end = &mut reading => return end,
        () = writing => {}
        () = given_up => return (None, Some(Failure::Late)),
    }
    timeout(END_WITHIN, reading).await.unwrap_or((None, Some(Failure::Late)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says so by failing")]
mod tests {
    use tokio::net::TcpListener;
    use tokio_tungstenite::accept_async;

    use super::*;

    #[tokio::test]
    async fn a_socket_that_is_dropped_ends_where_the_other_end_reads_nothing() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let server = Server::at(&url.parse().unwrap()).unwrap();
        let mut socket = Socket::open(server, BeamId::from_random([1; 16]));
        let (stream, _) = listener.accept().await.unwrap();
        let _other_end = accept_async(stream).await.unwrap();
        assert!(matches!(socket.next().await, Happened::Opened));
        // More than the systems hold.
        (0..64).for_each(|_| socket.send_binary(vec![7; 1 << 20]));
        let Socket { outgoing, incoming, task, .. } = socket;
        drop((outgoing, incoming));
        assert!(timeout(END_WITHIN * 3, task).await.is_ok(), "it goes on and on");
    }
}
