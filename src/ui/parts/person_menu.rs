//! Who is signed in, the pages around the inbox, and the way out.

use leptos::prelude::*;
use leptos_router::hooks::use_location;

use super::icons::{self, Icon};
use super::shortcuts::ShortcutsButton;
use crate::domain::role::Role;
use crate::wire::session::Me;

/// The menu behind the person's name. It opens without a script.
#[component]
pub fn PersonMenu(
    /// Who.
    me: Me,
) -> impl IntoView {
    let path = use_location().pathname.get_untracked();
    let page = |address: &'static str, words: &'static str| {
        let current = path.starts_with(address).then_some("page");
        view! {
            <li>
                <a href=address rel="external" aria-current=current>
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
            <Icon path=icons::DOWN />
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
