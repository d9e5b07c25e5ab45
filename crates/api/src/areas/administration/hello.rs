use crate::Result;
use crate::cx::PublicCx;
use crate::reply::Bare;

pub(super) async fn hello(_: PublicCx) -> Result<Bare<&'static str>> {
    Ok(Bare("Hi!"))
}
