//! How far the decision's way to the agent's address has come.

use leptos::prelude::*;

use crate::wire::card::DeliveryView;

/// A callback, and a button to send it again where that makes sense.
#[component]
pub fn Delivery(
    /// How it stands.
    delivery: DeliveryView,
    /// The action.
    id: String,
) -> impl IntoView {
    let again = delivery.can_repeat.then(|| {
        view! {
            <form method="post" action="/rpc/replay_callback">
                <input type="hidden" name="id" value=id />
                <button class="button" type="submit">
                    "Send again"
                </button>
            </form>
        }
    });
    view! {
        <section class="delivery" aria-label="Callback" data-delivery=delivery.state>
            <p>{delivery.sentence}</p>
            {again}
        </section>
    }
}
