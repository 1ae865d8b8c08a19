//! Instants. The server's words stand until the page is alive; then they follow the browser's clock.

use leptos::prelude::*;

use crate::domain::span;
use crate::wire::Moment;

/// Less than this before its end, in seconds, an action's time is running out.
pub const SOON: i64 = 60 * 60;

/// An instant: `2 min ago`, and the full text for who points at it.
#[component]
pub fn Time(
    /// When.
    moment: Moment,
) -> impl IntoView {
    let Moment { iso, text, relative, from_now, .. } = moment;
    view! {
        <time class="time" datetime=iso title=text data-from-now=from_now>
            {relative}
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

/// How long there is until an instant: `27 min left`, in the colour of caution when it is little.
#[component]
pub fn Remaining(
    /// The end.
    moment: Moment,
    /// What stands before the time, for instance `expires in `.
    #[prop(optional)]
    before: &'static str,
    /// What stands after it, for instance ` left`.
    #[prop(optional)]
    after: &'static str,
    /// What stands there instead when the time is over.
    over: &'static str,
) -> impl IntoView {
    let Moment { iso, text, from_now, .. } = moment;
    let words = match from_now {
        1.. => format!("{before}{}{after}", span::words(from_now.unsigned_abs())),
        _ => over.to_owned(),
    };
    view! {
        <time
            class="remaining"
            datetime=iso
            title=text
            data-from-now=from_now
            data-before=before
            data-after=after
            data-over=over
            data-soon=(from_now < SOON).then_some("")
        >
            {words}
        </time>
    }
}
