//! Stored files: receiving them, and serving them so that nothing in them can run.

mod files;
mod folder;
mod media;
mod serve;
mod ticket;

pub(crate) use folder::{address, config_folder, product_folder, user_folder};
pub(crate) use media::{MediaRecord as Media, media_file, record as media_record};
pub(crate) use serve::routes;

use crate::operation::{Operation, Tag, delete, get, patch, post};
use crate::scope;

const TAG: Tag = Tag::Attachments;

pub fn operations() -> Vec<Operation> {
    const TARGET: &str = "No such record, or not a subfolder that it has.";
    vec![
        post("upload_files", "/files", TAG, "Store files", files::store)
            .scope(scope!("attachment:file:upload"))
            .files_at_most(files::MOST_FILES as u64)
            .describe("Stores files of a record, all or none; a file with the same name is overwritten.")
            .error(404, TARGET)
            .error(413, "A file is larger than the site allows."),
        delete("delete_files", "/files", TAG, "Delete files", files::remove)
            .scope(scope!("attachment:file:delete"))
            .describe("Deletes all named files, or none.")
            .error(404, "No such record or subfolder, or the file named in `filename` doesn't exist."),
        get("list_files", "/files", TAG, "List files", files::list)
            .scope(scope!("attachment:file:read"))
            .describe("The files of a folder by subfolder and name; a folder that doesn't exist has none.")
            .error(404, "No such record."),
        post("create_file_ticket", "/files/ticket", TAG, "Get a ticket for a file", ticket::issue)
            .scope(scope!("attachment:file:read"))
            .unaudited()
            .describe(
                "A ticket is valid for exactly one address for 90 seconds, as `?ticket=`, where no header can be sent: \
                 an image in a page, a link to open. It ends with the token it was requested with.",
            )
            .error(403, "The caller lacks the scope, for a Media address also `attachment:media:read`.")
            .error(404, "No such file."),
        post("create_media", "/media/create", TAG, "Create a media", media::create)
            .scope(scope!("attachment:media:write"))
            .describe("Stores a file that records can link to.")
            .error(413, "The file is larger than the site allows."),
        get("get_media", "/media/{media_key}", TAG, "Read a media", media::bytes)
            .scope(scope!("attachment:media:read"))
            .ticket_too()
            .describe("The bytes of the file, with ranges if requested; `?ticket=` is accepted instead of a token.")
            .error(404, "No such media."),
        patch("replace_media", "/media/{media_key}", TAG, "Replace a media", media::replace)
            .scope(scope!("attachment:media:write"))
            .describe("Replaces bytes, name and type under the same key; links stay.")
            .error(404, "No such media.")
            .error(412, "`If-Match` names another revision.")
            .error(413, "The file is larger than the site allows."),
        delete("delete_media", "/media/{media_key}", TAG, "Delete a media", media::remove)
            .scope(scope!("attachment:media:write"))
            .describe("Only a file that no record links to.")
            .error(404, "No such media.")
            .error(412, "`If-Match` names another revision.")
            .error(422, "Records link to it (`MediaInUse`); `connections` names them."),
    ]
}
