use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::key::UserKey;
use crate::named;

named! {
    /// What a user has to do with a task.
    #[derive(Default)]
    pub enum TaskRole {
        /// Answers for it; every task that is assigned has exactly one.
        Owner = "owner",
        #[default]
        Participant = "participant",
    }
}

/// Somebody whom a task is assigned to.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "TaskAssignee")]
pub struct Assignee {
    /// Who.
    pub user_key: UserKey,
    /// `participant` when left out.
    #[serde(default)]
    pub role: TaskRole,
}

/// The assignment as it is stored: the owner first, then the others in the order sent. `None` if a user is in it twice, or if it
/// has some and not exactly one owner.
pub fn arranged(sent: Vec<Assignee>) -> Option<Vec<Assignee>> {
    let users: HashSet<&UserKey> = sent.iter().map(|assignee| &assignee.user_key).collect();
    let once = users.len() == sent.len();
    let (mut owners, participants): (Vec<Assignee>, Vec<Assignee>) =
        sent.into_iter().partition(|assignee| assignee.role == TaskRole::Owner);
    let fits = once && (owners.len() == 1 || (owners.is_empty() && participants.is_empty()));
    owners.extend(participants);
    fits.then_some(owners)
}

/// Those who have a task now and did not before.
pub fn newly_assigned(before: &[Assignee], after: &[Assignee]) -> Vec<UserKey> {
    let had: HashSet<&UserKey> = before.iter().map(|assignee| &assignee.user_key).collect();
    let new = after.iter().filter(|assignee| !had.contains(&assignee.user_key));
    new.map(|assignee| assignee.user_key.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn assignee(user: &str, role: TaskRole) -> Assignee {
        Assignee { user_key: UserKey::trusted(user), role }
    }

    #[test]
    fn an_assignment_has_one_owner_who_comes_first() {
        use TaskRole::{Owner, Participant};
        assert_eq!(arranged(Vec::new()), Some(Vec::new()));
        let (a, b, c) = (assignee("a", Participant), assignee("b", Owner), assignee("c", Participant));
        assert_eq!(arranged(vec![a.clone(), b.clone(), c.clone()]), Some(vec![b.clone(), a.clone(), c]));
        for bad in [
            vec![a.clone()],
            vec![b.clone(), assignee("c", Owner)],
            vec![b.clone(), a.clone(), a],
            vec![b, assignee("b", Participant)],
        ] {
            assert_eq!(arranged(bad.clone()), None, "{bad:?}");
        }
    }

    #[test]
    fn a_role_may_be_left_out() {
        let read: Assignee = serde_json::from_str(r#"{ "user_key": "a" }"#).unwrap();
        assert_eq!(read, assignee("a", TaskRole::Participant));
    }

    proptest! {
        /// Nobody is lost or added, and what is arranged stays as it is.
        #[test]
        fn arranging_keeps_everybody(users in prop::collection::vec((0..6_u8, any::<bool>()), 0..6)) {
            let role = |owner| if owner { TaskRole::Owner } else { TaskRole::Participant };
            let sent: Vec<Assignee> =
                users.iter().map(|(user, owner)| assignee(&user.to_string(), role(*owner))).collect();
            let names: HashSet<u8> = users.iter().map(|(user, _)| *user).collect();
            let owners = users.iter().filter(|(_, owner)| *owner).count();
            let fits = names.len() == users.len() && (users.is_empty() || owners == 1);
            let stored = arranged(sent.clone());
            prop_assert_eq!(stored.is_some(), fits);
            if let Some(stored) = stored {
                prop_assert!(stored.iter().all(|assignee| sent.contains(assignee)) && stored.len() == sent.len());
                prop_assert!(stored.iter().skip(1).all(|assignee| assignee.role == TaskRole::Participant));
                prop_assert_eq!(arranged(stored.clone()), Some(stored.clone()));
                prop_assert!(newly_assigned(&stored, &sent).is_empty());
                prop_assert_eq!(newly_assigned(&[], &stored).len(), stored.len());
            }
        }
    }
}
