//! Metrics for Prometheus, one recorder for the process.

use std::sync::OnceLock;

use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};

static HANDLE: OnceLock<Option<PrometheusHandle>> = OnceLock::new();

const SECONDS: [f64; 12] = [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0];

/// Installs the recorder; before that, metrics are dropped.
pub(crate) fn init() {
    HANDLE.get_or_init(|| {
        let builder = PrometheusBuilder::new().set_buckets(&SECONDS).ok()?;
        builder.install_recorder().ok()
    });
}

pub(crate) fn render() -> String {
    match HANDLE.get() {
        Some(Some(handle)) => {
            handle.run_upkeep();
            handle.render()
        }
        _ => String::new(),
    }
}
