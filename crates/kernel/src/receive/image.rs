//! Images of records: one each, always under the same name.

use store::attachments::files::File;

use crate::Result;
use crate::error::ApiError;

/// Kinds of images and how their files are called.
const KINDS: [(&str, &str); 3] =
    [("image/jpeg", "image.jpg"), ("image/png", "image.png"), ("image/webp", "image.webp")];

/// An uploaded image under the name that images have; 415 for anything else.
pub fn as_image(file: File) -> Result<File> {
    match KINDS.iter().find(|(kind, _)| *kind == file.content_type) {
        Some((_, name)) => Ok(File { name: (*name).to_owned(), ..file }),
        None => Err(ApiError::content_type("a JPEG, PNG or WebP image")),
    }
}

/// Whether people take a file of this name for the image of its record: in any case, and under other endings of the same kinds.
pub fn is_image_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name == "image.jpeg" || KINDS.iter().any(|(_, known)| *known == name)
}

/// All names that a record's image can have.
pub fn image_names() -> Vec<String> {
    KINDS.iter().map(|(_, name)| (*name).to_owned()).collect()
}
