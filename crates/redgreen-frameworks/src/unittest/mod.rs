//! Python's unittest, through its runner.
//!
//! A `sitecustomize` of ours, first on `PYTHONPATH`, hands over to the one that would have been
//! there, and has redgreen told when `unittest.runner` is loaded: from then on every run of a
//! `TextTestRunner` writes the report stream. So `python -m unittest`, `unittest.main()` and Django's
//! `manage.py test` report without a change. The workflow document has no name for it: it is served
//! as `other`.
//!
//! Limits: `python -I`, `-E` or `-S` do not load it, and neither do runners that are not
//! `TextTestRunner`s; such a run never began, which is not a pass.

use crate::adapter::{InjectedFile, Injection, InjectionRequest, PYTHON_FOLDER};

const FILES: [(&str, &str); 2] = [
    ("sitecustomize.py", include_str!("sitecustomize.py")),
    ("redgreen_unittest.py", include_str!("redgreen_unittest.py")),
];

/// What makes unittest report.
pub(crate) fn inject(request: &InjectionRequest<'_>) -> Injection {
    let file = |(name, content): (&str, &str)| InjectedFile {
        path: [PYTHON_FOLDER, name].iter().collect(),
        content: content.to_owned(),
        executable: false,
    };
    Injection {
        env: vec![request.prepended("PYTHONPATH", &request.run_folder.join(PYTHON_FOLDER), ':')],
        files: FILES.map(file).to_vec(),
    }
}
