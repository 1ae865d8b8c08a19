//! Propose, find and wait, decide, run.

mod decide;
mod propose;
mod read;
mod run;
mod stream;

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::domain::ids::ActionId;
use crate::server::error::ServiceError;
use crate::server::http::HttpState;
use crate::server::http::problem::Problem;
use crate::server::service::Viewed;
use crate::server::view::api;
use crate::wire::v1;

pub(super) fn router() -> OpenApiRouter<HttpState> {
    OpenApiRouter::new()
        .routes(routes!(propose::create, read::list))
        .routes(routes!(decide::decide_many))
        .routes(routes!(read::read))
        .routes(routes!(stream::events))
        .routes(routes!(decide::decide))
        .routes(routes!(run::claim))
        .routes(routes!(run::cancel))
        .routes(routes!(run::report))
        .routes(routes!(run::replay))
}

/// The id in the path. What is no id, or no text, names nothing, as an unknown id does.
pub(super) struct InPath(pub(super) ActionId);

impl<S: Sync + Send> FromRequestParts<S> for InPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let text = Path::<String>::from_request_parts(parts, state).await;
        let id = text.ok().and_then(|Path(text)| text.parse().ok());
        id.map(Self).ok_or_else(|| ServiceError::NotFound.into())
    }
}

fn show(state: &HttpState, viewed: Viewed) -> v1::Action {
    api::action(viewed, state.services.public_url(), state.services.clock().now())
}
