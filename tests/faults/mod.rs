//! Two servers on one database under a mixed load, one of them killed again and again, and then the database itself:
//! afterwards nothing that was accepted is missing, and nothing is there twice.
//!
//! `scripts/faults` runs the same for ten minutes. A failing run names its seed; the same seed kills and asks in the
//! same order, though not at the same instants.

mod after;
mod load;
mod machines;
mod receiver;

use std::time::Duration;

use self::load::Load;
use self::machines::Machines;
use self::receiver::Receiver;

/// How long the short form goes on.
const SHORT: Duration = Duration::from_secs(20);

/// Numbers from a seed (`SplitMix64`).
#[derive(Clone)]
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 to before `limit`.
    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// Up to this, to the millisecond.
    fn within(&mut self, most: Duration) -> Duration {
        let most = u64::try_from(most.as_millis()).unwrap_or(u64::MAX).max(1);
        Duration::from_millis(self.below(most))
    }

    /// Numbers of their own for somebody.
    fn for_somebody(&mut self) -> Self {
        Self(self.next())
    }
}

fn number(name: &str) -> Option<u64> {
    let text = std::env::var_os(name)?;
    Some(text.to_str().and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("{name} is no number")))
}

#[expect(
    clippy::print_stdout,
    reason = "a run that fails has to name its seed, and one of ten minutes what it did"
)]
fn say(sentence: &str) {
    println!("{sentence}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_is_killed_what_was_accepted_is_there_once() {
    let seed = number("IMPRI_FAULTS_SEED")
        .unwrap_or_else(|| u64::from_le_bytes(impri::server::random::bytes::<8>()));
    let time = number("IMPRI_FAULTS_SECONDS").map_or(SHORT, Duration::from_secs);
    say(&format!("IMPRI_FAULTS_SEED={seed}, for {} s", time.as_secs()));
    let mut dice = Dice(seed);
    let receiver = Receiver::start().await;
    let mut machines = Machines::start().await;
    let load = Load::new(&machines, receiver.url());

    let working = load.start(&mut dice);
    machines.kill_for(time, &mut dice).await;
    load.stop();
    for worker in working {
        worker.await.expect("no worker gives up");
    }
    let counted = after::check(&mut machines, &load, &receiver).await;
    say(&format!("{counted}, {}", machines.killed()));
    machines.stop().await;
}
