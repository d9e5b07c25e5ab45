pub mod links;
pub mod search;
pub mod serials;
pub mod tree;
pub mod work;
