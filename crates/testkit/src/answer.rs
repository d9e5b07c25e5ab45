use serde_json::Value;

/// What the server answered, read to the end.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: reqwest::header::HeaderMap,
    pub body: Value,
    pub text: String,
}

impl Answer {
    pub(crate) async fn read(response: reqwest::Response) -> Self {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let text = response.text().await.expect("a whole body");
        let body = serde_json::from_str(&text).unwrap_or(Value::Null);
        Self { status, headers, body, text }
    }

    /// The answer, if it has that status.
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", self.text);
        self
    }

    /// The envelope's `detail` of a success.
    #[track_caller]
    pub fn detail(self) -> Value {
        assert_eq!(self.status / 100, 2, "{} {}", self.status, self.text);
        assert_eq!(self.body["status"], self.status, "the envelope repeats the status: {}", self.text);
        assert!(self.body["message"].is_string(), "{}", self.text);
        self.body["detail"].clone()
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap_or(""))
    }

    /// The faults of a 422 as `type loc`, in order of their appearance.
    #[track_caller]
    pub fn faults(&self) -> Vec<String> {
        assert_eq!(self.status, 422, "{}", self.text);
        let faults = self.body["detail"].as_array().expect("an array of faults");
        for fault in faults {
            assert!(fault["msg"].is_string() && fault.get("input").is_some(), "{fault}");
        }
        let place = |loc: &Value| {
            let steps = loc.as_array().expect("a path").iter();
            steps
                .map(|step| step.as_str().map_or_else(|| step.to_string(), str::to_owned))
                .collect::<Vec<_>>()
                .join(".")
        };
        faults.iter().map(|fault| format!("{} {}", fault["type"].as_str().unwrap(), place(&fault["loc"]))).collect()
    }
}
