//! Files of issues and tasks.

use testkit::on_both_engines;

use super::*;

async fn attach(who: &Person, bucket: &str, key: &str, subfolder: &str, name: &str) -> Answer {
    let mut fields = vec![("bucket", bucket), ("object_key", key)];
    if !subfolder.is_empty() {
        fields.push(("subfolder", subfolder));
    }
    who.upload(Method::POST, "/files", &fields, &[("contents", name, b"seen")]).await
}

/// The names of the files of a record.
async fn names(team: &Team, bucket: &str, key: &str) -> Vec<String> {
    each(&team.get(&format!("/files?bucket={bucket}&object_key={key}&recursive=true")).await, "name")
}

/// A type of issues with a field for files.
async fn with_photo(team: &Team) -> String {
    team.fields().await;
    team.issue_type("Scratch", json!({ "form_template": [{ "_key": "pic", "custom_field_key": "photo" }] })).await
}

on_both_engines! {
    async fn files_of_an_issue_lie_under_its_fields(site) {
        let team = team(site).await;
        let kind = with_photo(&team).await;
        let key = team.issue(json!({ "issue_type_key": kind })).await;
        let stored = attach(&team.ann, "issue", &key, "pic", "a.txt").await.detail();
        assert_eq!(stored[0]["path"], format!("/media/issue/{key}/pic/a.txt"));
        for subfolder in ["", "other", "pic/deeper", "photo"] {
            attach(&team.ann, "issue", &key, subfolder, "b.txt").await.expect(404);
        }
        attach(&team.ann, "issue", NOBODY, "pic", "b.txt").await.expect(404);
        attach(&team.ann, "issue", &team.issue(json!({})).await, "pic", "b.txt").await.expect(404);
        assert_eq!(names(&team, "issue", &key).await, ["a.txt"]);
        // A value that the form does not have any more has its folder as well.
        let data = values(&[("pic", json!([{ "name": "a.txt", "size": 4 }]))]);
        issue_step(&team.ann, "UPDATED", &key, json!({ "data": data })).await.expect(200);
        team.admin.patch(&format!("{ISSUE_TYPES}/{kind}"), json!({ "form_template": [] })).await.expect(200);
        attach(&team.ann, "issue", &key, "pic", "c.txt").await.expect(200);
        assert_eq!(team.ann.media(&format!("/media/issue/{key}/pic/c.txt")).await.status(), 200);
    }

    /// What a value names is told by its digest where it is stored.
    async fn values_name_files_by_their_digest(site) {
        let team = team(site).await;
        let kind = with_photo(&team).await;
        let key = team.issue(json!({ "issue_type_key": kind })).await;
        let digest = attach(&team.ann, "issue", &key, "pic", "a.txt").await.detail()[0]["sha256"].clone();
        let data = values(&[("pic", json!([{ "name": "a.txt", "size": 4 }, { "name": "none.txt", "size": 4 }]))]);
        issue_step(&team.ann, "UPDATED", &key, json!({ "data": data })).await.expect(200);
        let value = team.read_issue(&key).await["data"][0]["value"].clone();
        assert_eq!((&value[0]["sha256"], value[1]["sha256"].as_str()), (&digest, None), "absent files are no fault: {value}");
    }

    async fn a_deleted_issue_takes_its_files_along(site) {
        let team = team(site).await;
        let kind = with_photo(&team).await;
        let [key, other] = [team.issue(json!({ "issue_type_key": kind })).await, team.issue(json!({ "issue_type_key": kind })).await];
        for key in [&key, &other] {
            attach(&team.ann, "issue", key, "pic", "a.txt").await.expect(200);
        }
        issue_step(&team.admin, "DELETED", &key, json!({})).await.expect(200);
        assert_eq!(team.ann.media(&format!("/media/issue/{key}/pic/a.txt")).await.status(), 404);
        assert_eq!(site.count("file").await, 1);
        site.eventually(async || (site.objects() == 1).then_some(())).await;
        team.admin.get(&format!("/files?bucket=issue&object_key={key}")).await.expect(404);
        assert_eq!(names(&team, "issue", &other).await, ["a.txt"]);
    }

    async fn files_of_a_task_lie_anywhere(site) {
        let team = team(site).await;
        let kind = team.task_type("Repair", json!({})).await;
        let key = team.task(&kind, json!({})).await;
        for (subfolder, name) in [("", "a.txt"), ("in/deep", "b.txt")] {
            attach(&team.ann, "task", &key, subfolder, name).await.expect(200);
        }
        assert_eq!(names(&team, "task", &key).await, ["b.txt", "a.txt"]);
        attach(&team.ann, "task", NOBODY, "", "a.txt").await.expect(404);
        let removed = json!({ "bucket": "task", "object_key": key, "subfolder": "in/deep", "filenames": ["b.txt"] });
        team.ann.send(team.ann.request(Method::DELETE, "/files").json(&removed)).await.expect(200);
        task(&team.ann, "DELETED", &key, json!({})).await.expect(200);
        attach(&team.ann, "task", &key, "", "c.txt").await.expect(404);
        team.admin.get(&format!("/files?bucket=task&object_key={key}")).await.expect(404);
    }
}
