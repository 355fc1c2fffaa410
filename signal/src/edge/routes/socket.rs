//! The upgrade to a websocket.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use heliograph_shared::close::CloseCode;
use heliograph_shared::ids::BeamId;
use hyper::upgrade::OnUpgrade;

use crate::address::Client;
use crate::app::App;
use crate::edge::auth::{MaybeLoggedIn, Session};
use crate::edge::headers::is_foreign;
use crate::edge::host::AskedHost;
use crate::edge::passing_on::{self, Asked, Passed};
use crate::edge::scheme::Scheme;
use crate::error::Error;
use crate::live::beam::ConnectionId;
use crate::live::outbox::Outbox;
use crate::live::socket::{Login, Socket};
use crate::live::websocket;
use crate::people::public;

/// Opens a websocket to a beam.
pub async fn open(
    State(app): State<Arc<App>>,
    Path(beam): Path<String>,
    Extension(client): Extension<Option<Client>>,
    Extension(AskedHost(host)): Extension<AskedHost>,
    Extension(scheme): Extension<Scheme>,
    MaybeLoggedIn(session): MaybeLoggedIn,
    request: Request,
) -> Result<Response, Error> {
    let beam = BeamId::parse(&beam).map_err(|_| Error::NotFound)?;
    if is_foreign(request.headers(), app.public_url.as_ref()) {
        return Err(Error::ForeignOrigin);
    }
    let asked = Asked { client, host, scheme };
    match passing_on::to_driver(&app, beam, &asked, request).await? {
        Passed::On(response) => Ok(response),
        Passed::Here(request) => Ok(accept(app, beam, client, asked.host, session, request)),
    }
}

/// Opens a websocket that another node passes on, because this one drives the beam.
pub async fn open_passed_on(
    State(app): State<Arc<App>>,
    Path(beam): Path<String>,
    Extension(Asked { client, host, .. }): Extension<Asked>,
    MaybeLoggedIn(session): MaybeLoggedIn,
    request: Request,
) -> Result<Response, Error> {
    let beam = BeamId::parse(&beam).map_err(|_| Error::NotFound)?;
    Ok(accept(app, beam, client, host, session, request))
}

fn accept(
    app: Arc<App>,
    beam: BeamId,
    client: Option<Client>,
    host: String,
    session: Option<Arc<Session>>,
    mut request: Request,
) -> Response {
    let Ok(response) = websocket::accept(&request) else { return not_a_handshake() };
    let upgrade = hyper::upgrade::on(&mut request);
    let tasks = app.tasks.clone();
    tasks.spawn(serve(app, beam, client, host, session, upgrade));
    response
}

/// The refusal of a request without a handshake. It names the supported version (RFC 6455, section 4.4).
fn not_a_handshake() -> Response {
    let refusal = Error::BadRequest("A websocket handshake was expected here.");
    let version = (header::SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
    ([version], refusal).into_response()
}

async fn serve(
    app: Arc<App>,
    beam: BeamId,
    client: Option<Client>,
    host: String,
    session: Option<Arc<Session>>,
    upgrade: OnUpgrade,
) {
    // The client may disconnect during the upgrade.
    let Ok(upgraded) = upgrade.await else { return };
    let (connection, outbox) = app.live.sockets.open();
    // Held while the socket is open.
    let counted = client.map(|client| app.limits.sockets.enter(client));
    if matches!(counted, Some(None)) {
        // A browser cannot read the status of an upgrade, but it can read a close code.
        outbox.close(CloseCode::TooFast);
    }
    let login = match &session {
        Some(session) => bind_to_login(&app, beam, connection, &outbox, session).await,
        None => None,
    };
    let (context, connection) = (app.live.clone(), (connection, outbox));
    Socket::new(context, beam, client, host, connection, login).run(upgraded).await;
}

/// Ties the socket to its session (S27). Closes it at once if the session has ended.
async fn bind_to_login(
    app: &App,
    beam: BeamId,
    connection: ConnectionId,
    outbox: &Outbox,
    session: &Session,
) -> Option<Login> {
    app.live.sockets.belongs_to(connection, beam, session.id, session.account.id);
    // The account may have changed since the cookie was read.
    match app.logins.account_of(session.id).await {
        Ok(Some(account)) => return Some(Login { account: account.id, user: public(&account) }),
        Ok(None) => outbox.close(CloseCode::SessionEnded),
        Err(_) => outbox.close(CloseCode::Overload),
    }
    None
}
