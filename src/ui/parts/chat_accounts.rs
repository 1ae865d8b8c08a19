//! The accounts on chat platforms that stand for a person, and how to link one.

use leptos::prelude::*;

use super::entries::{Entries, Entry};
use super::secret::Secret;
use super::settings_section::Section;
use super::time::Time;
use crate::wire::channels::ChatView;

/// The accounts.
#[component]
pub fn ChatAccounts(
    /// In the order in which they were linked.
    chats: Vec<ChatView>,
    /// A code that was made just before.
    code: Option<String>,
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
        view! {
            <Secret title="Your code".to_owned() text=format!("/link {code}")>
                "Send this to the bot in a private chat within 10 minutes. The bot answers with your name, and your account stands here then."
            </Secret>
        }
    });
    view! {
        <Section
            id="chats"
            title="Chat accounts"
            lead="With a linked Telegram account you decide from the chat, as you would here."
        >
            {code}
            <Entries label="Chat accounts">{rows}</Entries>
            <form class="form" method="post" action="/rpc/make_chat_code">
                <button class="button" type="submit">
                    "Link a Telegram account"
                </button>
            </form>
        </Section>
    }
}
