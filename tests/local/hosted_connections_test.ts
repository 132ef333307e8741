// Tests the outcome of a send whose connection to the channel fails. The tests run on the installed
// Deno version and on the hosted runtime's version, because the two versions report and retry these
// failures differently.
import assert from "node:assert/strict";
import { bareChannel, readRequest, write } from "../support/bare_channel.ts";
import { anyPhone, newCompany } from "../support/company.ts";
import { startFunction } from "../support/function_process.ts";
import { type Answer, send } from "../support/calls.ts";
import { ledgerOf, template } from "../support/sending.ts";
import { environment } from "../support/test_stack.ts";
import { root } from "../../local/checkout.ts";

const DENOS = {
  "this Deno": Deno.execPath(),
  "Deno 2.1.4": `${root}tools/node_modules/deno/deno`,
};

type Connection = Deno.TcpConn;

/** Failures of the connection after which the channel may have received the message. */
const MAY_HAVE_GONE: Record<string, (connection: Connection) => Promise<unknown>> = {
  "is closed before an answer": readRequest,
  "is reset before the request is read": (connection) => connection.read(new Uint8Array(1)),
  "is closed within the status": async (connection) => {
    await readRequest(connection);
    await write(connection, "HTTP/1.1 20");
  },
  "is closed within the headers": async (connection) => {
    await readRequest(connection);
    await write(connection, "HTTP/1.1 200 OK\r\nContent-Type: applica");
  },
  "is closed within the body": async (connection) => {
    await readRequest(connection);
    await write(
      connection,
      'HTTP/1.1 200 OK\r\nContent-Length: 60\r\n\r\n{"messages":[{"id":"wamid.x"',
    );
  },
  "is closed within a chunk": async (connection) => {
    await readRequest(connection);
    await write(
      connection,
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n40\r\n{"messages":',
    );
  },
  "answers in another protocol": async (connection) => {
    await readRequest(connection);
    await write(connection, "220 smtp.example ESMTP\r\n\r\n");
  },
};

const ACCEPTED = '{"messages":[{"id":"wamid.x"}]}';

for (const [name, deno] of Object.entries(DENOS)) {
  Deno.test(`on ${name}, a broken connection makes the outcome unknown, and the request is not repeated`, async (t) => {
    await using channel = bareChannel();
    await using sender = await startFunction("send-external-template", {
      channelUrl: `http://${channel.address}/v26.0`,
      deno,
    });
    for (const [what, way] of Object.entries(MAY_HAVE_GONE)) {
      await t.step(`a connection that ${what}`, async () => {
        const company = await newCompany();
        const json = template(anyPhone(), { idempotency_key: "once" });
        channel.become(way);
        const first = await post(sender.url, company.keys.messaging, json);
        assertUnavailable(first, "unknown");
        assert.equal(channel.connections, 1);
        const [entry, ...more] = await ledgerOf(company);
        assert.deepEqual([entry.state, more], ["pending", []]);

        const repeat = await post(sender.url, company.keys.messaging, json);
        assert.deepEqual([repeat.status, repeat.body.status], [200, "pending"]);
        assert.equal(channel.connections, 1);
      });
    }
  });

  Deno.test(`on ${name}, a send over a reused connection is not repeated`, async () => {
    const company = await newCompany();
    let requests = 0;
    await using channel = bareChannel();
    channel.become(async (connection) => {
      while (++requests === 1) {
        await readRequest(connection);
        const { length } = ACCEPTED;
        await write(connection, `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n${ACCEPTED}`);
      }
      await readRequest(connection);
    });
    await using sender = await startFunction("send-external-template", {
      channelUrl: `http://${channel.address}/v26.0`,
      deno,
    });
    const first = await post(sender.url, company.keys.messaging, template(anyPhone()));
    assert.deepEqual([first.status, first.body.whatsapp_message_id], [200, "wamid.x"]);
    const second = await post(sender.url, company.keys.messaging, template(anyPhone()));
    assertUnavailable(second, "unknown");
    assert.deepEqual([requests, channel.connections], [2, 1]);
  });

  Deno.test(`on ${name}, a send that cannot reach the channel is reported as not sent`, async (t) => {
    await using channel = bareChannel();
    const unreachable: Record<
      string,
      [url: string, way?: (connection: Connection) => Promise<unknown>]
    > = {
      // No server listens on this port. Deno tries to connect to this port, but refuses some other
      // ports itself.
      "refuses the connection": ["http://127.0.0.1:10/v26.0"],
      "does not exist": ["https://channel.invalid/v26.0"],
      "closes the connection within TLS": [
        `https://${channel.address}/v26.0`,
        (connection) => connection.read(new Uint8Array(65_536)),
      ],
      "does not use TLS": [
        `https://${channel.address}/v26.0`,
        (connection) => write(connection, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"),
      ],
    };
    for (const [what, [channelUrl, way]] of Object.entries(unreachable)) {
      await t.step(`a channel that ${what}`, async () => {
        if (way) channel.become(way);
        await using sender = await startFunction("send-external-template", { channelUrl, deno });
        const company = await newCompany();
        const json = template(anyPhone(), { idempotency_key: "again" });
        for (const _ of ["first", "again"]) {
          assertUnavailable(await post(sender.url, company.keys.messaging, json), "not_sent");
          const [entry, ...more] = await ledgerOf(company);
          assert.deepEqual(
            [entry.state, entry.reason, more],
            ["released", "channel_unavailable", []],
          );
        }
      });
    }
  });

  Deno.test(`on ${name}, a channel that does not respond in time makes the outcome unknown`, async () => {
    await using channel = bareChannel();
    const over = Promise.withResolvers<void>();
    const silences: ((connection: Connection) => Promise<unknown>)[] = [
      () => over.promise,
      async (connection) => {
        await write(connection, "HTTP/1.1 200 OK\r\nContent-Length: 60\r\n\r\n");
        await over.promise;
      },
    ];
    for (const silence of silences) {
      const company = await newCompany();
      channel.become(silence);
      const { status, body } = await impatientSend(
        deno,
        `http://${channel.address}/v26.0`,
        company.keys.messaging,
        template(anyPhone()),
      );
      assert.deepEqual([status, body.code, body.outcome], [502, "channel_unavailable", "unknown"]);
      assert.equal(channel.connections, 1);
      assert.equal((await ledgerOf(company))[0].state, "pending");
    }
    over.resolve();
  });
}

function post(url: string, key: string, json: unknown): Promise<Answer> {
  return send(url, "POST", {
    Authorization: `Bearer ${key}`,
    "Content-Type": "application/json",
  }, JSON.stringify(json));
}

function assertUnavailable({ status, headers, body }: Answer, outcome: string) {
  assert.deepEqual(
    [status, body.success, body.code, body.outcome],
    [502, false, "channel_unavailable", outcome],
    JSON.stringify(body),
  );
  assert.equal(headers.get("Retry-After"), null);
}

/** Returns the response of a function that waits at most 1.5 seconds for the channel. */
async function impatientSend(deno: string, channelUrl: string, key: string, json: unknown) {
  const script = `
    const folder = "file://${root}supabase/functions/";
    const { sendExternalTemplate } = await import(folder + "send-external-template/app.ts");
    const { readSenderConfig } = await import(
      folder + "_shared/template_sends/template_send_config.ts"
    );
    const { whatsapp, ...config } = await readSenderConfig(Deno.env.toObject());
    const app = sendExternalTemplate({ ...config, whatsapp: { ...whatsapp, timeoutMs: 1_500 } });
    const { url, ...init } = ${
    JSON.stringify({
      url: "http://edge/send-external-template",
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: JSON.stringify(json),
    })
  };
    const answer = await app.request(url, init);
    console.log(JSON.stringify({ status: answer.status, body: await answer.json() }));
    Deno.exit();
  `;
  const { stdout, stderr } = await new Deno.Command(deno, {
    args: ["eval", script],
    env: environment({ channelUrl }),
    cwd: root,
    signal: AbortSignal.timeout(60_000), // a function that waits forever fails here
  }).output();
  const [printed] = new TextDecoder().decode(stdout).trim().split("\n").slice(-1);
  assert.ok(printed, new TextDecoder().decode(stderr));
  return JSON.parse(printed);
}
