//! The form that makes a key.

use leptos::prelude::*;

use super::choice::Choice;
use super::form::Form;
use super::line::Line;
use super::refused::{Again, FieldState};
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
pub fn KeyForm(
    /// Its second beginning.
    again: Again,
) -> impl IntoView {
    let state = again.field("scopes", "scopes", None);
    let scopes = SCOPES
        .into_iter()
        .map(|(scope, label, hint)| {
            let is_usual = scope == Scope::Actions;
            let is_ticked = again.is_ticked(scope.as_str(), "on", is_usual);
            let state = if is_usual { state.clone() } else { FieldState::default() };
            view! {
                <Choice kind="checkbox" name=scope.as_str() value="on" label=label hint=hint checked=is_ticked state=state />
            }
        })
        .collect_view();
    let chosen = again.text("days", String::new());
    let lifetimes = LIFETIMES
        .into_iter()
        .map(|(days, words)| view! { <option value=days selected=days == chosen>{words}</option> })
        .collect_view();
    let lasts = again.field("days", "days", None);
    view! {
        <Form action="/rpc/create_key" button="Make a key" is_main=true autocomplete="off" again=again.clone()>
            <Line
                name="name"
                label="Name"
                hint="Cards and the history show it as the agent's name."
                maxlength=100
                required=true
                again=again
            />
            <fieldset class="choices">
                <legend>"Scopes"</legend>
                {state.below()}
                {scopes}
            </fieldset>
            <div class="field">
                <label for="days">"Lasts"</label>
                <select id="days" name="days" autofocus=lasts.is_wrong() aria-invalid=lasts.invalid() aria-describedby=lasts.described_by()>
                    {lifetimes}
                </select>
                {lasts.below()}
            </div>
        </Form>
    }
}
