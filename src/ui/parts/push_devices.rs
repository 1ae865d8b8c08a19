//! The devices that a person is told on while the browser is closed. Switching one on needs its browser, so `push.js`
//! does that; the list works without.

use leptos::prelude::*;

use super::choice::Choice;
use super::entries::{Entries, Entry};
use super::settings_section::Section;
use super::time::Time;
use crate::wire::push::{DeviceView, PushView};

/// This device, and the others.
#[component]
pub fn PushDevices(
    /// The devices, and what a browser subscribes with.
    push: PushView,
) -> impl IntoView {
    let PushView { key, devices } = push;
    let offer = match key {
        Some(key) => view! { <ThisDevice key_text=key /> }.into_any(),
        None => view! {
            <p class="hint">
                "This server can't keep the key that it needs for this. Its log and impri secrets status say why."
            </p>
        }
        .into_any(),
    };
    let list = (!devices.is_empty()).then(|| {
        let rows = devices.into_iter().map(|device| view! { <Row device=device /> }).collect_view();
        view! { <Entries label="Devices">{rows}</Entries> }
    });
    view! {
        <Section
            id="devices"
            title="This device"
            lead="It tells you when an action waits, also while the browser is closed. A press on the notification opens the card."
        >
            {offer}
            {list}
        </Section>
    }
}

/// What switches this browser on; hidden until the script is there that can.
#[component]
fn ThisDevice(key_text: String) -> impl IntoView {
    view! {
        <div data-push="" data-push-key=key_text hidden>
            <p class="hint" data-push-state="" role="status"></p>
            <form class="form" method="post" action="/rpc/add_push_device">
                <input type="hidden" name="endpoint" />
                <input type="hidden" name="p256dh" />
                <input type="hidden" name="auth" />
                <Choice
                    kind="checkbox"
                    name="hides"
                    value="on"
                    label="No content on the lock screen"
                    hint="The notification says that something waits, never what."
                />
                <button class="button" type="submit">
                    "Tell me on this device"
                </button>
            </form>
        </div>
        <noscript>
            <p class="hint">"To switch it on, this needs scripts, which are off in this browser."</p>
        </noscript>
    }
}

#[component]
fn Row(device: DeviceView) -> impl IntoView {
    let DeviceView { id, name, mark, hides_content, added, told, error } = device;
    let title = view! {
        {name.clone()}
        " "
        <span class="tag" data-push-device=mark hidden>
            "This device"
        </span>
    }
    .into_any();
    let facts = view! {
        <span>"added " <Time moment=added /></span>
        {told.map(|told| view! { <span>"last told " <Time moment=told /></span> })}
        <span>{if hides_content { "shows no content" } else { "shows content" }}</span>
        {error.map(|error| view! { <span>"not told: " {error}</span> })}
    }
    .into_any();
    let (other, hides) = match hides_content {
        true => ("Show content", None),
        false => ("Show no content", Some(view! { <input type="hidden" name="hides" value="on" /> })),
    };
    let of = |what: &str| format!("{what}: {name}");
    let (test_label, other_label, remove_label) = (of("Send a test"), of(other), of("Remove"));
    view! {
        <Entry name=title facts=facts>
            <div class="entry-form">
                <div class="channel-buttons">
                <form method="post" action="/rpc/test_push_device">
                    <input type="hidden" name="id" value=id.clone() />
                    <button class="button" type="submit" aria-label=test_label>
                        "Send a test"
                    </button>
                </form>
                <form method="post" action="/rpc/save_push_device">
                    <input type="hidden" name="id" value=id.clone() />
                    {hides}
                    <button class="button" type="submit" aria-label=other_label>
                        {other}
                    </button>
                </form>
                <form method="post" action="/rpc/remove_push_device">
                    <input type="hidden" name="id" value=id />
                    <button class="button" type="submit" aria-label=remove_label>
                        "Remove"
                    </button>
                </form>
                </div>
            </div>
        </Entry>
    }
}
