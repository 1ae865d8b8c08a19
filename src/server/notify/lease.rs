//! Who listens to a platform: one server at a time, by a lease in the database.
//!
//! Owns for how long a server may listen without the database saying so, how soon another one goes on, and how long a
//! refusal is left alone. It must not know any platform.

use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until, timeout_at};

use crate::domain::Instant as Moment;
use crate::domain::ids::ChannelId;
use crate::server::db::channels::StoredChannel;
use crate::server::error::ServiceResult;

/// How often a server looks what there is to be heard, and whether it can have what another one held.
pub const LOOK_EVERY: Duration = Duration::from_secs(5);
/// How long a connection is a server's that does not ask anew.
pub const LEASE: time::Duration = time::Duration::seconds(22);
/// How a server keeps what it holds.
const PACE: Pace = Pace {
    ask_every: Duration::from_secs(6),
    held: Duration::from_secs(18),
    refused: Duration::from_mins(5),
};

// Another server listens within half a minute after one died, with 3 s to look and to connect.
const _: () = assert!(LEASE.whole_seconds().unsigned_abs() + LOOK_EVERY.as_secs() + 3 <= 30);
// One that can't ask stops before another one may begin, with 4 s for clocks that differ.
const _: () = assert!(PACE.held.as_secs() + 4 <= LEASE.whole_seconds().unsigned_abs());

/// How often what is held is asked for anew.
#[derive(Debug, Clone, Copy)]
struct Pace {
    /// How often a server says that it is there.
    ask_every: Duration,
    /// How long after the last time that this was heard it goes on.
    held: Duration,
    /// How long what a platform refuses for good is left alone.
    refused: Duration,
}

/// Ends when this server may not listen any more: `hold` says no, or could not be asked for too long. `asked` is a moment
/// before the connection was taken.
pub async fn keep<H, F>(asked: Instant, hold: H)
where
    H: FnMut() -> F,
    F: Future<Output = ServiceResult<bool>>,
{
    keep_at(PACE, asked, hold).await;
}

async fn keep_at<H, F>(pace: Pace, asked: Instant, mut hold: H)
where
    H: FnMut() -> F,
    F: Future<Output = ServiceResult<bool>>,
{
    let mut until = asked + pace.held;
    loop {
        sleep_until((Instant::now() + pace.ask_every).min(until)).await;
        // It counts from before the question: the answer may take its time.
        let asked = Instant::now();
        match timeout_at(until, hold()).await {
            Ok(Ok(true)) => until = asked + pace.held,
            Ok(Ok(false)) | Err(_) => return,
            Ok(Err(error)) => error.log(),
        }
        if Instant::now() >= until {
            return;
        }
    }
}

/// Waits until what a platform refused for good may be tried again: `is_changed` sees that somebody changed something
/// here, or enough time passed that somebody may have changed something there.
pub async fn until_changed<C, F>(is_changed: C)
where
    C: FnMut() -> F,
    F: Future<Output = ServiceResult<bool>>,
{
    until_changed_at(PACE.refused, LOOK_EVERY, is_changed).await;
}

async fn until_changed_at<C, F>(refused: Duration, look_every: Duration, mut is_changed: C)
where
    C: FnMut() -> F,
    F: Future<Output = ServiceResult<bool>>,
{
    let until = Instant::now() + refused;
    while Instant::now() < until {
        sleep(look_every).await;
        match is_changed().await {
            Ok(true) => return,
            Ok(false) => {}
            Err(error) => error.log(),
        }
    }
}

/// Which channels these are, and as of when: what differs after somebody changed one.
pub fn version(channels: &[StoredChannel]) -> Vec<(ChannelId, Moment)> {
    channels.iter().map(|channel| (channel.id, channel.updated_at)).collect()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::future::pending;

    use tokio::time::timeout;

    use super::*;
    use crate::server::error::ServiceError;

    const QUICK: Pace = Pace {
        ask_every: Duration::from_millis(20),
        held: Duration::from_millis(60),
        refused: Duration::from_millis(80),
    };

    fn away() -> ServiceError {
        ServiceError::Unavailable(sqlx::Error::PoolTimedOut)
    }

    /// What does not end in this time does not end.
    async fn ends(what: impl Future<Output = ()>) {
        timeout(Duration::from_secs(5), what).await.expect("it ends");
    }

    #[tokio::test]
    async fn who_is_told_that_another_one_has_it_stops() {
        let asked = Cell::new(0);
        ends(keep_at(QUICK, Instant::now(), || {
            asked.set(asked.get() + 1);
            async { Ok(asked.get() < 5) }
        }))
        .await;
        assert_eq!(asked.get(), 5, "and goes on until then");
    }

    #[tokio::test]
    async fn who_can_not_ask_stops_and_not_before_it_has_to() {
        for hangs in [false, true] {
            let began = Instant::now();
            ends(keep_at(QUICK, began, || async move { if hangs { pending().await } else { Err(away()) } }))
                .await;
            assert!(began.elapsed() >= QUICK.held, "{:?}", began.elapsed());
        }
        // An answer that took long counts from when it was asked for.
        let (began, is_first) = (Instant::now(), Cell::new(true));
        ends(keep_at(QUICK, began, || {
            let is_first = is_first.replace(false);
            async move {
                if !is_first {
                    return pending().await;
                }
                sleep(QUICK.ask_every).await;
                Ok(true)
            }
        }))
        .await;
        assert!(began.elapsed() >= QUICK.ask_every + QUICK.held, "{:?}", began.elapsed());
    }

    #[tokio::test]
    async fn who_took_long_to_get_it_has_it_for_less() {
        let slow = Pace { held: Duration::from_mins(1), ..QUICK };
        let late = Instant::now().checked_sub(slow.held).expect("a machine that is up for a minute");
        ends(keep_at(slow, late, || async { pending().await })).await;
    }

    #[tokio::test]
    async fn a_refusal_is_left_alone_until_something_changes_or_a_while_is_over() {
        let looked = Cell::new(0);
        let began = Instant::now();
        until_changed_at(Duration::from_hours(1), Duration::from_millis(1), || {
            looked.set(looked.get() + 1);
            async {
                match looked.get() {
                    1 => Err(away()),
                    count => Ok(count == 3),
                }
            }
        })
        .await;
        assert_eq!(looked.get(), 3);
        until_changed_at(QUICK.refused, QUICK.ask_every, || async { Ok(false) }).await;
        assert!(began.elapsed() >= QUICK.refused);
    }
}
