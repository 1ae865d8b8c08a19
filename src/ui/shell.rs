//! The HTML document around the application.
use leptos::prelude::*;
/// The whole document.
pub fn shell() -> impl IntoView {}
