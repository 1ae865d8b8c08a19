//! The first five minutes: a command that makes the first card appear here.

use leptos::prelude::*;

use super::copy_button::CopyButton;
use crate::wire::inbox::Welcome;

/// What a new project's inbox shows.
#[component]
pub fn WelcomePane(
    /// The command.
    welcome: Welcome,
) -> impl IntoView {
    let key = match welcome.key {
        Some(_) => view! {
            <p class="hint">
                "The command holds a key for your first agent. It is shown here until the first action is there, for an hour at most: keep it if you want to go on using it."
            </p>
        }
        .into_any(),
        None => view! {
            <p class="hint">
                <code>"im_…"</code>
                " stands for an agent's key, which is shown once, to whoever made it. Put yours in its place, or "
                <a href="/connect" rel="external">
                    "make a key"
                </a> "."
            </p>
        }
        .into_any(),
    };
    view! {
        <div class="page page--narrow welcome">
            <h2 id="card-title" tabindex="-1">"Let an agent ask you something"</h2>
            <p>"Paste this into a terminal. It proposes a first action; the card shows up here, and nothing runs."</p>
            <div class="command">
                <pre tabindex="0"><code data-copy="">{welcome.command}</code></pre>
                <CopyButton />
            </div>
            {key}
            <p>
                "Or connect "
                <a href="/connect" rel="external">
                    "Claude Code, Claude Desktop, Cursor, Codex"
                </a> "."
            </p>
            <p class="waiting" role="status">"Waiting for your first action"</p>
            <noscript>
                <p>"This page does not refresh by itself without scripts: reload it after you ran the command."</p>
            </noscript>
        </div>
    }
}
