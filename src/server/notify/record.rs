//! Writing down what came of an attempt, for every sort of message.

use std::time::Duration;

use tokio::time::sleep;

use crate::server::error::ServiceResult;

/// Before it is written down again, when that failed.
const AGAIN: [Duration; 3] = [Duration::from_millis(250), Duration::from_secs(1), Duration::from_secs(4)];

/// Writes until it is written. If that does not happen in time, the lease runs out, which counts as a try, and the message
/// is sent again.
pub async fn until_written<W, F>(mut write: W)
where
    W: FnMut() -> F,
    F: Future<Output = ServiceResult<()>>,
{
    let mut pauses = AGAIN.into_iter();
    while let Err(error) = write().await {
        error.log();
        let Some(pause) = pauses.next() else { return };
        sleep(pause).await;
    }
}
