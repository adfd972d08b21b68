//! Tables of Java.

use crate::{Strength, outline};

use Strength::{Exact, Loose, Vacuous};

#[test]
fn assertions_are_as_strong_as_what_they_accept() {
    for (statement, expected) in [
        ("assertEquals(3, add(1, 2));", Exact),
        ("assertEquals(\"message\", 3, add(1, 2));", Exact),
        ("assertEquals(3, add(1, 2), \"message\");", Exact),
        ("assertEquals(1, 1);", Vacuous),
        ("assertEquals(x, x);", Vacuous),
        ("assertEquals(1.5, f(), 0.001);", Exact),
        ("assertEquals(1.5, f(), 1000.0);", Loose),
        ("Assertions.assertTrue(true);", Vacuous),
        ("assertTrue(x > 3);", Loose),
        ("assertTrue(x == 3);", Exact),
        ("assertTrue(a.equals(b));", Exact),
        ("assertTrue(a.equals(a));", Vacuous),
        ("assertFalse(x);", Loose),
        ("assertNotNull(x);", Loose),
        ("assertNull(f());", Exact),
        ("assertThrows(IOException.class, () -> f());", Exact),
        ("assertThrows(Exception.class, () -> f());", Loose),
        ("fail(\"no\");", Exact),
        ("assert x == 3 : \"m\";", Exact),
        ("assertThat(f()).isEqualTo(3);", Exact),
        ("assertThat(f()).as(\"x\").isNotNull();", Loose),
        ("assertThat(f()).isNotNull().isEqualTo(3);", Exact),
        ("assertThat(f());", Vacuous),
        ("assertThat(true).isTrue();", Vacuous),
        ("assertThat(x).isEqualTo(x);", Vacuous),
        ("assertThat(list).hasSize(3);", Exact),
        ("assertThatThrownBy(() -> f()).isInstanceOf(IOException.class);", Exact),
        ("assertThat(f(), is(3));", Exact),
        ("assertThat(f(), is(notNullValue()));", Loose),
        ("assertThat(f(), is(anything()));", Vacuous),
        ("assertThat(\"why\", f(), equalTo(3));", Exact),
        ("verify(mock, times(2)).call(3);", Exact),
    ] {
        let source = format!("class A {{ @Test void a() {{ {statement} }} }}");
        let outline = outline(crate::JAVA, &source);
        let found: Vec<_> = outline.tests[0].assertions.iter().map(|it| it.strength).collect();
        assert_eq!(found, [expected], "{statement}");
    }
}

#[test]
fn what_is_not_reached_or_not_heard_is_said() {
    for (body, expected) in [
        ("int x = f(); assertEquals(1, x);", true),
        ("if (true) return; assertEquals(1, f());", false),
        ("if (slow) return; assertEquals(1, f());", true),
        ("if (false) { assertEquals(1, f()); }", false),
        ("try { assertEquals(1, f()); } catch (Throwable t) { }", false),
        (
            "try { assertEquals(1, f()); } catch (AssertionError e) { System.out.println(e); }",
            false,
        ),
        ("try { assertEquals(1, f()); } catch (Exception e) { }", true),
        ("try { assertEquals(1, f()); } catch (Throwable t) { throw t; }", true),
        ("assumeTrue(false); assertEquals(1, f());", false),
        ("assumeTrue(onLinux()); assertEquals(1, f());", true),
        ("assertAll(() -> assertEquals(1, f()));", true),
    ] {
        let source = format!("class A {{ @Test void a() {{ {body} }} }}");
        let outline = outline(crate::JAVA, &source);
        let found: Vec<_> = outline.tests[0].assertions.iter().map(|it| it.reachable).collect();
        assert_eq!(found, [expected], "{body}");
    }
}

const FILE: &str = r#"
package shop;

class CartTest {
    @BeforeEach void setUp() { }

    @Test
    void plain() { assertEquals(3, total()); }

    @Disabled("later")
    @Test
    void disabled() { assertEquals(3, total()); }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void values(int a) { check(a); }

    @ParameterizedTest
    @CsvSource({"1, 2", "3, 4"})
    void rows(int a, int b) { assertThat(f(a)).isEqualTo(b); }

    @RepeatedTest(3)
    void again() { assertTrue(f()); }

    @org.junit.Test(expected = IOException.class)
    public void throwing() { f(); }

    @Nested
    class Inner {
        @Test void deep() { assertNull(f()); }
    }

    @Ignore
    static class Off {
        @Test void off() { assertNull(f()); }
    }

    private void check(int a) { assertEquals(a, f(a)); }
}

class OldTest extends TestCase {
    public void testOld() { assertEquals(3, f()); }
    public void helper() { }
}
"#;

#[test]
fn a_file_has_the_tests_that_junit_runs() {
    let outline = outline(crate::JAVA, FILE);
    let mut lines = Vec::new();
    for test in &outline.tests {
        let skipped = if test.skipped { " skipped" } else { "" };
        let (rows, asks) = (test.parameters.len(), test.assertions.len());
        lines.push(format!("{} {rows} {asks}{skipped}", test.path.join(".")));
    }
    let expected = [
        "CartTest.plain 0 1",
        "CartTest.disabled 0 1 skipped",
        "CartTest.values 3 0",
        "CartTest.rows 2 1",
        "CartTest.again 0 1",
        "CartTest.throwing 0 1",
        "CartTest.Inner.deep 0 1",
        "CartTest.Off.off 0 1 skipped",
        "OldTest.testOld 0 1",
    ];
    assert_eq!(lines, expected);
    let helpers: Vec<_> = outline.helpers.iter().map(|item| item.name.as_str()).collect();
    assert_eq!(helpers, ["setUp", "check", "helper"]);
}
