// Tests the request that the channel receives for a send.

import assert from "node:assert/strict";
import { FetchInterceptor } from "@mswjs/interceptors/fetch/web";
import { http, passthrough } from "msw";
import { defineNetwork, InterceptorSource } from "msw/experimental";
import { sandbox } from "../../sandbox/sandbox.ts";
import { anyPhone, connectAccount, newCompany } from "../support/company.ts";
import { ownSender } from "../support/own_functions.ts";
import { accepted, ledgerOf, ownChannel, setToken, template } from "../support/sending.ts";
import { stack, withDatabase } from "../support/test_stack.ts";

Deno.test("the channel receives the message in the documented format with the account's own token", async () => {
  const company = await newCompany();
  await setToken(company, "EAAGtoken-1._~+/=");
  await using channel = ownChannel(() => accepted());
  const send = await ownSender(channel.url);
  const phone = anyPhone();
  const json = template(phone, {
    header_variables: ["4711"],
    body_variables: ["Ada 🚚", "", "  R$ 10,00 "],
    contact_name: "Ada Lovelace",
    idempotency_key: "order-4711",
    phone_number_id: company.phone_number_id,
  });
  assert.equal((await send(company.keys.messaging, json)).status, 200);

  const [{ path, headers, body }, ...more] = channel.calls;
  const [{ id }] = await ledgerOf(company);
  assert.deepEqual(more, []);
  assert.equal(path, `/v26.0/${company.phone_number_id}/messages`);
  assert.deepEqual(body, {
    messaging_product: "whatsapp",
    recipient_type: "individual",
    to: phone,
    type: "template",
    biz_opaque_callback_data: `${id}.1`,
    template: {
      name: "order_update",
      language: { code: "pt_BR" },
      components: [
        { type: "header", parameters: [{ type: "text", text: "4711" }] },
        {
          type: "body",
          parameters: [
            { type: "text", text: "Ada 🚚" },
            { type: "text", text: "" },
            { type: "text", text: "  R$ 10,00 " },
          ],
        },
      ],
    },
  });
  assert.equal(headers.get("Authorization"), "Bearer EAAGtoken-1._~+/=");
  assert.equal(headers.get("Content-Type"), "application/json");
  // The request has a Content-Length and is not chunked, because every proxy supports
  // Content-Length.
  const length = new TextEncoder().encode(JSON.stringify(body)).length;
  assert.deepEqual(
    [headers.get("Content-Length"), headers.get("Transfer-Encoding")],
    [String(length), null],
  );
  const sent = JSON.stringify([...headers, body]);
  for (const own of [company.keys.messaging, json.display_text, "Lovelace", "order-4711"]) {
    assert.ok(!sent.includes(own), `${own} must not reach the channel`);
  }
});

Deno.test("a component without parameters is left out", async () => {
  const company = await newCompany();
  await using channel = ownChannel(() => accepted());
  const send = await ownSender(channel.url);
  const given: [object, string[]][] = [
    [{ body_variables: undefined }, []],
    [{ body_variables: [], header_variables: [] }, []],
    [{ body_variables: ["a"] }, ["body"]],
    [{ header_variables: ["a"], body_variables: [] }, ["header"]],
    [{ body_variables: ["b"], header_variables: ["h"] }, ["header", "body"]],
    [{ template_header_type: "image", body_variables: ["b"], header_variables: [] }, ["body"]],
    [{ template_header_type: "document", body_variables: [] }, []],
  ];
  for (const [changes, types] of given) {
    const json = template(anyPhone(), { ...changes });
    assert.equal((await send(company.keys.messaging, json)).status, 200);
    const { components } = channel.calls.at(-1)!.body.template;
    assert.deepEqual(components.map(({ type }: { type: string }) => type), types);
  }
});

Deno.test("each account sends from its own phone number with its own token", async () => {
  const company = await newCompany();
  const other = await withDatabase((sql) => connectAccount(sql, company.id));
  await setToken(company, "first");
  await setToken({ ...other, id: company.id, account_id: other.id }, "second");
  await using channel = ownChannel(() => accepted());
  const send = await ownSender(channel.url);
  for (const { phone_number_id } of [company, other, company]) {
    await send(company.keys.messaging, template(anyPhone(), { phone_number_id }));
  }
  assert.deepEqual(
    channel.calls.map(({ path, headers }) => [path.split("/")[2], headers.get("Authorization")]),
    [
      [company.phone_number_id, "Bearer first"],
      [other.phone_number_id, "Bearer second"],
      [company.phone_number_id, "Bearer first"],
    ],
  );
});

Deno.test("`biz_opaque_callback_data` contains the id of the send and the number of the attempt", async () => {
  const company = await newCompany();
  const answers = [
    Response.json({ error: { code: 131016 } }, { status: 500 }),
    accepted(),
    accepted(),
  ];
  await using channel = ownChannel(() => answers.shift()!);
  const send = await ownSender(channel.url);
  const json = template(anyPhone(), { idempotency_key: "tried-twice" });
  assert.equal((await send(company.keys.messaging, json)).status, 502);
  assert.equal((await send(company.keys.messaging, json)).status, 200);
  await send(company.keys.messaging, template(json.phone));
  const [first, second] = await ledgerOf(company);
  assert.deepEqual(
    channel.calls.map(({ body }) => body.biz_opaque_callback_data),
    [`${first.id}.1`, `${first.id}.2`, `${second.id}.1`],
  );
});

Deno.test("sends go to a fixed version of the WhatsApp API, unless another URL is configured", async () => {
  const company = await newCompany();
  const asked: string[] = [];
  const channel = sandbox();
  const network = defineNetwork({
    sources: [new InterceptorSource({ interceptors: [new FetchInterceptor() as never] })],
    handlers: [
      http.all(`${stack.url}/*`, () => passthrough()),
      http.all("*", ({ request: { method, url } }) => {
        asked.push(`${method} ${url}`);
      }),
      ...channel.handlers,
    ],
    onUnhandledFrame: "error",
    context: { quiet: true },
  });
  const phone = anyPhone();
  const json = template(phone);
  const send = await ownSender("");
  await network.enable();
  const { status, body } = await send(company.keys.messaging, json).finally(() =>
    network.disable()
  );
  assert.deepEqual([status, body.success], [200, true]);
  const url = `https://graph.facebook.com/v26.0/${company.phone_number_id}/messages`;
  assert.deepEqual(asked, [`POST ${url}`]);
  const taken = await (await channel.fetch(
    new Request(`http://sandbox/messages?to=${encodeURIComponent(phone)}`),
  )).json();
  assert.deepEqual(taken.data.map(({ id }: { id: string }) => id), [body.whatsapp_message_id]);
});

Deno.test("a redirect to another host is not followed, because that host would receive the token", async () => {
  let strays = 0;
  const elsewhere = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, () => {
    strays++;
    return accepted();
  });
  for (const status of [301, 302, 303, 307, 308]) {
    const company = await newCompany();
    const headers = { Location: `http://127.0.0.1:${elsewhere.addr.port}/v26.0/1/messages` };
    await using channel = ownChannel(() => new Response(null, { status, headers }));
    const send = await ownSender(channel.url);
    const answer = await send(company.keys.messaging, template(anyPhone()));
    assert.deepEqual([answer.status, answer.body.outcome], [502, "unknown"], String(status));
    assert.equal((await ledgerOf(company))[0].state, "pending");
    assert.equal(channel.calls.length, 1);
  }
  await elsewhere.shutdown();
  assert.equal(strays, 0);
});

Deno.test("the caller receives the channel's `Retry-After`, or a default value if the channel sends no valid one", async () => {
  const company = await newCompany();
  let headers: Record<string, string> = {};
  await using channel = ownChannel(() =>
    Response.json({ error: { code: 131056 } }, { status: 400, headers })
  );
  const send = await ownSender(channel.url);
  for (const [said, told] of [[undefined, "6"], ["17", "17"], ["soon", "6"]]) {
    headers = said ? { "Retry-After": said } : {};
    const answer = await send(company.keys.messaging, template(anyPhone()));
    assert.deepEqual([answer.status, answer.headers.get("Retry-After")], [502, told]);
  }
});

Deno.test("the service offers the channel only HTTP/1.1, not HTTP/2", async () => {
  const company = await newCompany();
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  // The client's first TLS message lists the protocols that the client offers. Before each
  // protocol's name, the list has a byte with the length of the name.
  const hello = (async () => {
    const connection = await listener.accept();
    const bytes = new Uint8Array(4096);
    const length = await connection.read(bytes);
    connection.close();
    return new TextDecoder("latin1").decode(bytes.subarray(0, length ?? 0));
  })();
  const { port } = listener.addr as Deno.NetAddr;
  const send = await ownSender(`https://localhost:${port}`);
  const answer = await send(company.keys.messaging, template(anyPhone()));
  listener.close();
  assert.deepEqual([answer.status, answer.body.outcome], [502, "not_sent"]);
  assert.ok((await hello).includes("\x08http/1.1"));
  assert.ok(!(await hello).includes("\x02h2"));
});
