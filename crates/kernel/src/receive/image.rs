//! Images of records: one each, always under the same name.

use store::attachments::files::File;

use crate::Result;
use crate::error::ApiError;

/// The types of images and their file names.
const KINDS: [(&str, &str); 3] =
    [("image/jpeg", "image.jpg"), ("image/png", "image.png"), ("image/webp", "image.webp")];

/// Gives an uploaded image the fixed name; 415 for anything else.
pub fn as_image(file: File) -> Result<File> {
    match KINDS.iter().find(|(kind, _)| *kind == file.content_type) {
        Some((_, name)) => Ok(File { name: (*name).to_owned(), ..file }),
        None => Err(ApiError::image_type()),
    }
}

/// Whether people would take a file of this name for the image of its record: ignoring case, and with other extensions of
/// the same types.
pub fn is_image_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name == "image.jpeg" || KINDS.iter().any(|(_, known)| *known == name)
}

/// All names that a record's image can have.
pub fn image_names() -> Vec<String> {
    KINDS.iter().map(|(_, name)| (*name).to_owned()).collect()
}
