//! Things to tick, each with a sentence on what it means.

use leptos::prelude::*;

use super::refused::FieldState;
use crate::domain::role::Role;

/// A box or a button to tick.
#[component]
pub fn Choice(
    /// `checkbox` or `radio`.
    kind: &'static str,
    /// What the form posts it as.
    name: &'static str,
    /// With this value.
    value: &'static str,
    /// What it is.
    label: &'static str,
    /// What it means.
    #[prop(optional)]
    hint: Option<&'static str>,
    /// Whether it is ticked.
    #[prop(optional)]
    checked: bool,
    /// How the group stands after a refusal, for its first one.
    #[prop(optional)]
    state: FieldState,
) -> impl IntoView {
    let id = format!("{name}-{value}");
    let hint_id = format!("{id}-hint");
    let described = [state.described_by(), hint.map(|_| hint_id.clone())];
    let described: Vec<String> = described.into_iter().flatten().collect();
    let described = (!described.is_empty()).then(|| described.join(" "));
    view! {
        <div class="choice">
            <input
                type=kind
                id=id.clone()
                name=name
                value=value
                checked=checked
                autofocus=state.is_wrong()
                aria-invalid=state.invalid()
                aria-describedby=described
            />
            <label for=id>{label}</label>
            {hint.map(|hint| view! { <p class="hint" id=hint_id>{hint}</p> })}
        </div>
    }
}

/// What a role is called.
pub fn role_label(role: Role) -> &'static str {
    match role {
        Role::Viewer => "Viewer",
        Role::Reviewer => "Reviewer",
        Role::Admin => "Admin",
    }
}

/// What a role may do.
pub fn role_hint(role: Role) -> &'static str {
    match role {
        Role::Viewer => "Reads the inbox and the history. Decides nothing.",
        Role::Reviewer => "Reads and decides.",
        Role::Admin => "Reads and decides, and manages keys, channels and people.",
    }
}
