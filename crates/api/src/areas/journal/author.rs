use journal::Author;
use store::Tx;
use store::security::sessions;

use crate::Result;
use crate::auth::TokenContext;
use crate::cx::Cx;

/// Who is behind what this request makes happen.
pub(crate) async fn author(tx: &mut Tx, cx: &Cx) -> Result<Author> {
    let caller = &cx.caller;
    let session = match caller.context {
        TokenContext::UserSession => sessions::by_token(tx, &caller.token_key).await?,
        _ => None,
    };
    Ok(Author {
        user_key: caller.user_key.clone(),
        user_session_key: session.map(|session| session.key),
        supervisor: caller.rights.contains(crate::scope!("production:job:update")),
        planner: caller.rights.contains(crate::scope!("production:work-order:update")),
    })
}
