//! The upgrade: who may open a socket, and to what.

use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use heliograph_shared::close::CloseCode;
use heliograph_shared::ids::BeamId;
use hyper::upgrade::OnUpgrade;
use tokio_tungstenite::tungstenite::handshake::server::create_response_with_body;

use super::{Heard, Socket};
use crate::address::Client;
use crate::app::App;
use crate::auth::{MaybeLoggedIn, Session};
use crate::error::Error;
use crate::headers::is_foreign;

/// Opens a socket to a beam.
pub async fn upgrade(
    State(app): State<Arc<App>>,
    Path(beam): Path<String>,
    Extension(client): Extension<Option<Client>>,
    MaybeLoggedIn(session): MaybeLoggedIn,
    mut request: Request,
) -> Result<Response, Error> {
    let beam = BeamId::parse(&beam).map_err(|_| Error::NotFound)?;
    if is_foreign(request.headers(), app.public_url.as_ref()) {
        return Err(Error::ForeignOrigin);
    }
    let response = create_response_with_body(&request, Body::empty)
        .map_err(|_| Error::BadRequest("A websocket handshake was expected here."))?;
    let upgrade = hyper::upgrade::on(&mut request);
    let tasks = app.tasks.clone();
    tasks.spawn(open(app, beam, client, session, upgrade));
    Ok(response)
}

async fn open(
    app: Arc<App>,
    beam: BeamId,
    client: Option<Client>,
    session: Option<Arc<Session>>,
    upgrade: OnUpgrade,
) {
    // A client that leaves in the middle of it is nobody's concern.
    let Ok(upgraded) = upgrade.await else { return };
    let (connection, outbox) = app.sockets.open();
    let counted = client.map(|client| app.limits.sockets.enter(client));
    if matches!(counted, Some(None)) {
        // A browser cannot read a status of the upgrade, but it can read a close code.
        outbox.close(CloseCode::TooFast);
    }
    if let Some(session) = &session {
        app.sockets.belongs_to(connection, session.id, session.account.id);
        match app.logins.is_open(session.id).await {
            Ok(true) => {}
            Ok(false) => outbox.close(CloseCode::SessionEnded),
            Err(_) => outbox.close(CloseCode::Overload),
        }
    }
    let heard = Heard::new(app.clock.steady());
    let counted = counted.flatten();
    let socket =
        Socket { app, beam, client, connection, outbox, heard, session, _counted: counted };
    socket.run(upgraded).await;
}
