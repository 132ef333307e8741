// Tests the events of one send in every order: the end of the lease, the channel's response and the
// channel's reports.

import assert from "node:assert/strict";
import { rolledBack } from "../support/acting_as.ts";
import { newCompany } from "../support/company.ts";
import { claimed, endsOf, failure, mark, report, statusStatement } from "./statuses.ts";

const own = await newCompany();

const UNDELIVERABLE = failure(131026, "recipient_unreachable");

// The channel's responses, as arguments of settle_send(). In any order, the events of one send must
// result in the same row of `sends`, the same message and the same conversation.
const ANSWERS = {
  accepted: "'sent', 'wamid.1'",
  refused: "'failed', null, 'template_rejected', 132001, 'No template'",
  released: "'released', null, 'channel_unavailable', 4",
};
const TOLD = [["failed"], ["delivered"], ["sent", "delivered", "failed"]];

for (const [name, answer] of Object.entries(ANSWERS)) {
  Deno.test(`the end of the lease, the reports and the channel's response "${name}" have the same result in any order`, async () => {
    for (const words of TOLD) {
      await rolledBack(async (sql) => {
        const send = await claimed(sql, own);
        const events = [
          `update sends set lease_ends_at = now() where id = '${send.send_id}';
            select fail_expired_sends()`,
          `select settle_send('${send.claim_id}', ${answer})`,
          ...words.map((word) =>
            statusStatement(own.account_id, report(word, 1, { mark: mark(send) }))
          ),
        ];
        const ends = await endsOf(
          sql,
          events,
          `select jsonb_build_object(
            'ledger', (
              select jsonb_build_object('state', state, 'reason', reason, 'code', channel_code, 'id', whatsapp_message_id)
              from sends where id = '${send.send_id}'
            ),
            'message', to_jsonb(messages) - 'version',
            'moved', last_message_at is not null
          )
          from messages join conversations on conversations.id = conversation_id
          where messages.id = '${send.message_id}'`,
        );
        assert.equal(ends.length, 1, JSON.stringify(ends, null, 2));
        // deno-lint-ignore no-explicit-any -- rows in JSON
        const [{ ledger, message, moved }] = ends[0] as any[];
        const isTaken = words.includes("delivered") || name === "accepted";
        assert.deepEqual(
          ledger,
          isTaken
            ? { state: "sent", reason: null, code: null, id: "wamid.1" }
            : { state: "failed", reason: "recipient_unreachable", code: 131026, id: "wamid.1" },
        );
        assert.equal(message.status, words.includes("delivered") ? "delivered" : "failed");
        assert.deepEqual(message.failure, words.includes("failed") ? UNDELIVERABLE : null);
        assert.equal(moved, isTaken);
      });
    }
  });
}
