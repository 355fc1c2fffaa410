//! Export of everything that is stored of an account (H18). It is written while it is read, because there may be many
//! large notes.

use std::sync::Arc;

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use futures_util::stream::{self, Stream, StreamExt as _};
use heliograph_shared::api::accounts::User;
use heliograph_shared::api::beams::{Beam, BeamShare, Note, SharedBeam};
use heliograph_shared::api::uploads::UploadedFile;
use heliograph_shared::api::vaults::{KeptBeam, Vault};
use heliograph_shared::ids::BeamId;
use heliograph_shared::time::Millis;
use heliograph_storage::accounts::AccountId;
use heliograph_storage::blobs::BlobId;
use heliograph_storage::export::Login;
use heliograph_storage::notes::NewNote;
use heliograph_storage::uploads::Upload;
use serde::Serialize;
use utoipa::ToSchema;

use super::notes::{LIST_BYTES, PAGE_BYTES, note};
use super::shares::{beam_share, shared_beam};
use super::vaults::{KEYS_LIST_BYTES, kept_keys};
use crate::app::App;
use crate::edge::answers::Waiting;
use crate::edge::auth::{LoggedIn, Session};
use crate::edge::elements::elements;
use crate::error::Error;
use crate::people::own;

/// The exported document.
#[derive(Serialize, ToSchema)]
struct Export {
    user: User,
    /// Milliseconds since the Unix epoch.
    #[schema(value_type = i64)]
    created_at: Millis,
    logins: Vec<ExportedLogin>,
    beams: Vec<Beam>,
    /// Shares of the account's own beams.
    shares: Vec<BeamShare>,
    /// Shares of others' beams with the account.
    shared_with_me: Vec<SharedBeam>,
    /// The vault; null without one.
    vault: Option<Vault>,
    /// The account's files. The bytes of each are at its `url`.
    uploads: Vec<UploadedFile>,
    /// How the keys of saved beams are kept, with those that are sealed to the vault.
    kept_keys: Vec<KeptBeam>,
    /// Notes in the account's own beams, and its own notes in others' beams.
    notes: Vec<ExportedNote>,
}

/// A session of the account.
#[derive(Serialize, ToSchema)]
struct ExportedLogin {
    /// Milliseconds since the Unix epoch.
    #[schema(value_type = i64)]
    created_at: Millis,
    /// Milliseconds since the Unix epoch.
    #[schema(value_type = i64)]
    expires_at: Millis,
}

/// A note and its beam.
#[derive(Serialize, ToSchema)]
struct ExportedNote {
    beam_id: BeamId,
    note: Note,
}

/// Exports the account as a JSON file.
#[utoipa::path(
    get,
    path = "/api/auth/export/",
    security(("login" = [])),
    responses((status = 200, body = Export))
)]
pub async fn export(
    State(app): State<Arc<App>>,
    LoggedIn(session): LoggedIn,
) -> Result<impl IntoResponse, Error> {
    let start =
        serde_json::to_string(&begin(&app, &session).await?).map_err(|_| Error::Internal)?;
    // The rest is streamed.
    let start = start.strip_suffix("],\"notes\":[]}").ok_or(Error::Internal)?.to_owned();
    let waiting = Waiting(start.len() + LIST_BYTES.max(KEYS_LIST_BYTES));
    let piece = |text: &'static str| stream::iter([Ok(Bytes::from_static(text.as_bytes()))]);
    let parts = stream::iter([Ok(Bytes::from(start))])
        .chain(kept_keys(app.clone(), session.account.id))
        .chain(piece("],\"notes\":["))
        .chain(notes(app, session.account.id))
        .chain(piece("]}"));
    let headers = [
        (header::CONTENT_TYPE, "application/json"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"heliograph.json\""),
    ];
    Ok((Extension(waiting), headers, Body::from_stream(parts)))
}

async fn begin(app: &App, session: &Session) -> Result<Export, Error> {
    let account = session.account.id;
    let login = |Login { created_at, expires_at }| ExportedLogin { created_at, expires_at };
    let shared_with_me = app.storage.shares_with(account).await?;
    let uploads = app.storage.uploads_of(account, app.clock.now()).await?;
    Ok(Export {
        user: own(&session.account),
        created_at: session.account.created_at,
        logins: app.storage.logins_of(account).await?.into_iter().map(login).collect(),
        beams: app.storage.beams_of(account).await?,
        shares: app.storage.shares_by(account).await?.into_iter().map(beam_share).collect(),
        shared_with_me: shared_with_me.into_iter().map(shared_beam).collect(),
        vault: app.storage.vault_of(account).await?,
        uploads: uploads.into_iter().map(uploaded_file).collect(),
        kept_keys: Vec::new(),
        notes: Vec::new(),
    })
}

fn uploaded_file((id, upload): (BlobId, Upload)) -> UploadedFile {
    let Upload { name, media_type, size, expires_at } = upload;
    let url = format!("/api/uploads/{id}");
    UploadedFile { id: id.to_string(), url, name, size, kind: media_type, expires_at }
}

/// Streams the notes as elements of an array.
fn notes(app: Arc<App>, account: AccountId) -> impl Stream<Item = Result<Bytes, Error>> {
    elements(move |last| {
        let app = app.clone();
        async move {
            let page = app.storage.notes_for(account, last, PAGE_BYTES).await?;
            let exported = |(beam_id, stored): (BeamId, NewNote)| {
                let key = (beam_id, stored.id);
                (key, note(stored, Some(account)).map(|note| ExportedNote { beam_id, note }))
            };
            Ok(page.into_iter().map(exported).collect())
        }
    })
}
