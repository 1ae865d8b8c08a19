//! Everybody of a project, and what an administrator can change about them.

use leptos::prelude::*;

use super::choice::{role_hint, role_label};
use super::entries::{Entries, Entry, Fold};
use super::time::Time;
use crate::domain::role::Role;
use crate::wire::people::PersonView;

/// The people.
#[component]
pub fn PersonList(
    /// In the order in which they are shown.
    people: Vec<PersonView>,
) -> impl IntoView {
    let rows = people.into_iter().map(|person| view! { <Row person=person /> }).collect_view();
    view! { <Entries label="People">{rows}</Entries> }
}

#[component]
fn Row(person: PersonView) -> impl IntoView {
    let PersonView { id, name, email, role, is_me, joined, seen, disabled } = person;
    let is_over = disabled.is_some();
    let title = view! {
        {name.clone()}
        {is_me.then(|| view! { " "<span class="tag">"You"</span> })}
    }
    .into_any();
    let seen = match seen {
        Some(seen) => view! { <span>"last seen " <Time moment=seen /></span> }.into_any(),
        None => view! { <span>"has not signed in yet"</span> }.into_any(),
    };
    let facts = view! {
        <span>{email}</span>
        <span>"joined " <Time moment=joined /></span>
        {seen}
        {disabled.map(|at| view! { <span>"disabled " <Time moment=at /></span> })}
    }
    .into_any();
    let side = view! { <span class="entry-word">{role_label(role)}</span> }.into_any();
    let inside = match (is_me, is_over) {
        (true, _) => None,
        (false, true) => Some(view! { <Enable id=id name=name /> }.into_any()),
        (false, false) => Some(view! { <Change id=id name=name role=role /> }.into_any()),
    };
    view! {
        <Entry name=title facts=facts side=side is_over=is_over>
            {inside}
        </Entry>
    }
}

#[component]
fn Change(id: String, name: String, role: Role) -> impl IntoView {
    let select_id = format!("role-{id}");
    let roles = Role::ALL
        .into_iter()
        .map(|each| {
            let label = format!("{}. {}", role_label(each), role_hint(each));
            view! { <option value=each.as_str() selected=each == role>{label}</option> }
        })
        .collect_view();
    view! {
        <Fold summary="Change role or disable" of=name.clone()>
            <form class="entry-form" method="post" action="/rpc/change_role">
                <input type="hidden" name="id" value=id.clone() />
                <div class="field">
                    <label for=select_id.clone()>"Role of " {name.clone()}</label>
                    <select id=select_id name="role">
                        {roles}
                    </select>
                </div>
                <button class="button" type="submit">
                    "Save role"
                </button>
            </form>
            <form class="entry-form" method="post" action="/rpc/disable_account">
                <input type="hidden" name="id" value=id />
                <p>
                    {name.clone()}
                    " is signed out everywhere at once and can't sign in. What they decided stays in the history."
                </p>
                <button class="button button--no" type="submit">
                    "Disable " {name}
                </button>
            </form>
        </Fold>
    }
}

#[component]
fn Enable(id: String, name: String) -> impl IntoView {
    view! {
        <form class="entry-form" method="post" action="/rpc/enable_account">
            <input type="hidden" name="id" value=id />
            <button class="button" type="submit">
                "Enable " {name}
            </button>
        </form>
    }
}
