//! Images: whether they can be drawn, and which side is up.

use std::panic::{AssertUnwindSafe, catch_unwind};

use imagesize::ImageType;
use krilla::geom::{Size, Transform};
use krilla::metadata::{DateTime, Metadata};
use krilla::surface::Surface;
use krilla::{Data, Document as Pdf};

use crate::flow::Area;
use crate::paint::settings;
use crate::{Image, ImageKind};

/// The largest image that is unpacked. One of 16 bits a channel counts twice.
pub const MOST_PIXELS: usize = 12_000_000;

/// The largest JPEG. It is passed on as it is.
pub const MOST_JPEG_PIXELS: usize = 100_000_000;

/// Whether an image can be drawn. It is unpacked to find out.
pub fn drawable(image: &Image) -> bool {
    // The decoders are others' code, and what they stumble over must not take a whole document with it.
    catch_unwind(AssertUnwindSafe(|| try_out(image))).unwrap_or(false)
}

fn try_out(image: &Image) -> bool {
    let Ok(picture) = Picture::read(image) else { return false };
    let Ok(settings) = settings(true) else { return false };
    let mut pdf = Pdf::new_with(settings);
    {
        let mut page = pdf.start_page();
        picture.draw(&mut page.surface(), Area { x: 0.0, y: 0.0, width: 10.0, height: 10.0 });
    }
    pdf.set_metadata(Metadata::new().creation_date(DateTime::new(2000)));
    pdf.finish().is_ok()
}

/// An image that was read.
pub(crate) struct Picture {
    image: krilla::image::Image,
    /// Which way up it was taken, from 1 to 8 as cameras note it.
    orientation: u16,
}

impl Picture {
    pub(crate) fn read(image: &Image) -> Result<Self, String> {
        let bytes = image.bytes.as_slice();
        if ImageKind::of(bytes) != Some(image.kind) {
            return Err("it is another kind of file".to_owned());
        }
        measure(bytes, image.kind)?;
        let data = Data::from(image.bytes.clone());
        let (image, orientation) = match image.kind {
            ImageKind::Png => (krilla::image::Image::from_png(data, false)?, 1),
            ImageKind::Jpeg => (krilla::image::Image::from_jpeg(data, false)?, orientation(bytes).unwrap_or(1)),
            ImageKind::Gif => (krilla::image::Image::from_gif(data, false)?, 1),
            ImageKind::Webp => (krilla::image::Image::from_webp(data, false)?, 1),
        };
        Ok(Self { image, orientation })
    }

    /// Width and height in pixels, the right way up.
    pub(crate) fn size(&self) -> (f32, f32) {
        let (width, height) = self.image.size();
        if self.lies_on_its_side() { (height as f32, width as f32) } else { (width as f32, height as f32) }
    }

    fn lies_on_its_side(&self) -> bool {
        self.orientation >= 5
    }

    pub(crate) fn draw(&self, surface: &mut Surface<'_>, area: Area) {
        let (width, height) =
            if self.lies_on_its_side() { (area.height, area.width) } else { (area.width, area.height) };
        let Some(size) = Size::from_wh(width, height) else { return };
        surface.push_transform(&Transform::from_translate(area.x, area.y));
        surface.push_transform(&upright(self.orientation, width, height));
        surface.draw_image(self.image.clone(), size);
        surface.pop();
        surface.pop();
    }
}

/// Looks at the size before anything is unpacked.
fn measure(bytes: &[u8], kind: ImageKind) -> Result<(), String> {
    let told = match imagesize::image_type(bytes).map_err(|error| error.to_string())? {
        ImageType::Png => ImageKind::Png,
        ImageType::Jpeg => ImageKind::Jpeg,
        ImageType::Gif => ImageKind::Gif,
        ImageType::Webp => ImageKind::Webp,
        _ => return Err("it is another kind of file".to_owned()),
    };
    let size = imagesize::blob_size(bytes).map_err(|error| error.to_string())?;
    if told != kind || size.width == 0 || size.height == 0 {
        return Err("it has no size".to_owned());
    }
    let most = match kind {
        ImageKind::Jpeg => MOST_JPEG_PIXELS,
        ImageKind::Png if bytes.get(24) == Some(&16) => MOST_PIXELS / 2,
        _ => MOST_PIXELS,
    };
    if size.width.saturating_mul(size.height) > most {
        return Err(format!("{} by {} pixels are too many", size.width, size.height));
    }
    if kind == ImageKind::Gif { whole_first_frame(bytes) } else { Ok(()) }
}

/// The first frame of an animation may be a part of the picture, and then its pixels don't fit the size of the whole.
fn whole_first_frame(bytes: &[u8]) -> Result<(), String> {
    let mut reader = gif::DecodeOptions::new().read_info(bytes).map_err(|error| error.to_string())?;
    let whole = (reader.width(), reader.height());
    match reader.next_frame_info().map_err(|error| error.to_string())? {
        Some(frame) if (frame.width, frame.height) == whole => Ok(()),
        _ => Err("the first frame is not the whole picture".to_owned()),
    }
}

/// Turns an image of this size the right way up.
fn upright(orientation: u16, width: f32, height: f32) -> Transform {
    match orientation {
        2 => Transform::from_row(-1.0, 0.0, 0.0, 1.0, width, 0.0),
        3 => Transform::from_row(-1.0, 0.0, 0.0, -1.0, width, height),
        4 => Transform::from_row(1.0, 0.0, 0.0, -1.0, 0.0, height),
        5 => Transform::from_row(0.0, 1.0, 1.0, 0.0, 0.0, 0.0),
        6 => Transform::from_row(0.0, 1.0, -1.0, 0.0, height, 0.0),
        7 => Transform::from_row(0.0, -1.0, -1.0, 0.0, height, width),
        8 => Transform::from_row(0.0, -1.0, 1.0, 0.0, 0.0, width),
        _ => Transform::identity(),
    }
}

/// The orientation that a camera noted in a JPEG.
fn orientation(jpeg: &[u8]) -> Option<u16> {
    let mut rest = jpeg.get(2..)?;
    loop {
        let [0xFF, marker, high, low, ..] = *rest else { return None };
        let length = usize::from(u16::from_be_bytes([high, low]));
        let segment = rest.get(4..2 + length)?;
        match marker {
            0xE1 if segment.starts_with(b"Exif\0\0") => return exif_orientation(&segment[6..]),
            // The picture begins.
            0xDA => return None,
            _ => rest = rest.get(2 + length..)?,
        }
    }
}

fn exif_orientation(exif: &[u8]) -> Option<u16> {
    const ORIENTATION: u16 = 0x0112;
    let big = exif.starts_with(b"MM");
    let short = |at: usize| {
        let pair = [*exif.get(at)?, *exif.get(at.checked_add(1)?)?];
        Some(if big { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) })
    };
    let (first, second) = (usize::from(short(4)?), usize::from(short(6)?));
    let entries = if big { (first << 16) | second } else { (second << 16) | first };
    let count = usize::from(short(entries)?);
    let entry = (0..count).map(|entry| entries + 2 + entry * 12).find(|entry| short(*entry) == Some(ORIENTATION))?;
    short(entry + 8).filter(|orientation| (1..=8).contains(orientation))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{gif, png};

    #[test]
    fn images_are_drawable_as_what_they_are() {
        let image = Image { bytes: png(3, 2), kind: ImageKind::Png };
        assert!(drawable(&image));
        assert!(!drawable(&Image { kind: ImageKind::Jpeg, ..image.clone() }));
        assert!(!drawable(&Image { bytes: b"GIF89a".to_vec(), kind: ImageKind::Gif }));
        let cut = image.bytes[..image.bytes.len() - 20].to_vec();
        assert!(!drawable(&Image { bytes: cut, kind: ImageKind::Png }));
        assert!(drawable(&Image { bytes: gif(2, 2), kind: ImageKind::Gif }));
    }

    #[test]
    fn an_image_is_refused_by_its_size_before_it_is_unpacked() {
        let mut bytes = png(3, 2);
        bytes[16..20].copy_from_slice(&50_000_u32.to_be_bytes());
        bytes[20..24].copy_from_slice(&50_000_u32.to_be_bytes());
        let refused = Picture::read(&Image { bytes, kind: ImageKind::Png }).err();
        assert_eq!(refused.as_deref(), Some("50000 by 50000 pixels are too many"));
    }

    #[test]
    fn the_first_frame_is_the_whole_picture() {
        let mut bytes = gif(2, 2);
        bytes[6] = 9;
        assert!(!drawable(&Image { bytes, kind: ImageKind::Gif }));
    }

    #[test]
    fn cameras_note_which_side_is_up() {
        let exif = |order: &[u8], entry: &[u8]| {
            let head: &[u8] = if order == b"MM" { b"MM\0*\0\0\0\x08\0\x01" } else { b"II*\0\x08\0\0\0\x01\0" };
            let body = [b"Exif\0\0", head, entry].concat();
            let length = u16::try_from(body.len() + 2).unwrap().to_be_bytes();
            [&[0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xE1], length.as_slice(), &body].concat()
        };
        assert_eq!(orientation(&exif(b"MM", b"\x01\x12\0\x03\0\0\0\x01\0\x06\0\0")), Some(6));
        assert_eq!(orientation(&exif(b"II", b"\x12\x01\x03\0\x01\0\0\0\x08\0\0\0")), Some(8));
        assert_eq!(orientation(&exif(b"MM", b"\x01\x12\0\x03\0\0\0\x01\0\x09\0\0")), None);
        assert_eq!(orientation(&[0xFF, 0xD8, 0xFF, 0xDA, 0, 2]), None);
        assert_eq!(orientation(&[0xFF, 0xD8, 0xFF, 0xE1, 0, 0]), None);
    }
}
