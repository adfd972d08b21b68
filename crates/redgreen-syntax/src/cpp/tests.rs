//! Tables of C++.

use crate::{CPP, Strength, outline};

use Strength::{Exact, Loose, Usual, Vacuous};

#[test]
fn assertions_are_as_strong_as_what_they_accept() {
    for (statement, expected) in [
        ("EXPECT_EQ(3, add(1, 2));", Exact),
        ("EXPECT_EQ(add(1, 2), 3) << \"message\";", Exact),
        ("ASSERT_EQ(1, 1);", Vacuous),
        ("EXPECT_EQ(x, x);", Vacuous),
        ("EXPECT_STREQ(\"a\", name());", Exact),
        ("EXPECT_TRUE(true);", Vacuous),
        ("EXPECT_TRUE(f() == 3);", Exact),
        ("EXPECT_TRUE(f());", Loose),
        ("EXPECT_TRUE(f() || true);", Vacuous),
        ("EXPECT_FALSE(f());", Loose),
        ("EXPECT_GT(f(), 0);", Loose),
        ("EXPECT_GT(1, 0);", Vacuous),
        ("EXPECT_NEAR(f(), 1.5, 0.001);", Exact),
        ("EXPECT_NEAR(f(), 1.5, 100.0);", Loose),
        ("EXPECT_THROW(f(), std::out_of_range);", Exact),
        ("EXPECT_THROW(f(), std::exception);", Loose),
        ("EXPECT_NO_THROW(f());", Usual),
        ("EXPECT_THAT(f(), testing::Eq(3));", Exact),
        ("EXPECT_THAT(f(), Gt(3));", Loose),
        ("EXPECT_THAT(f(), testing::_);", Vacuous),
        ("EXPECT_DEATH(f(), \"x\");", Exact),
        ("FAIL() << \"no\";", Exact),
    ] {
        let source = format!("TEST(A, b) {{ {statement} }}\n");
        let outline = outline(CPP, &source);
        let found: Vec<_> = outline.tests[0].assertions.iter().map(|it| it.strength).collect();
        assert_eq!(found, [expected], "{statement}");
    }
}

#[test]
fn what_is_not_reached_is_said() {
    for (body, expected) in [
        ("int x = f(); EXPECT_EQ(1, x);", true),
        ("return; EXPECT_EQ(1, f());", false),
        ("if (slow) return; EXPECT_EQ(1, f());", true),
        ("if (false) { EXPECT_EQ(1, f()); }", false),
        ("try { EXPECT_EQ(1, f()); } catch (...) { }", true),
    ] {
        let outline = outline(CPP, &format!("TEST(A, b) {{ {body} }}\n"));
        let found: Vec<_> = outline.tests[0].assertions.iter().map(|it| it.reachable).collect();
        assert_eq!(found, [expected], "{body}");
    }
}

const FILE: &str = r#"
#include <gtest/gtest.h>
#include "price.h"

namespace shop {

class PriceTest : public ::testing::Test {
 protected:
  void SetUp() override { total_ = 3; }
  int total_ = 0;
};

int twice(int a) { return 2 * a; }

TEST(Price, Adds) { EXPECT_EQ(3, add(1, 2)) << "three"; }

TEST_F(PriceTest, DISABLED_Off) { EXPECT_EQ(3, total_); }

TEST_F(PriceTest, Skips) {
  GTEST_SKIP() << "later";
  EXPECT_EQ(3, total_);
}

TEST_P(Rows, Positive) { EXPECT_GT(GetParam(), 0); }

INSTANTIATE_TEST_SUITE_P(Some, Rows, ::testing::Values(1, 2));

TYPED_TEST(Typed, Empty) { ASSERT_TRUE(TypeParam().empty()); }

}  // namespace shop
"#;

#[test]
fn a_file_has_the_tests_that_googletest_runs() {
    let outline = outline(CPP, FILE);
    let line = |test: &crate::TestItem| {
        let skipped = if test.skipped { " skipped" } else { "" };
        let (rows, asks) = (test.parameters.len(), test.assertions.len());
        format!("{} {rows} {asks}{skipped}", test.path.join("."))
    };
    let expected = [
        "Price.Adds 0 1",
        "PriceTest.Off 0 1 skipped",
        "PriceTest.Skips 0 1 skipped",
        "Rows.Positive 2 1",
        "Typed.Empty 0 1",
    ];
    assert_eq!(outline.tests.iter().map(line).collect::<Vec<_>>(), expected);
    assert_eq!(outline.tests[0].literals, ["1", "2", "3"]);
    let helpers: Vec<_> = outline.helpers.iter().map(|item| item.name.as_str()).collect();
    assert_eq!(helpers, ["SetUp", "twice"]);
    assert_eq!(outline.imports.len(), 2);
}
