//! The form that makes a key.

use leptos::prelude::*;

use super::choice::Choice;
use crate::domain::scope::Scope;

/// The scopes that a person can give, with what they allow.
const SCOPES: [(Scope, &str, &str); 4] = [
    (
        Scope::Actions,
        "actions",
        "Propose, wait for the answer, claim and report. All that an agent needs, and all that it should have.",
    ),
    (
        Scope::Decide,
        "decide",
        "Read and decide, for a program that stands in for people. Never for an agent.",
    ),
    (Scope::Audit, "audit", "Read the history and export it."),
    (Scope::Admin, "admin", "Everything, keys and settings included. For the scripts of whoever runs this."),
];

/// How long a key can last: days, and words.
const LIFETIMES: [(&str, &str); 5] =
    [("", "Until it is revoked"), ("7", "7 days"), ("30", "30 days"), ("90", "90 days"), ("365", "1 year")];

/// Name, scopes and end.
#[component]
pub fn KeyForm() -> impl IntoView {
    let scopes = SCOPES
        .into_iter()
        .map(|(scope, label, hint)| {
            let is_usual = scope == Scope::Actions;
            view! {
                <Choice kind="checkbox" name=scope.as_str() value="on" label=label hint=hint checked=is_usual />
            }
        })
        .collect_view();
    let lifetimes = LIFETIMES
        .into_iter()
        .map(|(days, words)| view! { <option value=days>{words}</option> })
        .collect_view();
    view! {
        <form class="form" method="post" action="/rpc/create_key" autocomplete="off">
            <div class="field">
                <label for="name">"Name"</label>
                <input type="text" id="name" name="name" maxlength="100" required aria-describedby="name-hint" />
                <p class="hint" id="name-hint">
                    "Cards and the history show it as the agent's name."
                </p>
            </div>
            <fieldset class="choices">
                <legend>"Scopes"</legend>
                {scopes}
            </fieldset>
            <div class="field">
                <label for="days">"Lasts"</label>
                <select id="days" name="days">
                    {lifetimes}
                </select>
            </div>
            <button class="button button--primary" type="submit">
                "Make a key"
            </button>
        </form>
    }
}
