//! The address under which stored files are served. It is no operation: it lies beside `/api`, so that pages can show files.

use serde_json::{Map, Value, json};

use super::{SCHEME, reference};
use crate::operation::Tag;
use crate::reply::FILE_TYPES;

pub(super) const PATH: &str = "/media/{bucket}/{object_key}/{filename}";

pub(super) fn described() -> Value {
    let parameter = |name: &str, description: &str| json!({ "name": name, "in": "path", "required": true, "description": description, "schema": { "type": "string" } });
    let optional = |name: &str, place: &str, description: &str| json!({ "name": name, "in": place, "required": false, "description": description, "schema": { "type": "string" } });
    json!({
        "servers": [{ "url": "/" }],
        "get": {
            "operationId": "download_file",
            "tags": [Tag::Attachments.name()],
            "summary": "Download a file",
            "description": "The bytes of a stored file, with ranges if requested. Its address is the `path` of its entry in `GET /files`: \
                            it lies beside `/api`, and has one more part for each subfolder. `?ticket=` is accepted instead of a \
                            token; files of configuration entries need neither.",
            "security": [{ SCHEME: ["attachment:file:read"] }],
            "parameters": [
                parameter("bucket", "The kind of record that the file belongs to."),
                parameter("object_key", "The key of that record."),
                parameter("filename", "The name of the file. If the file is in a subfolder, the folders come before it, each as a part of the path of its own: \
                     its `path` has them, so take that."),
                optional("ticket", "query", "A ticket for exactly this address, instead of a token."),
                optional("Range", "header", "One range of bytes, such as `bytes=0-99`."),
                optional("If-None-Match", "header", "The `ETag` that the client already has."),
            ],
            "responses": responses()
        }
    })
}

fn responses() -> Map<String, Value> {
    let header = |name: &str| (name.to_owned(), json!({ "$ref": format!("#/components/headers/{name}") }));
    let headers = |more: &[&str]| -> Map<String, Value> {
        ["X-Request-Id"].iter().chain(more).map(|name| header(name)).collect()
    };
    let bytes = |name: &&str| ((*name).to_owned(), json!({ "schema": { "type": "string", "format": "binary" } }));
    let bytes: Value = FILE_TYPES.iter().map(bytes).collect();
    let error = json!({ "application/json": { "schema": reference("ErrorResponse") } });
    let answers = [
        ("200", "The file.", headers(&["ETag"]), Some(&bytes)),
        ("206", "The requested range.", headers(&["ETag", "Content-Range"]), Some(&bytes)),
        ("304", "The file still has the `ETag` in `If-None-Match`.", headers(&["ETag"]), None),
        ("401", "The token is missing, expired, revoked or unknown.", headers(&["WWW-Authenticate"]), Some(&error)),
        ("403", "The caller lacks the scope.", headers(&[]), Some(&error)),
        ("404", "No such file.", headers(&[]), Some(&error)),
        ("416", "The file has no such range.", headers(&["Content-Range"]), Some(&error)),
        ("503", "The database or the files can't be reached.", headers(&["Retry-After"]), Some(&error)),
    ];
    let answer = |(status, description, headers, content): (&str, &str, Map<String, Value>, Option<&Value>)| {
        let mut answer = json!({ "description": description, "headers": headers });
        if let Some(content) = content {
            answer["content"] = content.clone();
        }
        (status.to_owned(), answer)
    };
    answers.into_iter().map(answer).collect()
}
