//! Multipart bodies without end: parts, fields, headers and what stands before the first part.

use testkit::{Engine, Method, Site, block_on, form, json, on_both_engines};

use super::is_sound;
use super::raw::Raw;
use crate::process::{Server, tracewright};

const KIND: &str = "multipart/form-data; boundary=b";
const MIB: usize = 1024 * 1024;
/// So much a client that goes on for ever would send; what is refused at once takes far less.
const FOR_EVER: usize = 256 * MIB;

fn part(name: &str) -> String {
    format!("--b\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n")
}

on_both_engines! {
    async fn what_comes_before_a_part_has_an_end(site) {
        let admin = site.admin().await;
        let junk = vec![b'x'; 64 * 1024];
        let header = b"--b\r\ncontent-disposition: form-data; name=\"code\"\r\nx-y: ";
        let openings: [(&[u8], &[u8]); 4] =
            [(b"", &junk), (header, &junk), (b"--b\r\n", b"x-y: z\r\n"), (b"--b", b"                ")];
        for (begin, again) in openings {
            let mut client = Raw::begin(site, &admin, "POST", "/product", KIND).await;
            client.send(begin).await;
            let again = again.repeat(64 * 1024 / again.len());
            let sent = client.send_for_ever(&again, FOR_EVER).await;
            assert!(sent < 32 * MIB, "{sent} bytes were taken");
        }
        is_sound(site, &admin).await;
    }

    async fn parts_have_an_end(site) {
        let admin = site.admin().await;
        let mut client = Raw::begin(site, &admin, "POST", "/product", KIND).await;
        let sent = client.send_for_ever(format!("{}x\r\n", part("unknown")).repeat(100).as_bytes(), FOR_EVER).await;
        assert!(sent < 32 * MIB, "{sent} bytes were taken");
        let fields: Vec<(&'static str, &str)> = vec![("code", "P"); 3];
        let answer = admin.send(admin.request(Method::POST, "/product").multipart(form(&fields, &[]))).await;
        assert_eq!(answer.faults(), ["value_error body.code"; 2]);
        let long = "x".repeat(600 * 1024);
        let fields = [("code", "P"), ("description", long.as_str()), ("production_notes", long.as_str())];
        let answer = admin.send(admin.request(Method::POST, "/product").multipart(form(&fields, &[]))).await;
        let faults = ["string_type body.production_notes", "string_too_long body.description"];
        assert_eq!(answer.faults(), faults, "all fields together have 1 MiB");
        assert_eq!(site.objects(), 0);
    }
}

/// What a process needs while clients go on for ever: it is looked at from outside.
#[test]
fn repeated_fields_and_endless_parts_take_no_memory() {
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().display().to_string();
        let server = Server::run(tracewright(&["serve", "--listen", "127.0.0.1:0", "--data", &data]));
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        let sign_in = [("username", "admin"), ("password", testkit::ADMIN_PASSWORD)];
        let signed = http.post(format!("{}/api/auth", server.base)).form(&sign_in).send().await.unwrap();
        let token = serde_json::from_str::<testkit::Value>(&signed.text().await.unwrap()).unwrap();
        let token = token["access_token"].as_str().unwrap().to_owned();
        let before = peak(server.child.id());
        let (junk, field) = (vec![b'x'; MIB], part("description"));
        for (begin, again) in [
            // A field that never ends, one that comes again and again, and one that nobody knows.
            (field.clone().into_bytes(), junk.clone()),
            (Vec::new(), [field.as_bytes(), &junk, b"\r\n"].concat()),
            (part("unknown").into_bytes(), junk.clone()),
        ] {
            let mut client = Raw::begin_at(&server.base, &token, "POST", "/product", KIND).await;
            client.send(&begin).await;
            client.send_for_ever(&again, 64 * MIB).await;
            let mut list = Raw::begin_at(&server.base, &token, "DELETE", "/files", "application/json").await;
            list.send(b"{\"filenames\":[").await;
            list.send_for_ever(&b"1,".repeat(MIB / 2), 64 * MIB).await;
            let answer = list.answer().await;
            assert!(answer.contains("larger than 1048576 bytes"), "{answer:.300}");
        }
        let grown = peak(server.child.id()) - before;
        assert!(grown < 48 * 1024, "{grown} KiB more");
    });
}

/// The most memory that a process ever had, in KiB.
fn peak(process: u32) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// A file under a wrong name is still told of by its name, however large it is.
#[test]
fn a_large_file_under_a_wrong_name_is_named() {
    block_on(async {
        let site = Site::start(Engine::Sqlite).await;
        let admin = site.admin().await;
        let file = vec![1_u8; 2 * MIB];
        let answer = admin.upload(Method::POST, "/product", &[("code", "P")], &[("picture", "a.png", &file)]).await;
        assert_eq!(answer.faults(), ["extra_forbidden body.picture"]);
        assert_eq!(answer.body["detail"][0]["input"], json!(null));
        site.stop().await;
    });
}
