//! Instants. The server's words stand until the page is alive; then they keep up with the clock.

use std::time::Duration;

use leptos::prelude::*;

use crate::domain::span;
use crate::ui::host;
use crate::wire::Moment;

/// How often words about time are brought up to date.
const TICK: Duration = Duration::from_secs(5);

/// Less than this before its end, an action's time is running out.
const SOON: i64 = 60 * 60;

/// The browser's clock in seconds; 0 until the page is alive.
#[derive(Clone, Copy)]
struct Clock(RwSignal<i64>);

/// Starts the clock that [`Time`] and [`Remaining`] follow.
pub fn provide_clock() {
    let clock = RwSignal::new(0);
    provide_context(Clock(clock));
    Effect::new(move |_| {
        let tick = move || clock.set(host::browser_seconds().unwrap_or_default());
        tick();
        set_interval(tick, TICK);
    });
}

/// Whether the page is alive, so that controls which need a script make sense.
pub fn is_alive() -> Signal<bool> {
    let clock = use_context::<Clock>();
    Signal::derive(move || clock.is_some_and(|clock| clock.0.get() != 0))
}

/// Seconds from now to an instant; none until the page is alive. Counted from when the page got it, because the
/// browser's clock may be wrong.
fn from_now(moment: &Moment) -> Signal<Option<i64>> {
    let (begin, from_now) = (host::browser_seconds(), moment.from_now);
    let clock = use_context::<Clock>();
    Signal::derive(move || match (begin, clock?.0.get()) {
        (Some(begin), now) if now > 0 => Some(from_now - (now - begin).max(0)),
        _ => None,
    })
}

/// An instant: `2 min ago`, and the full text for who points at it.
#[component]
pub fn Time(
    /// When.
    moment: Moment,
) -> impl IntoView {
    let seconds = from_now(&moment);
    let Moment { iso, text, relative, .. } = moment;
    view! {
        <time class="time" datetime=iso title=text>
            {move || seconds.get().map_or_else(|| relative.clone(), span::relative)}
        </time>
    }
}

/// An instant for records: the full text.
#[component]
pub fn FullTime(
    /// When.
    moment: Moment,
) -> impl IntoView {
    let Moment { iso, text, .. } = moment;
    view! { <time class="time" datetime=iso>{text}</time> }
}

/// How long there is until an instant: `27 min`, in the colour of caution when it is little.
#[component]
pub fn Remaining(
    /// The end.
    moment: Moment,
    /// What stands before the time, for instance `expires in`.
    before: &'static str,
    /// What stands there instead when the time is over.
    over: &'static str,
) -> impl IntoView {
    let seconds = from_now(&moment);
    let at_first = moment.from_now;
    let left = move || seconds.get().unwrap_or(at_first);
    let words = move || match left() {
        left @ 1.. => format!("{before}{}", span::words(left.unsigned_abs())),
        _ => over.to_owned(),
    };
    view! {
        <time class="remaining" data-soon=move || (left() < SOON).then_some("") datetime=moment.iso title=moment.text>
            {words}
        </time>
    }
}
