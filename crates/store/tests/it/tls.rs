//! How connections to PostgreSQL are made: TLS as `sslmode` says, and the right one of several hosts.

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use store::{Db, Location, Sql, StoreError, Tx};
use testkit::cluster::Cluster;

/// Roles by what lets them in.
const RIGHTS: &str = "hostssl all tls_only 127.0.0.1/32 trust
hostnossl all plain_only 127.0.0.1/32 trust
hostssl all with_certificate 127.0.0.1/32 cert
hostssl all with_password 127.0.0.1/32 scram-sha-256
host all tls_only,plain_only,with_certificate,with_password 127.0.0.1/32 reject";

struct Authority {
    certificate: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new([]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap().pem();
        Self { certificate, issuer: Issuer::new(params, key) }
    }

    /// A certificate and its key, for hosts or for a user.
    fn issue(&self, hosts: &[&str], user: Option<&str>) -> (String, String) {
        let hosts: Vec<String> = hosts.iter().map(ToString::to_string).collect();
        let mut params = CertificateParams::new(hosts).unwrap();
        user.into_iter().for_each(|user| params.distinguished_name.push(DnType::CommonName, user));
        let key = KeyPair::generate().unwrap();
        (params.signed_by(&key, &self.issuer).unwrap().pem(), key.serialize_pem())
    }
}

/// Whether the connection that this address gives is encrypted, or why there is none.
async fn encrypted(url: &str) -> Result<bool, String> {
    let location = Location::Postgres { url: url.to_owned(), connections: 2 };
    let db = Db::open_beside(&location).await.map_err(|error| error.to_string())?;
    let sql = "select ssl from pg_stat_ssl where pid = pg_backend_pid()";
    let found: Result<bool, StoreError> = db.read(async |tx: &mut Tx| tx.one(Sql::raw(sql), &[]).await).await;
    db.close().await;
    Ok(found.unwrap())
}

#[test]
fn tls_is_used_as_sslmode_says() {
    testkit::block_on(async {
        let (authority, other) = (Authority::new(), Authority::new());
        let mut cluster = Cluster::new(RIGHTS);
        let (certificate, key) = authority.issue(&["db.example", "127.0.0.1"], None);
        cluster.set("ssl", "on");
        cluster.set("ssl_cert_file", &cluster.file("server.crt", &certificate).display().to_string());
        cluster.set("ssl_key_file", &cluster.file("server.key", &key).display().to_string());
        let root = cluster.file("root.crt", &authority.certificate).display().to_string();
        cluster.set("ssl_ca_file", &root);
        cluster.start();
        cluster.sql("create role tls_only login; create role plain_only login; create role with_certificate login");
        cluster.sql("create role with_password login password 'open sesame'");
        let wrong = cluster.file("other.crt", &other.certificate).display().to_string();
        let at = |user: &str, rest: &str| cluster.address(user, rest);

        // Without a word TLS is used where the server has it, and does without where only that leads on.
        for (rest, ssl) in [("", true), ("sslmode=prefer", true), ("sslmode=disable", false), ("sslmode=allow", false)]
        {
            assert_eq!(encrypted(&at("tracewright", rest)).await, Ok(ssl), "{rest}");
        }
        assert_eq!(encrypted(&at("tls_only", "")).await, Ok(true));
        assert_eq!(encrypted(&at("tls_only", "sslmode=allow")).await, Ok(true));
        assert_eq!(encrypted(&at("plain_only", "")).await, Ok(false));
        encrypted(&at("tls_only", "sslmode=disable")).await.unwrap_err();
        encrypted(&at("plain_only", "sslmode=require")).await.unwrap_err();

        // Whoever asks for TLS gets it, from anybody; whoever names roots wants to know from whom.
        assert_eq!(encrypted(&at("tracewright", "sslmode=require")).await, Ok(true));
        for mode in ["require", "verify-ca", "verify-full"] {
            assert_eq!(
                encrypted(&at("tracewright", &format!("sslmode={mode}&sslrootcert={root}"))).await,
                Ok(true),
                "{mode}"
            );
            let refused =
                encrypted(&at("tracewright", &format!("sslmode={mode}&sslrootcert={wrong}"))).await.unwrap_err();
            assert!(refused.contains("certificate"), "{mode}: {refused}");
        }
        let refused = encrypted(&at("tracewright", "sslrootcert=system")).await.unwrap_err();
        assert!(refused.contains("certificate"), "{refused}");

        // Names are those of the address, wherever it leads.
        let named = |host: &str, mode: &str| {
            let port = cluster.port;
            format!(
                "postgres://tracewright@{host}:{port}/postgres?hostaddr=127.0.0.1&sslmode={mode}&sslrootcert={root}"
            )
        };
        assert_eq!(encrypted(&named("db.example", "verify-full")).await, Ok(true));
        assert_eq!(encrypted(&named("other.example", "verify-ca")).await, Ok(true));
        let refused = encrypted(&named("other.example", "verify-full")).await.unwrap_err();
        assert!(refused.contains("other.example"), "{refused}");

        // The client's own certificate, and a password that is bound to the connection.
        let (certificate, key) = authority.issue(&[], Some("with_certificate"));
        let (certificate, key) = (cluster.file("own.crt", &certificate), cluster.file("own.key", &key));
        let own = format!("sslmode=require&sslcert={}&sslkey={}", certificate.display(), key.display());
        assert_eq!(encrypted(&at("with_certificate", &own)).await, Ok(true));
        encrypted(&at("with_certificate", "sslmode=require")).await.unwrap_err();
        let password = at("with_password:open%20sesame", "sslmode=require&channel_binding=require");
        assert_eq!(encrypted(&password).await, Ok(true));
        let plain = at("with_password:open%20sesame", "sslmode=disable");
        encrypted(&plain).await.unwrap_err();

        // A certificate that the server signed itself is its own root.
        let mut params = CertificateParams::new(["127.0.0.1".to_owned()]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let shown = cluster.file("server.crt", &params.self_signed(&key).unwrap().pem());
        cluster.file("server.key", &key.serialize_pem());
        cluster.stop();
        cluster.start();
        let shown = format!("sslmode=verify-full&sslrootcert={}", shown.display());
        assert_eq!(encrypted(&at("tracewright", &shown)).await, Ok(true));
        encrypted(&at("tracewright", &format!("sslmode=verify-ca&sslrootcert={root}"))).await.unwrap_err();
    });
}

#[test]
fn the_host_that_takes_writes_is_found() {
    testkit::block_on(async {
        let primary = Cluster::new("");
        primary.start();
        assert_eq!(encrypted(&primary.address("tracewright", "")).await, Ok(false), "the server has no TLS");
        let refused = encrypted(&primary.address("tracewright", "sslmode=require")).await.unwrap_err();
        assert!(refused.contains("TLS"), "{refused}");
        let standby = primary.standby();
        standby.start();
        let both = |rest: &str| {
            let (first, second) = (standby.port, primary.port);
            format!("postgres://tracewright@127.0.0.1:{first},127.0.0.1:{second}/postgres?{rest}")
        };
        for wanted in ["read-write", "primary"] {
            let url = both(&format!("target_session_attrs={wanted}"));
            let (db, _) = Db::open(&Location::Postgres { url, connections: 4 }).await.expect("the primary is found");
            db.close().await;
        }
        // A host that does not answer is no hindrance.
        standby.stop();
        let (db, _) =
            Db::open(&Location::Postgres { url: both(""), connections: 4 }).await.expect("the other is found");
        db.close().await;
        primary.stop();
        let refused = encrypted(&both("")).await.unwrap_err();
        for port in [standby.port, primary.port] {
            assert!(refused.contains(&format!("127.0.0.1:{port}")), "every host is told of: {refused}");
        }
    });
}
