// Tests the terminal commands that the settings page shows for sending a template.
import assert from "node:assert/strict";
import type { NewApiKey } from "../../settings/page/keys/api_key.ts";
import { sendLine } from "../../settings/page/keys/try_lines.ts";
import { requestFor } from "../../settings/page/templates/request.ts";

const ADDRESS = "http://127.0.0.1:54321/functions/v1";
const KEY: NewApiKey = {
  ...{ id: "0b6f9e31-0000-4000-8000-000000000000", name: "First", api_key: "crm_1" },
  ...{ scopes: ["messaging"], expires_at: null },
};
const NO_VALUES = { header: [], body: [], buttons: [] };
const LISTED = { id: "1", name: "welcome", language: "en", status: "APPROVED", quality: null };
const WHOLE = {
  ...{ category: "UTILITY", header_format: null, upcoming_category: null, rejected_reason: null },
  ...{ phone_number_ids: ["1"], unsupported: [], media_problem: null, channel_template_id: null },
  ...{ status_since: "2026-11-23T12:00:00Z", read_at: "2026-11-23T12:00:00Z" },
  ...{ components: [{ type: "BODY", text: "Hello" }], variables: NO_VALUES },
};
const TEMPLATE = { ...LISTED, ...WHOLE };

const COMMANDS: Record<string, (phone: string) => string> = {
  "for a new key": (phone) => sendLine(ADDRESS, KEY, TEMPLATE, phone),
  "of a template": (phone) =>
    requestFor(ADDRESS, TEMPLATE, NO_VALUES, { phone, phoneNumberId: "1", key: "crm_1" }),
};

for (const [name, command] of Object.entries(COMMANDS)) {
  Deno.test(`the command ${name} has the same idempotency key only for the same phone number`, () => {
    const keyFor = (phone: string) =>
      /"idempotency_key": "([^"]+)"/.exec(command(phone))?.[1] ?? assert.fail(command(phone));
    assert.equal(keyFor("+5511987654321"), keyFor("+5511987654321"));
    assert.notEqual(keyFor("+5511987654321"), keyFor("+5511912344321"));
  });
}
