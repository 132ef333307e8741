// Tests that the pages state the limits of the API description and of the configuration.
import assert from "node:assert/strict";
import type { JsonSchema } from "../../generate/openapi/json_schema.ts";
import openApi from "../../supabase/functions/gateway/openapi.json" with { type: "json" };
import { MAX_ITEMS } from "../../supabase/functions/_shared/http/batch_body.ts";
import { MAX_VALUES } from "../../supabase/functions/_shared/http/body.ts";
import { readSenderConfig } from "../../supabase/functions/_shared/template_sends/template_send_config.ts";
import { readGatewayConfig } from "../../supabase/functions/gateway/gateway_config.ts";
import { readWhatsappConfig } from "../../supabase/functions/whatsapp/whatsapp_config.ts";
import { environment } from "../support/test_stack.ts";
import { declaredParameters } from "../support/query_text.ts";
import { readPage } from "./pages.ts";

const document: JsonSchema = openApi;
const { schemas } = document.components;
const { text } = await readPage("docs/limits.md");

/** The table row whose first cell contains this text. */
function row(words: string): string {
  const found = text.split("\n").filter((line) =>
    line.startsWith("| ") && line.split(" | ")[0].includes(words)
  );
  assert.equal(found.length, 1, words);
  return found[0];
}

/** Formats a number as the page does: with a thousands comma if it has five digits or more. */
function written(value: number): string {
  return value < 10_000 ? String(value) : value.toLocaleString("en");
}

function assertSays(words: string, ...values: number[]) {
  const cells = row(words).split(" | ").slice(1).join(" | ");
  for (const value of values) {
    assert.match(
      cells,
      new RegExp(`(^|[^\\d,])${written(value)}($|[^\\d,])`),
      `${words}: ${value}`,
    );
  }
}

/** The schema of a nullable field, without the null alternative. */
function fieldOf(schema: string, field: string): JsonSchema {
  const declared = schemas[schema].properties[field];
  return declared.anyOf?.find(({ type }: JsonSchema) => type !== "null") ?? declared;
}

Deno.test("docs/limits.md states the limits of the fields", () => {
  for (const name of ["name", "source", "job_title", "empresa", "external_id"]) {
    assertSays("`job_title`", fieldOf("NewContact", name).maxLength);
  }
  assertSays("`email`", fieldOf("NewContact", "email").maxLength);
  const tags = fieldOf("NewContact", "tags");
  assertSays("`tags`", tags.maxItems, tags.items.maxLength);
  assertSays("`title` of a deal", fieldOf("NewDeal", "title").maxLength);
  assertSays("`title` of a deal", fieldOf("NewPipeline", "name").maxLength);
  assertSays("`title` of a deal", fieldOf("NewStage", "name").maxLength);
  assert.ok(row("`value` of a deal").includes(` ${fieldOf("NewDeal", "value").maximum}`));
  assertSays("`template_name`", fieldOf("SendRequest", "template_name").maxLength);
  assertSays("`display_text`", fieldOf("SendRequest", "display_text").maxLength);
  assertSays("`display_text`", fieldOf("ReplyRequest", "text").maxLength);
  for (const name of ["body_variables", "header_variables", "button_variables"]) {
    const { maxItems, items } = fieldOf("SendRequest", name);
    assertSays(`\`${name}\``, maxItems, items.maxLength);
  }
  assertSays("`idempotency_key` of a send", fieldOf("SendRequest", "idempotency_key").maxLength);
});

Deno.test("docs/limits.md states the limits of a request", () => {
  assertSays("JSON values in a body", MAX_VALUES);
  assertSays("items of a batch", MAX_ITEMS);
  const ofList = declaredParameters(document, document.paths["/gateway/contacts"].get, "query");
  const schemaOf = (name: string) => ofList.find((each) => each.name === name)!.schema;
  assertSays("values of one filter", schemaOf("tags").maxItems);
  assertSays("`q` and `[contains]`", schemaOf("q").maxLength);
  const { minimum, maximum, default: usual } = schemaOf("limit");
  assertSays("`limit` of a list", minimum, maximum, usual);
  const ofSearch = declaredParameters(document, document.paths["/gateway/search"].get, "query");
  const { schema } = ofSearch.find(({ name }) => name === "limit")!;
  assertSays("`limit` of `GET /search`", schema.minimum, schema.maximum, schema.default);
});

Deno.test("docs/operating.md states for how long the service tries to store the result of a send", async () => {
  const { settleRetriesMs } = await readSenderConfig(environment());
  const seconds = settleRetriesMs.reduce((sum, ms) => sum + ms, 0) / 1000;
  const { text } = await readPage("docs/operating.md");
  const words = `in ${settleRetriesMs.length + 1} attempts over at least ${seconds} seconds`;
  assert.ok(text.replaceAll(/\s+/g, " ").includes(words), words);
});

Deno.test("the time limits that docs/limits.md suggests are longer than the service's own", async () => {
  const seconds = (pattern: RegExp) => {
    const [, found] = pattern.exec(text.replaceAll(/\s+/g, " ")) ?? [];
    assert.ok(found, String(pattern));
    return Number(found) * 1000;
  };
  const long = seconds(/to (\d+) seconds for an upload and for a template send with a file/);
  const download = seconds(/to (\d+) seconds for the whole download of a file/);
  const { uploadTimes, databaseTimeoutMs } = await readWhatsappConfig(environment());
  assert.ok(long >= uploadTimes.allMs + databaseTimeoutMs);
  const { whatsapp, mediaPatience, settleWaitMs } = await readSenderConfig(environment());
  // A send with a file is claimed twice: before and after the upload.
  const ofSend = mediaPatience.timeoutMs + whatsapp.timeoutMs + settleWaitMs +
    2 * databaseTimeoutMs;
  assert.ok(ofSend > 60_000 && ofSend <= long);
  const { mediaPatience: { wholeMs } } = await readGatewayConfig(environment());
  assert.ok(download >= wholeMs + databaseTimeoutMs);
});
