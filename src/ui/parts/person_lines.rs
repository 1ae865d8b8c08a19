//! The lines of a form about a person: what an account is made from, and what its owner changes later.

use leptos::prelude::*;

use super::line::{Line, LineKind};
use super::refused::Again;

/// What a new account is made from.
#[component]
pub fn NewPerson(
    /// The address that the account gets, if that is settled.
    #[prop(optional_no_strip)]
    email: Option<String>,
    /// The form's second beginning.
    again: Again,
) -> impl IntoView {
    let is_given = email.is_some();
    let given = if is_given { "The invitation is for this address." } else { "" };
    view! {
        <NameLine label="Your name" focus=!again.is_refused() again=again.clone() />
        <Line
            name="email"
            label="E-mail"
            kind=LineKind::Email
            value=email.unwrap_or_default()
            hint=given
            readonly=is_given
            autocomplete="username"
            required=true
            again=again.clone()
        />
        <PasswordLine label="Password" hint="At least 10 characters." again=again />
    }
}

/// What somebody is called.
#[component]
pub fn NameLine(
    /// What it is.
    label: &'static str,
    /// What it begins with, unless something was typed.
    #[prop(optional)]
    value: String,
    /// Whether the page begins here.
    #[prop(optional)]
    focus: bool,
    /// The form's second beginning.
    again: Again,
) -> impl IntoView {
    view! {
        <Line
            name="name"
            label=label
            value=value
            hint="Agents and the history see it beside your decisions."
            autocomplete="name"
            maxlength=100
            required=true
            focus=focus
            again=again
        />
    }
}

/// A password to be.
#[component]
pub fn PasswordLine(
    /// What it is.
    label: &'static str,
    /// What makes it one.
    hint: &'static str,
    /// The form's second beginning.
    again: Again,
) -> impl IntoView {
    view! {
        <Line
            name="password"
            label=label
            kind=LineKind::Password
            hint=hint
            autocomplete="new-password"
            minlength=10
            maxlength=200
            required=true
            again=again
        />
    }
}
