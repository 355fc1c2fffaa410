//! The bodies of answers count for the budget until the last byte of them is on its way.

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

/// Answers of so many bytes count as part of their connection: almost all are that short.
const SHORT: usize = 8 * 1024;
/// What a body holds that does not say its length.
const UNKNOWN: usize = 1024 * 1024;

/// Extension of an answer that says how many bytes its body holds at a time, if they are not all of them.
#[derive(Clone, Copy, Debug)]
pub struct Waiting(pub usize);

/// Holds memory for the answer, or refuses with a 503 to keep it waiting.
pub async fn hold(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let has_body = request.method() != Method::HEAD;
    let answer = next.run(request).await;
    let waiting = match answer.extensions().get() {
        Some(Waiting(bytes)) => *bytes,
        None => answer.body().size_hint().exact().map_or(UNKNOWN, |size| {
            // What is longer than memory is no body of ours.
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

/// A body whose pieces keep hold of its share: they wait to be sent when the body itself has come to its end.
struct Held {
    body: Body,
    share: Arc<Share>,
}

/// A piece of a body.
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
