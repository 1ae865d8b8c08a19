//! How long an answer of the server is waited for. A link that broke without a word would otherwise keep a page waiting
//! for as long as its browser likes.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use leptos::prelude::*;
use web_sys::js_sys::Promise;
use web_sys::js_sys::futures::JsFuture;

/// What was not answered within this time, in milliseconds, is taken for lost.
const PATIENCE_MS: i32 = 15_000;

/// What comes of a work, or none if it takes too long; it is dropped then.
pub async fn in_time<T>(work: impl Future<Output = T>) -> Option<T> {
    let timer = Promise::new(&mut |done, _| {
        _ = window().set_timeout_with_callback_and_timeout_and_arguments_0(&done, PATIENCE_MS);
    });
    let (mut work, mut timer) = (pin!(work), pin!(JsFuture::from(timer)));
    poll_fn(|context| match work.as_mut().poll(context) {
        Poll::Ready(done) => Poll::Ready(Some(done)),
        Poll::Pending => timer.as_mut().poll(context).map(|_| None),
    })
    .await
}
