// Tests the reason that the settings page shows for a send that did not arrive.
import assert from "node:assert/strict";
import { preciseReason } from "../../settings/page/sends/reasons.ts";
import { sends } from "../../settings/page/texts/en/sends.ts";

Deno.test("WhatsApp's error code makes the reason of a send more precise, unless the reason is about the account", () => {
  const cases: [reason: string, code: number | null, shown: string][] = [
    ["template_rejected", 100, "template_values"],
    ["channel_account_error", 100, "channel_account_error"],
    ["channel_account_error", null, "channel_account_error"],
    ["channel_unavailable", 80008, "too_fast"],
  ];
  for (const [reason, code, shown] of cases) {
    assert.equal(preciseReason(reason, code, sends), shown, `${reason} with ${code}`);
  }
});
