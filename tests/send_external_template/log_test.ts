import assert from "node:assert/strict";
import { SANDBOX_TOKEN } from "../../sandbox/rules.ts";
import { breakingServer } from "../support/breaking_server.ts";
import { anyPhone, newCompany } from "../support/company.ts";
import { later, logged } from "../support/log_lines.ts";
import { ownSender } from "../support/own_functions.ts";
import { accepted, ledgerOf, ownChannel, setSealedToken, template } from "../support/sending.ts";
import { CLOSED_URL } from "../support/started.ts";
import { statement } from "../support/test_stack.ts";

const ANSWERS: Record<string, () => Response> = {
  accepted: () => accepted("wamid.of-a-phone"),
  template_rejected: () =>
    Response.json({ error: { code: 132001, message: SANDBOX_TOKEN, fbtrace_id: "TrAcE" } }, {
      status: 404,
    }),
  channel_unavailable: () => Response.json({ error: { code: 130429 } }, { status: 429 }),
  channel_account_error: () =>
    Response.json({ error: { code: 190, message: `Malformed access token ${SANDBOX_TOKEN}` } }, {
      status: 401,
    }),
  unknown: () => new Response(null, { status: 500 }),
};

for (const [outcome, answer] of Object.entries(ANSWERS)) {
  Deno.test(`a send with the outcome ${outcome} logs one line without the phone number, text, token or message id`, async () => {
    const company = await newCompany();
    await using channel = ownChannel(answer);
    const send = await ownSender(channel.url);
    const json = template(anyPhone(), {
      body_variables: ["Ada Lovelace"],
      contact_name: "Augusta",
      idempotency_key: "order-4711",
    });
    let headers = new Headers();
    const lines = await later(20, () =>
      logged(async () => {
        ({ headers } = await send(company.keys.messaging, json));
      }));
    const [{ id }] = await ledgerOf(company);
    // The line may have a `left_out` count of sends of an earlier test in this process.
    const { ms, left_out: _, ...line } = JSON.parse(lines[0]);
    const channelSaid: Record<string, unknown> = {
      template_rejected: { channel_code: 132001, channel_trace_id: "TrAcE" },
      channel_unavailable: { channel_code: 130429, cause: "HTTP 429" },
      channel_account_error: { channel_code: 190, cause: "HTTP 401" },
      unknown: { cause: "HTTP 500" },
    };
    assert.deepEqual([line, lines.length], [{
      level: "info",
      event: "template_send",
      request_id: headers.get("X-Request-Id"),
      send_id: id,
      company_id: company.id,
      account_id: company.account_id,
      outcome,
      ...channelSaid[outcome] as object,
    }, 1]);
    assert.ok(Number.isInteger(ms) && ms >= 0 && ms < 60_000);
    const secrets = [
      ...[json.phone, json.phone.slice(1), json.display_text, "Ada", "Augusta", "order-4711"],
      ...[SANDBOX_TOKEN, "wamid", company.keys.messaging],
    ];
    for (const secret of secrets) assert.ok(!lines[0].includes(secret), secret);
  });
}

Deno.test("if the channel cannot be reached or does not respond, the log line has the cause but not the URL", async () => {
  const company = await newCompany();
  await using broken = breakingServer();
  const causes: [string, RegExp][] = [
    [CLOSED_URL, /^TypeError: client error \(Connect\): .*refused/],
    ["https://nowhere.invalid", /^TypeError: client error \(Connect\): dns error/],
    [broken.url, /^TypeError: client error \(SendRequest\): connection closed/],
  ];
  for (const [url, cause] of causes) {
    const send = await ownSender(url);
    const lines = await later(
      20,
      () => logged(() => send(company.keys.messaging, template(anyPhone()))),
    );
    assert.equal(lines.length, 1);
    assert.match(JSON.parse(lines[0]).cause, cause);
    assert.ok(!lines[0].includes(company.phone_number_id));
  }
});

Deno.test("a request that sends no message writes a log line only if its API key is refused", async () => {
  const company = await newCompany();
  await using channel = ownChannel(() => accepted());
  const send = await ownSender(channel.url);
  const json = template(anyPhone(), { idempotency_key: "once" });
  await send(company.keys.messaging, json);
  const lines = await logged(async () => {
    await send(company.keys.messaging, json);
    await send(company.keys.messaging, { ...json, phone: "none" });
    await statement`update contacts set do_not_contact = true where company_id = ${company.id}`;
    await send(company.keys.messaging, template(json.phone));
  });
  assert.deepEqual(lines, []);
  const refused = await later(20, () => logged(() => send(company.keys.read, json)));
  assert.deepEqual(refused.map((line) => JSON.parse(line).event), ["key_refused"]);
});

Deno.test("an account error never contains the access token", async () => {
  const company = await newCompany();
  await using channel = ownChannel(ANSWERS.channel_account_error);
  const send = await ownSender(channel.url);
  const { status, body } = await send(company.keys.messaging, template(anyPhone()));
  assert.deepEqual([status, body.code, body.channel], [500, "channel_account_error", {
    code: 190,
  }]);
  assert.ok(!JSON.stringify(body).includes(SANDBOX_TOKEN));
});

Deno.test("accepted sends do not displace log lines about other sends, and each line counts the omitted ones", () =>
  later(10, async (start) => {
    const company = await newCompany();
    let answer = ANSWERS.accepted;
    await using channel = ownChannel(() => answer());
    const send = await ownSender(channel.url);
    const linesOf = async (count: number) => {
      const lines = await logged(() =>
        Promise.all(
          Array.from({ length: count }, () => send(company.keys.messaging, template(anyPhone()))),
        )
      );
      return lines.map((line) => JSON.parse(line));
    };
    const isWhole = (line: { left_out?: number }) => line.left_out === undefined;

    const accepted = await linesOf(35);
    assert.equal(accepted.length, 30);
    answer = ANSWERS.template_rejected;
    const rejected = await linesOf(22);
    assert.deepEqual(rejected.map(({ outcome }) => outcome), Array(20).fill("template_rejected"));
    assert.ok([...accepted.slice(1), ...rejected.slice(1)].every(isWhole));
    Date.now = () => start + 10_000;
    assert.deepEqual((await linesOf(1)).map(({ left_out }) => left_out), [2]);
    answer = ANSWERS.accepted;
    assert.deepEqual((await linesOf(1)).map(({ left_out }) => left_out), [5]);
  }));

Deno.test("repeats with other values, and sends with an unusable token, log at most ten lines each in ten seconds", () =>
  later(10, async () => {
    const company = await newCompany();
    await using channel = ownChannel(() => accepted());
    const send = await ownSender(channel.url);
    const eventsOf = async (event: string, json: unknown) => {
      const lines = await logged(() =>
        Promise.all(Array.from({ length: 12 }, () => send(company.keys.messaging, json)))
      );
      return lines.filter((line) => JSON.parse(line).event === event).length;
    };
    const json = template(anyPhone(), { idempotency_key: "once" });
    await send(company.keys.messaging, json);
    const other = { ...json, display_text: "Other words" };
    assert.equal(await eventsOf("idempotency_mismatch", other), 10);
    await setSealedToken(company, "e30..AAAA.AAAA.AAAA");
    assert.equal(await eventsOf("account_token_unusable", template(anyPhone())), 10);
  }));
