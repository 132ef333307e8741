// `npm run sandbox` starts the simulated WhatsApp API for the functions of another stack.
import assert from "node:assert/strict";
import { SANDBOX_TOKEN } from "../../sandbox/rules.ts";
import { anyPhone } from "../support/company.ts";
import { send } from "../support/calls.ts";
import { root } from "../../local/checkout.ts";
import { usageOf } from "../../trials/usage.ts";
import { signatureOf } from "../support/channel_apps.ts";
import { largeUpload } from "./direct_sandbox.ts";
import { sendRaw } from "./raw_client.ts";

const MIB = 1024 * 1024;

function sandbox(env: Record<string, string>, ...args: string[]): Deno.Command {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--no-prompt", `${root}sandbox/start.ts`, ...args],
    env: { NO_COLOR: "1", ...env },
    stdout: "piped",
    stderr: "piped",
  });
}

Deno.test("the sandbox accepts messages at the printed URL and exits on a signal", async () => {
  const child = sandbox({}, "--port", "0").spawn();
  await using _ending = { [Symbol.asyncDispose]: () => ended(child) };
  const printing = child.stdout.pipeThrough(new TextDecoderStream()).values();
  const { value: printed = "" } = await printing.next();
  const [, channel] = /WHATSAPP_API_URL=(http:\/\/127\S+)/.exec(printed)!;
  const [, list] = /(http:\S+\/sandbox\/messages)/.exec(printed)!;
  assert.ok(printed.includes(SANDBOX_TOKEN));

  const to = anyPhone();
  const message = {
    messaging_product: "whatsapp",
    to,
    type: "template",
    template: { name: "hello_world", language: { code: "en_US" }, components: [] },
  };
  const headers = { Authorization: `Bearer ${SANDBOX_TOKEN}`, "Content-Type": "application/json" };
  const sent = await send(`${channel}/1/messages`, "POST", headers, JSON.stringify(message));
  assert.equal(sent.status, 200, JSON.stringify(sent.body));
  const { body: { data } } = await send(list, "GET", {});
  assert.deepEqual(data.map(({ id }: { id: string }) => id), [sent.body.messages[0].id]);
  const [, chats] = /(http:\S+\/sandbox\/chat)/.exec(printed)!;
  assert.ok((await (await fetch(chats)).text()).includes(to));

  const line = "GET /sandbox/messages HTTP/1.1";
  for (
    const [name, status] of Object.entries({ "evil.example": 421, "a b": 400, localhost: 200 })
  ) {
    assert.equal((await sendRaw(list, [line, `Host: ${name}`])).status, status, name);
  }

  assert.match(printed, /Events are posted to {13}nowhere; --webhook gives an address/);
  const [, people] = /(http:\S+\/sandbox\/inbound)/.exec(printed)!;
  const played = JSON.stringify({ phone_number_id: "1", from: to, text: "Hello" });
  const { body: { posted } } = await send(people, "POST", headers, played);
  assert.equal(posted, false);

  const [, port] = /:(\d+)\//.exec(list)!;
  const second = await sandbox({}, "--port", port).output();
  assert.equal(second.code, 1);
  assert.equal(
    new TextDecoder().decode(second.stderr),
    `Port ${port} is taken by another program. Stop it, or choose another port with --port.\n`,
  );

  const nowhere = await sandbox({}, "--port", "0", "--host", "192.0.2.1").output();
  assert.equal(nowhere.code, 1);
  assert.match(
    new TextDecoder().decode(nowhere.stderr),
    /^The sandbox cannot listen on 192\.0\.2\.1, port 0: .+\. Choose another address with --host, /,
  );

  await printing.return?.();
  child.kill("SIGINT");
  assert.equal((await child.status).code, 0);
});

Deno.test("the sandbox posts events to the configured URL, signed with the secret", async () => {
  const gets = Promise.withResolvers<
    { bytes: Uint8Array<ArrayBuffer>; signature: string | null }
  >();
  await using webhook = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      const bytes = new Uint8Array(await request.arrayBuffer());
      gets.resolve({ bytes, signature: request.headers.get("X-Hub-Signature-256") });
      return new Response();
    },
  );
  const url = `http://127.0.0.1:${webhook.addr.port}/webhook`;
  const child = sandbox({ SANDBOX_APP_SECRET: "s" }, "--port", "0", "--webhook", url).spawn();
  await using _ending = { [Symbol.asyncDispose]: () => ended(child) };
  const printing = child.stdout.pipeThrough(new TextDecoderStream()).values();
  const { value: printed = "" } = await printing.next();
  await printing.return?.();
  assert.ok(printed.includes(`Events are posted to             ${url}`), printed);
  const [, people] = /(http:\S+\/sandbox\/inbound)/.exec(printed)!;
  const json = JSON.stringify({ phone_number_id: "1", from: anyPhone(), text: "Olá" });
  const { body } = await send(people, "POST", { "Content-Type": "application/json" }, json);
  assert.equal(body.posted, true);
  const { bytes, signature } = await gets.promise;
  assert.equal(signature, await signatureOf(bytes, "s"));

  for (
    const [env, address, sentence] of [
      [{ SANDBOX_APP_SECRET: "s" }, "ftp://x", "It must be an http or https address."],
      [{ SANDBOX_APP_SECRET: "s" }, "x", "It must be an http or https address."],
      [{ SANDBOX_APP_SECRET: "" }, url, "Its app's secret must be in SANDBOX_APP_SECRET."],
    ] as const
  ) {
    const { code, stderr } = await sandbox(env, "--port", "0", "--webhook", address).output();
    assert.equal(code, 1);
    assert.ok(new TextDecoder().decode(stderr).includes(sentence));
  }
});

Deno.test("the sandbox accepts a document of 100 MiB in 200 MiB of memory, and refuses a large image early", async () => {
  const child = sandbox({}, "--port", "0").spawn();
  await using _ending = { [Symbol.asyncDispose]: () => ended(child) };
  const printing = child.stdout.pipeThrough(new TextDecoderStream()).values();
  const { value: printed = "" } = await printing.next();
  await printing.return?.();
  const [, channel] = /WHATSAPP_API_URL=(http:\/\/127\S+)/.exec(printed)!;
  const upload = async (type: string, size: number) => {
    const request = largeUpload(`${channel}/1/media`, type, size);
    const answer = await fetch(request, { signal: AbortSignal.timeout(180_000) });
    return { status: answer.status, body: await answer.json() };
  };
  let peak = 0;
  const looking = setInterval(() => peak = Math.max(peak, usageOf(child).rss), 10);
  try {
    assert.equal((await upload("application/pdf", 100 * MIB)).status, 200);
    // The response arrives before the whole file is sent.
    const { status, body } = await upload("image/jpeg", 50 * MIB);
    assert.deepEqual([status, body.error.code], [400, 131053]);
  } finally {
    clearInterval(looking);
  }
  // The peak is `NaN` on systems that do not report peak memory.
  assert.ok(!(peak > 200 * MIB), `${peak}`);
});

/** Stops a process if it is still running. */
async function ended(child: Deno.ChildProcess) {
  await child.stderr.cancel();
  try {
    child.kill("SIGKILL");
  } catch {
    // The process has already ended.
  }
  await child.status;
}
