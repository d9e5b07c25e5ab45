//! The forms of issues and tasks: what their types ask for, and the values that are entered.

use std::collections::{BTreeSet, HashMap};

use domain::collaboration::{FieldTexts, MissingField, missing_fields};
use domain::form::{Choices, FieldKind, FieldValue, Form, FormField, SentValue, merge};
use domain::key::{FieldKey, FormFieldKey, IssueKey, TaskKey};
use store::Tx;
use store::attachments::files::Folder;
use store::quality::{fields, lists};

use crate::Result;
use crate::act::Act;
use crate::effects::attached::{Digests, issue_folder, task_folder};
use crate::effects::production::sheet::wrong_values;

/// A form, with what is known of its custom fields.
pub(crate) struct KnownForm {
    pub(crate) fields: Vec<FormField>,
    /// Also of custom fields that only have values.
    pub(crate) kinds: HashMap<FieldKey, FieldKind>,
    pub(crate) texts: HashMap<FieldKey, FieldTexts>,
}

/// Whose form it is, and whose files its values name.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Owner {
    Issue(IssueKey),
    Task(TaskKey),
}

impl Owner {
    fn folder(self, field: &FormFieldKey) -> Folder {
        match self {
            Self::Issue(key) => issue_folder(key, field),
            Self::Task(key) => task_folder(key, field),
        }
    }
}

/// The types of the custom fields that these values are of.
pub(crate) async fn kinds_of(tx: &mut Tx, values: &[FieldValue]) -> Result<HashMap<FieldKey, FieldKind>> {
    let keys: BTreeSet<String> = values.iter().map(|value| value.custom_field_key.to_string()).collect();
    if keys.is_empty() {
        return Ok(HashMap::new());
    }
    Ok(fields::kinds(tx, &keys.into_iter().collect::<Vec<_>>()).await?)
}

impl KnownForm {
    /// A form with these fields, for a record that has these values.
    pub(crate) async fn load(tx: &mut Tx, form: Vec<FormField>, values: &[FieldValue]) -> Result<Self> {
        let own = form.iter().map(|field| &field.custom_field_key);
        let keys: BTreeSet<String> =
            own.chain(values.iter().map(|value| &value.custom_field_key)).map(ToString::to_string).collect();
        let (mut kinds, mut texts) = (HashMap::new(), HashMap::new());
        let found = if keys.is_empty() {
            Vec::new()
        } else {
            fields::find_all(tx, &keys.into_iter().collect::<Vec<_>>()).await?
        };
        for field in found {
            kinds.insert(field.key.clone(), field.kind);
            let label = field.default_label.unwrap_or(field.name);
            texts.insert(field.key, FieldTexts { label, hint: field.default_hint });
        }
        Ok(Self { fields: form, kinds, texts })
    }

    pub(crate) fn form(&self) -> Form<'_> {
        Form { fields: &self.fields, kinds: &self.kinds }
    }

    /// The list values that these values and the defaults of the form name.
    pub(crate) async fn choices(&self, tx: &mut Tx, sent: &[SentValue]) -> Result<Choices> {
        let named: Vec<String> = self.form().list_values(sent).iter().map(ToString::to_string).collect();
        Ok(if named.is_empty() { Choices::default() } else { lists::choices(tx, named).await? })
    }

    /// Values as they are stored, with the digests of the files that they name; all faults at once.
    pub(crate) async fn check(
        &self,
        act: &mut Act<'_>,
        owner: Owner,
        sent: &[SentValue],
        choices: &Choices,
    ) -> Result<Vec<FieldValue>> {
        let mut values = self.form().check(sent, choices).map_err(wrong_values)?;
        let mut digests = Digests::default();
        for value in &values {
            digests.load(act, &value.form_field_key, &value.value, || owner.folder(&value.form_field_key)).await?;
        }
        values.iter_mut().for_each(|value| digests.add_to(&value.form_field_key, &mut value.value));
        Ok(values)
    }

    /// What a record has entered with these: its old values, those that are sent, and the defaults of hidden fields.
    pub(crate) async fn merged(
        &self,
        act: &mut Act<'_>,
        owner: Owner,
        old: Vec<FieldValue>,
        sent: &[SentValue],
    ) -> Result<Vec<FieldValue>> {
        let choices = self.choices(act.tx, sent).await?;
        let new = self.check(act, owner, sent, &choices).await?;
        Ok(self.form().with_hidden_defaults(merge(old, new), &choices))
    }

    /// The mandatory fields that these values do not fill.
    pub(crate) fn missing(&self, values: &[FieldValue]) -> Vec<MissingField> {
        missing_fields(&self.form(), values, |field| self.label(field))
    }

    /// What people read beside a field.
    fn label(&self, field: &FormField) -> Option<String> {
        let otherwise = || self.texts.get(&field.custom_field_key).map(|texts| texts.label.clone());
        field.label.clone().or_else(otherwise)
    }
}
