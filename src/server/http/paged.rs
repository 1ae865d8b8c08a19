//! Answers that are written while they are read: page by page, as fast as the caller takes them and no faster.

use std::future::Future;

use axum::body::Bytes;
use futures::stream::{self, Stream};

use crate::server::error::{ServiceError, ServiceResult};

/// One page, written, and where the next one begins; none after the last.
pub struct Written<C> {
    /// The page.
    pub bytes: Vec<u8>,
    /// Where the next one begins.
    pub next: Option<C>,
}

/// Pages one after the other, from `first` on. If one can't be had, the answer breaks off, and its reader sees that it
/// is not whole.
pub fn pages<C, F>(
    first: C,
    write: impl FnMut(C) -> F + Send,
) -> impl Stream<Item = ServiceResult<Bytes>> + Send
where
    C: Send,
    F: Future<Output = ServiceResult<Written<C>>> + Send,
{
    stream::try_unfold((Some(first), write), async |(next, mut write)| {
        let Some(cursor) = next else { return Ok(None) };
        let written = write(cursor).await.inspect_err(ServiceError::log)?;
        Ok(Some((Bytes::from(written.bytes), (written.next, write))))
    })
}
