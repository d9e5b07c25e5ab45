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
    const TARGET: &str = "There is no such record, or it has no such subfolder.";
    vec![
        post("upload_files", "/files", TAG, "Store files", files::store)
            .scope(scope!("attachment:file:upload"))
            .files_at_most(files::MOST_FILES as u64)
            .describe("Stores files of a record, all or none. A file with the same name is overwritten.")
            .error(404, TARGET)
            .error(413, "A file is larger than the site allows."),
        delete("delete_files", "/files", TAG, "Delete files", files::remove)
            .scope(scope!("attachment:file:delete"))
            .describe("Deletes all named files, or none.")
            .error(404, "There is no such record or subfolder, or the file in `filename` does not exist."),
        get("list_files", "/files", TAG, "List files", files::list)
            .scope(scope!("attachment:file:read"))
            .describe("Lists the files of a folder by subfolder and name. A folder that does not exist has none.")
            .error(404, "No such record."),
        post("create_file_ticket", "/files/ticket", TAG, "Create a ticket for a file", ticket::issue)
            .scope(scope!("attachment:file:read"))
            .unaudited()
            .describe(
                "A ticket gives access to exactly one address for 90 seconds. Send it as `?ticket=` where no \
                 header can be sent, such as for an image in a page or a link. It ends with the token it was \
                 requested with.",
            )
            .error(403, "The caller lacks the scope; the address of a media file also needs `attachment:media:read`.")
            .error(404, "No such file."),
        post("create_media", "/media/create", TAG, "Create a media file", media::create)
            .scope(scope!("attachment:media:write"))
            .describe("Stores a media file: a file that several records can link to.")
            .error(413, "The file is larger than the site allows."),
        get("get_media", "/media/{media_key}", TAG, "Download a media file", media::bytes)
            .scope(scope!("attachment:media:read"))
            .ticket_too()
            .describe("Returns the bytes of the file, or a range of them. `?ticket=` is accepted instead of a token.")
            .error(404, "No such media file."),
        patch("replace_media", "/media/{media_key}", TAG, "Replace a media file", media::replace)
            .scope(scope!("attachment:media:write"))
            .describe("Replaces the content, name and type of the file. Its key and the links to it stay.")
            .error(404, "No such media file.")
            .error(412, "`If-Match` names another revision.")
            .error(413, "The file is larger than the site allows."),
        delete("delete_media", "/media/{media_key}", TAG, "Delete a media file", media::remove)
            .scope(scope!("attachment:media:write"))
            .describe("Deletes a file that no record links to.")
            .error(404, "No such media file.")
            .error(412, "`If-Match` names another revision.")
            .error(422, "Records link to the file (`MediaInUse`); `connections` names them."),
    ]
}
