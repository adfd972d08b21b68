//! Some of a project's files, as if they were a project.

use crate::adapter::ProjectFiles;

/// The files of a project below one folder, or some of them.
pub(crate) struct Part<'project> {
    project: &'project dyn ProjectFiles,
    /// The folder with its `/`; empty for the root.
    below: String,
    paths: Vec<String>,
}

impl<'project> Part<'project> {
    /// Those below a folder that are wanted; they are asked about by their paths from that folder.
    pub(crate) fn of(
        project: &'project dyn ProjectFiles,
        folder: &str,
        wanted: impl Fn(&str) -> bool,
    ) -> Self {
        let below = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let paths = project.paths().iter().filter_map(|path| path.strip_prefix(&below));
        let paths = paths.filter(|path| wanted(path)).map(str::to_owned).collect();
        Self { project, below, paths }
    }
}

impl ProjectFiles for Part<'_> {
    fn paths(&self) -> &[String] {
        &self.paths
    }

    fn read(&self, path: &str) -> Option<String> {
        self.project.read(&format!("{}{path}", self.below))
    }

    fn starts(&self, program: &str) -> bool {
        match program.contains('/') {
            true => self.project.starts(&format!("{}{program}", self.below)),
            false => self.project.starts(program),
        }
    }
}
