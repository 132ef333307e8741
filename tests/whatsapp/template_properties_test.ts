// Tests that a catalogue entry is consistent and can be stored, even if the channel lists
// unexpected values.

import assert from "node:assert/strict";
import * as fc from "fast-check";
import { catalogueEntry } from "../../supabase/functions/_shared/templates/template.ts";
import { nastyText } from "../support/nasty_text.ts";
import { runs } from "../support/runs.ts";

const placeholder = fc.tuple(
  fc.constantFrom(
    "{{1}}",
    "{{2}}",
    "{{ 3 }}",
    "{{10}}",
    "{{name}}",
    "{{ order_id}}",
    "{{",
    "}}",
    "{",
  ),
  nastyText,
).map((parts) => parts.join(""));
const text = fc.oneof(
  fc.array(placeholder, { maxLength: 6 }).map((all) => all.join("")),
  nastyText,
);
const anything = fc.oneof(
  { weight: 3, arbitrary: text },
  fc.anything({ withNullPrototype: true }).filter(isJson),
  fc.constantFrom("https://scontent.whatsapp.net/x?oh=signed&oe=1", null, 1e999, -0),
);

/** Checks whether a JSON response can contain a value. */
function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}

const label = (...known: string[]) => fc.oneof(fc.constantFrom(...known), anything);
const example = fc.record({
  header_handle: fc.oneof(fc.array(anything, { maxLength: 2 }), anything),
  header_text: anything,
  body_text: fc.oneof(fc.array(fc.array(anything, { maxLength: 3 }), { maxLength: 2 }), anything),
  body_text_named_params: fc.oneof(
    fc.array(fc.record({ param_name: anything, example: anything }), { maxLength: 3 }),
    anything,
  ),
}, { requiredKeys: [] });
const button = fc.record({
  type: label("URL", "COPY_CODE", "OTP", "QUICK_REPLY", "FLOW"),
  text: anything,
  url: fc.oneof(text.map((end) => `https://x.example/${end}`), anything),
  example: anything,
}, { requiredKeys: [] });
const component = fc.record({
  type: label("HEADER", "BODY", "FOOTER", "BUTTONS", "CAROUSEL"),
  format: label("TEXT", "IMAGE", "LOCATION"),
  text: anything,
  example: fc.oneof(example, anything),
  buttons: fc.oneof(fc.array(fc.oneof(button, anything), { maxLength: 3 }), anything),
}, { requiredKeys: [] });
const listed = fc.record({
  name: fc.oneof(fc.constant("t"), anything),
  language: fc.oneof(fc.constant("es"), anything),
  id: anything,
  status: label("APPROVED"),
  category: label("AUTHENTICATION", "UTILITY"),
  correct_category: anything,
  quality_score: anything,
  rejected_reason: anything,
  parameter_format: label("NAMED", "POSITIONAL"),
  components: fc.oneof(fc.array(fc.oneof(component, anything), { maxLength: 5 }), anything),
  message_send_ttl_seconds: anything,
});

/** All strings and object keys in a value. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [key, ...textsIn(item)]);
}

Deno.test("a catalogue entry never contains a null character, a lone surrogate or a signed URL", () => {
  const property = fc.property(fc.oneof(listed, anything), (template) => {
    const entry = catalogueEntry(template);
    if (!entry) return;
    for (const each of textsIn(entry)) {
      assert.ok(each.isWellFormed(), "well-formed");
      assert.doesNotMatch(each, /[^\P{Cc}\t\n\r]/u);
    }
    const { name: _name, language: _language, sample_url: _sample, ...shown } = entry;
    assert.doesNotMatch(JSON.stringify(shown), /oh=signed/i);
    assert.ok(JSON.stringify(entry).length < 600_000);
    assert.deepEqual(JSON.parse(JSON.stringify(entry.variables)), entry.variables);
  });
  fc.assert(property, { numRuns: runs(500) });
});

Deno.test("a text is split into pieces that refer to every variable and contain no placeholder", () => {
  const property = fc.property(listed, (template) => {
    const entry = catalogueEntry({ ...template, name: "t", language: "es" })!;
    for (const part of ["header", "body"] as const) {
      const [pieces, variables] = [entry.rendering[part], entry.variables[part]];
      if (!pieces) continue;
      const used = new Set(pieces.filter((piece) => typeof piece === "number"));
      const isCode = used.size === 0 && variables.length === 1 && part === "body";
      if (!isCode) assert.deepEqual([...used].sort((a, b) => a - b), [...variables.keys()]);
      const shown = pieces.map((piece) => typeof piece === "number" ? "·" : piece).join("");
      assert.doesNotMatch(shown, /\{\{\s*\w+\s*\}\}/);
      assert.equal(new Set(variables.map(({ name }) => name)).size, variables.length);
    }
  });
  fc.assert(property, { numRuns: runs(500) });
});

Deno.test("a template with deeply nested values causes no error", () => {
  const deep = JSON.parse("[".repeat(20_000) + "]".repeat(20_000));
  const entry = catalogueEntry({
    name: "t",
    language: "es",
    components: [deep, { type: "BODY", text: "x" }],
  });
  assert.deepEqual(entry!.rendering.body, ["x"]);
});
