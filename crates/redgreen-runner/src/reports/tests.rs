#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::SystemTime;

use super::*;

const OF_MAVEN: &[&str] = &["**/target/surefire-reports/TEST-*.xml"];

struct Project {
    folder: tempfile::TempDir,
    mark: tempfile::NamedTempFile,
}

impl Project {
    fn new() -> Self {
        let mark = tempfile::NamedTempFile::new().unwrap();
        Self { folder: tempfile::tempdir().unwrap(), mark }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn before(&self, of_framework: &[&str], of_check: &[&str]) -> Reports {
        let of_check: Vec<String> = of_check.iter().map(|glob| (*glob).to_owned()).collect();
        let folder = self.folder.path().to_owned();
        Reports::before(folder, of_framework, &of_check, self.mark.path()).unwrap()
    }

    fn written(&self, reports: &Reports) -> Vec<String> {
        reports.written(self.folder.path()).files.into_iter().map(|file| file.path).collect()
    }
}

fn set_time(path: &Path, time: SystemTime) {
    File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

const OLD: &str = "target/surefire-reports/TEST-old.xml";

#[test]
fn what_was_there_before_does_not_count_and_what_is_new_does() {
    let project = Project::new();
    project.write(OLD, "old");
    let reports = project.before(OF_MAVEN, &[]);
    assert_eq!(project.written(&reports), [""; 0]);
    let said = reports.written(project.folder.path()).remarks.join("");
    assert!(said.contains(OLD), "{said}");
    project.write("core/target/surefire-reports/TEST-new.xml", "new");
    project.write("core/target/surefire-reports/other.txt", "no report");
    assert_eq!(project.written(&reports), ["core/target/surefire-reports/TEST-new.xml"]);
}

#[test]
fn what_comes_into_folders_that_were_there_is_found() {
    let reports_of = |folder: &str, name: &str| format!("{folder}/target/surefire-reports/{name}");
    // Often enough that writes fall into the tick of the mark, and into a later one.
    for _ in 0..20 {
        let project = Project::new();
        let [old, link] = ["TEST-old.xml", "TEST-link.xml"].map(|name| reports_of("a", name));
        project.write(&old, "old");
        project.write("b/code", "");
        project.write("elsewhere/code", "");
        project.write(&reports_of("c", "TEST-old.xml"), "old");
        std::os::unix::fs::symlink(project.path("elsewhere/later.xml"), project.path(&link))
            .unwrap();
        let reports = project.before(OF_MAVEN, &[]);
        assert_eq!(project.written(&reports), [""; 0]);
        let new = [reports_of("b", "TEST-new.xml"), reports_of("c", "TEST-new.xml")];
        for path in new.iter().chain([&old, &"elsewhere/later.xml".to_owned()]) {
            project.write(path, "new");
        }
        let expected = [link, old, new[0].clone(), new[1].clone()];
        assert_eq!(project.written(&reports), expected);
    }
}

/// Often enough that two writes fall into one tick of the clock.
#[test]
fn the_same_bytes_written_again_at_once_are_of_this_run() {
    let project = Project::new();
    for _ in 0..50 {
        project.write(OLD, "the same");
        let reports = project.before(OF_MAVEN, &[]);
        project.write(OLD, "the same");
        assert_eq!(project.written(&reports), [OLD]);
    }
}

#[test]
fn a_new_mode_an_old_copy_and_a_moved_file_are_not_of_this_run() {
    use std::os::unix::fs::PermissionsExt as _;
    let project = Project::new();
    project.write(OLD, "old");
    project.write("kept.xml", "old");
    set_time(&project.path("kept.xml"), SystemTime::now() - Duration::from_secs(3_600));
    let reports = project.before(OF_MAVEN, &[]);
    fs::set_permissions(project.path(OLD), fs::Permissions::from_mode(0o600)).unwrap();
    fs::rename(project.path("kept.xml"), project.path("target/surefire-reports/TEST-kept.xml"))
        .unwrap();
    assert_eq!(project.written(&reports), [""; 0]);
}

#[test]
fn a_report_from_the_future_counts_only_when_it_is_written() {
    let project = Project::new();
    project.write(OLD, "old");
    let future = SystemTime::now() + Duration::from_secs(86_400);
    set_time(&project.path(OLD), future);
    let reports = project.before(OF_MAVEN, &[]);
    assert_eq!(project.written(&reports), [""; 0]);
    project.write(OLD, "new");
    assert_eq!(project.written(&reports), [OLD]);
}

#[test]
fn globs_are_followed_where_they_lead_and_nowhere_else() {
    let files = [
        "target/surefire-reports/TEST-a.xml",
        "a/b/target/surefire-reports/TEST-b.xml",
        "target/debug/target/surefire-reports/TEST-c.xml",
        "node_modules/x/target/surefire-reports/TEST-d.xml",
        "build/deep/junit.xml",
        "out/x.json",
        "out/y/z.json",
    ];
    let cases: &[(&[&str], &[&str], &[usize])] = &[
        (OF_MAVEN, &[], &[1, 0]),
        (&["**/build/**/junit.xml"], &[], &[4]),
        (&[], &["**/junit.xml"], &[4]),
        (&["**/junit.xml"], &[], &[]),
        (&[], &["out/*.json"], &[5]),
        (&[], &["./out/**/*.json"], &[5, 6]),
        (&[], &["{out/y,build/deep}/*.{json,xml}"], &[4, 6]),
        (&[], &["node_modules/*/target/surefire-reports/*"], &[3]),
        (&[], &["out"], &[]),
    ];
    for (of_framework, of_check, wanted) in cases {
        let project = Project::new();
        let reports = project.before(of_framework, of_check);
        for file in files {
            project.write(file, "report");
        }
        let wanted: Vec<&str> = wanted.iter().map(|index| files[*index]).collect();
        assert_eq!(project.written(&reports), wanted, "{of_framework:?} {of_check:?}");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_said() {
    let project = Project::new();
    let reports = project.before(&[], &["*.xml"]);
    let file = File::create(project.path("huge.xml")).unwrap();
    file.set_len(BYTES_MAX + 1).unwrap();
    project.write("small.xml", "small");
    let written = reports.written(project.folder.path());
    assert_eq!(written.files.len(), 1);
    assert!(written.left_out[0].starts_with("huge.xml: "), "{:?}", written.left_out);
}
