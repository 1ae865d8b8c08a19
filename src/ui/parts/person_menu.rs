//! Who is signed in, and the way out.

use leptos::prelude::*;

use crate::wire::session::Me;

/// The menu behind the person's name. It opens without a script.
#[component]
pub fn PersonMenu(
    /// Who.
    me: Me,
) -> impl IntoView {
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
            <p>
                <a href="/connect" rel="external">
                    "Connect an agent"
                </a>
            </p>
            <p>
                <a href="/docs" rel="external">
                    "The agent API"
                </a>
            </p>
            <form method="post" action="/rpc/sign_out">
                <button class="button" type="submit">
                    "Sign out"
                </button>
            </form>
        </div>
    }
}
