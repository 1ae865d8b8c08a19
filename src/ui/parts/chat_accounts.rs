//! The accounts on chat platforms that stand for a person, and how to link one.

use leptos::prelude::*;

use super::entries::{Entries, Entry};
use super::secret::Secret;
use super::settings_section::Section;
use super::time::Time;
use crate::domain::channel::ChannelKind;
use crate::wire::account::ChatCode;
use crate::wire::channels::ChatView;

/// The accounts.
#[component]
pub fn ChatAccounts(
    /// In the order in which they were linked.
    chats: Vec<ChatView>,
    /// Platforms on which one more can be linked.
    linkable: Vec<ChannelKind>,
    /// A code that was made just before.
    code: Option<ChatCode>,
) -> impl IntoView {
    let rows = chats
        .into_iter()
        .map(|chat| {
            let ChatView { platform, label, user, name, linked } = chat;
            let facts = view! {
                <span>{label} " " {user.clone()}</span>
                <span>"linked " <Time moment=linked /></span>
            }
            .into_any();
            view! {
                <Entry name=name.clone().into_any() facts=facts>
                    <form class="entry-form" method="post" action="/rpc/unlink_chat">
                        <input type="hidden" name="platform" value=platform />
                        <input type="hidden" name="user" value=user />
                        <button class="button" type="submit">
                            "Unlink " {name}
                        </button>
                    </form>
                </Entry>
            }
        })
        .collect_view();
    let code = code.map(|code| {
        let (text, what_to_do) = code_steps(&code);
        view! {
            <Secret title="Your code".to_owned() text=text>
                {what_to_do}
            </Secret>
        }
    });
    let forms = linkable
        .into_iter()
        .map(|kind| {
            view! {
                <form class="form" method="post" action="/rpc/make_chat_code">
                    <input type="hidden" name="platform" value=kind.as_str() />
                    <button class="button" type="submit">
                        {format!("Link a {} account", kind.label())}
                    </button>
                </form>
            }
        })
        .collect_view();
    view! {
        <Section
            id="chats"
            title="Chat accounts"
            lead="With a linked account you decide from the chat, as you would here."
        >
            {code}
            <Entries label="Chat accounts">{rows}</Entries>
            {forms}
        </Section>
    }
}

/// What is copied, and what is to be done with it.
fn code_steps(code: &ChatCode) -> (String, &'static str) {
    match code.kind {
        ChannelKind::Telegram => (
            format!("/link {}", code.text),
            "Send this to the bot in a private chat within 10 minutes. The bot answers with your name, and your account \
             stands here then.",
        ),
        _ => (
            code.text.clone(),
            "Press Approve or Reject below a message of this project there. Nothing is decided: you get a button, Link my \
             account. Press it, and paste this code within 10 minutes. You are told your name then, and your account stands \
             here.",
        ),
    }
}
