use domain::Timestamp;
use journal::{Act, Author};
use store::Tx;

use crate::Result;
use crate::cx::Cx;

/// A request that makes events.
pub(crate) trait Acting {
    /// The author of its events.
    fn author(&self) -> Author;
    /// Begins an act. [`Act::store`] stores its events, as the very last step.
    fn act<'a>(&'a self, tx: &'a mut Tx, now: Timestamp) -> impl Future<Output = Result<Act<'a>>> + Send;
}

impl Acting for Cx {
    fn author(&self) -> Author {
        let author = Author::new(self.caller.user_key.clone(), self.caller.session_key, self.caller.rights);
        Author { admin: self.caller.has_coarse("admin"), ..author }
    }

    async fn act<'a>(&'a self, tx: &'a mut Tx, now: Timestamp) -> Result<Act<'a>> {
        Ok(Act::begin(tx, &self.node, self.author(), now).await?)
    }
}
