//! The handle of a live beam, with its bounded mailbox, and the membership of a device in it.

use std::ops::Deref;
use std::sync::Arc;

use heliograph_shared::socket::DeviceUser;
use heliograph_storage::accounts::AccountId;
use tokio::runtime::Handle;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};

use super::ConnectionId;
use super::state::{Newcomer, Saying};
use crate::live::outbox::Outbox;
use crate::live::relay::Relay;

/// Most commands that wait. A socket whose command finds no room stops reading until there is.
const MAILBOX: usize = 256;
/// Most KiB of what devices said that wait: 16 of the largest messages.
const MAILBOX_KIB: usize = 4 * 1024;

/// A message to the task of a beam.
#[derive(Debug)]
pub(super) enum Command {
    Join(Newcomer, Arc<Outbox>, oneshot::Sender<()>),
    /// The permit gives the message's room in the mailbox back when the command is handled.
    Said(ConnectionId, Saying, OwnedSemaphorePermit),
    Gone(ConnectionId),
    /// The beam's access, name, id or existence changed in the database.
    Refresh(oneshot::Sender<()>),
    /// The keys that lie with the beam were written.
    KeysChanged,
    /// Store what is not stored yet.
    Store(oneshot::Sender<()>),
    /// Store what is not stored yet, and end: another node is to drive the beam.
    HandOver(oneshot::Sender<()>),
    /// A user has another name or picture.
    UserChanged(AccountId, DeviceUser),
}

/// The beam has ended.
#[derive(Debug, PartialEq, Eq)]
pub struct Finished;

/// Sends commands to a live beam. Cheap to clone. Handles do not keep the beam alive.
#[derive(Clone, Debug)]
pub struct BeamHandle {
    mailbox: mpsc::Sender<Command>,
    /// The room of the mailbox, in KiB.
    room: Arc<Semaphore>,
    relay: Arc<Relay>,
}

impl BeamHandle {
    /// A handle, and the receiver of its mailbox for the beam's task.
    pub(super) fn new() -> (Self, mpsc::Receiver<Command>) {
        let (mailbox, commands) = mpsc::channel(MAILBOX);
        let room = Arc::new(Semaphore::new(MAILBOX_KIB));
        (Self { mailbox, room, relay: Arc::default() }, commands)
    }

    /// Asks to join and waits until the beam has handled it. The beam refuses by closing the outbox.
    ///
    /// # Errors
    /// [`Finished`] when the beam ended before it handled the request.
    pub async fn join(
        &self,
        newcomer: Newcomer,
        outbox: Arc<Outbox>,
    ) -> Result<Membership, Finished> {
        let (read, was_read) = oneshot::channel();
        // From here on the beam learns when the socket ends, even if this future is dropped.
        let membership = Membership { beam: self.clone(), connection: newcomer.connection };
        let command = Command::Join(newcomer, outbox, read);
        self.mailbox.send(command).await.map_err(|_| Finished)?;
        was_read.await.map_err(|_| Finished)?;
        Ok(membership)
    }

    /// Sends a device's request. A beam that has ended has already closed the socket.
    pub async fn said(&self, connection: ConnectionId, saying: Saying) {
        let kib = u32::try_from(saying.bytes() / 1024 + 1).unwrap_or(u32::MAX);
        // Nobody closes the semaphore, and a message has room in an empty mailbox.
        let Ok(permit) = self.room.clone().acquire_many_owned(kib).await else { return };
        let _ = self.mailbox.send(Command::Said(connection, saying, permit)).await;
    }

    /// Has the beam read its access from the database, and waits until it is in effect (H31).
    pub(super) async fn refresh(&self) {
        self.asks(Command::Refresh).await;
    }

    /// Has the beam read its access soon.
    pub(super) fn refresh_soon(&self) {
        self.send_soon(Command::Refresh(oneshot::channel().0));
    }

    /// Sends a command, after those that wait already, also where the mailbox is full.
    fn send_soon(&self, command: Command) {
        if let Err(TrySendError::Full(command)) = self.mailbox.try_send(command)
            && let Ok(runtime) = Handle::try_current()
        {
            let mailbox = self.mailbox.clone();
            runtime.spawn(async move {
                let _ = mailbox.send(command).await;
            });
        }
    }

    /// Sends a command, and waits until the beam has done what it asks for. One that ends instead has no devices left.
    async fn asks(&self, command: fn(oneshot::Sender<()>) -> Command) {
        let (done, was_done) = oneshot::channel();
        if self.mailbox.send(command(done)).await.is_ok() {
            let _ = was_done.await;
        }
    }

    /// Tells the devices that the keys which lie with the beam were written (S38).
    pub(super) async fn tell_of_keys(&self) {
        let _ = self.mailbox.send(Command::KeysChanged).await;
    }

    /// Has the beam store what is not stored yet, and waits until it is.
    pub(super) async fn store(&self) {
        self.asks(Command::Store).await;
    }

    /// Has the beam end so that another node can drive it. Its devices are told to come again.
    pub(super) async fn hand_over(&self) {
        self.asks(Command::HandOver).await;
    }

    /// Changes how the devices of this account are shown.
    pub(super) async fn change_user(&self, account: AccountId, user: DeviceUser) {
        let _ = self.mailbox.send(Command::UserChanged(account, user)).await;
    }

    /// The relay for frames, which bypass the mailbox.
    #[must_use]
    pub fn relay(&self) -> &Arc<Relay> {
        &self.relay
    }

    /// Whether both handles lead to the same live beam.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.mailbox.same_channel(&other.mailbox)
    }
}

/// A socket's place in a beam. Dropping it tells the beam that the socket is gone.
#[derive(Debug)]
pub struct Membership {
    beam: BeamHandle,
    connection: ConnectionId,
}

impl Deref for Membership {
    type Target = BeamHandle;

    fn deref(&self) -> &BeamHandle {
        &self.beam
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        // The mailbox is in order: everything that the socket sent before is handled first.
        self.beam.send_soon(Command::Gone(self.connection));
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use heliograph_shared::ids::DeviceId;
    use heliograph_shared::limits::MAX_MESSAGE_BYTES;
    use serde_json::value::RawValue;

    use super::*;
    use crate::live::beam::state::PassedOn;

    #[tokio::test]
    async fn s15_a_mailbox_holds_4_mib_and_what_is_handled_makes_room() {
        let (beam, mut mailbox) = BeamHandle::new();
        let says = || {
            let message = RawValue::from_string("1".repeat(MAX_MESSAGE_BYTES - 1)).unwrap();
            let to = DeviceId::from_bytes([2; 16]);
            let says = Saying::PassOn { kind: PassedOn::Signal, message, to };
            beam.said(ConnectionId(1), says).now_or_never()
        };
        let waiting = (0..MAILBOX).take_while(|_| says().is_some()).count();
        assert_eq!(waiting, MAILBOX_KIB * 1024 / MAX_MESSAGE_BYTES);

        drop(mailbox.recv().await);

        assert!(says().is_some());
        assert!(says().is_none());
    }

    #[tokio::test]
    async fn s27_a_beam_with_a_full_mailbox_reads_its_access_once_that_is_handled() {
        let (beam, mut mailbox) = BeamHandle::new();
        while beam.mailbox.try_send(Command::KeysChanged).is_ok() {}
        beam.refresh_soon();
        for _ in 0..MAILBOX {
            assert!(matches!(mailbox.recv().await, Some(Command::KeysChanged)));
        }
        assert!(matches!(mailbox.recv().await, Some(Command::Refresh(_))));
    }
}
