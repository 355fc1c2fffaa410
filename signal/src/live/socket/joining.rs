//! `auth`, and joining the beam.

use heliograph_shared::api::beams::LinkAccess;
use heliograph_shared::close::CloseCode;
use heliograph_shared::decode::Undecodable;
use heliograph_shared::error::ErrorCode;
use heliograph_shared::ids::{BeamKey, DeviceId, DeviceToken};
use heliograph_shared::limits::MAX_DEVICE_NAME;
use heliograph_shared::names;
use heliograph_shared::socket::{AuthExtra, Cap, ClientMessage, Device};
use heliograph_storage::beams::{BeamRecord, Life};
use uuid::Uuid;

use super::allowance::Allowance;
use super::{End, Received, Socket, SocketReader, fresh};
use crate::live::beam::handle::Membership;
use crate::live::beam::state::Newcomer;
use crate::live::refusal::Refusal;

/// Name of a device that does not name itself.
const NAMELESS: &str = "Another device";
const AUTH_FIRST: Refusal =
    Refusal::new("The first message must be auth.", ErrorCode::Unauthorized);

/// The content of an `auth` message.
pub(super) struct Auth {
    key: Option<String>,
    extra: Option<AuthExtra>,
}

impl Socket {
    /// Waits for `auth`; before it, only `ping` is answered (S1).
    pub(super) async fn wait_for_auth(
        &self,
        reader: &mut SocketReader<'_>,
        allowance: &mut Allowance,
    ) -> Result<Auth, End> {
        loop {
            let Received::Text(text) = self.receive(reader, allowance).await? else {
                continue;
            };
            match ClientMessage::decode(&text) {
                Ok(ClientMessage::Auth { message, extra }) => {
                    return Ok(Auth { key: message, extra });
                }
                Err(Undecodable::NotAMessage) => return Err(End::Close(CloseCode::BadMessage)),
                _ => self.refuse(AUTH_FIRST),
            }
        }
    }

    /// Checks the beam key and joins the beam (S2).
    pub(super) async fn join(&self, auth: Auth) -> Result<(DeviceId, Membership), CloseCode> {
        let now = self.context.clock.now();
        let record =
            self.context.storage.find_beam(self.beam).await.map_err(|error| unreadable(&error))?;
        if record.as_ref().is_some_and(|record| record.has_ended(now)) {
            self.count_guess()?;
            return Err(CloseCode::Ended);
        }
        let creator = is_creator(auth.key.as_deref(), record.as_ref());
        if creator.is_err()
            || (record.is_none() && !self.context.hub.is_live_anywhere(self.beam).await)
        {
            self.count_guess()?;
        }
        let creator = creator?;
        if self.is_shut_out(record.as_ref()).await? {
            self.count_guess()?;
            return Err(CloseCode::Forbidden);
        }
        let newcomer = self.introduce(auth.extra, creator)?;
        let device = newcomer.device.device_id;
        if !newcomer.plain {
            // Only one `auth` is taken.
            let _ = self.device.set(device);
        }
        let epoch = Uuid::from_bytes(fresh()?).to_string();
        let (account, user) = (newcomer.account, newcomer.device.user.clone());
        let hub = &self.context.hub;
        let beam = hub.join(self.beam, &epoch, newcomer, self.outbox.clone()).await;
        // The user may have been renamed before the beam knew this device.
        let renamed = self.context.sockets.user_of(self.connection).filter(|now| *now != user);
        if let Some((account, user)) = account.zip(renamed) {
            hub.change_user(self.beam, account, user).await;
        }
        Ok((device, beam))
    }

    /// Whether the beam is saved and the device has no access. The beam decides that too, when it lets the device in;
    /// this is for the limit on guesses, as at the notes (H30).
    async fn is_shut_out(&self, record: Option<&BeamRecord>) -> Result<bool, CloseCode> {
        let Some(BeamRecord { life: Life::Saved(saved), .. }) = record else { return Ok(false) };
        let account = self.login.as_ref().map(|login| login.account);
        if saved.link_access != LinkAccess::None || account == Some(saved.owner) {
            return Ok(false);
        }
        let access =
            self.context.storage.access_to(self.beam).await.map_err(|error| unreadable(&error))?;
        Ok(access.is_some_and(|access| access.role(account).is_none()))
    }

    /// Counts an unknown or invisible beam, or a wrong key, which may be a guess.
    fn count_guess(&self) -> Result<(), CloseCode> {
        let Some(client) = self.client else { return Ok(()) };
        let taken = self.context.guesses.take(client, self.context.clock.steady());
        taken.map_err(|_| CloseCode::TooFast)
    }

    /// How the others will see the device, and its id (S3, S5).
    fn introduce(&self, extra: Option<AuthExtra>, creator: bool) -> Result<Newcomer, CloseCode> {
        // A device that names no version knows none of the extensions.
        let extra = extra.filter(|extra| extra.v > 0);
        let plain = extra.is_none();
        let AuthExtra { caps, name, device_token, .. } = extra.unwrap_or_default();
        let token = match device_token {
            Some(token) => token,
            None => DeviceToken::from_random(fresh()?),
        };
        let login = self.login.as_ref();
        let device = Device {
            device_id: DeviceId::from_token(&token),
            name: device_name(name.as_deref().unwrap_or_default()),
            caps: Cap::KNOWN.into_iter().filter(|cap| caps.contains(cap)).collect(),
            user: login.map(|login| login.user.clone().into()).unwrap_or_default(),
        };
        let account = login.map(|login| login.account);
        let (connection, client) = (self.connection, self.client);
        let now = self.context.clock.now();
        let ice_servers = self.context.ice_servers.for_device(device.device_id, &self.host, now);
        let upload_bytes = self.context.quotas.file(account.is_none());
        Ok(Newcomer {
            connection,
            device,
            plain,
            knows_sealed: false,
            creator,
            account,
            client,
            ice_servers,
            relay: self.context.relay,
            join_policy: self.context.join_policy,
            upload_bytes,
        })
    }
}

/// Closes the socket because the database cannot be read.
fn unreadable(error: &heliograph_storage::Error) -> CloseCode {
    tracing::error!(%error, "a beam could not be looked up");
    CloseCode::Overload
}

/// Whether the beam key is right (S2). Without a record every key is wrong.
fn is_creator(key: Option<&str>, record: Option<&BeamRecord>) -> Result<bool, CloseCode> {
    let Some(key) = key else { return Ok(false) };
    let hash = BeamKey::parse(key).map_err(|_| CloseCode::Forbidden)?.hash();
    let is_right = record.and_then(|record| record.key_hash) == Some(hash);
    is_right.then_some(true).ok_or(CloseCode::Forbidden)
}

/// The name without invisible characters, and of bounded length.
pub(super) fn device_name(name: &str) -> String {
    let name = names::clean(name, MAX_DEVICE_NAME);
    if name.is_empty() { NAMELESS.to_owned() } else { name }
}
