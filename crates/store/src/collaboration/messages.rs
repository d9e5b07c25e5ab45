use std::collections::HashMap;

use domain::collaboration::{Message, Recipient};
use domain::collection::Collection;
use domain::key::{MessageKey, UserKey, record_id};

use crate::attachments::media_files;
use crate::columns::{self, Record, columns};
use crate::lock::Rows;
use crate::sql::{Page, Paged, sql};
use crate::tx::Tx;
use crate::{Result, params};

columns! {
    Message in message {
        key,
        rev,
        sender,
        recipient,
        content,
        created,
        updated,
        deleted,
    }
    kept { sender, recipient, created }
}

pub async fn find(tx: &mut Tx, key: MessageKey) -> Result<Option<Message>> {
    Message::select().filter("message.key = {}", key).maybe(tx).await
}

/// Locked to the end of the transaction.
pub async fn lock(tx: &mut Tx, key: MessageKey) -> Result<Option<Message>> {
    Message::select().filter("message.key = {}", key).locked(Rows::Message).maybe(tx).await
}

pub async fn insert(tx: &mut Tx, message: &Message) -> Result<()> {
    tx.changed(Collection::Message, message.key);
    columns::insert(tx, message).await
}

/// Stores what has become of one that is locked; its revision rises.
pub async fn save(tx: &mut Tx, message: &mut Message) -> Result<()> {
    tx.changed(Collection::Message, message.key);
    message.rev += 1;
    columns::update(tx, message).await
}

/// Those that this user may read, the oldest first, deleted ones included: of messages to another user only the reader's own.
pub async fn list(tx: &mut Tx, recipient: &Recipient, reader: &UserKey, page: &Page) -> Result<Paged<Message>> {
    let query = Message::select().filter("message.recipient = {}", recipient.to_string());
    let others = matches!(recipient, Recipient::User(user) if user != reader);
    query
        .filter_if("message.sender = {}", others.then_some(reader))
        .page(tx, "message.created, message.key", page)
        .await
}

/// How many there are for each of these, by `_id`; deleted ones do not count, and what is left out has none.
pub async fn counts(tx: &mut Tx, recipients: &[Recipient]) -> Result<HashMap<String, i64>> {
    let sql = sql!(
        "select recipient, count(*)
         from message
         where recipient {in $1} and deleted is null
         group by recipient"
    );
    Ok(tx.all::<(String, i64)>(sql, &params![ids(recipients)]).await?.into_iter().collect())
}

/// Removes all that were sent to these; gives their number.
pub async fn clear(tx: &mut Tx, recipients: &[Recipient]) -> Result<u64> {
    let sql = sql!("delete from message where recipient {in $1} returning key");
    let gone: Vec<MessageKey> = tx.all(sql, &params![ids(recipients)]).await?;
    gone.iter().for_each(|key| tx.changed(Collection::Message, key));
    if !gone.is_empty() {
        let gone: Vec<String> = gone.iter().map(|key| record_id(Collection::Message, key)).collect();
        media_files::let_go(tx, &gone).await?;
    }
    Ok(gone.len() as u64)
}

fn ids(recipients: &[Recipient]) -> Vec<String> {
    recipients.iter().map(ToString::to_string).collect()
}
