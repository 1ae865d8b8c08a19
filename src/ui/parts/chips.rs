//! What a list is filtered by, each part with a way to take it off.

use leptos::prelude::*;

use super::icons::{self, Icon};

/// One part of a filter.
pub struct Chip {
    /// Which part: `Kind`.
    pub name: &'static str,
    /// What it is set to.
    pub value: String,
    /// The list without it.
    pub without: String,
}

impl Chip {
    /// A chip for a part that is set.
    pub fn of(name: &'static str, value: Option<&String>, without: impl FnOnce() -> String) -> Option<Self> {
        value.map(|value| Self { name, value: value.clone(), without: without() })
    }
}

/// The chips; nothing if there are none.
#[component]
pub fn Chips(
    /// What is set.
    chips: Vec<Chip>,
) -> impl IntoView {
    let items = chips
        .into_iter()
        .map(|Chip { name, value, without }| {
            let label = format!("Remove the filter {name}: {value}");
            view! {
                <li>
                    <a class="chip" href=without rel="external" aria-label=label>
                        {name}
                        ": "
                        <strong>{value}</strong>
                        <Icon path=icons::CROSS />
                    </a>
                </li>
            }
        })
        .collect::<Vec<_>>();
    (!items.is_empty()).then(|| view! { <ul class="chips" aria-label="Filtered by">{items}</ul> })
}
