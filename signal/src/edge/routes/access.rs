//! Who may do something in a saved beam that a call names.

use heliograph_shared::api::beams::Role;
use heliograph_shared::ids::BeamId;
use heliograph_storage::accounts::AccountId;
use heliograph_storage::saved_beams::Access;

use crate::address::Client;
use crate::app::App;
use crate::error::Error;

/// The access to a saved beam, and the caller's role by share or link. A beam that is not saved or that the caller may not
/// see counts as a guess (S2).
pub(super) async fn role_in(
    app: &App,
    client: Option<Client>,
    account: Option<AccountId>,
    beam: BeamId,
) -> Result<(Access, Role), Error> {
    let access = app.storage.access_to(beam).await?;
    let is_closed = access.is_some() && account.is_none();
    let seen = access.and_then(|access| access.role(account).map(|role| (access, role)));
    if seen.is_none() {
        app.limits.guess(client, app.clock.steady())?;
    }
    seen.ok_or(if is_closed { Error::Unauthorized } else { Error::NotFound })
}
