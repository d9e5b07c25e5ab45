//! Where stored files are: a folder, or a bucket of S3-compatible storage.

use store::media::{Root, S3, S3Keys};

use super::{SettingError, Settings};

impl Settings {
    pub fn media_root(&self) -> Result<Root, SettingError> {
        let Some(root) = &self.media_root else { return Ok(Root::Folder(self.data_folder().join("media"))) };
        if root.as_os_str().is_empty() {
            return Err(SettingError::Value { name: "media_root", reason: "it names no folder".to_owned() });
        }
        match root.to_str().and_then(|text| text.split_once("://")) {
            None => Ok(Root::Folder(root.clone())),
            Some(("s3", place)) => self.s3(place).map(Root::S3),
            Some(_) => {
                let reason = "it must be a folder or s3://bucket/prefix".to_owned();
                Err(SettingError::Value { name: "media_root", reason })
            }
        }
    }

    fn s3(&self, place: &str) -> Result<S3, SettingError> {
        let (bucket, prefix) = place.split_once('/').unwrap_or((place, ""));
        let prefix = prefix.strip_suffix('/').unwrap_or(prefix);
        if !is_storage_name(bucket) || !(prefix.is_empty() || prefix.split('/').all(is_storage_name)) {
            let reason = "buckets and prefixes are letters, digits, dots, _ and -".to_owned();
            return Err(SettingError::Value { name: "media_root", reason });
        }
        let keys = match (self.media_s3_access_key.clone(), self.media_s3_secret_key.clone()) {
            (Some(access_key), Some(secret_key)) => Some(S3Keys { access_key, secret_key }),
            (None, None) => None,
            _ => {
                let reason = "it goes together with media_s3_secret_key".to_owned();
                return Err(SettingError::Value { name: "media_s3_access_key", reason });
            }
        };
        Ok(S3 {
            bucket: bucket.to_owned(),
            prefix: prefix.to_owned(),
            endpoint: self.media_s3_endpoint.as_deref().map(endpoint).transpose()?,
            region: self.media_s3_region.clone(),
            keys,
            path_style: self.media_s3_path_style.unwrap_or(true),
        })
    }
}

fn is_storage_name(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    !text.trim_matches('.').is_empty() && text.bytes().all(plain)
}

/// Scheme, host and optionally a port or a path; a password in it would be shown.
fn endpoint(text: &str) -> Result<String, SettingError> {
    let text = text.strip_suffix('/').unwrap_or(text);
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    match host {
        Some(host)
            if !host.is_empty()
                && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_:[]/".contains(&byte)) =>
        {
            Ok(text.to_owned())
        }
        _ => {
            let reason = "it must be an address such as http://minio:9000".to_owned();
            Err(SettingError::Value { name: "media_s3_endpoint", reason })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_root(root: &str) -> Settings {
        Settings { media_root: Some(root.into()), ..Settings::default() }
    }

    fn s3(settings: &Settings) -> S3 {
        match settings.media_root() {
            Ok(Root::S3(s3)) => s3,
            Ok(Root::Folder(folder)) => panic!("{} is a folder", folder.display()),
            Err(error) => panic!("{error}"),
        }
    }

    #[test]
    fn a_root_is_a_folder_or_a_bucket() {
        for folder in ["/srv/media", "media", "s3", "s3:/media"] {
            assert!(matches!(with_root(folder).media_root(), Ok(Root::Folder(_))), "{folder}");
        }
        let whole = s3(&with_root("s3://media"));
        assert_eq!((whole.bucket.as_str(), whole.prefix.as_str(), whole.path_style), ("media", "", true));
        let settings =
            Settings { media_s3_endpoint: Some("http://minio:9000/".into()), ..with_root("s3://m.1/plant/a/") };
        assert_eq!(s3(&settings).to_string(), "s3://m.1/plant/a at http://minio:9000");
    }

    #[test]
    fn wrong_roots_say_which_setting_and_why() {
        for bad in ["ftp://media/x", "s3://", "s3:///x", "s3://media/../x", "s3://media//x", "s3://me dia"] {
            assert!(with_root(bad).media_root().is_err(), "{bad}");
        }
        for bad in ["minio:9000", "http://", "http://user:password@minio", "http://minio?x"] {
            let settings = Settings { media_s3_endpoint: Some(bad.to_owned()), ..with_root("s3://media") };
            assert!(settings.media_root().is_err(), "{bad}");
        }
        let half = Settings { media_s3_secret_key: Some("hidden".to_owned()), ..with_root("s3://media") };
        let words = half.media_root().map(|_| ()).unwrap_err().to_string();
        assert!(words.contains("media_s3_access_key") && !words.contains("hidden"), "{words}");
    }
}
