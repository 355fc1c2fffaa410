//! The time in which a call is answered.

use std::time::Duration;

use tokio::time::timeout;

use crate::error::Error;

/// Time for a response. No call works for long.
pub const DEADLINE: Duration = Duration::from_secs(30);

/// Bounds what a call does once its body is there. A form may come slowly: its sender is judged by its pace (H19).
///
/// # Errors
/// [`Error::Busy`] after the deadline, or the work's own.
pub async fn in_time<T>(work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    timeout(DEADLINE, work).await.unwrap_or(Err(Error::Busy))
}
