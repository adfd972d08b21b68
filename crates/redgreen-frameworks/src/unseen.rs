//! Tests that ran unseen: their runner speaks on the console or stands in the command, and nothing came through our
//! channel. What a program prints makes no pass; it does tell which runner it was, and so what to write.

use redgreen_model::report::Report;

use crate::adapter::RunMaterial;
use crate::{ADAPTERS, console, other};

/// Says of each such runner why it was not seen, before all other remarks.
pub(crate) fn remark(report: &mut Report, material: &RunMaterial<'_>) {
    if report.began {
        return;
    }
    let mut remarks: Vec<String> = other::unseen_command(material.command).into_iter().collect();
    let named = !remarks.is_empty();
    for run in console::read(material.console.as_bytes(), material.places(), None) {
        let known = ADAPTERS.iter().find(|adapter| adapter.id() == run.framework);
        let remark = match known {
            _ if named || !run.runs_tests => None,
            Some(adapter) => adapter.unseen(material.console),
            None => other::unseen(run.program, material.command),
        };
        remarks.extend(remark.filter(|it| !remarks.contains(it)));
    }
    report.diagnostics.splice(0..0, remarks);
}
