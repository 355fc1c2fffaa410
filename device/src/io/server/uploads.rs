//! Uploads in pieces, by tus 1.0 (H45 to H48).

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use heliograph_shared::ids::BeamId;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::header::{CONTENT_TYPE, COOKIE, HOST, HeaderName, HeaderValue, LOCATION};
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use tokio::time::timeout;

use super::failure::Failure;
use super::{Server, calls, dialing};

const VERSION: &str = "1.0.0";
const OFFSET: HeaderName = HeaderName::from_static("upload-offset");
/// Time for a piece of 4 MiB: a line that is slower than 30 KiB/s is one that the server gives up too (H19).
const PIECE_WITHIN: Duration = Duration::from_mins(3);

/// What became of an upload of which all bytes are there.
pub(in crate::io) enum Uploaded {
    /// The server still stores it.
    Storing,
    /// It is at this address.
    Stored(String),
}

#[derive(Deserialize)]
struct Stored {
    url: String,
}

impl Server {
    /// Begins an upload into a beam. Returns where its pieces go.
    pub(in crate::io) async fn begin_upload(
        &self,
        beam: BeamId,
        size: u64,
        name: &str,
        media_type: &str,
    ) -> Result<String, Failure> {
        let (name, kind) = (STANDARD.encode(name), STANDARD.encode(media_type));
        let about = format!("filename {name},filetype {kind}");
        let size = size.to_string();
        let header = |text: &str| HeaderValue::from_str(text).map_err(|_| Failure::NoAddress);
        let mut headers = vec![
            (HeaderName::from_static("upload-length"), header(&size)?),
            (HeaderName::from_static("upload-metadata"), header(&about)?),
        ];
        // Whoever knows where the pieces go needs no login there (H45).
        headers.extend(self.login_cookies().await?.map(|cookies| (COOKIE, cookies)));
        let path = format!("/api/beams/{beam}/tus/");
        let answer = self.ask(Method::POST, &path, headers, Bytes::new()).await?;
        let place = answer.headers().get(LOCATION).and_then(|place| place.to_str().ok());
        let place = place.and_then(|place| self.url.join(place).ok());
        // Nothing is sent anywhere else.
        let place = place.filter(|place| place.origin() == self.url.origin());
        place.map(|place| place.path().to_owned()).ok_or(Failure::Strange)
    }

    /// Sends a piece. Returns how many bytes of the file the server has then.
    pub(in crate::io) async fn upload_piece(
        &self,
        place: &str,
        at: u64,
        piece: Vec<u8>,
    ) -> Result<u64, Failure> {
        let kind = HeaderValue::from_static("application/offset+octet-stream");
        let headers = vec![(OFFSET, HeaderValue::from(at)), (CONTENT_TYPE, kind)];
        offset_of(&self.ask(Method::PATCH, place, headers, piece.into()).await?)
    }

    /// How many bytes of the file the server has.
    pub(in crate::io) async fn uploaded_bytes(&self, place: &str) -> Result<u64, Failure> {
        offset_of(&self.ask(Method::HEAD, place, Vec::new(), Bytes::new()).await?)
    }

    /// What became of an upload of which all bytes are there. It is to be asked again where the server still stores it.
    pub(in crate::io) async fn uploaded(&self, place: &str) -> Result<Uploaded, Failure> {
        let answer = self.ask(Method::GET, place, Vec::new(), Bytes::new()).await?;
        if answer.status() == StatusCode::ACCEPTED {
            return Ok(Uploaded::Storing);
        }
        let stored: Stored = serde_json::from_slice(answer.body()).map_err(|_| Failure::Strange)?;
        Ok(Uploaded::Stored(stored.url))
    }

    async fn ask(
        &self,
        method: Method,
        path: &str,
        headers: Vec<(HeaderName, HeaderValue)>,
        body: Bytes,
    ) -> Result<Response<Bytes>, Failure> {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, self.url.authority())
            .header("tus-resumable", VERSION);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let request = request.body(Full::new(body)).map_err(|_| Failure::NoAddress)?;
        let answer = timeout(PIECE_WITHIN, self.exchange(request)).await;
        let answer = answer.map_err(|_| Failure::Late)??;
        if answer.status().is_success() {
            return Ok(answer);
        }
        let (status, detail) = (answer.status().as_u16(), calls::detail_of(answer.body()));
        Err(Failure::Refused { status, detail })
    }

    async fn exchange(&self, request: Request<Full<Bytes>>) -> Result<Response<Bytes>, Failure> {
        let broken = |why: hyper::Error| Failure::Broken(why.to_string());
        let stream = dialing::dial(&self.url, self.tls.as_ref()).await?;
        let (mut sender, connection) =
            http1::handshake(TokioIo::new(stream)).await.map_err(broken)?;
        // It ends with the sender, or with the other end.
        let connection = tokio::spawn(connection);
        let answer: Response<Incoming> = sender.send_request(request).await.map_err(broken)?;
        let (head, body) = answer.into_parts();
        let body = calls::whole(body).await?;
        connection.abort();
        Ok(Response::from_parts(head, body))
    }
}

fn offset_of(answer: &Response<Bytes>) -> Result<u64, Failure> {
    let offset = answer.headers().get(OFFSET).and_then(|offset| offset.to_str().ok());
    offset.and_then(|offset| offset.parse().ok()).ok_or(Failure::Strange)
}
