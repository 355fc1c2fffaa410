//! The time in which a call is answered.

use std::future::pending;
use std::time::Duration;

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use futures_util::future::Either;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout};

use crate::error::Error;

/// Time for a response. No call works for long.
const DEADLINE: Duration = Duration::from_secs(30);

/// Bounds what a call does once its form is there. A form may come slowly: its sender is judged by its pace (H19).
///
/// # Errors
/// [`Error::Busy`] after the deadline, or the work's own.
pub async fn in_time<T>(work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    timeout(DEADLINE, work).await.unwrap_or(Err(Error::Busy))
}

/// When the answer to a call is due; `None` while the call waits for its body.
#[derive(Clone, Debug)]
pub struct Deadline(watch::Sender<Option<Instant>>);

impl Deadline {
    fn from_now() -> Self {
        Self(watch::Sender::new(Some(Instant::now() + DEADLINE)))
    }

    /// Waits for the call's body, whose sender is judged by its pace (H19). The time for the answer begins after it.
    pub async fn wait_for<T>(&self, body: impl Future<Output = T>) -> T {
        self.0.send_replace(None);
        let body = body.await;
        self.0.send_replace(Some(Instant::now() + DEADLINE));
        body
    }

    /// Waits until the answer is overdue.
    async fn passes(&self) {
        let mut due = self.0.subscribe();
        loop {
            let passes = match *due.borrow_and_update() {
                Some(at) => Either::Left(sleep_until(at)),
                None => Either::Right(pending()),
            };
            tokio::select! {
                () = passes => return,
                // The sender is `self`, so this is a change.
                _ = due.changed() => {}
            }
        }
    }
}

/// Answers 503 when a call takes too long.
pub async fn keep(mut request: Request, next: Next) -> Response {
    let deadline = Deadline::from_now();
    request.extensions_mut().insert(deadline.clone());
    tokio::select! {
        response = next.run(request) => response,
        () = deadline.passes() => Error::Busy.into_response(),
    }
}
