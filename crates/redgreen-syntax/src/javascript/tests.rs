//! Tables of JavaScript.

use crate::{Strength, outline};

use Strength::{Exact, Loose, Vacuous};

#[test]
fn assertions_are_as_strong_as_what_they_accept() {
    for (statement, expected) in [
        ("expect(total(x)).toBe(12)", Exact),
        ("await expect(load()).resolves.toEqual({ a: 1 })", Exact),
        ("expect(x).toBeTruthy()", Loose),
        ("expect(x).not.toBe(3)", Loose),
        ("expect(x).toBeDefined()", Loose),
        ("expect(x).toBeNull()", Exact),
        ("expect(true).toBe(true)", Vacuous),
        ("expect(1 + 1).toBe(2)", Vacuous),
        ("expect(x).toBe(x)", Vacuous),
        ("expect(f(1)).toEqual(f(1))", Loose),
        ("expect(x)", Vacuous),
        ("expect(x).toBe", Vacuous),
        ("expect(x).toEqual(expect.anything())", Vacuous),
        ("expect(x).toEqual(expect.objectContaining({ a: 1 }))", Exact),
        ("expect(() => f()).toThrow()", Loose),
        ("expect(() => f()).toThrow(TypeError)", Exact),
        ("expect(() => f()).toThrow('no')", Exact),
        ("expect(x).toBeCloseTo(0.3, 5)", Exact),
        ("expect(x).toBeCloseTo(0.3, -5)", Loose),
        ("expect(x).toMatchSnapshot()", Exact),
        ("expect(spy).toHaveBeenCalledTimes(2)", Exact),
        ("expect(spy).toHaveBeenCalled()", Loose),
        ("expect(x).to.equal(3)", Exact),
        ("expect(x).to.be.true", Exact),
        ("expect(x).to.exist", Loose),
        ("expect(true).to.be.true", Vacuous),
        ("expect(x).to.be.an('array')", Loose),
        ("x.should.equal(3)", Exact),
        ("x.should.not.equal(3)", Loose),
        ("assert(x)", Loose),
        ("assert(true)", Vacuous),
        ("assert(x === 3)", Exact),
        ("assert.ok(x)", Loose),
        ("assert.ok(true)", Vacuous),
        ("assert.strictEqual(f(), 3)", Exact),
        ("assert.strictEqual(1, 1)", Vacuous),
        ("assert.deepStrictEqual(x, x)", Vacuous),
        ("assert.throws(() => f())", Loose),
        ("assert.throws(() => f(), TypeError)", Exact),
        ("assert.notEqual(x, 3)", Loose),
        ("assert.fail('no')", Exact),
        ("t.is(f(), 3)", Exact),
        ("t.assert.strictEqual(f(), 3)", Exact),
        ("request(app).get('/').expect(200)", Exact),
        ("sinon.assert.calledWith(spy, 3)", Exact),
    ] {
        let source = format!("test('a', async (t) => {{ {statement}; }});\n");
        for language in [crate::JAVASCRIPT, crate::TYPESCRIPT, crate::TSX] {
            let outline = outline(language, &source);
            let found: Vec<_> = outline.tests[0].assertions.iter().map(|it| it.strength).collect();
            assert_eq!(found, [expected], "{statement}");
        }
    }
}

#[test]
fn what_is_not_reached_or_not_heard_is_said() {
    for (body, expected) in [
        ("const x = f(); expect(x).toBe(1);", true),
        ("return; expect(f()).toBe(1);", false),
        ("if (slow) return; expect(f()).toBe(1);", true),
        ("if (false) { expect(f()).toBe(1); }", false),
        ("if (0) expect(f()).toBe(1);", false),
        ("if (x) { expect(f()).toBe(1); }", true),
        ("try { expect(f()).toBe(1); } catch {}", false),
        ("try { expect(f()).toBe(1); } catch (e) { console.log(e); }", false),
        ("try { expect(f()).toBe(1); } catch (e) { throw e; }", true),
        ("try { expect(f()).toBe(1); } catch (e) { done(e); }", true),
        ("try { expect(f()).toBe(1); } finally { close(); }", true),
        ("function later() { expect(f()).toBe(1); }", false),
        ("function later() { expect(f()).toBe(1); } later();", true),
        ("const later = () => { expect(f()).toBe(1); };", false),
        ("const later = () => { expect(f()).toBe(1); }; run(later);", true),
        ("run(function named() { expect(f()).toBe(1); });", true),
        ("this.skip(); expect(f()).toBe(1);", false),
        ("false && expect(f()).toBe(1);", false),
        ("items.forEach((item) => { expect(f(item)).toBe(1); });", true),
    ] {
        let source = format!("it('a', function () {{ {body} }});\n");
        let outline = outline(crate::JAVASCRIPT, &source);
        let found: Vec<_> = outline.tests[0].assertions.iter().map(|it| it.reachable).collect();
        assert_eq!(found, [expected], "{body}");
    }
}

const MODULE: &str = r"
import { add } from '../src/add';
import * as shop from '../src/shop';

function expectTotal(order, total) {
  expect(order.total).toBe(total);
}
const load = async () => shop.load();

describe('add', () => {
  beforeEach(() => {});
  it('adds', () => { expect(add(1, 2)).toBe(3); });
  it.skip('skips', () => { expect(add(1, 2)).toBe(3); });
  xit('crossed', () => { expect(add(1, 2)).toBe(3); });
  it.todo('later');
  it('pending');
  test.each([[1, 2, 3], [4, 5, 9]])('adds %i and %i', (a, b, c) => { expect(add(a, b)).toBe(c); });
  test.each`
    a | b
    ${1} | ${2}
  `('table $a', ({ a, b }) => { expect(add(a, 1)).toBe(b); });
  it.failing('fails', () => { expect(add(1, 2)).toBe(4); });
  test.concurrent('at once', async () => { expectTotal(await load(), 3); });
  describe.skip(`inner ${x}`, () => {
    it('deep', () => { assert.equal(add(1, 1), 2); });
  });
});
test('top', { skip: true }, () => { assert.ok(f()); });
test('outer', async (t) => {
  assert.equal(f(), 1);
  await t.test('sub', () => { assert.equal(f(), 2); });
});
regex.test('no test', other);
for (const [a, b] of [[1, 2], [3, 4]]) {
  it(`loops ${a}`, () => { expect(f(a)).toBe(b); });
}
";

#[test]
fn a_module_has_the_tests_that_its_calls_make() {
    let outline = outline(crate::JAVASCRIPT, MODULE);
    let mut lines = Vec::new();
    for test in &outline.tests {
        let skipped = if test.skipped { " skipped" } else { "" };
        let failing = if test.expected_failure { " failing" } else { "" };
        let (rows, asks) = (test.parameters.len(), test.assertions.len());
        lines.push(format!("{} {rows} {asks}{skipped}{failing}", test.path.join(" > ")));
    }
    let expected = [
        "add > adds 0 1",
        "add > skips 0 1 skipped",
        "add > crossed 0 1 skipped",
        "add > later 0 0 skipped",
        "add > pending 0 0 skipped",
        "add > adds %i and %i 2 1",
        "add > table $a 1 1",
        "add > fails 0 1 failing",
        "add > at once 0 0",
        "add > inner ${x} > deep 0 1 skipped",
        "top 0 1 skipped",
        "outer 0 1",
        "outer > sub 0 1",
        "loops ${a} 2 1",
    ];
    assert_eq!(lines, expected);
    let helpers: Vec<_> = outline.helpers.iter().map(|item| item.name.as_str()).collect();
    assert_eq!(helpers, ["expectTotal", "load"]);
    assert_eq!(outline.helpers[0].assertions.len(), 1);
}

#[test]
fn one_only_leaves_the_others_out() {
    let source = "it('a', () => { f(); }); it.only('b', () => { f(); });";
    let outline = outline(crate::TYPESCRIPT, source);
    assert!(outline.tests[0].skipped && !outline.tests[1].skipped);
}
