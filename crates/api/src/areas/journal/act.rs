use domain::Timestamp;
use journal::{Act, Author};
use store::Tx;

use crate::Result;
use crate::cx::Cx;

/// A request that makes something happen.
pub(crate) trait Acting {
    /// Who is behind it.
    fn author(&self) -> Author;
    /// Something happens because of it. Its events are stored by [`Act::store`], last of all.
    fn act<'a>(&'a self, tx: &'a mut Tx, now: Timestamp) -> impl Future<Output = Result<Act<'a>>> + Send;
}

impl Acting for Cx {
    fn author(&self) -> Author {
        Author::new(self.caller.user_key.clone(), self.caller.session_key, self.caller.rights)
    }

    async fn act<'a>(&'a self, tx: &'a mut Tx, now: Timestamp) -> Result<Act<'a>> {
        Ok(Act::begin(tx, &self.node, self.author(), now).await?)
    }
}
