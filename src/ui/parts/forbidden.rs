//! A page that needs another role: who can open it, and who can help.

use leptos::prelude::*;
use leptos_meta::Title;

use crate::ui::host;

/// Says what the role does not allow, and whom to ask.
pub fn forbidden(what: &str, admins: &[String]) -> AnyView {
    host::set_status(403);
    let whom = match admins {
        [] => "Ask whoever runs this server.".to_owned(),
        [one] => format!("Ask {one}, who is an administrator here."),
        [first @ .., last] => format!("Ask one of the administrators here: {} or {last}.", first.join(", ")),
    };
    view! {
        <Title text="Not allowed" />
        <div class="page page--narrow problem" role="alert">
            <h1>"Not allowed"</h1>
            <p>{format!("Only an administrator can {what}. {whom}")}</p>
            <p class="actions">
                <a class="button" href="/inbox">"Go to the inbox"</a>
                <a class="button" href="/account">"See your role"</a>
            </p>
        </div>
    }
    .into_any()
}
