//! Who is signed in, the pages around the inbox, and the way out.

use leptos::prelude::*;

use super::shortcuts::ShortcutsButton;
use crate::domain::role::Role;
use crate::wire::session::Me;

/// The menu behind the person's name. It opens without a script.
#[component]
pub fn PersonMenu(
    /// Who.
    me: Me,
) -> impl IntoView {
    let page = |address: &'static str, words: &'static str| {
        view! {
            <li>
                <a href=address rel="external">
                    {words}
                </a>
            </li>
        }
    };
    let for_admins = me.role.allows(Role::Admin).then(|| {
        [page("/people", "People"), page("/keys", "Keys"), page("/channels", "Channels")].collect_view()
    });
    let has_keys = me.shortcuts;
    view! {
        <button class="person" type="button" popovertarget="person-menu">
            <span class="person-name">{me.name.clone()}</span>
        </button>
        <div class="person-menu" id="person-menu" popover="auto">
            <p>
                <strong>{me.name}</strong>
                <br />
                {me.email}
            </p>
            <p class="hint">"Project: " {me.project}</p>
            <ul class="person-pages">
                {page("/account", "Account")}
                {for_admins}
                {page("/connect", "Connect an agent")}
                {page("/docs", "The agent API")}
                {has_keys.then(|| view! { <li><ShortcutsButton /></li> })}
            </ul>
            <form method="post" action="/rpc/sign_out" data-way-out="">
                <button class="button" type="submit">
                    "Sign out"
                </button>
            </form>
        </div>
    }
}
