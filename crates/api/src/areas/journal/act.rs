use domain::Timestamp;
use journal::{Act, Author};
use store::Tx;

use crate::Result;
use crate::cx::Cx;

impl Cx {
    /// Who is behind what this request makes happen.
    pub(crate) fn author(&self) -> Author {
        Author::new(self.caller.user_key.clone(), self.caller.session_key, self.caller.rights)
    }

    /// Something happens because of this request. Its events are stored by [`Act::store`], last of all.
    pub(crate) async fn act<'a>(&'a self, tx: &'a mut Tx, now: Timestamp) -> Result<Act<'a>> {
        Ok(Act::begin(tx, &self.node, self.author(), now).await?)
    }
}
