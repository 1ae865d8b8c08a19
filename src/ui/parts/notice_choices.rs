//! How a browser tells of new actions. The choice is the browser's own, so `notice.js` keeps it there and shows this.

use leptos::prelude::*;

use super::choice::Choice;

/// What to tick; hidden until the script is there that heeds it.
#[component]
pub fn NoticeChoices() -> impl IntoView {
    view! {
        <div class="choices" data-notices="" hidden>
            <Choice
                kind="checkbox"
                name="notify"
                value="on"
                label="Show a notification when an action comes"
                hint="It says that something waits, never what."
            />
            <Choice kind="checkbox" name="sound" value="on" label="Play a sound when an action comes" />
            <p class="hint" data-notices-state="" role="status"></p>
        </div>
        <noscript>
            <p class="hint">"This needs scripts, which are off in this browser."</p>
        </noscript>
    }
}
