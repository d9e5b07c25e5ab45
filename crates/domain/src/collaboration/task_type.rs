use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::TaskLinkType;
use crate::Timestamp;
use crate::form::FormField;
use crate::key::TaskTypeKey;

/// A kind of task: its form, and what its tasks are linked to.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskType {
    pub key: TaskTypeKey,
    pub rev: i64,
    pub name: String,
    pub description: Option<String>,
    pub icon: Option<String>,
    /// Whether new tasks can have it.
    pub active: bool,
    pub created: Timestamp,
    pub form_fields: Vec<FormField>,
    /// Whether time has to be recorded before a task is completed.
    pub require_time_entry: bool,
    /// One for each kind of record, in the order of the kinds.
    pub link_settings: Vec<LinkSetting>,
}

/// Whether tasks are linked to records of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "TaskLinkSetting")]
pub struct LinkSetting {
    #[serde(rename = "type")]
    pub kind: TaskLinkType,
    /// Whether there can be links.
    #[serde(default)]
    pub enabled: bool,
    /// Whether there can be several.
    #[serde(default)]
    pub allow_multiple: bool,
    /// Whether there has to be one before a task is completed.
    #[serde(default)]
    pub required: bool,
}

impl LinkSetting {
    /// No links of this kind.
    pub fn off(kind: TaskLinkType) -> Self {
        Self { kind, enabled: false, allow_multiple: false, required: false }
    }
}

/// A setting for every kind, in the order of the kinds: those sent, and no links for the others.
pub fn every_setting(sent: &[LinkSetting]) -> Vec<LinkSetting> {
    TaskLinkType::ALL.iter().map(|kind| setting_of(sent, *kind)).collect()
}

/// The setting for a kind.
pub fn setting_of(settings: &[LinkSetting], kind: TaskLinkType) -> LinkSetting {
    let own = settings.iter().find(|setting| setting.kind == kind);
    own.copied().unwrap_or_else(|| LinkSetting::off(kind))
}

/// The places of settings that require what they do not enable.
pub fn required_needs_enabled(sent: &[LinkSetting]) -> Vec<usize> {
    let wrong = sent.iter().enumerate().filter(|(_, setting)| setting.required && !setting.enabled);
    wrong.map(|(place, _)| place).collect()
}

/// The places of settings for a kind that has one already.
pub fn repeated_settings(sent: &[LinkSetting]) -> Vec<usize> {
    let is_repeated = |place: &usize| sent[..*place].iter().any(|before| before.kind == sent[*place].kind);
    (0..sent.len()).filter(is_repeated).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_always_a_setting_for_every_kind() {
        let sent = LinkSetting { enabled: true, required: true, ..LinkSetting::off(TaskLinkType::Serial) };
        let every = every_setting(&[sent]);
        let kinds: Vec<TaskLinkType> = every.iter().map(|setting| setting.kind).collect();
        assert_eq!(kinds, TaskLinkType::ALL);
        assert_eq!(setting_of(&every, TaskLinkType::Serial), sent);
        assert_eq!(setting_of(&every, TaskLinkType::Task), LinkSetting::off(TaskLinkType::Task));
        assert_eq!(every_setting(&every), every);
    }

    #[test]
    fn what_is_required_has_to_be_enabled() {
        let off = LinkSetting::off(TaskLinkType::Issue);
        let sent = [off, LinkSetting { required: true, ..off }, LinkSetting { enabled: true, required: true, ..off }];
        assert_eq!(required_needs_enabled(&sent), [1]);
        assert_eq!(repeated_settings(&sent), [1, 2]);
        assert!(repeated_settings(&every_setting(&[])).is_empty());
    }
}
