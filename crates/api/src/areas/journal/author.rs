use journal::Author;

use crate::cx::Cx;

/// Who is behind what this request makes happen.
pub(crate) fn author(cx: &Cx) -> Author {
    let caller = &cx.caller;
    Author {
        user_key: caller.user_key.clone(),
        user_session_key: caller.session_key,
        supervisor: caller.rights.contains(crate::scope!("production:job:update")),
        planner: caller.rights.contains(crate::scope!("production:work-order:update")),
    }
}
