//! Where somebody is signed in.

use leptos::prelude::*;

use super::entries::{Entries, Entry};
use super::time::Time;
use crate::wire::account::SessionView;

/// The sessions, each with a way out.
#[component]
pub fn SessionList(
    /// This one first.
    sessions: Vec<SessionView>,
) -> impl IntoView {
    let others = sessions.len().saturating_sub(1);
    let all = (others > 0).then(|| {
        view! {
            <form method="post" action="/rpc/end_other_sessions">
                <button class="button" type="submit">
                    "Sign out everywhere else"
                </button>
            </form>
        }
    });
    let rows = sessions.into_iter().map(|session| view! { <Row session=session /> }).collect_view();
    view! {
        <Entries label="Sessions">{rows}</Entries>
        {all}
    }
}

#[component]
fn Row(session: SessionView) -> impl IntoView {
    let SessionView { id, device, address, began, seen, is_this } = session;
    let which = if is_this { "this browser" } else { "elsewhere" };
    let label = format!("Sign out: {device}, {which}");
    let name = view! {
        {device}
        {is_this.then(|| view! { " "<span class="tag">"This browser"</span> })}
    }
    .into_any();
    let facts = view! {
        <span>{address}</span>
        <span>"signed in " <Time moment=began /></span>
        <span>"last seen " <Time moment=seen /></span>
    }
    .into_any();
    let side = view! {
        <form method="post" action="/rpc/end_session" data-way-out=is_this.then_some("")>
            <input type="hidden" name="id" value=id />
            <button class="button" type="submit" aria-label=label>
                "Sign out"
            </button>
        </form>
    }
    .into_any();
    view! { <Entry name=name facts=facts side=side /> }
}
