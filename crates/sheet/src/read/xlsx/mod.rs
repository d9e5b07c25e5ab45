//! The first sheet of a workbook, read as a stream of XML: nothing in the file can decide how much memory is used.

mod date;
mod package;
mod sheet;
mod strings;
mod styles;
mod xml;

use super::Rows;
use super::feed::Feed;
use package::Package;

pub(super) fn read<R: Rows>(file: &[u8], feed: &mut Feed<'_, R>) -> Result<(), R::Error> {
    let mut package = Package::open(file)?;
    let workbook = package.workbook()?;
    let strings = strings::read(&mut package, workbook.strings.as_deref())?;
    let styles = styles::read(&mut package, workbook.styles.as_deref(), workbook.from_1904)?;
    let mut xml = package.part(&workbook.sheet, sheet::MOST_BYTES)?;
    sheet::read(&mut xml, &strings, &styles, feed)
}
