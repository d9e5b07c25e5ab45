//! Serials: units that are traced one by one, and what they are made of.

mod code;
pub mod evidence;
pub mod history;
mod link;
mod range;
mod record;
mod state;
mod tree;
mod value;
mod way;

pub use code::{CODE_CHARS, MOST_SERIALS, code_of};
pub use link::{Link, Parent};
pub use range::{BadRange, codes_of_range};
pub use record::Serial;
pub use state::{SerialState, Standing};
pub use tree::{Need, ReferenceBom, TreeChild, TreeLink, order_children};
pub use value::SerialValue;
pub use way::way_up;
