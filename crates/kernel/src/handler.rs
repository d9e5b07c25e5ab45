//! Turns a plain async function into an endpoint: its signature says which parts of the request it reads and what it
//! answers.

use std::marker::PhantomData;
use std::sync::Arc;

use axum::http::StatusCode;
use axum::response::Response;
use futures_util::future::BoxFuture;
use schemars::{Schema, SchemaGenerator};

use crate::Result;
use crate::cx::{Context, PublicCx};
use crate::error::{ApiError, Unauthorized};
use crate::input::{Part, PlaceOf, Shape, Source};
use crate::reply::Answer;

/// The code of an operation, with the types of its signature erased.
pub trait Endpoint: Send + Sync {
    fn parts(&self, generator: &mut SchemaGenerator) -> Vec<(PlaceOf, Schema)>;
    fn answer(&self, generator: &mut SchemaGenerator) -> Schema;
    /// Whether its answer contains a secret.
    fn secret(&self) -> bool;
    /// The faults of a JSON body.
    fn body_faults(&self, body: &serde_json::Value) -> Vec<domain::Fault>;
    /// The media types of its answer.
    fn media_types(&self) -> &'static [&'static str];
    /// Whether its answer supports range requests.
    fn ranges(&self) -> bool;
    /// Whether its answer can tell how many records there are in all.
    fn counts(&self) -> bool;
    /// Whether its answer goes on until somebody ends it.
    fn endless(&self) -> bool;
    /// The names of the query parameters.
    fn query_names(&self) -> Arc<[String]>;
    /// The part that is read from the body, if any.
    fn body(&self) -> Option<PlaceOf>;
    /// Reads all parts, or answers with all their faults. The future is the handler itself.
    fn call(
        &self,
        public: PublicCx,
        source: &Source,
        status: StatusCode,
    ) -> Result<BoxFuture<'static, Result<Response>>>;
}

pub trait Handler<Args>: Send + Sync + 'static {
    type Context: Context;
    fn endpoint(self) -> Arc<dyn Endpoint>;
}

struct Function<F, Args> {
    function: F,
    shapes: Vec<Shape>,
    query_names: Arc<[String]>,
    signature: PhantomData<fn(Args)>,
}

macro_rules! handler {
    ($($part:ident $index:tt),*) => {
        impl<F, C, R, Fut, $($part),*> Handler<(C, $($part,)*)> for F
        where
            F: Fn(C, $($part),*) -> Fut + Clone + Send + Sync + 'static,
            C: Context,
            R: Answer,
            Fut: Future<Output = Result<R>> + Send + 'static,
            $($part: Part,)*
        {
            type Context = C;

            fn endpoint(self) -> Arc<dyn Endpoint> {
                let shapes = vec![$($part::shape()),*];
                let places: &[PlaceOf] = &[$($part::PLACE),*];
                let query = places.iter().zip(&shapes).filter(|(place, _)| **place == PlaceOf::Query);
                Arc::new(Function {
                    function: self,
                    query_names: query.flat_map(|(_, shape): (_, &Shape)| shape.members()).collect(),
                    shapes,
                    signature: PhantomData::<fn((C, $($part,)*))>,
                })
            }
        }

        impl<F, C, R, Fut, $($part),*> Endpoint for Function<F, (C, $($part,)*)>
        where
            F: Fn(C, $($part),*) -> Fut + Clone + Send + Sync + 'static,
            C: Context,
            R: Answer,
            Fut: Future<Output = Result<R>> + Send + 'static,
            $($part: Part,)*
        {
            fn parts(&self, generator: &mut SchemaGenerator) -> Vec<(PlaceOf, Schema)> {
                let _ = &generator;
                let places: Vec<Vec<(PlaceOf, Schema)>> = vec![$($part::places(generator)),*];
                places.concat()
            }

            fn answer(&self, generator: &mut SchemaGenerator) -> Schema {
                R::schema(generator)
            }

            fn secret(&self) -> bool {
                R::SECRET
            }

            fn media_types(&self) -> &'static [&'static str] {
                R::MEDIA_TYPES
            }

            fn ranges(&self) -> bool {
                R::RANGES
            }

            fn counts(&self) -> bool {
                R::COUNTS
            }

            fn endless(&self) -> bool {
                R::ENDLESS
            }

            #[allow(unused_mut, reason = "without a body nothing can be wrong with it")]
            fn body_faults(&self, body: &serde_json::Value) -> Vec<domain::Fault> {
                let mut faults = domain::fault::Faults::at("body");
                $(if $part::PLACE.media_type().is_some() {
                    self.shapes[$index].check(body, &mut faults);
                })*
                let _ = body;
                faults.into_vec()
            }

            fn query_names(&self) -> Arc<[String]> {
                self.query_names.clone()
            }

            fn body(&self) -> Option<PlaceOf> {
                let places: &[PlaceOf] = &[$($part::PLACE),*];
                places.iter().copied().find(|place| place.media_type().is_some())
            }

            #[allow(unused_variables, unused_mut, non_snake_case, reason = "a handler without parts uses none of them")]
            fn call(
                &self,
                public: PublicCx,
                source: &Source,
                status: StatusCode,
            ) -> Result<BoxFuture<'static, Result<Response>>> {
                let mut faults = source.faults.clone();
                $(let $part = $part::read(source, &self.shapes[$index], &mut faults);)*
                let cx = C::new(public).ok_or_else(|| ApiError::unauthorized(Unauthorized::Token))?;
                match ($($part,)*) {
                    ($(Some($part),)*) if faults.is_empty() => {
                        let function = self.function.clone();
                        Ok(Box::pin(async move { function(cx, $($part),*).await?.into_response(status) }))
                    }
                    #[allow(unreachable_patterns, reason = "without parts nothing can be at fault")]
                    _ => Err(ApiError::validation(faults)),
                }
            }
        }
    };
}

handler!();
handler!(A 0);
handler!(A 0, B 1);
handler!(A 0, B 1, D 2);
