import assert from "node:assert/strict";

/**
 * Compares a response with the response on a page. In the response on the page, … matches any text.
 * Pages omit `doc_url`, which errors contain only if the operator has set `DOCS_URL`.
 */
export function assertShown(shown: unknown, actual: unknown, at: string) {
  if (typeof shown === "string" && shown.includes("…")) {
    const parts = shown.split("…").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    assert.match(String(actual), new RegExp(`^${parts.join(".+")}$`), at);
  } else if (typeof shown === "object" && shown !== null) {
    assert.ok(typeof actual === "object" && actual !== null, at);
    const members = Object.keys(actual).filter((key) => key !== "doc_url" || key in shown);
    assert.deepEqual(members.sort(), Object.keys(shown).sort(), at);
    for (const [key, value] of Object.entries(shown)) {
      assertShown(value, (actual as Record<string, unknown>)[key], `${at}.${key}`);
    }
  } else assert.equal(actual, shown, at);
}
