//! What somebody with bad intent, or with bad luck, could try.

mod accounts;
mod held_open;
