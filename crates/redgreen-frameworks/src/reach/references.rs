//! What a source refers to outside of itself, as it is written.

use std::sync::LazyLock;

use regex::Regex;

use super::scan::{Kind, Literal, Scanned};

/// What a source refers to.
#[derive(Debug, Default)]
pub(crate) struct References {
    /// Modules, as they are written: `a.b`, `.sibling`, `./x`, `example.com/m/x`, `a.b.Class`.
    pub(crate) modules: Vec<String>,
    /// What may be the name of a file or a folder.
    pub(crate) names: Vec<Name>,
    /// Whether a module that it loads has a name that is made.
    made: bool,
    code: String,
}

/// What may be the name of a file or a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    /// The name, with `*` for what is put in.
    pub(crate) text: String,
    /// What stands before it on its line.
    before: String,
}

impl Name {
    /// Whether it stands where a folder is named: `Path("data")`, `here / "data"`.
    pub(crate) fn is_place(&self) -> bool {
        self.text.contains('/') || fits(&PLACE, &self.before)
    }
}

/// An expression of our own; one that is none finds nothing.
macro_rules! expression {
    ($text:expr) => {
        LazyLock::new(|| Regex::new($text).ok())
    };
}
type Expression = LazyLock<Option<Regex>>;

static PYTHON_FROM: Expression =
    expression!(r"(?m)^[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t]*(\([^)]*\)|[^\n;]*)");
static PYTHON_IMPORT: Expression = expression!(r"(?m)^[ \t]*import[ \t]+([\w., \t]+)");
static JAVA_IMPORT: Expression = expression!(r"(?m)^[ \t]*import[ \t]+(?:static[ \t]+)?([\w.*]+)");
/// Before a literal that names a folder.
static PLACE: Expression = expression!(
    r"(?i)(?:/[ \t]*[rfbu]{0,2}$|(?:path|join|loader|dir|dirs|folder|directory|root|open|glob|embed|static|views|templates?|resources?|assets|files|embed_dir!)[\w\s.:!?]*[=(\[,:][^;{}]*$)"
);
/// What loads or runs something by a name that is made while it runs.
static ANY_MODULE: Expression = expression!(concat!(
    r#"\bimport_module\(\s*[^"\s)]|__import__\(\s*[^"\s)]|\bspec_from_file_location\b|\brunpy\b|\bpkgutil\b|\bentry_points\b"#,
    r#"|\bsubprocess\b|\bos\.system\b|\bos\.exec|\bPopen\b|(?:^|[^\w.])exec\(|(?:^|[^\w.])eval\("#,
    r#"|\brequire\(\s*[^"\s)]|\bimport\(\s*[^"\s)]|\brequire\.context\b|\bimport\.meta\.glob|\bchild_process\b|\bexeca\b|new Function\("#,
    r#"|\brequire(?:_relative)?[ \t]+[^"\s]|\bconst_get\b|\bautoload\b|\bZeitwerk\b|\bBundler\.require\b"#,
    r"|\bexec\.Command\b|\bplugin\.Open\b|\bCommand::new\b|\blibloading\b",
    r"|\bClass\.forName\b|\bServiceLoader\b|\bProcessBuilder\b|@(?:SpringBootTest|Autowired|Inject|ComponentScan|QuarkusTest|MicronautTest)\b",
));
/// What reads any files that are there.
static ANY_FILE: Expression = expression!(concat!(
    r"\bi?glob\b|\biterdir\b|\blistdir\b|\bscandir\b|\bwalk\b|\bresources\b",
    r"|\bDir(?:\.|\[)|\breaddir|\bfast-glob\b|\bos\.(?:ReadDir|DirFS)\b|\bioutil\b|\bfilepath\.|\bWalkDir\b|\bread_dir\b",
    r"|\bgetResource|\bFiles\.|\bnew File\b|\bFileInputStream\b|\bFileReader\b|\bPaths?\.",
));
/// What reads one file, which is known where its name is written out.
static ONE_FILE: Expression = expression!(concat!(
    r"\bFile\.(?:read|open)|\bYAML\.load_file|\bopen\(|\bread_text\b|\bread_bytes\b|\breadFile|\bcreateReadStream\b",
    r"|\bos\.(?:Open|ReadFile)\b|\bread_to_string\b|\bFile::open\b|\bfs::read\b",
));
/// The name of a file: it has an ending, and nothing of it is made.
static FILE_NAME: Expression = expression!(r"^[^*]*\.[A-Za-z][A-Za-z0-9]{0,9}$");

fn fits(expression: &Expression, text: &str) -> bool {
    expression.as_ref().is_some_and(|known| known.is_match(text))
}

impl References {
    /// What a source refers to.
    pub(crate) fn of(kind: Kind, scanned: Scanned) -> Self {
        let Scanned { code, literals } = scanned;
        let mut found = Self::default();
        match kind {
            Kind::Python => found.modules.extend(python(&code)),
            Kind::Java => found.modules.extend(captured(&JAVA_IMPORT, &code, 1)),
            Kind::Script | Kind::Go | Kind::Rust | Kind::Shell | Kind::Ruby => {}
        }
        for literal in literals {
            if is_module(kind, &literal) {
                found.made |=
                    literal.text.contains('*') && literal.before.trim_end().ends_with('(');
                found.modules.push(literal.text.clone());
            }
            found.names.push(name(literal));
        }
        found.code = code;
        found
    }

    /// Whether it loads or runs something whose name cannot be known.
    pub(crate) fn any_module(&self) -> bool {
        self.made || fits(&ANY_MODULE, &self.code)
    }

    /// Whether it reads files whose names cannot be known: any that are there, or more than it has names of.
    pub(crate) fn any_file(&self) -> bool {
        let reads = ONE_FILE.as_ref().map_or(0, |known| known.find_iter(&self.code).count());
        let named = self.names.iter().filter(|name| fits(&FILE_NAME, &name.text)).count();
        fits(&ANY_FILE, &self.code) || reads > named
    }
}

fn name(Literal { text, before }: Literal) -> Name {
    // `stem + ".txt"` is a name that is made, too.
    let ending = text.starts_with('.') && text.len() > 1 && !text[1..].contains(['.', '/']);
    let added = ending && before.trim_end().ends_with(['+', ',', '(']);
    let text = if added { format!("*{text}") } else { text };
    Name { text, before }
}

/// Whether a literal is the name of a module.
fn is_module(kind: Kind, literal: &Literal) -> bool {
    let before = literal.before.trim_end();
    match kind {
        // `mock.patch("a.b.c")`, `INSTALLED_APPS`, `pytest_plugins`: nothing else is written so.
        Kind::Python => {
            let word = |part: &str| {
                !part.is_empty() && part.chars().all(|it| it.is_alphanumeric() || it == '_')
            };
            (literal.text.contains('.') && literal.text.split('.').all(word))
                || before.ends_with("import_module(")
                || before.ends_with("__import__(")
        }
        Kind::Script => {
            literal.text.starts_with("./")
                || literal.text.starts_with("../")
                || ["from", "import", "require(", "import(", "resolve(", "mock("]
                    .iter()
                    .any(|word| before.ends_with(word))
        }
        // A path of a module has a point or a slash; which are the project's is known from `go.mod`.
        Kind::Go => true,
        Kind::Ruby => {
            let before = before.trim_end_matches(['(', ' ']);
            ["require", "require_relative", "load"].iter().any(|word| before.ends_with(word))
        }
        Kind::Shell | Kind::Rust | Kind::Java => false,
    }
}

/// The modules of `import a.b, c as d` and `from a import (b, c)`.
fn python(code: &str) -> Vec<String> {
    let mut modules = Vec::new();
    for found in PYTHON_FROM.as_ref().into_iter().flat_map(|known| known.captures_iter(code)) {
        let of = |group: usize| found.get(group).map_or("", |it| it.as_str());
        let module = of(1);
        let dot = if module.ends_with('.') { "" } else { "." };
        let names = of(2).split([',', '(', ')']);
        let names = names.filter_map(|name| name.split_whitespace().next());
        modules.extend(names.map(|name| format!("{module}{dot}{name}")));
        modules.push(module.to_owned());
    }
    for list in captured(&PYTHON_IMPORT, code, 1) {
        let names = list.split(',').filter_map(|name| name.split_whitespace().next());
        modules.extend(names.map(str::to_owned));
    }
    modules
}

fn captured(expression: &Expression, code: &str, group: usize) -> Vec<String> {
    let known = expression.as_ref().into_iter();
    let found = known.flat_map(|known| known.captures_iter(code));
    found.filter_map(|it| Some(it.get(group)?.as_str().to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::super::scan::scan;
    use super::*;

    fn of(kind: Kind, source: &str) -> References {
        References::of(kind, scan(kind, source))
    }

    #[test]
    fn modules_are_seen_as_they_are_written() {
        let python = "import os, a.b as c\nfrom . import x\nfrom .y import (\n    z,  # w\n    v as u,\n)\nimport_module('d.e')\n# import gone\n";
        let found = of(Kind::Python, python);
        assert_eq!(found.modules, [".x", ".", ".y.z", ".y.v", ".y", "os", "a.b", "d.e"]);
        assert!(!found.any_module());
        assert!(of(Kind::Python, "m = import_module(name)\n").any_module());
        assert!(of(Kind::Python, "m = import_module(f'a.{name}')\n").any_module());
        let script = "import a from './a';\nexport * from \"../b.js\";\nconst c = require('pkg');\nawait import(`./d/${x}.js`);\n";
        let found = of(Kind::Script, script);
        assert_eq!(found.modules, ["./a", "../b.js", "pkg", "./d/*.js"]);
        assert!(found.any_module());
        assert!(!of(Kind::Script, "import a from 'a';\nregister('b');\n").any_module());
        assert!(of(Kind::Script, "const a = require(name);\n").any_module());
        let ruby = "require 'json'\nrequire_relative \"../a\"\nrequire(\"b/c\") # 'd'\nputs 'e'\n";
        let found = of(Kind::Ruby, ruby);
        assert_eq!(found.modules, ["json", "../a", "b/c"]);
        assert!(!found.any_module());
        assert!(of(Kind::Ruby, "Dir['*.rb'].each { |file| require file }\n").any_module());
        assert!(of(Kind::Ruby, "Bundler.require\n").any_module());
        let java = "package p;\nimport static a.B.c;\nimport d.*;\n";
        assert_eq!(of(Kind::Java, java).modules, ["a.B.c", "d.*"]);
    }

    #[test]
    fn a_file_whose_name_is_written_out_is_known() {
        let any = |source: &str| of(Kind::Python, source).any_file();
        assert!(!any("x = (Path(__file__).parent / 'data' / 'a.golden').read_text()\n"));
        assert!(!any("with open('a.json') as f:\n    pass\n"));
        assert!(any("x = open(name).read()\n") && any("x = (here / name).read_text()\n"));
        assert!(any("x = open('a.json'); y = open(other)\n"));
        assert!(any("x = (here / (name + '.json')).read_text()\n"));
        assert!(any("for p in here.glob('a.json'):\n    pass\n"));
    }

    #[test]
    fn names_are_seen_with_where_they_stand() {
        let cases = [
            ("x = Path('data')", "data", true),
            ("x = here / 'data'", "data", true),
            ("x = os.path.join(HERE, 'data')", "data", true),
            ("DATA_DIR = 'data'", "data", true),
            ("loader = FileSystemLoader('templates')", "templates", true),
            ("x = row['data']", "data", false),
            ("x = {'data': 1}", "data", false),
            ("x = 'data/a.txt'", "data/a.txt", true),
            ("x = currency + '.txt'", "*.txt", false),
        ];
        for (source, text, is_place) in cases {
            let found = of(Kind::Python, source).names;
            let found: Vec<(&str, bool)> =
                found.iter().map(|it| (it.text.as_str(), it.is_place())).collect();
            assert_eq!(found, [(text, is_place)], "{source}");
        }
    }
}
