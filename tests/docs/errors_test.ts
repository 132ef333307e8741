// Tests that docs/errors.md has a section for each error code, with its status and a body that
// matches the API description.
import assert from "node:assert/strict";
import { toPascalCase } from "deno-std/text/to_pascal_case.js";
import type { JsonSchema } from "../../generate/openapi/json_schema.ts";
import { ERRORS } from "../../generate/openapi/errors.ts";
import {
  type ErrorCode,
  EVENT_STATUS,
  JOB_STATUS,
  PERSON_STATUS,
  STATUS,
} from "../../supabase/functions/_shared/errors.ts";
import openApi from "../../supabase/functions/gateway/openapi.json" with { type: "json" };
import { newCompany } from "../support/company.ts";
import { logged } from "../support/log_lines.ts";
import { ownGateway, ownReplies, ownSender, watchedStack } from "../support/own_functions.ts";
import { SchemaValidator, withClosedObjects } from "../support/schema_validator.ts";
import { errorSections, type Section } from "./error_sections.ts";
import { anchors, readPage } from "./pages.ts";

const document: JsonSchema = openApi;
const { sections, ofOperators } = await errorSections();
const errors = Object.entries(STATUS).sort();

/**
 * The error codes with their statuses, sorted by code. They are read from a page's table rows whose
 * first cell is an HTTP status.
 */
async function documented(path: string): Promise<[code: string, status: number][]> {
  const { prose } = await readPage(path);
  const rows = prose.matchAll(/^\| ([45]\d\d) \| ([^|]+) \|/gm);
  const pairs = Array.from(rows, ([, status, codes]) =>
    Array.from(
      codes.matchAll(/`([a-z_]+)`/g),
      ([, code]): [string, number] => [code, Number(status)],
    )).flat();
  return [...new Map(pairs.map((pair) => [pair.join(), pair])).values()].sort();
}

Deno.test("the errors page and the specification list exactly the existing error codes with their statuses", async () => {
  assert.deepEqual(await documented("docs/errors.md"), errors);
  assert.deepEqual(await documented("docs/specification.md"), errors);
});

Deno.test("the errors page has exactly one section for each error code, with its status", () => {
  assert.deepEqual(sections.map(({ code, status }) => [code, status]).sort(), errors);
  const operators = Object.entries({ ...JOB_STATUS, ...EVENT_STATUS, ...PERSON_STATUS }).sort();
  assert.deepEqual(ofOperators.map(({ code, status }) => [code, status]).sort(), operators);
});

Deno.test("the anchor of each section is its error code, as `doc_url` expects", async () => {
  const there = anchors(await readPage("docs/errors.md"));
  for (const code of Object.keys({ ...STATUS, ...JOB_STATUS, ...EVENT_STATUS, ...PERSON_STATUS })) {
    assert.ok(there.includes(code), code);
  }
});

Deno.test("each section explains the error code, its cause, what to do and whether to repeat the request", () => {
  for (const { code, text } of sections) {
    const labels = Array.from(text.matchAll(/^- \*\*([\w ]+):\*\*/gm), ([, label]) => label);
    const expected = ["Status", "Meaning", "Cause", "What to do", "Repeat"];
    assert.deepEqual(labels.filter((label) => label !== "In the body"), expected, code);
  }
});

/** The additional members of this error's body, which most other errors do not have. */
function furtherMembers(code: ErrorCode): string[] {
  return Object.keys(ERRORS[code].members ?? {}).sort();
}

Deno.test("each section names the additional members of its error", () => {
  for (const { code, text } of sections) {
    const [, said = ""] = /^- \*\*In the body:\*\* ([^]*?)(?=\n\n|\n- \*\*)/m.exec(text) ?? [];
    const expected = furtherMembers(code as ErrorCode);
    for (const member of expected) assert.ok(said.includes(`\`${member}\``), `${code}: ${member}`);
    if (expected.length === 0) assert.equal(said, "", code);
  }
});

/** The name of the schema for an error code. A send error has a schema of its own. */
function schemasOf({ code, example }: Section): string[] {
  const suffix = "success" in example ? "OfSend" : "";
  return [`${toPascalCase(code)}${suffix}`];
}

Deno.test("the body in each section matches the API description", () => {
  const validator = new SchemaValidator(withClosedObjects(document));
  for (const section of sections) {
    for (const name of schemasOf(section)) {
      // No operation declares this error, so the API description has no schema with this name.
      if (!(name in document.components.schemas)) {
        assert.match(section.code, /^(route_not_found|method_not_allowed)$/);
        continue;
      }
      const problem = validator.problemAt(["components", "schemas", name], section.example);
      assert.equal(problem, null, section.code);
    }
  }
});

Deno.test("the section of `database_unavailable` lists what an error tells the caller to do", async () => {
  const { text } = sections.find(({ code }) => code === "database_unavailable")!;
  const listed = Array.from(
    text.replaceAll(/\s+/g, " ").matchAll(/`([^`]+)`/g),
    ([, words]) => words,
  );
  const { keys } = await newCompany();
  await using database = watchedStack(() => new Response(null, { status: 503 }));
  const away = { supabaseUrl: database.url, releaseRetriesMs: [] };
  const ask = await ownGateway(database.url);
  const [send, reply] = [
    await ownSender("http://127.0.0.1:9", away),
    await ownReplies("http://127.0.0.1:9", away),
  ];
  const contact = { phone: "+15550100" };
  const template = { phone: "+15550100", template_name: "t", language_code: "en" };
  const calls = [
    () => ask(keys.write, "GET", "/contacts"),
    () => ask(keys.write, "POST", "/contacts", contact),
    () => ask(keys.write, "POST", "/contacts", contact, { "Idempotency-Key": "k" }),
    () => send(keys.messaging, { ...template, display_text: "Hello" }),
    () => reply(keys.messaging, { conversation_id: crypto.randomUUID(), text: "Hello" }),
  ];
  await logged(async () => {
    for (const call of calls) {
      const { body: { code, error } } = await call();
      assert.equal(code, "database_unavailable");
      const [, whatToDo] = error.split("; ");
      assert.ok(listed.some((words) => whatToDo.includes(words)), whatToDo);
    }
  });
});
