//! Whose objects these are: a mark at the root names the site, so that no other site ever sweeps them.

use futures_util::StreamExt;
use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt, PutMode, Result};

pub(super) const MARKER: &str = ".tracewright-site";

/// Whether the root is this site's; an empty one becomes it. Nodes may do this at the same time.
pub(super) async fn claim(objects: &dyn ObjectStore, site: &str) -> Result<bool> {
    if owner(objects).await?.is_none() && is_empty(objects).await? {
        mark(objects, site).await?;
    }
    // Read back in any case: the first mark decides, whoever made it.
    is_owner(objects, site).await
}

pub(super) async fn is_owner(objects: &dyn ObjectStore, site: &str) -> Result<bool> {
    Ok(owner(objects).await?.as_deref() == Some(site))
}

/// Gives the root to another site.
pub(super) async fn hand_over(objects: &dyn ObjectStore, site: &str) -> Result<()> {
    objects.put(&Path::from(MARKER), site.to_owned().into()).await.map(|_| ())
}

async fn owner(objects: &dyn ObjectStore) -> Result<Option<String>> {
    match objects.get(&Path::from(MARKER)).await {
        Ok(found) => Ok(Some(String::from_utf8_lossy(&found.bytes().await?).trim().to_owned())),
        Err(Error::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Marks of other nodes, finished or not, are no foreign objects.
async fn is_empty(objects: &dyn ObjectStore) -> Result<bool> {
    let mut listed = objects.list(None);
    while let Some(found) = listed.next().await {
        if !found?.location.as_ref().starts_with(MARKER) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The mark is written once. Where the storage can't promise that, it is written when there is none, and the sweep looks
/// again whose it is.
async fn mark(objects: &dyn ObjectStore, site: &str) -> Result<()> {
    let path = Path::from(MARKER);
    match objects.put_opts(&path, site.to_owned().into(), PutMode::Create.into()).await {
        Ok(_) | Err(Error::AlreadyExists { .. }) => Ok(()),
        Err(_) if owner(objects).await?.is_some() => Ok(()),
        Err(_) => objects.put(&path, site.to_owned().into()).await.map(|_| ()),
    }
}
