import assert from "node:assert/strict";

/** Compares an answer with the one that a page shows, in which … stands for any text. */
export function assertShown(shown: unknown, actual: unknown, at: string) {
  if (typeof shown === "string" && shown.includes("…")) {
    const parts = shown.split("…").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    assert.match(String(actual), new RegExp(`^${parts.join(".+")}$`), at);
  } else if (typeof shown === "object" && shown !== null) {
    assert.ok(typeof actual === "object" && actual !== null, at);
    assert.deepEqual(Object.keys(actual).sort(), Object.keys(shown).sort(), at);
    for (const [key, value] of Object.entries(shown)) {
      assertShown(value, (actual as Record<string, unknown>)[key], `${at}.${key}`);
    }
  } else assert.equal(actual, shown, at);
}
