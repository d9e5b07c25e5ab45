//! Images of records: one each, always under the same name.

use store::attachments::files::File;

use crate::Result;
use crate::error::ApiError;

/// Kinds of images and how their files are called.
const KINDS: [(&str, &str); 3] =
    [("image/jpeg", "image.jpg"), ("image/png", "image.png"), ("image/webp", "image.webp")];

/// An uploaded image under the name that images have; 415 for anything else.
pub(crate) fn as_image(file: File) -> Result<File> {
    match KINDS.iter().find(|(kind, _)| *kind == file.content_type) {
        Some((_, name)) => Ok(File { name: (*name).to_owned(), ..file }),
        None => Err(ApiError::content_type("a JPEG, PNG or WebP image")),
    }
}

/// All names that a record's image can have.
pub(crate) fn image_names() -> Vec<String> {
    KINDS.iter().map(|(_, name)| (*name).to_owned()).collect()
}
