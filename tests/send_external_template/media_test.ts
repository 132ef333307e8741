// Tests templates with a media header. The service uploads the approved sample file once, and sends
// it with every message.
import assert from "node:assert/strict";
import { SANDBOX_BUSINESS_ACCOUNT_ID, SANDBOX_TOKEN } from "../../sandbox/rules.ts";
import { sampleUrl } from "../../sandbox/samples.ts";
import { call } from "../support/calls.ts";
import {
  anyPhone,
  anyPhoneNumberId,
  type Company,
  connectAccount,
  newCompany,
} from "../support/company.ts";
import { companyWithTemplates, ownSandbox } from "../support/known_templates.ts";
import { logged } from "../support/log_lines.ts";
import { ownSender, watchedStack } from "../support/own_functions.ts";
import { ledgerOf, setSealedToken, setToken, storedMessage } from "../support/sending.ts";
import { statement, withDatabase } from "../support/test_stack.ts";

const arrival = (changes: Record<string, unknown> = {}) => ({
  phone: anyPhone(),
  template_name: "new_arrival",
  language_code: "en_US",
  display_text: "New cups",
  body_variables: ["Ada"],
  ...changes,
});

const KINDS: Record<string, { type: string; fields: Record<string, unknown> }> = {
  new_arrival: { type: "image", fields: { body_variables: ["Ada"] } },
  machine_tour: { type: "video", fields: { body_variables: [] } },
  invoice_ready: { type: "document", fields: { body_variables: ["A-1815", "USD 1"] } },
};

Deno.test("the first send uploads the template's media file, and every send contains its media id", async (t) => {
  await using channel = ownSandbox();
  const company = await companyWithTemplates(channel.url);
  const send = await ownSender(channel.url);
  for (const [template_name, { type, fields }] of Object.entries(KINDS)) {
    await t.step(type, async () => {
      const json = { ...arrival(fields), template_name };
      channel.calls.length = 0;
      const first = await send(company.keys.messaging, { ...json, template_header_type: type });
      assert.equal(first.status, 200, JSON.stringify(first.body));
      assert.equal((await storedMessage(first.body.message_id)).type, type);
      assert.deepEqual(
        channel.calls.map(({ method, path }) => `${method} ${path.split("/")[2]}`),
        ["GET samples", `POST ${company.phone_number_id}`, `POST ${company.phone_number_id}`],
      );
      // deno-lint-ignore no-explicit-any -- a body in the channel's format
      const { components } = (await channel.taken())[0].message.template as any;
      const [header] = components;
      assert.deepEqual([header.type, header.parameters[0].type], ["header", type]);
      const media = header.parameters[0][type];
      assert.deepEqual(
        [Object.keys(media), media.filename],
        type === "document" ? [["id", "filename"], "invoice.pdf"] : [["id"], undefined],
      );

      channel.calls.length = 0;
      const second = await send(company.keys.messaging, json);
      assert.equal(second.status, 200);
      // If the request does not declare the media header, the message is stored with type `text`,
      // but the media file is still sent.
      assert.equal((await storedMessage(second.body.message_id)).type, "text");
      assert.deepEqual(channel.calls.map(({ method }) => method), ["POST"]);
      // deno-lint-ignore no-explicit-any -- a body in the channel's format
      const again = (await channel.taken())[0].message.template as any;
      assert.deepEqual(again.components[0], header);
    });
  }
});

/**
 * Asserts that a media send failed before anything was written, and that its idempotency key can be
 * used again.
 */
async function assertNotSent(
  company: Company,
  { status, body }: { status: number; body: Record<string, unknown> },
  reason: RegExp,
) {
  assert.deepEqual(
    [status, body.code, body.outcome],
    [502, "channel_unavailable", "not_sent"],
    JSON.stringify(body),
  );
  assert.match(String(body.error), reason);
  assert.deepEqual(await ledgerOf(company), []);
}

type MediaFault = [name: string, end: string, answer: () => Response, reason: RegExp];

const FAULTS: MediaFault[] = [
  [
    "a sample that cannot be downloaded",
    ".jpg",
    () => new Response("gone", { status: 500 }),
    /sample/i,
  ],
  ["an upload without an id", "/media", () => Response.json({}), /id/],
  ["a channel that is down", "/media", () => new Response("", { status: 503 }), /503|available/],
];

const image = (body: BodyInit | null, headers: HeadersInit = {}) =>
  new Response(body, { headers: { "Content-Type": "image/jpeg", ...headers } });

const refusedUpload = () =>
  Response.json({ error: { code: 131053, message: "(#131053) Media upload error" } }, {
    status: 400,
  });

const PERMANENT_FAULTS: MediaFault[] = [
  [
    "a sample that is a web page",
    ".jpg",
    () => new Response("<html>", { headers: { "Content-Type": "text/html" } }),
    /sample is text\/html/,
  ],
  [
    "a sample on a host that is not allowed",
    ".jpg",
    () => Response.redirect("http://example.com/x.jpg"),
    /not fetched from http:\/\/example\.com/,
  ],
  ["an empty sample", ".jpg", () => image(null), /sample is empty/],
  [
    "a sample that is too large",
    ".jpg",
    () => image(new Uint8Array(5 * 2 ** 20 + 1)),
    /larger than the 5 MB/,
  ],
  ["an upload that is refused", "/media", refusedUpload, /refuses the media \(131053/],
];

Deno.test("if a template's sample can never be sent, each send and dry run gets a 422, and the idempotency key can be used again", async (t) => {
  for (const [name, end, answer, reason] of PERMANENT_FAULTS) {
    await t.step(name, async () => {
      let isBroken = true;
      await using channel = ownSandbox(({ path }) =>
        isBroken && path.endsWith(end) ? answer() : null
      );
      const company = await companyWithTemplates(channel.url);
      const send = await ownSender(channel.url);
      const json = arrival({ idempotency_key: "k" });
      // The second send does not upload the sample again.
      const answers = [
        await send(company.keys.messaging, json),
        await send(company.keys.messaging, json),
        await send(company.keys.messaging, json, "?dry_run=true"),
      ];
      for (const { status, body, headers } of answers) {
        assert.deepEqual(
          [status, body.code, body.channel, body.outcome, headers.get("Retry-After")],
          [422, "template_rejected", undefined, undefined, null],
          JSON.stringify(body),
        );
        const [{ field, message }] = body.details;
        assert.equal(field, "template_name");
        assert.match(message, reason);
        assert.match(message, /header_media/);
      }
      assert.deepEqual(await ledgerOf(company), []);
      const { data } = (await call(company.keys.read, "GET", "/templates?name=new_arrival")).body;
      assert.equal(data[0].can_be_sent, false);
      assert.match(data[0].why_not[0], reason);

      isBroken = false;
      await endPause(company);
      const repeated = await send(company.keys.messaging, json);
      assert.deepEqual([repeated.status, repeated.body.idempotent_hit], [200, false]);
      const { body } = await send(company.keys.messaging, arrival(), "?dry_run=true");
      assert.equal(body.outcome, "send", JSON.stringify(body));
    });
  }
});

Deno.test("if the channel says when it accepts an upload again, the send's error says so, but never less than ten seconds", async () => {
  for (const [asked, told] of [["90", "90"], ["3", "10"]]) {
    await using channel = ownSandbox(({ path }) =>
      path.endsWith("/media")
        ? new Response("", { status: 429, headers: { "Retry-After": asked } })
        : null
    );
    const company = await companyWithTemplates(channel.url);
    const send = await ownSender(channel.url);
    const url = sampleUrl(channel.url, "espresso_cup.jpg", Date.now());
    for (const header_media of [undefined, { url }]) {
      const { status, headers, body } = await send(
        company.keys.messaging,
        arrival({ header_media }),
      );
      assert.deepEqual([status, headers.get("Retry-After")], [502, told], JSON.stringify(body));
    }
  }
});

/** Lets the next send upload a sample again, as ten seconds after a failed upload. */
const endPause = ({ id }: Company) =>
  statement`
    update template_media set failed_at = now() - interval '11 s' where company_id = ${id}
  `;

Deno.test("if a template's media file cannot be uploaded now, nothing is sent, and the idempotency key can be used again", async (t) => {
  for (const [name, end, answer, reason] of FAULTS) {
    await t.step(name, async () => {
      let isBroken = true;
      await using channel = ownSandbox(({ path }) =>
        isBroken && path.endsWith(end) ? answer() : null
      );
      const company = await companyWithTemplates(channel.url);
      const send = await ownSender(channel.url);
      const json = arrival({ idempotency_key: "k" });
      const failed = await send(company.keys.messaging, json);
      await assertNotSent(company, failed, reason);
      assert.equal(failed.headers.get("Retry-After"), "10");
      assert.doesNotMatch(JSON.stringify(failed.body), /oe=|_nc_|sandbox-token/);

      isBroken = false;
      await endPause(company);
      const repeated = await send(company.keys.messaging, json);
      assert.deepEqual([repeated.status, repeated.body.idempotent_hit], [200, false]);
    });
  }
});

Deno.test("if only one number's upload fails, the error of its send contains the reason, and why_not does not", async () => {
  const phone_number_id = anyPhoneNumberId();
  await using channel = ownSandbox(({ path }) =>
    path.endsWith(`/${phone_number_id}/media`) ? refusedUpload() : null
  );
  const company = await companyWithTemplates(channel.url);
  const send = await ownSender(channel.url);
  const business_account_id = SANDBOX_BUSINESS_ACCOUNT_ID;
  await withDatabase((sql) =>
    connectAccount(sql, company.id, { phone_number_id, business_account_id })
  );
  const json = arrival({ phone_number_id });
  const template = async () => {
    const path = `/templates?name=new_arrival&phone_number_id=${phone_number_id}`;
    const { can_be_sent, why_not } = (await call(company.keys.read, "GET", path)).body.data[0];
    return { can_be_sent, why_not: why_not.length };
  };
  const refused = await send(company.keys.messaging, json);
  assert.match(refused.body.error, /131053/);
  assert.deepEqual(await ledgerOf(company), []);
  assert.deepEqual(await template(), { can_be_sent: false, why_not: 1 });

  const { status } = await send(
    company.keys.messaging,
    arrival({ phone_number_id: company.phone_number_id }),
  );
  assert.equal(status, 200);
  assert.deepEqual(await template(), { can_be_sent: true, why_not: 0 });
  const { body } = await send(company.keys.messaging, json);
  assert.equal(body.error, refused.body.error);
});

Deno.test("if the channel refuses the token at the upload, the send fails with an account error, and the account has a notice until an upload succeeds", async () => {
  const error = { code: 190, message: "Error validating access token" };
  let isRefused = true;
  await using channel = ownSandbox(({ path }) =>
    isRefused && path.endsWith("/media") ? Response.json({ error }, { status: 401 }) : null
  );
  const company = await companyWithTemplates(channel.url);
  const send = await ownSender(channel.url);
  const { status, body } = await send(company.keys.messaging, arrival({ idempotency_key: "k" }));
  assert.deepEqual(
    [status, body.code, body.channel],
    [500, "channel_account_error", { code: 190 }],
    JSON.stringify(body),
  );
  assert.deepEqual(await ledgerOf(company), []);
  const notices = async () =>
    await statement`
      select kind, event, stops_sending, stopped_sends from account_notices where company_id = ${company.id}
    `;
  const notice = { kind: "refusal", event: "190", stops_sending: true, stopped_sends: 1 };
  assert.deepEqual([...await notices()], [notice]);

  isRefused = false;
  await endPause(company);
  assert.equal((await send(company.keys.messaging, arrival())).status, 200);
  assert.deepEqual([...await notices()], []);

  await statement`update template_media set media_id = null, uploaded_at = null where company_id = ${company.id}`;
  await setSealedToken(company, (await newCompany()).sealed_token);
  const unreadable = await send(company.keys.messaging, arrival());
  assert.equal(unreadable.body.code, "channel_account_error");
  assert.deepEqual([...await notices()], [{ ...notice, event: "token_unusable" }]);
});

Deno.test("if the account gets a new token while its previous token is refused, the account has no notice, and the repeat is sent", async () => {
  let isRefused = true;
  await using channel = ownSandbox(async ({ path }) => {
    if (!isRefused || !path.endsWith("/media")) return null;
    await setToken(company, SANDBOX_TOKEN);
    isRefused = false;
    return Response.json({ error: { code: 190, message: "Expired" } }, { status: 401 });
  });
  const company = await companyWithTemplates(channel.url);
  const send = await ownSender(channel.url);
  const { body } = await send(company.keys.messaging, arrival());
  assert.equal(body.code, "channel_account_error", JSON.stringify(body));
  const notices =
    await statement`select event from account_notices where company_id = ${company.id}`;
  assert.deepEqual([...notices], []);
  const repeated = await send(company.keys.messaging, arrival());
  assert.equal(repeated.status, 200, JSON.stringify(repeated.body));
});

Deno.test("if the database cannot record a refused upload, the log says so, and the caller still receives the account error", async () => {
  const error = { code: 190, message: "Error validating access token" };
  await using channel = ownSandbox(({ path }) =>
    path.endsWith("/media") ? Response.json({ error }, { status: 401 }) : null
  );
  await using db = watchedStack(({ url }) =>
    url.endsWith("/rpc/fail_media_upload") ? new Response("", { status: 503 }) : null
  );
  const company = await companyWithTemplates(channel.url);
  const send = await ownSender(channel.url, { supabaseUrl: db.url });
  const lines = await logged(async () => {
    const { body } = await send(company.keys.messaging, arrival());
    assert.equal(body.code, "channel_account_error", JSON.stringify(body));
  });
  const line = lines.map((line) => JSON.parse(line))
    .find(({ event }) => event === "refusal_not_noted");
  assert.ok(line, lines.join("\n"));
  assert.deepEqual(
    [line.level, line.account_id, line.channel_code, line.status],
    ["error", company.account_id, 190, 503],
  );
});

Deno.test("if a media upload takes too long, the send fails, and the next send starts no second upload", async () => {
  const hanging = Promise.withResolvers<Response>();
  await using channel = ownSandbox(({ path }) => path.endsWith("/media") ? hanging.promise : null);
  const company = await companyWithTemplates(channel.url);
  const mediaPatience = { timeoutMs: 300, leaseSeconds: 30 };
  const send = await ownSender(channel.url, { mediaPatience });
  await assertNotSent(company, await send(company.keys.messaging, arrival()), /long|time/i);
  const calls = channel.count("POST", "/media");
  await assertNotSent(company, await send(company.keys.messaging, arrival()), /long|time/i);
  assert.equal(channel.count("POST", "/media"), calls);
  hanging.resolve(new Response());
});

Deno.test("of failed uploads for template headers, the log has at most 10 lines of each kind in ten seconds, and none of a send that tried no upload", async () => {
  await using channel = ownSandbox(({ path }) =>
    path.endsWith(".jpg") ? new Response("", { status: 500 }) : null
  );
  const company = await companyWithTemplates(channel.url);
  const send = await ownSender(channel.url);
  const url = sampleUrl(channel.url, "espresso_cup.jpg", Date.now());
  /** The failures that sends with this header log: the place of the send, and `left_out`. */
  const failures = async (
    kind: string,
    header_media: { url: string } | undefined,
    sends: number,
  ) => {
    const ids: string[] = [];
    const lines = await logged(async () => {
      for (let sent = 0; sent < sends; sent++) {
        await endPause(company);
        ids.push((await send(company.keys.messaging, arrival({ header_media }))).body.request_id);
        // In the pause after a failed upload, a send with the sample tries no upload.
        if (!header_media) await send(company.keys.messaging, arrival());
      }
    });
    return lines.map((line) => JSON.parse(line)).filter(({ event }) => event === kind)
      .map(({ request_id, left_out = 0 }) => [ids.indexOf(request_id), left_out]);
  };
  const kinds = [["template_media", undefined], ["header_media", { url }]] as const;
  const { now } = Date;
  try {
    for (const [kind, header] of kinds) {
      const start = now();
      // The lines of earlier tests no longer count.
      Date.now = () => start + 10_000;
      const places = (await failures(kind, header, 12)).map(([place]) => place);
      assert.deepEqual(places, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], kind);
      Date.now = () => start + 20_000;
      assert.deepEqual(await failures(kind, header, 1), [[0, 2]], kind);
    }
  } finally {
    Date.now = now;
  }
});
