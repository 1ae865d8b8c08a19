//! Waits for a decision for as long as one call may take, whatever happens to the server meanwhile.

use std::time::Duration;

use tokio::time::Instant;

use super::client::Client;
use super::road::{Answer, Lost};
use super::seen::Seen;
use crate::domain::ids::ActionId;

/// The longest wait of one request.
const WAIT_MAX_SECS: u64 = 60;
/// The longest pause before asking again after a failure.
const PAUSE_MAX: Duration = Duration::from_secs(4);

/// How a wait ended.
pub(super) enum Waited {
    /// With the action as it stands, which may be pending.
    Seen(Box<Seen>),
    /// The server will not say.
    Refused(Answer),
    /// The server could not be asked when the time was over.
    Lost(Lost),
}

/// Waits until the action leaves `pending` or `hold` is over. A server that goes away and comes back is asked again;
/// so is one that has too much to do. Dropping this ends the wait and nothing else.
pub(super) async fn for_decision(client: &Client, id: ActionId, hold: Duration) -> Waited {
    let deadline = Instant::now() + hold;
    let mut pause = Duration::from_millis(250);
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        // Rounded, so that the last wait is not cut into ever smaller ones.
        let secs = (left + Duration::from_millis(500)).as_secs().min(WAIT_MAX_SECS);
        let came = client.wait(id, secs).await;
        let is_over = Instant::now() >= deadline || client.is_stopping();
        let asked_to_pause = match came {
            Ok(answer) if answer.status == 200 => match Seen::read(&answer.body) {
                Some(seen) if !seen.is_pending() || is_over => return Waited::Seen(Box::new(seen)),
                // The server is stopping, or waits shorter than it was asked to.
                Some(_) => None,
                None => return Waited::Refused(answer),
            },
            Ok(answer) if is_over || !is_passing(answer.status) => return Waited::Refused(answer),
            Ok(answer) => answer.retry_after,
            Err(lost) if is_over => return Waited::Lost(lost),
            Err(_) => None,
        };
        let left = deadline.saturating_duration_since(Instant::now());
        tokio::time::sleep(asked_to_pause.unwrap_or(pause).min(left)).await;
        pause = (pause * 2).min(PAUSE_MAX);
    }
}

/// Whether the same request may succeed in a while.
fn is_passing(status: u16) -> bool {
    matches!(status, 429 | 500..=599)
}
