// Tests sends while the database fails or hangs, and a send whose API key is switched off during
// the call to the channel.

import assert from "node:assert/strict";
import { anyPhone, newCompany } from "../support/company.ts";
import { later, logged } from "../support/log_lines.ts";
import { backgroundWork, ownSender, watchedStack } from "../support/own_functions.ts";
import {
  accepted,
  endLeases,
  ledgerOf,
  ownChannel,
  storedMessage,
  template,
} from "../support/sending.ts";
import { pause } from "../support/started.ts";
import { statement } from "../support/test_stack.ts";

const QUICK = {
  settleRetriesMs: [10, 10, 10, 10],
  releaseRetriesMs: [10, 10, 10, 10],
  settleWaitMs: 60_000,
};
const isFor = (name: "claim" | "settle", request: Request) =>
  request.url.endsWith(name === "claim" ? "/rpc/claim_template_send" : "/rpc/settle_send");

Deno.test("if the database fails during the claim, nothing is sent and the error shows no database details", async () => {
  const company = await newCompany();
  const away = [
    503,
    "database_unavailable",
    "The database does not answer; nothing was sent, so repeat the request",
  ] as const;
  const late = () => pause(500).then(() => new Response());
  const broken: [() => Response | Promise<Response>, readonly [number, string, string]][] = [
    [() => new Response("<html>Bad gateway</html>", { status: 502 }), away],
    [
      () => Response.json({ code: "57014", message: "canceling statement" }, { status: 500 }),
      [
        503,
        "database_unavailable",
        "The database took too long; nothing was sent, so repeat the request",
      ],
    ],
    [
      () => Response.json({ code: "42P01", message: "no such relation" }, { status: 404 }),
      [500, "internal", "Internal error"],
    ],
    [late, away],
  ];
  for (const [answer, [expected, code, error]] of broken) {
    await using database = watchedStack((request) => isFor("claim", request) ? answer() : null);
    await using channel = ownChannel(() => accepted());
    const send = await ownSender(channel.url, {
      supabaseUrl: database.url,
      databaseTimeoutMs: answer === late ? 200 : 10_000,
      ...QUICK,
    });
    const lines = await later(20, () =>
      logged(async () => {
        const { status, body, headers } = await send(company.keys.messaging, template(anyPhone()));
        assert.deepEqual([status, body], [expected, {
          success: false,
          error,
          code,
          request_id: headers.get("X-Request-Id"),
        }]);
        await backgroundWork();
      }));
    assert.match(lines[0], /"event":"(request_failed|database_unavailable)"/);
    assert.ok(!lines.join().includes(company.keys.messaging));
    assert.equal(channel.calls.length, 0);
  }
  assert.deepEqual(await ledgerOf(company), []);
});

Deno.test("if the response to a claim is lost, the claim is released, so that a repeat can send", async () => {
  const company = await newCompany();
  const json = template(anyPhone(), { idempotency_key: "lost" });
  let isLost = true;
  await using database = watchedStack(async (request) => {
    if (!isLost || !isFor("claim", request)) return null;
    isLost = false;
    await (await database.forward(request)).body?.cancel();
    return new Response(null, { status: 504 });
  });
  await using channel = ownChannel(() => accepted());
  const send = await ownSender(channel.url, { supabaseUrl: database.url, ...QUICK });
  await logged(async () => {
    assert.equal((await send(company.keys.messaging, json)).status, 503);
    await backgroundWork();
  });
  const [{ state, reason, message_id }] = await ledgerOf(company);
  assert.deepEqual([state, reason], ["released", "claim_unanswered"]);
  const { body } = await send(company.keys.messaging, json);
  assert.deepEqual([body.success, body.message_id, body.idempotent_hit], [true, message_id, false]);
  assert.equal(channel.calls.length, 1);
});

Deno.test("if the database certainly made no claim, the service does not try to release a claim", async () => {
  const company = await newCompany();
  for (const [code, status] of [["PGRST003", 504], ["PGRST202", 404], ["57014", 500]] as const) {
    await using database = watchedStack((request) =>
      isFor("claim", request) ? Response.json({ code, message: "no" }, { status }) : null
    );
    const send = await ownSender("http://127.0.0.1:9", { supabaseUrl: database.url, ...QUICK });
    await logged(async () => {
      const expected = status === 404 ? 500 : 503;
      assert.equal((await send(company.keys.messaging, template(anyPhone()))).status, expected);
      await backgroundWork();
    });
    // The function checks the API key before it returns a 500.
    const [claim, ...others] = database.seen.map(({ path }) => path.replace("/rest/v1/rpc/", ""));
    assert.deepEqual([claim, ...others], [
      "claim_template_send",
      ...(status === 404 ? ["authenticate"] : []),
    ]);
  }
});

Deno.test("if a claim may exist, the service tries several times to release it, and logs no error if the claim does not exist", async () => {
  const company = await newCompany();
  await using database = watchedStack((request) =>
    isFor("claim", request)
      ? Response.json({ code: "57P01", message: "no" }, { status: 503 })
      : null
  );
  const send = await ownSender("http://127.0.0.1:9", { supabaseUrl: database.url, ...QUICK });
  const lines = await later(20, () =>
    logged(async () => {
      await send(company.keys.messaging, template(anyPhone()));
      await backgroundWork();
    }));
  assert.deepEqual(lines.map((line) => JSON.parse(line).event), ["database_unavailable"]);
  assert.equal(database.seen.length, 1 + QUICK.releaseRetriesMs.length);
});

Deno.test("if recording an outcome fails, the service retries the recording until it succeeds, and does not call the channel again", async () => {
  const company = await newCompany();
  const failures = [
    new Response(null, { status: 503 }),
    // A proxy sends this response, which supabase-js treats as a success.
    new Response(null, { status: 404 }),
    // The response of a database that finds no send with this claim.
    Response.json(null),
  ];
  await using database = watchedStack((request) =>
    isFor("settle", request) ? failures.shift() ?? null : null
  );
  await using channel = ownChannel(() => accepted());
  const send = await ownSender(channel.url, { supabaseUrl: database.url, ...QUICK });
  const { status, body } = await send(company.keys.messaging, template(anyPhone()));
  assert.deepEqual([status, body.success], [200, true]);
  assert.equal((await storedMessage(body.message_id)).status, "accepted");
  assert.equal(channel.calls.length, 1);
});

Deno.test("if the database takes too long to record an outcome, the caller receives the outcome before it is recorded", async () => {
  const company = await newCompany();
  const mayGoOn = Promise.withResolvers<null>();
  await using database = watchedStack((request) =>
    isFor("settle", request) ? mayGoOn.promise : null
  );
  await using channel = ownChannel(() => accepted());
  const send = await ownSender(channel.url, {
    supabaseUrl: database.url,
    ...QUICK,
    settleWaitMs: 20,
  });
  const json = template(anyPhone(), { idempotency_key: "hanging" });
  const { body } = await send(company.keys.messaging, json);
  assert.deepEqual([body.success, body.idempotent_hit], [true, false]);
  assert.equal((await send(company.keys.messaging, json)).body.status, "pending");
  mayGoOn.resolve(null);
  await backgroundWork();
  assert.equal((await send(company.keys.messaging, json)).body.status, "sent");
  assert.equal(channel.calls.length, 1);
});

Deno.test("if an outcome cannot be recorded, the response and the log still contain the outcome, and nothing is sent again", async () => {
  const company = await newCompany();
  await using database = watchedStack((request) =>
    isFor("settle", request) ? new Response(null, { status: 503 }) : null
  );
  await using channel = ownChannel(() => accepted("wamid.secret"));
  const send = await ownSender(channel.url, { supabaseUrl: database.url, ...QUICK });
  const json = template(anyPhone(), { idempotency_key: "unrecorded" });
  const lines = await later(20, () =>
    logged(async () => {
      const { body } = await send(company.keys.messaging, json);
      assert.deepEqual([body.success, body.whatsapp_message_id], [true, "wamid.secret"]);
    }));
  const [unsettled, sent] = lines.map((line) => JSON.parse(line));
  assert.deepEqual([unsettled.event, sent.event], ["send_not_settled", "template_send"]);
  assert.deepEqual([unsettled.send_id, unsettled.outcome], [sent.send_id, "sent"]);
  await endLeases(company);
  assert.equal((await send(company.keys.messaging, json)).body.status, "failed");
  // docs/operating.md tells the operator to run this statement.
  await statement`select settle_send(${unsettled.claim_id}, 'sent', 'wamid.secret')`;
  assert.equal((await send(company.keys.messaging, json)).body.status, "sent");
  assert.equal(channel.calls.length, 1);
});

Deno.test("the caller receives the channel's error even if the API key is switched off during the call", async () => {
  const company = await newCompany();
  await using channel = ownChannel(async () => {
    await statement`update api_keys set is_active = false where company_id = ${company.id}`;
    return Response.json({ error: { code: 132001, message: "No such template" } }, { status: 404 });
  });
  const send = await ownSender(channel.url);
  const { status, body } = await send(company.keys.messaging, template(anyPhone()));
  assert.deepEqual([status, body.code, body.channel], [422, "template_rejected", {
    code: 132001,
    message: "No such template",
  }]);
  assert.equal((await ledgerOf(company))[0].state, "failed");
});
