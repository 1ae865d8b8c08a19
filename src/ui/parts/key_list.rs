//! The keys of a project.

use leptos::prelude::*;

use super::entries::{Entries, Entry, Fold};
use super::header::count;
use super::time::Time;
use crate::domain::scope::Scope;
use crate::wire::Moment;
use crate::wire::keys::KeyView;

/// Keys that work, each with a way to end it.
#[component]
pub fn KeyList(
    /// The newest first.
    keys: Vec<KeyView>,
) -> impl IntoView {
    if keys.is_empty() {
        return view! {
            <p class="nothing">"No key works, so no agent can ask for anything. Make one above."</p>
        }
        .into_any();
    }
    let rows = keys.into_iter().map(|key| view! { <Row key_view=key is_over=false /> }).collect_view();
    view! { <Entries label="Keys">{rows}</Entries> }.into_any()
}

/// Keys that are over, folded away.
#[component]
pub fn EndedKeys(
    /// The last made first.
    keys: Vec<KeyView>,
) -> impl IntoView {
    (!keys.is_empty()).then(|| {
        let size = keys.len();
        let rows = keys.into_iter().map(|key| view! { <Row key_view=key is_over=true /> }).collect_view();
        view! {
            <details class="fold">
                <summary>
                    "Revoked and expired keys "
                    <span class="fold-size">{size}</span>
                </summary>
                <Entries label="Revoked and expired keys">{rows}</Entries>
            </details>
        }
    })
}

#[component]
fn Row(key_view: KeyView, is_over: bool) -> impl IntoView {
    let KeyView { id, name, prefix, scopes, created, used, expires, revoked, pending } = key_view;
    let scopes: Vec<&str> = scopes.into_iter().map(Scope::as_str).collect();
    let scopes = scopes.join(", ");
    let fact = |words: &'static str, at: Moment| view! { <span>{words} <Time moment=at /></span> };
    let used = match used {
        Some(used) => fact("last used ", used).into_any(),
        None => view! { <span>"never used"</span> }.into_any(),
    };
    let end = match (revoked, expires) {
        (Some(at), _) => Some(fact("revoked ", at)),
        (None, Some(at)) if is_over => Some(fact("expired ", at)),
        (None, Some(at)) => Some(fact("expires ", at)),
        (None, None) => None,
    };
    let facts = view! {
        <span><code>{prefix} "…"</code></span>
        <span>"may use " <strong>{scopes}</strong></span>
        {used}
        {fact("made ", created)}
        {end}
    }
    .into_any();
    let waiting = match pending {
        0 => "none waiting".to_owned(),
        pending => format!("{} waiting", count(pending)),
    };
    let side = view! { <span class="entry-word">{waiting.clone()}</span> }.into_any();
    let revoke = (!is_over).then(|| view! { <Revoke id=id name=name.clone() pending=pending /> });
    view! {
        <Entry name=name.into_any() facts=facts side=side is_over=is_over>
            {revoke}
        </Entry>
    }
}

#[component]
fn Revoke(id: String, name: String, pending: u32) -> impl IntoView {
    let stays = match pending {
        0 => "Nothing of it waits in the inbox.".to_owned(),
        1 => "Its one waiting action stays in the inbox, but its agent can't ask for the answer.".to_owned(),
        pending => format!(
            "Its {} waiting actions stay in the inbox, but its agent can't ask for the answers.",
            count(pending)
        ),
    };
    view! {
        <Fold summary="Revoke" of=name.clone()>
            <form class="entry-form" method="post" action="/rpc/revoke_key">
                <input type="hidden" name="id" value=id />
                <p>
                    "From then on every call with this key is refused. That can't be undone. " {stays}
                </p>
                <button class="button button--no" type="submit">
                    "Revoke " {name}
                </button>
            </form>
        </Fold>
    }
}
