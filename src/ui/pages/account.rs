//! One's own account: name, password, how the pages are, and where one is signed in.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;

use crate::rpc::account::load_account;
use crate::ui::parts::chat_accounts::ChatAccounts;
use crate::ui::parts::choice::{role_hint, role_label};
use crate::ui::parts::form::Form;
use crate::ui::parts::line::{Line, LineKind};
use crate::ui::parts::notice::Notice;
use crate::ui::parts::notice_choices::NoticeChoices;
use crate::ui::parts::person_lines::{NameLine, PasswordLine};
use crate::ui::parts::preferences_form::PreferencesForm;
use crate::ui::parts::problem::problem;
use crate::ui::parts::push_devices::PushDevices;
use crate::ui::parts::refused::{Again, Refused};
use crate::ui::parts::session_list::SessionList;
use crate::ui::parts::settings_section::Section;
use crate::wire::account::AccountView;

/// The account.
#[component]
pub fn AccountPage() -> impl IntoView {
    let query = use_query_map();
    let refused = Refused::read();
    view! {
        <Title text="Account" />
        <Suspense>
            {let refused = refused.clone();
            Suspend::new(async move {
                let done = query.with_untracked(|query| query.get_str("done").and_then(done_sentence));
                match load_account().await {
                    Err(error) => problem(&error),
                    Ok(account) => view! { <Account account=account done=done refused=refused /> }.into_any(),
                }
            })}
        </Suspense>
    }
}

fn done_sentence(word: &str) -> Option<&'static str> {
    Some(match word {
        "name" => "Your name is saved. What you decided before keeps the name you had.",
        "password" => "Your password is changed, and every other session is signed out.",
        "preferences" => "Your preferences are saved.",
        "session" => "That session is signed out.",
        "unlinked" => "That chat account stands for you no more, and decides nothing.",
        "device" => "This device is told from now on.",
        "device-saved" => "The device shows what you chose from now on.",
        "device-tested" => "The push service took the test. The device shows it within seconds, if it is on.",
        "device-removed" => "That device is told nothing any more.",
        "sessions" => "Every other session is signed out.",
        _ => return None,
    })
}

#[component]
fn Account(account: AccountView, done: Option<&'static str>, refused: Refused) -> impl IntoView {
    let renaming = refused.of(|typed| typed.text("name").is_some());
    let choosing = refused.of(|typed| typed.text("theme").is_some());
    let changing = refused.of(|typed| typed.text("username").is_some());
    let refusal = refused.of_none(&[&renaming, &choosing, &changing]);
    let (name, email, project, role) =
        (account.name.clone(), account.email.clone(), account.project.clone(), account.role);
    let (chats, linkable, code) = (account.chats.clone(), account.linkable.clone(), account.code.clone());
    let push = account.push.clone();
    let (sessions, username) = (account.sessions.clone(), email.clone());
    view! {
        <div class="page settings" data-shape="account">
            <h1>"Account"</h1>
            <Notice done=done refusal=refusal />
            <Section id="you" title="You">
                <dl class="pairs">
                    <dt>"E-mail"</dt>
                    <dd>{email}</dd>
                    <dt>"Role"</dt>
                    <dd>
                        <strong>{role_label(role)}</strong>
                        " in "
                        {project}
                        ". "
                        {role_hint(role)}
                    </dd>
                </dl>
                <Form action="/rpc/rename_account" button="Save name" again=renaming.clone()>
                    <NameLine label="Name" value=name again=renaming />
                </Form>
            </Section>
            <Section id="preferences" title="Preferences" lead="They follow you to every browser that you sign in with.">
                <PreferencesForm account=account again=choosing />
            </Section>
            <Section
                id="notices"
                title="Notices"
                lead="For this browser alone, while a tab of the inbox is open and you are elsewhere."
            >
                <NoticeChoices />
            </Section>
            {push.map(|push| view! { <PushDevices push=push /> })}
            <Section id="password-change" title="Password" lead="A new one signs you out everywhere else.">
                <PasswordForm email=username again=changing />
            </Section>
            {(!linkable.is_empty() || !chats.is_empty() || code.is_some())
                .then(|| view! { <ChatAccounts chats=chats linkable=linkable code=code /> })}
            <Section
                id="sessions"
                title="Sessions"
                lead="Where you are signed in. Sign out what you don't know, and change your password."
            >
                <SessionList sessions=sessions />
            </Section>
        </div>
    }
}

#[component]
fn PasswordForm(email: String, again: Again) -> impl IntoView {
    view! {
        <Form action="/rpc/change_password" button="Change password" again=again.clone()>
            // Tells password managers whose password it is.
            <input type="text" name="username" value=email autocomplete="username" hidden />
            <Line
                name="current"
                label="Current password"
                kind=LineKind::Password
                autocomplete="current-password"
                required=true
                again=again.clone()
            />
            <PasswordLine
                label="New password"
                hint="At least 10 characters. Several words are a good one."
                again=again
            />
        </Form>
    }
}
