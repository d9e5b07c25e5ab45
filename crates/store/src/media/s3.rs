//! Objects in a bucket of S3-compatible storage.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey, AwsCredential};
use object_store::prefix::PrefixStore;
use object_store::{BackoffConfig, Error, ObjectStore, Result, RetryConfig, StaticCredentialProvider};

use super::http::Connector;
use super::owner::MARKER;
use super::{is_aged, is_object_name};

/// A bucket, or the part of it below a prefix. What is not given comes from the usual `AWS_*` variables.
#[derive(Clone)]
pub struct S3 {
    pub bucket: String,
    /// Without a slash at either end; empty for the whole bucket.
    pub prefix: String,
    /// Scheme, host and perhaps a port; Amazon's own when neither this nor a variable names one.
    pub endpoint: Option<String>,
    pub region: Option<String>,
    pub keys: Option<S3Keys>,
    /// Whether the bucket is the first part of the path, as every storage understands it, or of the host's name.
    pub path_style: bool,
}

/// No `Debug`: it must not end up in a log.
#[derive(Clone)]
pub struct S3Keys {
    pub access_key: String,
    pub secret_key: String,
}

impl fmt::Display for S3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "s3://{}/{}", self.bucket, self.prefix)?;
        self.endpoint.as_ref().map_or(Ok(()), |endpoint| write!(f, " at {endpoint}"))
    }
}

pub(super) fn open(s3: &S3) -> Result<Arc<dyn ObjectStore>, String> {
    let bucket = connect(s3)?;
    if s3.prefix.is_empty() {
        return Ok(Arc::new(bucket));
    }
    Ok(Arc::new(PrefixStore::new(bucket, s3.prefix.as_str())))
}

fn connect(s3: &S3) -> Result<AmazonS3, String> {
    let variables = AmazonS3Builder::from_env();
    let variable = |key: AmazonS3ConfigKey| variables.get_config_value(&key);
    let endpoint = s3
        .endpoint
        .clone()
        .or_else(|| variable(AmazonS3ConfigKey::S3Endpoint))
        .or_else(|| variable(AmazonS3ConfigKey::Endpoint));
    // Amazon's own machines know who they are; elsewhere one would wait in vain for an answer.
    let can_do_without_keys = endpoint.is_none()
        || variable(AmazonS3ConfigKey::AccessKeyId).is_some()
        || variable(AmazonS3ConfigKey::WebIdentityTokenFile).is_some()
        || variable(AmazonS3ConfigKey::ContainerCredentialsFullUri).is_some()
        || variable(AmazonS3ConfigKey::ContainerCredentialsRelativeUri).is_some();
    if s3.keys.is_none() && !can_do_without_keys {
        return Err("there is no access key: set media_s3_access_key and media_s3_secret_key".to_owned());
    }
    let mut builder = variables
        .with_bucket_name(&s3.bucket)
        .with_http_connector(Connector)
        .with_retry(retries())
        .with_virtual_hosted_style_request(!s3.path_style)
        // One request per object is what every storage understands.
        .with_disable_bulk_delete(true);
    if let Some(region) = &s3.region {
        builder = builder.with_region(region);
    }
    if let Some(keys) = &s3.keys {
        let S3Keys { access_key: key_id, secret_key } = keys.clone();
        let keys = AwsCredential { key_id, secret_key, token: None };
        builder = builder.with_credentials(Arc::new(StaticCredentialProvider::new(keys)));
    }
    if let Some(endpoint) = endpoint {
        builder = builder
            .with_allow_http(endpoint.starts_with("http://"))
            .with_config(AmazonS3ConfigKey::S3Endpoint, address(&endpoint, &s3.bucket, s3.path_style));
    }
    builder.build().map_err(|error| reason(&error))
}

fn address(endpoint: &str, bucket: &str, path_style: bool) -> String {
    match endpoint.split_once("://") {
        Some((scheme, host)) if !path_style => format!("{scheme}://{bucket}.{host}"),
        _ => endpoint.to_owned(),
    }
}

/// Long enough for a storage that restarts, short enough for the person who waits for an upload.
fn retries() -> RetryConfig {
    let backoff = BackoffConfig { max_backoff: Duration::from_secs(4), ..BackoffConfig::default() };
    RetryConfig { backoff, max_retries: 5, retry_timeout: Duration::from_secs(30) }
}

/// Objects of our own making that are old enough to be leftovers.
pub(super) async fn aged_objects(objects: &dyn ObjectStore) -> Result<Vec<String>> {
    let (mut found, mut other_sites) = (Vec::new(), Vec::new());
    let mut listed = objects.list(None);
    while let Some(facts) = listed.next().await {
        let facts = facts?;
        let path = facts.location.to_string();
        match facts.location.filename() {
            Some(MARKER) if path != MARKER => other_sites.push(path.trim_end_matches(MARKER).to_owned()),
            Some(name) if is_object_name(name) && is_aged(facts.last_modified.into()) => found.push(path),
            _ => {}
        }
    }
    found.retain(|path| !other_sites.iter().any(|site| path.starts_with(site)));
    Ok(found)
}

/// Why the storage can't be used, for the person who starts the server.
pub(super) fn reason(error: &Error) -> String {
    let text = crate::describe(error);
    let code = code(&text);
    let named = code.map(|code| format!(" ({code})")).unwrap_or_default();
    match error {
        _ if code == Some("NoSuchBucket") => format!("there is no such bucket{named}"),
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => {
            format!("the storage refuses this access key{named}")
        }
        _ if code.is_some() => format!("the storage refuses the request{named}"),
        _ => super::root_cause(error),
    }
}

/// The name that the storage gives its refusal; the rest of its answer may repeat what was sent.
fn code(text: &str) -> Option<&str> {
    let (code, _) = text.split_once("<Code>")?.1.split_once("</Code>")?;
    code.bytes().all(|byte| byte.is_ascii_alphanumeric()).then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bucket_goes_into_the_path_or_the_host() {
        assert_eq!(address("http://minio:9000", "media", true), "http://minio:9000");
        assert_eq!(address("https://storage.example", "media", false), "https://media.storage.example");
    }

    #[test]
    fn only_the_name_of_a_refusal_is_told() {
        let answer = "403: <Error><Code>SignatureDoesNotMatch</Code><StringToSign>x</StringToSign></Error>";
        assert_eq!(code(answer), Some("SignatureDoesNotMatch"));
        assert_eq!(code("<Code>a b</Code>"), None);
    }
}
