import assert from "node:assert/strict";
import { columnsOf } from "../../settings/page/activity/columns.ts";
import { lastDays } from "../../settings/page/activity/days.ts";
import { figuresIn } from "../../settings/page/activity/figures.ts";
import { type Outcome, outcomeOf, OUTCOMES } from "../../settings/page/activity/outcome.ts";
import { scaleTo } from "../../settings/page/activity/scale.ts";
import { type Counted, seriesOf } from "../../settings/page/activity/series.ts";

const NOON = new Date(2026, 10, 22, 12);
const DAYS = lastDays(30, NOON);

/** A series of the last 30 days with these request counts. Each count has a day and an outcome. */
function requests(...counted: [string, Outcome, number][]) {
  const rows = counted.map(([day, kind, count]): Counted<Outcome> => ({ day, kind, count }));
  return seriesOf(rows, [...OUTCOMES], DAYS);
}

Deno.test("the last thirty days run from midnight to midnight in the user's time zone", () => {
  assert.equal(DAYS.length, 30);
  assert.equal(DAYS[0], "2026-10-24");
  assert.equal(DAYS[29], "2026-11-22");
  assert.equal(lastDays(1, new Date(2026, 10, 22, 0, 0))[0], "2026-11-22");
  assert.equal(lastDays(1, new Date(2026, 10, 22, 23, 59))[0], "2026-11-22");
  assert.deepEqual(lastDays(3, new Date(2028, 2, 1)), ["2028-02-28", "2028-02-29", "2028-03-01"]);
});

Deno.test("an HTTP status counts as a success, an error of the caller or an error of the platform", () => {
  assert.deepEqual([200, 201, 204, 304].map(outcomeOf), Array(4).fill("succeeded"));
  assert.deepEqual([400, 401, 404, 429, 499].map(outcomeOf), Array(5).fill("refused"));
  assert.deepEqual([500, 503, 599].map(outcomeOf), Array(3).fill("failed"));
});

Deno.test("a series has a value for every day and every outcome, with zeroes for days without requests", () => {
  const { days, totals, total, peak } = requests(
    ["2026-11-20", "succeeded", 7],
    ["2026-11-20", "failed", 1],
    ["2026-11-20", "succeeded", 3], // the same outcome with another HTTP status
    ["2026-11-22", "refused", 2],
  );
  assert.equal(days.length, 30);
  assert.deepEqual([...days[27].counts], [["succeeded", 10], ["refused", 0], ["failed", 1]]);
  assert.equal(days[28].total, 0);
  assert.deepEqual([...totals.values()], [10, 2, 1]);
  assert.equal(total, 13);
  assert.equal(peak?.day, "2026-11-20");
});

Deno.test("an empty series has no peak, and of two equal days the later one is the peak", () => {
  assert.equal(requests().peak, null);
  assert.equal(requests().total, 0);
  const even = requests(["2026-11-01", "failed", 4], ["2026-11-09", "refused", 4]);
  assert.equal(even.peak?.day, "2026-11-09");
});

Deno.test("requests before the last thirty days or in the future are not counted", () => {
  const old = requests(["2026-10-23", "succeeded", 5], ["2026-11-23", "succeeded", 5]);
  assert.equal(old.total, 0);
});

Deno.test("the axis labels are round numbers, and the last label is at least the maximum value", () => {
  assert.deepEqual(scaleTo(0), [0, 1]);
  assert.deepEqual(scaleTo(1), [0, 1]);
  assert.deepEqual(scaleTo(3), [0, 1, 2, 3]);
  assert.deepEqual(scaleTo(7), [0, 2, 4, 6, 8]);
  assert.deepEqual(scaleTo(41), [0, 20, 40, 60]);
  assert.deepEqual(scaleTo(100), [0, 50, 100]);
  assert.deepEqual(scaleTo(10_000_000), [0, 5_000_000, 10_000_000]);
  for (let most = 1; most < 1e12; most = Math.ceil(most * 1.37)) {
    const lines = scaleTo(most);
    assert.ok(lines.at(-1)! >= most && lines.at(-2)! < most, `${most}: ${lines}`);
    assert.ok(lines.length >= 2 && lines.length <= 5, `${most}: ${lines}`);
    assert.ok(lines.every(Number.isInteger), `${most}: ${lines}`);
  }
});

Deno.test("the height of a column is its day's total, and the parts of the column are stacked", () => {
  const columns = columnsOf(
    requests(["2026-11-22", "succeeded", 60], ["2026-11-22", "failed", 20]),
    100,
    200,
  );
  assert.equal(columns.length, 30);
  assert.deepEqual(columns[0].parts, []);
  assert.deepEqual(columns[29].parts, [
    { kind: "succeeded", y: 80, height: 120 },
    { kind: "failed", y: 40, height: 40 },
  ]);
  assert.equal(columns[0].x, 0);
  assert.ok(Math.abs(columns[29].x + columns[29].width - 100) < 1e-9);
});

Deno.test("three failures among ten million requests are visible, but do not make the column higher", () => {
  const [{ parts }] = columnsOf(
    requests(
      ["2026-11-22", "succeeded", 9_999_996],
      ["2026-11-22", "refused", 1],
      ["2026-11-22", "failed", 3],
    ),
    10_000_000,
    160,
  ).slice(-1);
  assert.deepEqual(
    parts.map(({ kind, height }) => [kind, Math.round(height)]),
    [["succeeded", 154], ["refused", 3], ["failed", 3]],
  );
  assert.ok(Math.abs(parts[2].y) < 1e-9);
});

Deno.test("a day with one request is visible next to a day with ten million requests", () => {
  const columns = columnsOf(
    requests(["2026-11-01", "refused", 1], ["2026-11-22", "succeeded", 10_000_000]),
    10_000_000,
    160,
  );
  const { parts } = columns.find(({ day }) => day === "2026-11-01")!;
  assert.deepEqual(parts, [{ kind: "refused", y: 157, height: 3 }]);
});

Deno.test("a share is shown as 0% or 100% only if the value is exact", () => {
  const { share } = figuresIn("en-US");
  assert.equal(share(0, 10), "0%");
  assert.equal(share(1, 10_000_000), "<0.1%");
  assert.equal(share(1, 1000), "0.1%");
  assert.equal(share(123, 1000), "12.3%");
  assert.equal(share(9_999_999, 10_000_000), ">99.9%");
  assert.equal(share(10, 10), "100%");
});

Deno.test("numbers and days are formatted for the language", () => {
  const [en, pt, es] = ["en-US", "pt-BR", "es"].map(figuresIn);
  assert.deepEqual(
    [en, pt, es].map(({ whole }) => whole(1234567)),
    ["1,234,567", "1.234.567", "1.234.567"],
  );
  assert.deepEqual([en, pt].map(({ short }) => short(10_000_000).replace(/\s/, " ")), [
    "10M",
    "10 mi",
  ]);
  assert.deepEqual(
    [en, pt, es].map(({ longDay }) => longDay("2026-11-02")),
    ["November 2", "2 de novembro", "2 de noviembre"],
  );
});
