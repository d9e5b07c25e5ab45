//! One folder per area; each declares its operations and holds their handlers.

pub mod administration;
pub mod attachments;
mod codes;
pub mod collaboration;
pub mod counting;
mod filters;
pub mod journal;
pub mod notification;
pub mod organisation;
mod paths;
pub mod process;
pub mod product;
pub mod production;
pub mod quality;
pub mod security;
pub mod serial;
mod sharing;
mod sorting;
pub mod tags;
mod ticket;
pub mod trace;
pub mod warehouse;

use std::sync::{Arc, LazyLock};

use axum::Router;

use crate::app::App;
use crate::operation::Operation;

/// Everything below `/api` and `/media`, the given pages, and the fallback for every other address.
pub fn router(app: Arc<App>, pages: Router) -> Router {
    router_of(app, ALL.clone(), pages)
}

/// Like [`router`], for any list of operations.
pub fn router_of(app: Arc<App>, operations: impl Into<Arc<[Operation]>>, pages: Router) -> Router {
    let media = attachments::routes(app.clone());
    kernel::router(app, operations.into(), media.merge(pages))
}

/// Every operation of the service, area by area.
pub fn operations() -> &'static [Operation] {
    &ALL
}

/// Made once: their schemas are compiled, which takes longer than most requests.
static ALL: LazyLock<Arc<[Operation]>> = LazyLock::new(|| {
    [
        security::operations(),
        organisation::operations(),
        administration::operations(),
        tags::operations(),
        process::operations(),
        product::operations(),
        production::operations(),
        journal::operations(),
        serial::operations(),
        trace::operations(),
        warehouse::operations(),
        counting::operations(),
        notification::operations(),
        collaboration::operations(),
        quality::operations(),
        attachments::operations(),
    ]
    .into_iter()
    .flatten()
    .collect()
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trail::collection;

    /// A new kind of record in an address needs its collection; otherwise refusals would not name it.
    #[test]
    fn every_address_names_its_records() {
        for operation in operations().iter().filter(|operation| operation.audited) {
            let parameters = operation.path.split(['{', '}']).skip(1).step_by(2);
            for parameter in parameters.filter(|parameter| !["filename", "doc_name"].contains(parameter)) {
                assert!(collection(operation.path, parameter).is_some(), "{}: {parameter}", operation.path);
            }
        }
    }
}
