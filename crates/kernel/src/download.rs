//! Files that are made for one answer. A large one is in a temporary file and not in memory, and it is complete before the answer
//! begins: so a failure is an ordinary error, and a slow client costs others nothing.

use std::io::{ErrorKind, Seek, SeekFrom, Write};

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;

use crate::Result;
use crate::error::ApiError;
pub use crate::temporary::{TempFile, file};

/// A file that is complete.
pub struct Download {
    media_type: &'static str,
    /// The name under which browsers keep it; without one they show it.
    name: Option<String>,
    size: u64,
    file: TempFile,
}

impl Download {
    pub fn new(media_type: &'static str, name: Option<String>, mut file: TempFile) -> Result<Self> {
        file.flush().map_err(broken)?;
        let size = file.seek(SeekFrom::End(0)).map_err(broken)?;
        file.rewind().map_err(broken)?;
        Ok(Self { media_type, name, size, file })
    }

    pub fn into_response(self, status: StatusCode) -> Result<Response> {
        let mut response = Response::new(self.file.into_body().map_err(broken)?);
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.media_type));
        headers.insert(header::CONTENT_LENGTH, self.size.into());
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        let place = self.name.and_then(|name| HeaderValue::try_from(format!("attachment; filename=\"{name}\"")).ok());
        headers.extend(place.map(|place| (header::CONTENT_DISPOSITION, place)));
        Ok(response)
    }
}

/// A file that could not be written or read. 503 if the files of others leave no room for it.
pub fn broken(error: std::io::Error) -> ApiError {
    if error.kind() == ErrorKind::QuotaExceeded {
        return ApiError::busy();
    }
    ApiError::internal(&format!("writing a file: {error}"), None)
}

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse;

    use super::*;
    use crate::temporary::MEMORY_BYTES;

    async fn answered(bytes: &[u8], name: Option<&str>) -> (Response, Vec<u8>) {
        let mut file = file();
        file.write_all(bytes).unwrap();
        let download = Download::new("application/zip", name.map(str::to_owned), file).unwrap();
        let (parts, body) = download.into_response(StatusCode::OK).unwrap().into_parts();
        let read = axum::body::to_bytes(body, usize::MAX).await.unwrap().to_vec();
        (Response::from_parts(parts, axum::body::Body::empty()), read)
    }

    #[tokio::test]
    async fn small_and_large_files_arrive_whole() {
        for size in [0, 10, MEMORY_BYTES + 10] {
            let bytes: Vec<u8> = (0..size).map(|place| (place % 251) as u8).collect();
            let (response, read) = answered(&bytes, Some("a.zip")).await;
            assert!(read == bytes, "{size}");
            assert_eq!(response.headers()[header::CONTENT_LENGTH], size.to_string());
            assert_eq!(response.headers()[header::CONTENT_DISPOSITION], "attachment; filename=\"a.zip\"");
        }
    }

    #[test]
    fn who_finds_no_room_is_asked_to_come_again() {
        let told = |kind: ErrorKind| broken(kind.into()).into_response().status();
        assert_eq!(told(ErrorKind::QuotaExceeded), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(told(ErrorKind::PermissionDenied), StatusCode::INTERNAL_SERVER_ERROR);
    }

    #[tokio::test]
    async fn what_has_no_name_is_shown() {
        let (response, _) = answered(b"{}", None).await;
        assert!(!response.headers().contains_key(header::CONTENT_DISPOSITION));
    }
}
