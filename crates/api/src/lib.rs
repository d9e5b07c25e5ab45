//! The operations of the service, area by area: one declaration each, from which routes, rights, validation and the OpenAPI
//! document are derived.

pub mod areas;
pub mod catalogue;

pub use areas::{router, router_of};
// Everything all operations share, under the same names.
pub use kernel::{
    ApiError, App, Clock, Result, Settings, app, auth, chunked, clock, coding, cx, download, error, export, feed,
    fixed, import, input, memory, new_request_id, openapi, operation, prove, random, receive, reply, request, scope,
    seldom, stream, trail,
};
