//! The type of a file as the service detects it: by its first bytes where they are conclusive, otherwise by its name, never
//! by what the client says.

/// A file type, and how to recognise it by its first bytes.
type FileType = (&'static str, fn(&[u8]) -> bool);

/// The types a browser may show inline.
const SHOWN: [FileType; 5] = [
    ("image/png", |head| head.starts_with(b"\x89PNG\r\n\x1a\n")),
    ("image/jpeg", |head| head.starts_with(b"\xff\xd8\xff")),
    ("image/gif", |head| head.starts_with(b"GIF87a") || head.starts_with(b"GIF89a")),
    ("image/webp", |head| head.starts_with(b"RIFF") && head.get(8..12) == Some(b"WEBP")),
    ("application/pdf", |head| head.starts_with(b"%PDF-")),
];
const UNKNOWN: &str = "application/octet-stream";

pub fn of(name: &str, head: &[u8]) -> &'static str {
    if let Some((kind, _)) = SHOWN.iter().find(|(_, begins)| begins(head)) {
        return kind;
    }
    // If the name says one of those types but the bytes don't, the name is not trusted.
    mime_guess::from_path(name).first_raw().filter(|kind| !is_shown(kind)).unwrap_or(UNKNOWN)
}

pub fn is_shown(kind: &str) -> bool {
    SHOWN.iter().any(|(shown, _)| *shown == kind)
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn bytes_win_over_names() {
        assert_eq!(of("x.html", b"\x89PNG\r\n\x1a\n..."), "image/png");
        assert_eq!(of("x.png", b"<script>"), "application/octet-stream");
        assert_eq!(of("x.svg", b"<svg"), "image/svg+xml");
        assert_eq!(of("x.csv", b"a,b"), "text/csv");
        assert_eq!(of("x", b"?"), "application/octet-stream");
    }
}
