//! Files that were entered for a batch become files of its units.

use domain::key::{FileKey, SerialKey};
use store::attachments::files::{self, Folder, Share};
use store::production::batches::Batch;

use super::values::Entered;
use crate::Result;
use crate::act::Act;
use crate::effects::attached::{names_in, step_folder};

/// Each unit gets records of its own for the files that the values name; the bytes are shared.
pub(super) async fn share(
    act: &mut Act<'_>,
    batch: &Batch,
    entered: &[Entered<'_>],
    units: &[SerialKey],
) -> Result<()> {
    for step in entered {
        for field in step.values {
            let names = names_in(&field.value);
            if names.is_empty() {
                continue;
            }
            let (custom, own) = (&field.custom_field_key, &field.form_field_key);
            let from = step_folder(batch.work_order_key, batch.key, step.step_key, custom, own);
            let found = files::named(act.tx, &from, &names).await?;
            let mut shares = Vec::with_capacity(found.len() * units.len());
            for file in found {
                for unit in units {
                    let key = FileKey(act.new_id()?);
                    shares.push(Share { file: file.key, key, object_key: unit.to_string() });
                }
            }
            let into =
                Folder { bucket: "serial", object_key: String::new(), subfolder: field.form_field_key.to_string() };
            files::share_into(act.tx, &into, &shares).await?;
        }
    }
    Ok(())
}
