use crate::Result;
use crate::cx::Open;
use crate::reply::Bare;

pub(super) async fn hello(_: Open) -> Result<Bare<&'static str>> {
    Ok(Bare("Hi!"))
}
