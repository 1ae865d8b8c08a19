//! The channels that people are told through, for the project's administrators.
//!
//! The address says which sort is being set up (`?new=telegram`), and what came of the last form (`?done=`, `?refused=`).

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;

use crate::domain::channel::ChannelKind;
use crate::rpc::channels::load_channels;
use crate::rpc::people::load_admins;
use crate::ui::parts::channel_form::{ChannelKinds, NewChannel};
use crate::ui::parts::channel_list::ChannelList;
use crate::ui::parts::forbidden::forbidden;
use crate::ui::parts::notice::Notice;
use crate::ui::parts::problem::problem;
use crate::ui::parts::refused::{Again, Refused};
use crate::ui::parts::settings_section::Section;
use crate::wire::channels::ChannelsView;
use crate::wire::error::UiError;
use crate::wire::typed::Typed;

/// The channels.
#[component]
pub fn ChannelsPage() -> impl IntoView {
    let query = use_query_map();
    let refused = Refused::read();
    view! {
        <Title text="Channels" />
        <Suspense>
            {let refused = refused.clone();
            Suspend::new(async move {
                let (done, kind) = query
                    .with_untracked(|query| {
                        (
                            query.get_str("done").and_then(done_sentence),
                            query.get_str("new").and_then(ChannelKind::from_text),
                        )
                    });
                match load_channels().await {
                    Err(UiError::Forbidden) => {
                        forbidden("see and change the channels", &load_admins().await.unwrap_or_default())
                    }
                    Err(error) => problem(&error),
                    Ok(channels) => {
                        view! { <Channels channels=channels done=done refused=refused kind=kind /> }.into_any()
                    }
                }
            })}
        </Suspense>
    }
}

fn done_sentence(word: &str) -> Option<&'static str> {
    Some(match word {
        "made" => "The channel is made. Send a test message to see whether it works.",
        "saved" => "The channel is saved. What failed before is forgotten.",
        "paused" => {
            "The channel is paused: it is told nothing new, nobody decides from it, and its messages are still kept true."
        }
        "resumed" => "The channel is resumed. What came while it was paused is in the inbox only.",
        "deleted" => "The channel is deleted, with its secrets.",
        _ => return None,
    })
}

/// Whether it was typed into the form of a new channel of this sort: that of one that is there names its sort, too.
fn is_new(typed: &Typed, kind: ChannelKind) -> bool {
    typed.text("id").is_none() && typed.text("kind") == Some(kind.as_str())
}

#[component]
fn Channels(
    channels: ChannelsView,
    done: Option<&'static str>,
    refused: Refused,
    kind: Option<ChannelKind>,
) -> impl IntoView {
    let ChannelsView { channels, tested } = channels;
    let making = match kind {
        Some(kind) => refused.of(|typed| is_new(typed, kind)).with_settings(kind),
        None => Again::default(),
    };
    let changing: Vec<Again> = channels
        .iter()
        .map(|channel| {
            let is_its =
                |typed: &Typed| typed.text("id") == Some(&channel.id) && typed.text("name").is_some();
            refused.of(is_its).with_settings(channel.kind)
        })
        .collect();
    let forms: Vec<&Again> = changing.iter().chain([&making]).collect();
    let refusal = refused.of_none(&forms);
    let others: Vec<(String, String)> =
        channels.iter().map(|channel| (channel.id.clone(), channel.name.clone())).collect();
    let new = match kind {
        Some(kind) => view! { <NewChannel kind=kind others=others again=making /> }.into_any(),
        None => view! { <ChannelKinds /> }.into_any(),
    };
    view! {
        <div class="page settings" data-shape="channels">
            <h1>"Channels"</h1>
            <Notice done=done refusal=refusal />
            <Section
                id="channels"
                title="Where people are told"
                lead="Besides the inbox, as soon as something waits."
            >
                <ChannelList channels=channels tested=tested changing=changing />
            </Section>
            <Section id="new" title="New channel" lead="Each takes a few minutes. What is secret is encrypted before it is stored.">
                {new}
            </Section>
        </div>
    }
}
