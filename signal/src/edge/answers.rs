//! Charges the bodies of responses to the memory budget until their last byte is sent.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use http_body::{Body as _, Frame, SizeHint};

use crate::app::App;
use crate::budget::{Kind, Share};
use crate::error::Error;

/// Responses up to this many bytes are not charged. Almost all are that short.
const SHORT: usize = 8 * 1024;
/// Bytes charged for a body of unknown length.
const UNKNOWN: usize = 1024 * 1024;

/// Response extension: the bytes that the body holds in memory at a time, if they are not its whole length.
#[derive(Clone, Copy, Debug)]
pub struct Waiting(pub usize);

/// Reserves memory for the response's body, or answers 503 without room for it.
pub async fn hold(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let has_body = request.method() != Method::HEAD;
    let answer = next.run(request).await;
    let waiting = match answer.extensions().get() {
        Some(Waiting(bytes)) => *bytes,
        None => answer.body().size_hint().exact().map_or(UNKNOWN, |size| {
            // A size that does not fit saturates, and is then refused.
            usize::try_from(size).unwrap_or(usize::MAX)
        }),
    };
    if waiting <= SHORT || !has_body {
        return answer;
    }
    match app.budget.take(Kind::Answers, waiting) {
        Ok(share) => answer.map(|body| Body::new(Held { body, share: Arc::new(share) })),
        Err(spent) => Error::from(spent).into_response(),
    }
}

/// A body with its share. Each piece holds the share too, because pieces wait to be sent after the body has ended.
struct Held {
    body: Body,
    share: Arc<Share>,
}

/// A piece of a body, with the share that pays for it.
struct Piece {
    bytes: Bytes,
    _share: Arc<Share>,
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl http_body::Body for Held {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        let held = |bytes| Bytes::from_owner(Piece { bytes, _share: self.share.clone() });
        Poll::Ready(frame.map(|frame| frame.map(|frame| frame.map_data(held))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
