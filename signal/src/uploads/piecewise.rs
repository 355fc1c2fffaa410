//! A body that is handed on piece by piece. The reader of forms takes all that is ready before it hands anything on, and
//! from a fast sender that is a lot: it would hold megabytes and copy each of them as its buffer grows.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::Error;
use axum::body::{Body, BodyDataStream};
use axum::extract::Request;
use bytes::Bytes;
use futures_util::{Stream, StreamExt as _};

/// The request with such a body.
pub async fn piecewise(request: Request) -> Request {
    request.map(|body| {
        Body::from_stream(Piecewise { body: body.into_data_stream(), has_given: false })
    })
}

/// Says after each piece that the next one is not there yet, and at once that it is.
struct Piecewise {
    body: BodyDataStream,
    has_given: bool,
}

impl Stream for Piecewise {
    type Item = Result<Bytes, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if std::mem::take(&mut self.has_given) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let polled = self.body.poll_next_unpin(context);
        self.has_given = matches!(polled, Poll::Ready(Some(_)));
        polled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn every_piece_comes_in_order_and_none_with_another() {
        let pieces = ["one", "two", "three"];
        let ready = futures_util::stream::iter(pieces.map(Ok::<_, std::io::Error>));
        let mut body =
            piecewise(Request::new(Body::from_stream(ready))).await.into_body().into_data_stream();
        for piece in pieces {
            assert_eq!(body.next().await.expect("more").expect("a piece"), piece);
            let again = futures_util::poll!(body.next());
            assert!(again.is_pending(), "{piece} is all that is there for now");
        }
        assert!(body.next().await.is_none());
    }
}
