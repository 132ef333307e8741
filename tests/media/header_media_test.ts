// Tests template sends whose header contains the caller's own file.
import assert from "node:assert/strict";
import { assertField } from "../support/calls.ts";
import { SANDBOX_BUSINESS_ACCOUNT_ID } from "../../sandbox/rules.ts";
import { committed } from "../database/connections.ts";
import { joinBusinessAccount } from "../database/templates.ts";
import type { Sql } from "../support/acting_as.ts";
import {
  anyPhone,
  type Company,
  connectAccount,
  disconnectAccount,
  newCompany,
} from "../support/company.ts";
import { companyWithTemplates, ownSandbox } from "../support/known_templates.ts";
import { ownSender } from "../support/own_functions.ts";
import { ledgerOf, ownChannel, storedMessage, template } from "../support/sending.ts";
import { addUpload, fileOfType, ownUploads } from "../support/uploading.ts";

const invoice = (changes: Record<string, unknown> = {}) => ({
  phone: anyPhone(),
  template_name: "invoice_ready",
  language_code: "en_US",
  display_text: "Your invoice is ready",
  body_variables: ["A-1815", "USD 129"],
  ...changes,
});

/** Uploads a file of this type. */
async function upload(channelUrl: string, company: Company, type: string): Promise<string> {
  const send = await ownUploads(channelUrl);
  const query = "?filename=A-1815";
  const { status, body } = await send(company.keys.messaging, fileOfType(type, 500), {
    type,
    query,
  });
  assert.equal(status, 201, JSON.stringify(body));
  return body.data.id;
}

Deno.test("a send uses the given upload or URL as the template's header, and does not upload the sample", async () => {
  await using channel = ownSandbox();
  const company = await companyWithTemplates(channel.url);
  await using host = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () =>
      new Response(fileOfType("application/pdf", 700), {
        headers: { "Content-Type": "application/pdf" },
      }),
  );
  const origin = `http://127.0.0.1:${host.addr.port}`;
  const send = await ownSender(channel.url, {
    whatsapp: { url: channel.url, timeoutMs: 5_000, mediaHosts: [origin] },
  });
  const id = await upload(channel.url, company, "application/pdf");
  const cases: [Record<string, unknown>, string][] = [
    [{ id }, "A-1815.pdf"],
    [{ url: `${origin}/invoice.pdf?signature=x` }, "invoice.pdf"],
  ];
  for (const [header_media, filename] of cases) {
    const json = invoice({ header_media, idempotency_key: crypto.randomUUID() });
    const { status, body } = await send(company.keys.messaging, json);
    assert.equal(status, 200, JSON.stringify(body));
    // deno-lint-ignore no-explicit-any -- a body in the channel's format
    const { components: [header] } = (await channel.taken())[0].message.template as any;
    assert.deepEqual(header, {
      type: "header",
      parameters: [{
        type: "document",
        document: { id: header.parameters[0].document.id, filename },
      }],
    });
    const stored = await storedMessage(body.message_id);
    assert.deepEqual(
      [stored.type, stored.media.id, stored.media.filename],
      ["document", header_media.id ?? null, filename],
    );
    const repeat = await send(company.keys.messaging, json);
    assert.equal(repeat.body.idempotent_hit, true);
    const dry = await send(company.keys.messaging, invoice({ header_media }), "?dry_run=true");
    assert.deepEqual([dry.body.outcome, dry.status], ["send", 200]);
  }
  const other = { ...invoice(), header_media: { id }, idempotency_key: "k" };
  await send(company.keys.messaging, other);
  const another = await upload(channel.url, company, "application/pdf");
  for (const header_media of [undefined, { id: another }, { url: `${origin}/invoice.pdf` }]) {
    const { body } = await send(company.keys.messaging, { ...other, header_media });
    assert.deepEqual([body.idempotent_hit, body.mismatch], [true, ["header_media"]]);
  }
  assert.equal((await ledgerOf(company)).length, 3);
});

Deno.test("if the header's kind or the sending account changes while the file at a URL is uploaded, nothing is sent", async () => {
  const changes: ((sql: Sql, company: Company) => Promise<unknown>)[] = [
    (sql, { id }) =>
      sql`update templates set header_format = 'VIDEO' where company_id = ${id} and name = 'invoice_ready'`,
    async (sql, { id, account_id }) => {
      const second = await connectAccount(sql, id);
      await joinBusinessAccount(sql, second.id, SANDBOX_BUSINESS_ACCOUNT_ID);
      await disconnectAccount(sql, account_id);
    },
  ];
  for (const change of changes) {
    await using channel = ownSandbox();
    const company = await companyWithTemplates(channel.url);
    await using host = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      async () => {
        await committed((sql) => change(sql, company));
        return new Response(fileOfType("application/pdf", 700), {
          headers: { "Content-Type": "application/pdf" },
        });
      },
    );
    const origin = `http://127.0.0.1:${host.addr.port}`;
    const send = await ownSender(channel.url, {
      whatsapp: { url: channel.url, timeoutMs: 5_000, mediaHosts: [origin] },
    });
    const json = invoice({
      header_media: { url: `${origin}/invoice.pdf` },
      idempotency_key: crypto.randomUUID(),
    });
    const { status, body } = await send(company.keys.messaging, json);
    assert.deepEqual([status, body.outcome], [502, "not_sent"], JSON.stringify(body));
    assert.match(body.error, /: the template's header or the sending account changed during the /);
    assert.deepEqual(await channel.taken(), []);
    // The idempotency key is still free.
    assert.deepEqual(await ledgerOf(company), []);
  }
});

Deno.test("a file in a wrong format or with a forbidden URL is refused, and the error names the field", async () => {
  await using channel = ownSandbox();
  const company = await companyWithTemplates(channel.url);
  const send = await ownSender(channel.url);
  const image = await upload(channel.url, company, "image/png");
  const origin = new URL(channel.url).origin;
  const refusals: [Record<string, unknown>, string][] = [
    [{ header_media: { id: image } }, "header_media.id"],
    [{ header_media: { id: crypto.randomUUID() } }, "header_media.id"],
    [{ header_media: {} }, "header_media.id"],
    [{ header_media: { id: image, url: "https://a.example/a.pdf" } }, "header_media.id"],
    [{ header_media: { url: "ftp://a.example/a.pdf" } }, "header_media.url"],
    [{ header_media: { url: "https://user:pass@a.example/a.pdf" } }, "header_media.url"],
    [{ header_media: { url: "https://169.254.169.254/a.pdf" } }, "header_media.url"],
    [{ header_media: { url: "http://localhost:1/a.pdf" } }, "header_media.url"],
    [{ header_media: { url: `${origin}/sandbox/samples/none.pdf` } }, "header_media.url"],
    [{ header_media: { id: image }, header_variables: ["x"] }, "header_variables"],
    [{
      ...{ template_name: "order_update", body_variables: ["Ada", "A-1"] },
      header_media: { id: image },
    }, "header_media"],
  ];
  for (const [changes, field] of refusals) {
    const answer = await send(company.keys.messaging, invoice(changes));
    assertField(answer, field, /./);
  }
  assert.deepEqual(await ledgerOf(company), []);
});

Deno.test("the error about a forbidden host names the host exactly as the caller sent it", async () => {
  await using channel = ownSandbox();
  const company = await companyWithTemplates(channel.url);
  const send = await ownSender(channel.url);
  for (const host of ["sample-files.example", "files.example"]) {
    const url = `https://${host}/sample.pdf`;
    const answer = await send(company.keys.messaging, invoice({ header_media: { url } }));
    assertField(
      answer,
      "header_media.url",
      `cannot be sent: Media are not fetched from ${new URL(url).origin}; the variable ` +
        "WHATSAPP_MEDIA_HOSTS allows further hosts, with https",
    );
  }
});

Deno.test("a dry run refuses a forbidden URL as the send does, unless an earlier send has the same idempotency key", async () => {
  await using channel = ownSandbox();
  const company = await companyWithTemplates(channel.url);
  const send = await ownSender(channel.url);
  const dryRun = (json: unknown) => send(company.keys.messaging, json, "?dry_run=true");
  for (
    const url of [
      "https://files.example/a.pdf",
      "http://localhost:1/a.pdf",
      "https://256.256.256.256/",
    ]
  ) {
    const json = invoice({ header_media: { url } });
    const [real, dry] = [await send(company.keys.messaging, json), await dryRun(json)];
    assertField(dry, "header_media.url", real.body.details[0].message);
  }
  const id = await upload(channel.url, company, "application/pdf");
  const sent = invoice({ header_media: { id }, idempotency_key: "k" });
  assert.equal((await send(company.keys.messaging, sent)).status, 200);
  const repeat = { ...sent, header_media: { url: "https://files.example/a.pdf" } };
  assert.equal((await dryRun(repeat)).body.outcome, "repeat");
});

Deno.test("the URL of a header's file may have 2,048 characters, and the error for a longer URL says so", async () => {
  await using channel = ownSandbox();
  const company = await companyWithTemplates(channel.url);
  const send = await ownSender(channel.url);
  const origin = "https://files.example";
  for (
    const [length, message] of [
      [2048, /^cannot be sent: Media are not fetched from/],
      [2049, "must have at most 2048 characters"],
    ] as const
  ) {
    const url = `${origin}/${"a".repeat(length - origin.length - 1)}`;
    const answer = await send(company.keys.messaging, invoice({ header_media: { url } }));
    assertField(answer, "header_media.url", message);
  }
});

Deno.test("if the file's host is too slow, nothing is sent, and the error says that the medium was not fetched", async () => {
  await using channel = ownSandbox();
  const company = await companyWithTemplates(channel.url);
  const over = Promise.withResolvers<Response>();
  await using host = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => over.promise,
  );
  const origin = `http://127.0.0.1:${host.addr.port}`;
  const send = await ownSender(channel.url, {
    whatsapp: { url: channel.url, timeoutMs: 5_000, mediaHosts: [origin] },
    mediaPatience: { timeoutMs: 200, leaseSeconds: 30 },
  });
  const { status, body } = await send(
    company.keys.messaging,
    invoice({ header_media: { url: `${origin}/a.pdf` } }),
  );
  over.resolve(new Response());
  assert.deepEqual([status, body.outcome], [502, "not_sent"]);
  assert.match(body.error, /: The medium could not be fetched and uploaded in time\. Nothing was /);
});

Deno.test("if the channel refuses the file at a URL, nothing is stored, and the same idempotency key sends a corrected file", async () => {
  let isRefused = true;
  await using channel = ownSandbox(({ method, path }) =>
    isRefused && method === "POST" && path.endsWith("/media")
      ? Response.json({ error: { code: 131053, message: "Media upload error" } }, { status: 400 })
      : null
  );
  const company = await companyWithTemplates(channel.url);
  await using host = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () =>
      new Response(fileOfType("application/pdf", 700), {
        headers: { "Content-Type": "application/pdf" },
      }),
  );
  const origin = `http://127.0.0.1:${host.addr.port}`;
  const send = await ownSender(channel.url, {
    whatsapp: { url: channel.url, timeoutMs: 5_000, mediaHosts: [origin] },
  });
  const json = invoice({
    header_media: { url: `${origin}/damaged.pdf` },
    idempotency_key: crypto.randomUUID(),
  });
  const refused = await send(company.keys.messaging, json);
  assert.deepEqual([refused.status, refused.body.code, refused.body.channel.code], [
    422,
    "media_rejected",
    131053,
  ]);
  assert.deepEqual(await ledgerOf(company), []);
  isRefused = false;
  const corrected = await send(company.keys.messaging, {
    ...json,
    header_media: { url: `${origin}/invoice.pdf` },
  });
  assert.deepEqual(
    [corrected.status, corrected.body.idempotent_hit, corrected.body.mismatch],
    [200, false, undefined],
    JSON.stringify(corrected.body),
  );
  assert.equal((await channel.taken()).length, 1);
});

Deno.test("a refused file fails the send with media_rejected if the caller chose the file, and otherwise with template_rejected", async () => {
  for (const code of [131052, 131053]) {
    await using channel = ownChannel(() =>
      Response.json({ error: { code, message: "Media error", type: "OAuthException" } }, {
        status: 400,
      })
    );
    const send = await ownSender(channel.url);
    for (const expected of ["media_rejected", "template_rejected"]) {
      const company = await newCompany();
      const ownFile = expected === "media_rejected" &&
        { header_media: { id: await addUpload(company) } };
      const { status, body } = await send(
        company.keys.messaging,
        template(anyPhone(), { ...ownFile }),
      );
      assert.deepEqual([status, body.code, body.channel.code], [422, expected, code]);
      const [{ state, reason, message_id }] = await ledgerOf(company);
      assert.deepEqual([state, reason], ["failed", expected]);
      assert.equal((await storedMessage(message_id)).failure.reason, expected);
    }
  }
});
