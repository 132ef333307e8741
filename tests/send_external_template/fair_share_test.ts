// Tests that some sends of a company wait if the company sends too many messages at once, and that
// no outcome is lost.
import assert from "node:assert/strict";
import type { Answer } from "../support/calls.ts";
import { anyPhone, newCompany } from "../support/company.ts";
import { backgroundWork, ownSender, watchedStack } from "../support/own_functions.ts";
import { accepted, ledgerOf, ownChannel, slowChannel, template } from "../support/sending.ts";
import { until } from "../support/started.ts";

const isClaim = (request: Request) => request.url.endsWith("/rpc/claim_template_send");

Deno.test("if a company sends too many messages at once, some sends wait, and sends beyond the limit are refused before their claim", async () => {
  const [flooding, other] = [await newCompany(), await newCompany()];
  const mayAnswer = Promise.withResolvers<void>();
  const to = anyPhone();
  await using channel = ownChannel(async ({ body }) => {
    if (body.to === to) await mayAnswer.promise;
    return accepted();
  });
  const send = await ownSender(channel.url, {
    sendShare: { atOnce: 3, waiting: 2, patienceMs: 60_000 },
  });
  const sends = Array.from({ length: 8 }, () => send(flooding.keys.messaging, template(to)));
  const refused: Answer[] = [];
  for (const each of sends) each.then((answer) => answer.status === 429 && refused.push(answer));
  await until(() => refused.length === 3 && channel.calls.length === 3);
  for (const { headers, body } of refused) {
    assert.deepEqual([body.success, body.code], [false, "too_many_requests"]);
    assert.equal(headers.get("Retry-After"), "2");
  }
  assert.equal((await ledgerOf(flooding)).length, 3);
  assert.equal((await send(other.keys.messaging, template(anyPhone()))).status, 200);
  mayAnswer.resolve();
  await Promise.all(sends);
  const ledger = await ledgerOf(flooding);
  assert.deepEqual(ledger.map(({ state }) => state), Array(5).fill("sent"));
});

Deno.test("the outcome of a send is recorded even if the company has too many database statements in progress", async () => {
  const company = await newCompany();
  const gate = Promise.withResolvers<null>();
  let claims = 0;
  // The proxy delays all claims except the first, so the company cannot start another statement.
  await using database = watchedStack((request) =>
    isClaim(request) && ++claims > 1 ? gate.promise : null
  );
  await using channel = slowChannel();
  const send = await ownSender(channel.url, {
    supabaseUrl: database.url,
    databaseTimeoutMs: 60_000,
    statementShare: { atOnce: 1, waiting: 1, patienceMs: 60_000 },
    settleRetriesMs: [],
    settleWaitMs: 1,
  });
  const first = send(company.keys.messaging, template(anyPhone()));
  await channel.called;
  const others = Array.from(
    { length: 3 },
    () => send(company.keys.messaging, template(anyPhone())),
  );
  const statuses: number[] = [];
  for (const each of others) each.then(({ status }) => statuses.push(status));
  await until(() => statuses.length === 1 && claims === 2);
  channel.answer();
  assert.equal((await first).status, 200); // the outcome is not recorded yet
  gate.resolve(null);
  await Promise.all(others);
  await backgroundWork();
  assert.deepEqual(statuses.sort(), [200, 200, 429]);
  assert.deepEqual((await ledgerOf(company)).map(({ state }) => state), ["sent", "sent", "sent"]);
});
