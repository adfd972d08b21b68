//! Stack traces in reports: frames, and which of them are the project's own.
//!
//! Java names a class and a file without a folder. Where the file is follows from the package and
//! from where build tools keep sources; where the work tree can be asked, only files that are there
//! count, so that a library's frame is never taken for the project's.

use std::collections::HashMap;
use std::iter;

use memchr::{memchr, memmem, memrchr};

use crate::stack::frames_in;
use crate::stream::Frame;

/// The most frames of one trace that are looked at; a message before them may be any length.
const FRAMES_MAX: usize = 500;
/// The longest line that can be a frame.
const LINE_BYTES: usize = 2_000;

/// Packages of the platform, of test frameworks and of build tools.
const FOREIGN_PACKAGES: &[&str] = &[
    "java.",
    "javax.",
    "jdk.",
    "sun.",
    "com.sun.",
    "jakarta.",
    "kotlin.",
    "kotlinx.",
    "scala.",
    "groovy.",
    "org.codehaus.groovy.",
    "org.apache.groovy.",
    "org.junit.",
    "junit.",
    "org.opentest4j.",
    "org.assertj.",
    "org.hamcrest.",
    "org.mockito.",
    "org.testng.",
    "org.spockframework.",
    "org.apache.maven.",
    "org.gradle.",
    "worker.org.gradle.",
];
/// Where build tools keep sources, tests first: a test class is looked for more often.
const TEST_ROOTS: &[&str] =
    &["src/test/java", "src/test/kotlin", "src/test/groovy", "src/test/scala", "src/it/java"];
const CODE_ROOTS: &[&str] =
    &["src/main/java", "src/main/kotlin", "src/main/groovy", "src/main/scala", "src", ""];

/// Where a Java class may be.
pub(super) struct Sources<'run> {
    /// The folders of modules, from the root of the work tree; those of the report first.
    pub(super) modules: Vec<String>,
    /// Whether a file is there, by its path from the root; none where nobody knows.
    pub(super) has_file: Option<&'run dyn Fn(&str) -> bool>,
    /// The root of the work tree, in front of paths that were found.
    pub(super) root: &'run std::path::Path,
    known: HashMap<String, Option<String>>,
}

impl<'run> Sources<'run> {
    pub(super) fn new(
        root: &'run std::path::Path,
        modules: Vec<String>,
        has_file: Option<&'run dyn Fn(&str) -> bool>,
    ) -> Self {
        Self { modules, has_file, root, known: HashMap::new() }
    }

    /// The file of a class: absolute where it was found, by convention where nobody can look.
    pub(super) fn file_of(&mut self, class: &str, file: &str, test_class: &str) -> Option<String> {
        let package = class.rsplit_once('.').map_or("", |(package, _)| package);
        let Some(has_file) = self.has_file else {
            return by_convention(class, package, file, test_class);
        };
        let below = below(String::new(), package, file);
        if let Some(known) = self.known.get(&below) {
            return known.clone();
        }
        let joined = |module: &str, root: &str| {
            let parts = [module, root, &below];
            parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/")
        };
        let roots = TEST_ROOTS.iter().chain(CODE_ROOTS);
        let found = self
            .modules
            .iter()
            .flat_map(|module| roots.clone().map(|root| joined(module, root)))
            .find(|path| has_file(path))
            .map(|path| self.root.join(path).to_string_lossy().into_owned());
        self.known.insert(below, found.clone());
        found
    }

    /// The file of a test's class, by its name; where nobody can look, as a frame names it.
    pub(super) fn file_of_class(&mut self, class: &str, frames: &[Frame]) -> Option<String> {
        let outer = class.split('$').next().unwrap_or(class);
        let simple = outer.rsplit('.').next().filter(|name| !name.is_empty())?;
        if self.has_file.is_none() {
            let is_it = |file: &str| {
                let name = file.rsplit('/').next().and_then(|name| name.rsplit_once('.'));
                name.is_some_and(|(stem, _)| stem == simple)
            };
            return frames.iter().find(|frame| is_it(&frame.file)).map(|frame| frame.file.clone());
        }
        ["java", "kt", "groovy", "scala"]
            .iter()
            .find_map(|end| self.file_of(outer, &format!("{simple}.{end}"), outer))
    }
}

/// Own is what shares the test's package, or the first two parts of it.
fn is_near(class: &str, test_class: &str) -> bool {
    fn package(name: &str) -> impl Iterator<Item = &str> + Clone {
        let package = name.rsplit_once('.').map_or("", |(package, _)| package);
        package.split('.').filter(|part| !part.is_empty()).take(2)
    }
    let (class, test) = (package(class), package(test_class));
    let both_packed = class.clone().next().is_none() == test.clone().next().is_none();
    both_packed && class.zip(test).all(|(class, test)| class == test)
}

/// The file in the folders of its package, behind `path`.
fn below(mut path: String, package: &str, file: &str) -> String {
    path.reserve(package.len() + 1 + file.len());
    for folder in package.split('.').filter(|_| !package.is_empty()) {
        path.push_str(folder);
        path.push('/');
    }
    path.push_str(file);
    path
}

fn by_convention(class: &str, package: &str, file: &str, test_class: &str) -> Option<String> {
    if test_class.is_empty() || !is_near(class, test_class) {
        return None;
    }
    let outer = |name| str::split(name, '$').next().unwrap_or(name);
    let simple = outer(class.rsplit('.').next().unwrap_or(class));
    let is_test = outer(class) == outer(test_class)
        || ["Test", "Tests", "TestCase", "IT", "Spec"].iter().any(|end| simple.ends_with(end));
    let language = match file.rsplit_once('.') {
        Some((_, "kt")) => "kotlin",
        Some((_, "groovy")) => "groovy",
        Some((_, "scala")) => "scala",
        _ => "java",
    };
    let root = ["src/", if is_test { "test" } else { "main" }, "/", language, "/"].concat();
    Some(below(root, package, file))
}

/// The frames of a trace, outermost first.
pub(super) fn frames(text: &str, test_class: &str, sources: &mut Sources<'_>) -> Vec<Frame> {
    // Each cause is more to the point than what it caused.
    let mut sections: Vec<Vec<Frame>> = vec![Vec::new()];
    let mut java_lines = 0;
    for line in lines(text).filter(|line| line.len() <= LINE_BYTES) {
        let line = line.trim();
        if line.starts_with("Caused by: ") {
            sections.push(Vec::new());
        }
        let Some((name, place)) = java_line(line) else { continue };
        java_lines += 1;
        if java_lines > FRAMES_MAX {
            break;
        }
        let frame = java_frame(name, place, test_class, sources);
        if let (Some(frame), Some(section)) = (frame, sections.last_mut()) {
            section.push(frame);
        }
    }
    if java_lines == 0 {
        let frames = frames_in(text);
        let places = || text.lines().filter_map(place_frame).take(FRAMES_MAX).collect();
        return if frames.is_empty() { places() } else { frames };
    }
    let mut frames: Vec<Frame> = sections.into_iter().rev().flatten().collect();
    frames.reverse();
    frames
}

/// Like [`str::lines`], and quicker: a trace may have hundreds of them.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    iter::from_fn(move || {
        let end = memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
        let line = rest.get(..end).filter(|_| !rest.is_empty())?;
        rest = rest.get(end + 1..).unwrap_or_default();
        Some(line.strip_suffix('\r').unwrap_or(line))
    })
}

/// `at module/package.Class.method(File.java:3)`, without `at`.
fn java_line(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix("at ")?.strip_suffix(')')?;
    let opening = memrchr(b'(', line.as_bytes())?;
    let (name, place) = (line.get(..opening)?, line.get(opening + 1..)?);
    let has = |text: &str, byte| memchr(byte, text.as_bytes()).is_some();
    let plain = !name.ends_with(' ') && !has(place, b'/') && has(name, b'.');
    let known = [".java", ".kt", ".groovy", ".scala", "Native Method", "Unknown Source"];
    let is_in_place = |end: &&str| memmem::find(place.as_bytes(), end.as_bytes()).is_some();
    (plain && known.iter().any(is_in_place)).then_some((name, place))
}

fn java_frame(
    name: &str,
    place: &str,
    test_class: &str,
    sources: &mut Sources<'_>,
) -> Option<Frame> {
    let name = name.rsplit('/').next().unwrap_or(name);
    // A comparison of whole words only where the first letter is the same.
    let is_in =
        |package: &str| package.bytes().next() == name.bytes().next() && name.starts_with(package);
    if FOREIGN_PACKAGES.iter().any(|package| is_in(package)) {
        return None;
    }
    let (file, line) = place.split_once(':')?;
    let (class, method) = name.rsplit_once('.')?;
    let simple = class.rsplit('.').next().unwrap_or(class);
    let file = sources.file_of(class, file, test_class)?;
    Some(Frame { file, line: line.parse().ok(), function: Some([simple, ".", method].concat()) })
}

/// `a_test.go:3: message`, `tests/test_a.py:3:` and the like, where a trace has nothing else.
fn place_frame(line: &str) -> Option<Frame> {
    let word = line.split_whitespace().next()?;
    let (file, rest) = word.split_once(':')?;
    let (stem, extension) = file.rsplit_once('.')?;
    let code = matches!(extension, "py" | "go" | "rb" | "php" | "js" | "ts" | "tsx" | "cs" | "rs");
    let line = rest.split(':').next()?.parse().ok()?;
    (code && !stem.is_empty()).then(|| Frame {
        file: file.to_owned(),
        line: Some(line),
        function: None,
    })
}
