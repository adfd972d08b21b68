//! Tables of Go.

use crate::{Strength, outline};

use Strength::{Exact, Loose, Usual, Vacuous};

#[test]
fn assertions_are_as_strong_as_what_they_accept() {
    for (statement, expected) in [
        ("if got := f(1); got != 2 { t.Errorf(\"got %d\", got) }", Exact),
        ("if err != nil { t.Fatal(err) }", Usual),
        ("if err == nil { t.Fatal(\"no error\") }", Loose),
        ("if got != got { t.Error(got) }", Vacuous),
        ("if false { t.Error(1) }", Vacuous),
        ("if !reflect.DeepEqual(got, want) { t.Fatal(got) }", Exact),
        ("if !ok { t.Fatal(got) }", Loose),
        ("if got < 3 { t.Fatal(got) }", Loose),
        ("if diff := cmp.Diff(want, got); diff != \"\" { t.Error(diff) }", Exact),
        ("if err != nil || got != 3 { t.Fatal(err) }", Exact),
        ("if got != 3 && false { t.Fatal(err) }", Vacuous),
        ("t.Fatal(\"no\")", Exact),
        ("assert.Equal(t, 2, f(1))", Exact),
        ("assert.Equal(t, 2, 2)", Vacuous),
        ("require.Equal(t, x, x)", Vacuous),
        ("require.NoError(t, err)", Usual),
        ("assert.NotNil(t, x)", Loose),
        ("assert.True(t, true)", Vacuous),
        ("assert.True(t, x == 3)", Exact),
        ("assert.True(t, ok)", Loose),
        ("assert.Truef(t, ok, \"x\")", Loose),
        ("assert.Nil(t, x)", Exact),
        ("assert.ErrorIs(t, err, io.EOF)", Exact),
        ("assert.InDelta(t, 1.5, x, 0.001)", Exact),
        ("assert.InDelta(t, 1.5, x, 1000)", Loose),
        ("s.Equal(2, f(1))", Exact),
        ("s.Require().Equal(2, f(1))", Exact),
        ("Expect(f(1)).To(Equal(2))", Exact),
        ("Expect(err).NotTo(HaveOccurred())", Loose),
        ("g.Expect(true).To(BeTrue())", Vacuous),
        ("qt.Assert(t, got, qt.Equals, 3)", Exact),
        ("c.Assert(got, NotNil)", Loose),
    ] {
        let source = format!("package a\nfunc TestA(t *testing.T) {{\n{statement}\n}}\n");
        let outline = outline(crate::GO, &source);
        let found: Vec<_> = outline.tests[0].assertions.iter().map(|it| it.strength).collect();
        assert_eq!(found, [expected], "{statement}");
    }
}

#[test]
fn what_is_not_reached_is_said() {
    let fails = "if f() != 1 { t.Error(1) }";
    for (before, after, expected) in [
        ("", "", true),
        ("return\n", "", false),
        ("if slow {\nreturn\n}\n", "", true),
        ("t.Skip(\"x\")\n", "", false),
        ("if testing.Short() {\nt.Skip(\"x\")\n}\n", "", true),
        ("os.Exit(0)\n", "", false),
        ("if false {\n", "\n}", false),
        ("for i := 0; i < 3; i++ {\n", "\n}", true),
        ("for false {\n", "\n}", false),
        ("t.Cleanup(func() {\n", "\n})", true),
        ("_ = func() {\n", "\n}", false),
    ] {
        let source =
            format!("package a\nfunc TestA(t *testing.T) {{\n{before}{fails}{after}\n}}\n");
        let outline = outline(crate::GO, &source);
        let found: Vec<_> = outline.tests[0].assertions.iter().map(|it| it.reachable).collect();
        assert_eq!(found, [expected], "{before}{fails}{after}");
    }
}

const FILE: &str = r#"package shop

import (
	"testing"
	cart "example.com/shop/basket"
)

var packageTable = []struct{ a, b int }{{1, 2}, {3, 4}, {5, 6}}

func TestMain(m *testing.M) { os.Exit(m.Run()) }

func TestPlain(t *testing.T) {
	if cart.Total() != 3 {
		t.Fatal("no")
	}
}

func TestSkipped(t *testing.T) {
	t.Skip("later")
	require.Equal(t, 1, f())
}

func TestSub(t *testing.T) {
	t.Run("first one", func(t *testing.T) {
		assert.Equal(t, 1, f())
		t.Run("deep", func(t *testing.T) { assert.Equal(t, 2, f()) })
	})
	assert.Equal(t, 3, f())
}

func TestTable(t *testing.T) {
	tests := []struct {
		name string
		want int
	}{
		{"a", 1},
		{name: "b", want: 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { checkIt(t, tt.want) })
	}
}

func TestPackageTable(t *testing.T) {
	for _, tt := range packageTable {
		assert.Equal(t, tt.b, f(tt.a))
	}
}

func (s *CartSuite) TestInSuite() { s.Equal(1, f()) }

func Testify(t *testing.T) {}

func ExampleTotal() {
	fmt.Println(cart.Total())
	// Output: 3
}

func checkIt(t *testing.T, want int) {
	t.Helper()
	if f() != want {
		t.Error("no")
	}
}
"#;

#[test]
fn a_file_has_the_tests_that_go_runs() {
    let outline = outline(crate::GO, FILE);
    let mut lines = Vec::new();
    for test in &outline.tests {
        let skipped = if test.skipped { " skipped" } else { "" };
        let (rows, asks) = (test.parameters.len(), test.assertions.len());
        lines.push(format!("{} {rows} {asks}{skipped}", test.path.join("/")));
    }
    let expected = [
        "TestPlain 0 1",
        "TestSkipped 0 1 skipped",
        "TestSub 0 1",
        "TestSub/first one 0 1",
        "TestSub/first one/deep 0 1",
        "TestTable 2 0",
        "TestPackageTable 3 1",
        "CartSuite/TestInSuite 0 1",
        "ExampleTotal 0 1",
    ];
    assert_eq!(lines, expected);
    let helpers: Vec<_> = outline.helpers.iter().map(|item| item.name.as_str()).collect();
    assert_eq!(helpers, ["packageTable", "TestMain", "Testify", "checkIt"]);
    assert_eq!(outline.helpers[3].assertions.len(), 1);
}
