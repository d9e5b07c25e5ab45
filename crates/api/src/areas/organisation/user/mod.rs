//! Users as administrators manage them.

mod create;
mod edit;
mod guard;
mod image;
mod read;
mod reset;
mod wire;

use domain::key::UserKey;
use schemars::JsonSchema;
use serde::Serialize;

use crate::operation::{Operation, Tag, delete, get, patch, post, put};
use crate::scope;

const TAG: Tag = Tag::Organisation;

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "UserDeleted")]
struct UserKeyOnly {
    user_key: UserKey,
}

pub(super) fn operations() -> Vec<Operation> {
    const OTHERS: &str = "The user has, or would get, rights beyond the caller's own.";
    const LAST_ADMIN: &str = "The username is taken, or this is the last active user with `admin`.";
    vec![
        get("list_users", "/user", TAG, "List users", read::list).scope(scope!("org:user:read")).describe(
            "Lists users by surname and name, without those in the trash. `hourly_cost` is null for callers \
             without `org:user:write`.",
        ),
        post("create_user", "/user", TAG, "Create a user", create::create)
            .scope(scope!("org:user:create"))
            .created()
            .describe(
                "Answers with a temporary password, which is shown only once and valid for 72 hours. The user \
                 chooses a new one at the first sign-in.",
            )
            .error(403, OTHERS)
            .error(409, "The username or the key is taken, or the username looks like that of another user."),
        get("get_user", "/user/{user_key}", TAG, "Read a user", read::one)
            .scope(scope!("org:user:read"))
            .describe("Returns the whole record, also of a user in the trash.")
            .error(404, "No such user."),
        patch("update_user", "/user/{user_key}", TAG, "Change a user", edit::change)
            .scope(scope!("org:user:write"))
            .describe(
                "Changes the members that are sent. Null clears members that can be empty, and preferences are \
                 merged. `active: false` ends the user's sessions at once; the user's API tokens are refused \
                 while the user is inactive.",
            )
            .error(403, OTHERS)
            .error(404, "No such user.")
            .error(409, LAST_ADMIN)
            .error(412, "`If-Match` names another revision."),
        delete("delete_user", "/user/{user_key}", TAG, "Delete a user", edit::remove)
            .scope(scope!("org:user:delete"))
            .describe(
                "Moves the user to the trash: the user is signed out, all tokens are revoked, and the username is \
                 free again. Records of what the user did stay.",
            )
            .error(403, OTHERS)
            .error(404, "There is no such user, or the user is already in the trash.")
            .error(409, "It is your own account, or the last active user with `admin`.")
            .error(412, "`If-Match` names another revision."),
        put("set_user_image", "/user/{user_key}/image", TAG, "Set a user's image", image::set)
            .scope(scope!("org:user:write"))
            .describe(
                "Stores a JPEG, PNG or WebP image of up to 5 MiB and replaces the previous one. The content \
                 decides the type, not the file name.",
            )
            .error(403, OTHERS)
            .error(404, "No such user.")
            .error(412, "`If-Match` names another revision.")
            .error(413, "The image is larger than 5 MiB.")
            .error(415, "The file is not a JPEG, PNG or WebP image."),
        delete("delete_user_image", "/user/{user_key}/image", TAG, "Remove a user's image", image::remove)
            .scope(scope!("org:user:write"))
            .describe("Does nothing if the user has no image.")
            .error(403, OTHERS)
            .error(404, "No such user.")
            .error(412, "`If-Match` names another revision."),
        delete("reset_password", "/user/{user_key}/password", TAG, "Reset a user's password", reset::reset)
            .scope(scope!("org:user:write"))
            .describe(
                "Answers with a temporary password, which is shown only once and valid for 72 hours. The user is \
                 signed out everywhere.",
            )
            .error(403, "The user has rights beyond the caller's own, or the caller's API token belongs to this user.")
            .error(404, "No such user.")
            .error(412, "`If-Match` names another revision."),
    ]
}
