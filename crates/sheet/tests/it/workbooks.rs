//! Workbooks as other programs write them.

use sheet::ReadError;

use crate::{read_rows, shown};

const STRINGS: &str = r#"<?xml version="1.0"?><sst count="9" uniqueCount="99999999999999999"><si><t>Code</t></si><si><t xml:space="preserve"> Name </t></si>
    <si><r><rPr><b/></rPr><t>bo</t></r><r><t xml:space="preserve">ld &amp; &#233;</t></r><rPh sb="0" eb="1"><t>KANA</t></rPh></si><si/><si><t>a_x000D_b</t></si></sst>"#;
const STYLES: &str = r#"<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd hh:mm"/><numFmt numFmtId="165" formatCode="0.00 &quot;days&quot;"/></numFmts>
    <cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="46"/></cellXfs></styleSheet>"#;

fn parts() -> [(&'static str, &'static str); 2] {
    [("xl/sharedStrings.xml", STRINGS), ("xl/styles.xml", STYLES)]
}

#[test]
fn texts_that_cells_share() {
    let rows = r#"<row r="1" spans="1:2"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row>
        <row r="4"><c r="A4" t="s"><v>2</v></c><c r="B4" t="s"><v>3</v></c></row><row r="5"><c r="B5" t="s"><v> 4 </v></c></row>"#;
    let table = read_rows(rows, &parts()).unwrap();
    assert_eq!(table.columns, ["code", "name"]);
    assert_eq!(shown(&table), ["4: bold & é", "5: |a\rb"]);
}

#[test]
fn every_kind_of_cell() {
    let rows = r#"<x:row><x:c t="inlineStr"><x:is><x:t>a</x:t></x:is></x:c><x:c t="inlineStr"><x:is><x:t>b</x:t></x:is></x:c></x:row>
        <row><c><v>12345</v></c><c><v>1.2345E4</v></c></row>
        <row><c t="n"><v>0.10000000000000001</v></c><c><v>0.30000000000000004</v></c></row>
        <row><c t="b"><v>1</v></c><c t="b"><v>0</v></c></row>
        <row><c t="str"><f>A1&amp;"x"</f><v>ax</v></c><c t="e"><v>#N/A</v></c></row>
        <row><c s="1"><v>46082</v></c><c s="2"><v>46082.5</v></c></row>
        <row><c s="3"><v>46082</v></c><c s="4"><v>1.5</v></c></row>
        <row><c t="d"><v>2026-03-01</v></c><c><f>B1</f></c></row>
        <row><c t="inlineStr"><is><t><![CDATA[<&>]]></t><!-- no --><t>!</t></is></c><c r="XFD9" t="inlineStr"><is><t>beside</t></is></c></row>
        <row/><row r="20"><c r="B20"><v>7</v></c></row>"#;
    let table = read_rows(rows, &parts()).unwrap();
    assert_eq!(
        shown(&table),
        [
            "2: 12345|12345",
            "3: 0.1|0.3",
            "4: true|false",
            "5: ax|#N/A",
            "6: 2026-03-01|2026-03-01T12:00:00",
            "7: 46082|1.5",
            "8: 2026-03-01",
            "9: <&>!",
            "20: |7",
        ]
    );
}

#[test]
fn nothing_but_a_header() {
    let header = r#"<row r="1"><c r="A1"><v>1</v></c></row>"#;
    assert_eq!(read_rows(header, &[]).unwrap_err(), ReadError::NoRows);
    let second = r#"<row r="2"><c r="A2"><v>1</v></c></row>"#;
    assert_eq!(crate::why(read_rows(second, &[])), "unreadable: The first row has to name the columns.");
}

#[test]
fn a_workbook_in_another_folder_counting_from_1904() {
    let file = crate::zipped(&[
        (
            "_rels/.rels",
            r#"<Relationships><Relationship Id="a" Type="x/officeDocument" Target="/book/main.xml"/></Relationships>"#,
        ),
        (
            "book/main.xml",
            r#"<workbook><workbookPr date1904="1"/><sheets><sheet xmlns:r="x" r:id="s"/></sheets></workbook>"#,
        ),
        (
            "book/_rels/main.xml.rels",
            r#"<Relationships><Relationship Id="s" Type="x/worksheet" Target="../s.xml"/><Relationship Id="t" Type="x/styles" Target="styles.xml"/></Relationships>"#,
        ),
        ("book/styles.xml", STYLES),
        (
            "s.xml",
            r#"<worksheet><sheetData><row><c><v>1</v></c></row><row><c s="1"><v>44620</v></c></row></sheetData></worksheet>"#,
        ),
    ]);
    assert_eq!(shown(&crate::read(sheet::FileKind::Xlsx, &file).unwrap()), ["2: 2026-03-01"]);
}
