use journal::Author;

use crate::cx::Cx;

/// Who is behind what this request makes happen.
pub(crate) fn author(cx: &Cx) -> Author {
    let caller = &cx.caller;
    Author::new(caller.user_key.clone(), caller.session_key, caller.rights)
}
