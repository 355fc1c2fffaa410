//! The way to talk to a live beam: a handle with a bounded mailbox, and the place that a device has in the beam.

use std::ops::Deref;
use std::sync::Arc;

use heliograph_shared::socket::DeviceUser;
use heliograph_storage::accounts::AccountId;
use tokio::runtime::Handle;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};

use super::ConnectionId;
use super::state::{Newcomer, Saying};
use crate::live::outbox::Outbox;
use crate::live::relay::Relay;

/// Commands that may wait; a socket whose command finds no room reads more slowly.
const MAILBOX: usize = 256;

/// What a beam's task is told.
#[derive(Debug)]
pub(super) enum Command {
    Join(Newcomer, Arc<Outbox>, oneshot::Sender<()>),
    Said(ConnectionId, Saying),
    Gone(ConnectionId),
    /// The beam's rights, name, id or existence changed in the tables.
    Refresh(oneshot::Sender<()>),
    /// A person is shown differently now.
    UserChanged(AccountId, DeviceUser),
}

/// The beam is over.
#[derive(Debug, PartialEq, Eq)]
pub struct Finished;

/// The way to talk to a live beam. Cheap to clone; the beam ends on its own.
#[derive(Clone, Debug)]
pub struct BeamHandle {
    mailbox: mpsc::Sender<Command>,
    relay: Arc<Relay>,
}

impl BeamHandle {
    /// The handle, and the other end of its mailbox for the beam's task.
    pub(super) fn new() -> (Self, mpsc::Receiver<Command>) {
        let (mailbox, commands) = mpsc::channel(MAILBOX);
        (Self { mailbox, relay: Arc::default() }, commands)
    }

    /// Asks to be let in, and waits until the beam has read it. A refusal closes the outbox.
    ///
    /// # Errors
    /// [`Finished`] when the beam ended before it read this.
    pub async fn join(
        &self,
        newcomer: Newcomer,
        outbox: Arc<Outbox>,
    ) -> Result<Membership, Finished> {
        let (read, was_read) = oneshot::channel();
        // From here on the beam hears of the end, even if nobody waits for the answer any more.
        let membership = Membership { beam: self.clone(), connection: newcomer.connection };
        let command = Command::Join(newcomer, outbox, read);
        self.mailbox.send(command).await.map_err(|_| Finished)?;
        was_read.await.map_err(|_| Finished)?;
        Ok(membership)
    }

    /// Passes on what a device says. A beam that is over has closed the socket already.
    pub async fn said(&self, connection: ConnectionId, saying: Saying) {
        let _ = self.mailbox.send(Command::Said(connection, saying)).await;
    }

    /// The tables have changed; comes back when the change is in effect here (H31).
    pub(super) async fn refresh(&self) {
        let (done, was_done) = oneshot::channel();
        if self.mailbox.send(Command::Refresh(done)).await.is_ok() {
            // A beam that ends instead has nobody left for whom anything could be in effect.
            let _ = was_done.await;
        }
    }

    /// Shows a person differently at all of their devices in this beam.
    pub(super) async fn change_user(&self, account: AccountId, user: DeviceUser) {
        let _ = self.mailbox.send(Command::UserChanged(account, user)).await;
    }

    /// The way for frames, past the mailbox.
    #[must_use]
    pub fn relay(&self) -> &Arc<Relay> {
        &self.relay
    }

    /// Whether both talk to the same live beam.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.mailbox.same_channel(&other.mailbox)
    }
}

/// The place of a socket in a beam. Dropping it tells the beam that the socket is gone, wherever in its life that happens.
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
        // It goes behind whatever this socket has sent before.
        let gone = self.beam.mailbox.try_send(Command::Gone(self.connection));
        if let Err(TrySendError::Full(gone)) = gone
            && let Ok(runtime) = Handle::try_current()
        {
            let mailbox = self.beam.mailbox.clone();
            runtime.spawn(async move {
                let _ = mailbox.send(gone).await;
            });
        }
    }
}
