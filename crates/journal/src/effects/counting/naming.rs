//! How events name what they are about.

use domain::key::CountSessionKey;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Result;
use crate::effects::warehouse::places::missing;
use crate::event::{Lockable, Locks, agree};

/// The session that an event names, by one of these members.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
pub(crate) struct SessionName {
    /// The counting session.
    count_session_key: Option<CountSessionKey>,
    /// Another name of `count_session_key`; one of them is enough.
    session_key: Option<CountSessionKey>,
    /// Another name of `count_session_key`; one of them is enough.
    inventory_count_session_key: Option<CountSessionKey>,
}

/// The members by which a bulk locks the sessions that its rows name.
pub(crate) const SESSION_LOCKS: Locks = &[
    (COUNT_SESSION_KEY, Lockable::CountSession),
    ("session_key", Lockable::CountSession),
    ("inventory_count_session_key", Lockable::CountSession),
];

pub(crate) const COUNT_SESSION_KEY: &str = "count_session_key";

impl SessionName {
    /// The member that names it, and its key.
    pub(crate) fn key(self) -> Result<(&'static str, CountSessionKey)> {
        let mut sent = [
            (COUNT_SESSION_KEY, self.count_session_key),
            ("session_key", self.session_key),
            ("inventory_count_session_key", self.inventory_count_session_key),
        ]
        .into_iter()
        .filter_map(|(member, key)| Some((member, key?)));
        let (member, key) = sent.next().ok_or_else(|| missing(COUNT_SESSION_KEY))?;
        for (other, repeated) in sent {
            agree(other, Some(repeated), Some(key))?;
        }
        Ok((member, key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: CountSessionKey = CountSessionKey(7);

    fn name(first: Option<i64>, second: Option<i64>, third: Option<i64>) -> SessionName {
        SessionName {
            count_session_key: first.map(CountSessionKey),
            session_key: second.map(CountSessionKey),
            inventory_count_session_key: third.map(CountSessionKey),
        }
    }

    #[test]
    fn any_of_the_names_will_do_and_several_have_to_agree() {
        assert_eq!(name(Some(7), None, None).key().ok(), Some((COUNT_SESSION_KEY, KEY)));
        assert_eq!(name(None, Some(7), None).key().ok(), Some(("session_key", KEY)));
        assert_eq!(name(None, None, Some(7)).key().ok(), Some(("inventory_count_session_key", KEY)));
        assert_eq!(name(Some(7), Some(7), Some(7)).key().ok(), Some((COUNT_SESSION_KEY, KEY)));
        assert!(name(Some(7), Some(8), None).key().is_err());
        assert!(name(None, None, None).key().is_err());
    }
}
