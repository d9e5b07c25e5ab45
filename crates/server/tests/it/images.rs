//! The image of a user or product lies among its files, and only its own operations touch it.

use reqwest::Method;
use testkit::{json, on_both_engines};

const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n";

on_both_engines! {
    async fn files_leave_images_alone(site) {
        let admin = site.admin().await;
        let mario = site.new_user("mario", "operator").await;
        admin.post("/product", json!({ "_key": "p", "code": "P" })).await.expect(201);
        for (bucket, key) in [("user", mario.key.as_str()), ("product", "p")] {
            let image = format!("/{bucket}/{key}/image");
            admin.upload(Method::PUT, &image, &[], &[("new_image", "me.png", PICTURE)]).await.expect(200);
            let folder = [("bucket", bucket), ("object_key", key)];
            let named =
                async |name: &str| admin.upload(Method::POST, "/files", &folder, &[("contents", name, b"1")]).await;
            for name in ["image.png", "image.jpg", "image.webp"] {
                assert_eq!(named(name).await.faults(), ["value_error body.contents"]);
                let remove = json!({ "bucket": bucket, "object_key": key, "filenames": [name] });
                let removed = admin.send(admin.request(Method::DELETE, "/files").json(&remove)).await;
                assert_eq!(removed.faults(), ["value_error body.filenames"]);
            }
            // What people would take for it is refused as well; what there is of it from before can go.
            for name in ["image.jpeg", "Image.JPG", "IMAGE.PNG", "image.WebP", "iMAGE.Jpeg"] {
                assert_eq!(named(name).await.faults(), ["value_error body.contents"], "{name}");
                let remove = json!({ "bucket": bucket, "object_key": key, "filenames": [name] });
                admin.send(admin.request(Method::DELETE, "/files").json(&remove)).await.expect(404);
            }
            named("a.txt").await.expect(200);
            let reset = [folder[0], folder[1], ("reset_folder", "true")];
            admin.upload(Method::POST, "/files", &reset, &[("contents", "b.txt", b"1")]).await.expect(200);
            let listed = admin.get(&format!("/files?bucket={bucket}&object_key={key}")).await.expect(200).body;
            let names: Vec<&str> = listed.as_array().unwrap().iter().map(|file| file["name"].as_str().unwrap()).collect();
            assert_eq!(names, ["b.txt", "image.png"]);
            assert_eq!(admin.media(&format!("/media/{bucket}/{key}/image.png")).await.status(), 200);

            // Elsewhere it is a name like any other.
            let below = [folder[0], folder[1], ("subfolder", "x")];
            admin.upload(Method::POST, "/files", &below, &[("contents", "image.png", PICTURE)]).await.expect(200);
            let remove = json!({ "bucket": bucket, "object_key": key, "subfolder": "x", "filenames": ["image.png"] });
            admin.send(admin.request(Method::DELETE, "/files").json(&remove)).await.expect(200);
            admin.delete(&image).await.expect(200);
            assert_eq!(admin.media(&format!("/media/{bucket}/{key}/image.png")).await.status(), 404);
        }
    }
}
