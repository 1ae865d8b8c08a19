//! Routes.
use leptos::prelude::*;
/// The whole application.
#[component]
pub fn App() -> impl IntoView {}
