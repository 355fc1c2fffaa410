//! Commit and tell: changes of saved beams over HTTP. Each change is committed and then applied to the live beam, in a
//! task of its own, so that a client which hangs up in between cannot separate the two (H31).
//!
//! Handlers cannot skip the second step, because only this folder holds the [`BeamWriter`] for the first. Changes that
//! a device asks for are written by the beam's own task, which tells its devices itself.

use heliograph_shared::api::beams::{Beam, Level, LinkAccess};
use heliograph_shared::api::keys::BeamKeys;
use heliograph_shared::api::vaults::BeamVaultChange;
use heliograph_shared::ids::{BeamId, ShareId};
use heliograph_shared::names::BeamName;
use heliograph_shared::time::Millis;
use heliograph_storage as storage;
use heliograph_storage::BeamWriter;
use heliograph_storage::accounts::AccountId;
use heliograph_storage::notes::Quota;
use heliograph_storage::shares::Share;
use tokio_util::task::TaskTracker;

use super::hub::Hub;
use super::keeper::settle;
use crate::bus::notice::News;
use crate::error::Error;

/// Changes saved beams and tells their devices.
#[derive(Clone, Debug)]
pub struct Beams {
    hub: Hub,
    tasks: TaskTracker,
}

impl Beams {
    /// Changes beams and tells the live ones in `hub`. The server waits for `tasks` before it ends.
    #[must_use]
    pub fn new(hub: Hub, tasks: TaskTracker) -> Self {
        Self { hub, tasks }
    }

    /// Changes the name and the link access of a beam. Absent fields stay as they are (H27).
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`], [`Error::Storage`].
    pub async fn change(
        &self,
        actor: AccountId,
        beam: BeamId,
        name: Option<BeamName>,
        link_access: Option<LinkAccess>,
    ) -> Result<Beam, Error> {
        let change = async move |writer: BeamWriter| {
            writer.change_beam(actor, beam, name.as_ref(), link_access).await
        };
        self.commit(vec![beam], change).await
    }

    /// Gives a beam another id, which invalidates its links (H28).
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`], [`Error::Storage`].
    pub async fn renew(
        &self,
        actor: AccountId,
        old: BeamId,
        new: BeamId,
        now: Millis,
    ) -> Result<Beam, Error> {
        let hub = self.hub.clone();
        let renew = async move |writer: BeamWriter| {
            // The new id wakes from the tables.
            hub.tell(old, News::Store).await;
            writer.renew_beam(actor, old, new, now).await
        };
        self.commit(vec![old, new], renew).await
    }

    /// Deposits the keys of a sealed beam (H52).
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`], [`Error::Storage`].
    pub async fn deposit_keys(
        &self,
        actor: AccountId,
        beam: BeamId,
        keys: BeamKeys,
    ) -> Result<(), Error> {
        let deposit = async move |writer: BeamWriter| writer.deposit_keys(actor, beam, &keys).await;
        self.commit_and_tell(News::Keys, vec![beam], deposit).await
    }

    /// Writes the keys of a sealed beam into the vaults of those who may read it (H55).
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`], [`Error::Outdated`], [`Error::NoRoom`], [`Error::Storage`].
    pub async fn seal_keys(
        &self,
        actor: AccountId,
        beam: BeamId,
        change: BeamVaultChange,
        quota: Quota,
    ) -> Result<(), Error> {
        let seal =
            async move |writer: BeamWriter| writer.seal_keys(actor, beam, &change, quota).await;
        self.commit_and_tell(News::Keys, vec![beam], seal).await
    }

    /// Deletes a beam and everything in it (H29).
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`], [`Error::Storage`].
    pub async fn delete(&self, actor: AccountId, beam: BeamId, now: Millis) -> Result<(), Error> {
        let delete = async move |writer: BeamWriter| writer.delete_beam(actor, beam, now).await;
        self.commit(vec![beam], delete).await
    }

    /// Shares a beam with a user. The username is matched without case (H23).
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`], [`Error::Fields`], [`Error::Storage`].
    pub async fn share(
        &self,
        actor: AccountId,
        id: ShareId,
        beam: BeamId,
        username: String,
        level: Level,
        now: Millis,
    ) -> Result<Share, Error> {
        let share = async move |writer: BeamWriter| {
            writer.create_share(actor, id, beam, &username, level, now).await
        };
        self.commit(vec![beam], share).await
    }

    /// Changes the level of a share (H24).
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`], [`Error::Storage`].
    pub async fn change_share(
        &self,
        actor: AccountId,
        id: ShareId,
        level: Level,
    ) -> Result<Share, Error> {
        let change = move |writer: BeamWriter, beam| async move {
            writer.change_share(actor, beam, id, level).await
        };
        self.commit_share(id, change).await
    }

    /// Removes a share. The user it names may remove it too, to leave the beam (H25).
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Forbidden`], [`Error::Storage`].
    pub async fn unshare(&self, actor: AccountId, id: ShareId) -> Result<(), Error> {
        let delete = move |writer: BeamWriter, beam| async move {
            writer.delete_share(actor, beam, id).await
        };
        self.commit_share(id, delete).await
    }

    /// Deletes an account and its content in beams (H15). `then` runs as soon as the account is gone or may be gone,
    /// before the beams are told.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub async fn delete_account<F>(
        &self,
        account: AccountId,
        now: Millis,
        then: impl FnOnce() -> F + Send + 'static,
    ) -> Result<(), Error>
    where
        F: Future<Output = ()> + Send,
    {
        let hub = self.hub.clone();
        let beams = hub.storage.beams_of_account(account).await?;
        let delete = async move |writer: BeamWriter| {
            let deleted = writer.delete_account(account, now).await;
            if matches!(&deleted, Ok(_) | Err(storage::Error::Uncertain(_))) {
                then().await;
            }
            // The account may have got another beam since the look-up above.
            for beam in deleted? {
                hub.tell(beam, News::Access).await;
            }
            Ok(())
        };
        self.commit(beams, delete).await
    }

    /// Changes the beam of a share. Retries once if the beam's link was renewed in between.
    async fn commit_share<T, F>(
        &self,
        id: ShareId,
        change: impl Fn(BeamWriter, BeamId) -> F + Clone + Send + 'static,
    ) -> Result<T, Error>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, storage::Error>> + Send,
    {
        let mut tried = None;
        loop {
            let beam = self.hub.storage.beam_of_share(id).await?.ok_or(Error::NotFound)?;
            let change = change.clone();
            match self.commit(vec![beam], move |writer| change(writer, beam)).await {
                Err(Error::NotFound) if tried != Some(beam) => tried = Some(beam),
                result => return result,
            }
        }
    }

    /// Changes who may do what in these beams, or their names, then tells their devices.
    async fn commit<T, F>(
        &self,
        beams: Vec<BeamId>,
        change: impl FnOnce(BeamWriter) -> F + Send + 'static,
    ) -> Result<T, Error>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, storage::Error>> + Send,
    {
        self.commit_and_tell(News::Access, beams, change).await
    }

    /// Changes these beams, then tells their devices. When it is uncertain whether the change was committed, they are
    /// told what the database says once it has decided. After any other error nothing has changed.
    async fn commit_and_tell<T, F>(
        &self,
        news: News,
        beams: Vec<BeamId>,
        change: impl FnOnce(BeamWriter) -> F + Send + 'static,
    ) -> Result<T, Error>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, storage::Error>> + Send,
    {
        let hub = self.hub.clone();
        let task = self.tasks.spawn(async move {
            let result = change(hub.writer.clone()).await;
            if let Err(storage::Error::Uncertain(_)) = &result {
                settle(&hub.writer, &beams).await;
            }
            if matches!(&result, Ok(_) | Err(storage::Error::Uncertain(_))) {
                for beam in beams {
                    hub.tell(beam, news).await;
                }
            }
            result
        });
        Ok(task.await.map_err(|_| Error::Internal)??)
    }
}
