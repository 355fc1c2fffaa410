//! A JSON array that is written while it is read: it may be long, and its reader slow.

use std::mem;

use axum::body::Bytes;
use futures_util::stream::{self, Stream};
use serde::Serialize;

use crate::error::Error;

/// Writes the elements of an array, without its brackets, a page at a time. `read` reads the page after an element, by its key, and
/// an empty one after the last; what is no element is left out. Ends when the client disconnects.
pub fn elements<K: Copy, T: Serialize, P>(
    read: impl Fn(Option<K>) -> P,
) -> impl Stream<Item = Result<Bytes, Error>>
where
    P: Future<Output = Result<Vec<(K, Option<T>)>, Error>>,
{
    stream::try_unfold((None, false), move |(last, mut any)| {
        let page = read(last);
        async move {
            let page = page.await?;
            let Some(last) = page.last().map(|(key, _)| *key) else { return Ok(None) };
            let mut written = Vec::new();
            for element in page.into_iter().filter_map(|(_, element)| element) {
                if mem::replace(&mut any, true) {
                    written.push(b',');
                }
                serde_json::to_writer(&mut written, &element).map_err(|_| Error::Internal)?;
            }
            Ok(Some((Bytes::from(written), (Some(last), any))))
        }
    })
}
