// Checks the effects of each recipe program on the demo company.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { StackAddresses } from "../../local/stack.ts";
import { digestOf } from "../../sandbox/people_media.ts";
import { answeringProxy } from "../support/answering_proxy.ts";
import { PYTHON } from "../support/programs.ts";
import { ask, until } from "../support/started.ts";

/** The context for testing one program. */
export interface Trial {
  /** Runs the program with these variables in its environment, and returns the lines that it prints. */
  run(variables: Record<string, string>): Promise<string[]>;
  stack: StackAddresses;
  /** The folder in which the program runs. */
  folder: string;
  /** The name of the program's language. */
  language: string;
  /** A digit in names and phone numbers. Each language has a different digit. */
  digit: number;
}

/** The checks of the recipe programs, by the name of the recipe's page. */
export const RECIPES: Record<string, (trial: Trial) => Promise<void>> = {
  "find-or-create-a-contact": async ({ run, stack, digit }) => {
    const first = await run({ PHONE: `+551199000021${digit}` });
    // The person is already a contact. The second run uses another spelling of the phone number and
    // another name.
    const second = await run({ PHONE: `+55119000021${digit}`, NAME: "Beatriz" });
    assert.deepEqual(second, first);
    const { body } = await ask(stack, `/contacts?phone=%2B551199000021${digit}`);
    const found = body.data.map((each: Row) => [`${each.id} ${each.name}`, each.source]);
    assert.deepEqual(found, [[first[0], "form"]]);
    assert.match(first[0], / Bia Torres$/);
  },

  "sync-contacts": async ({ run, stack, language, folder, digit }) => {
    const isDatabase = language === "Python";
    const variables = { COPY: `copy-${digit}` };
    // A change appears only after earlier transactions have ended, so the program runs until its
    // copy is complete.
    const inStep = async (): Promise<number> => {
      let changes = 0;
      let [copy, rows]: Row[][] = [];
      await until(async () => {
        const [line] = await run(variables);
        copy = (await readCopy(`${folder}/copy-${digit}`, isDatabase)).sort(byId);
        rows = (await allContacts(stack)).sort(byId);
        assert.ok(line.endsWith(` changes, ${copy.length} contacts`), line);
        changes += parseInt(line);
        return isDeepStrictEqual(copy, rows);
      }).catch((error) => {
        assert.deepEqual(copy, rows);
        throw error;
      });
      return changes;
    };
    const gone = await write(stack, "PUT", "/contacts", { phone: `+1415555017${digit}` });
    const stays = await write(stack, "PUT", "/contacts", { phone: `+1415555018${digit}` });
    await inStep();
    const json = { phone: `+1415555018${digit}`, name: language };
    await write(stack, "PUT", "/contacts", json);
    await inStep();
    await write(stack, "POST", `/contacts/${stays.id}/merge`, { from: gone.id });
    assert.equal(await inStep(), 2);

    // Simulates a database that was restored from a backup. The cursor is invalid, so the program
    // reads everything again.
    await restartChanges(stack);
    if (language === "curl") {
      await assert.rejects(run(variables), /cursor_expired/);
      await Deno.remove(`${folder}/copy-${digit}`);
    }
    assert.ok(await inStep() >= 40);
  },

  "open-and-move-a-deal": async ({ run, stack, language }) => {
    const variables = { ORDER: `B-${language}` };
    const [line] = await run(variables);
    const { body: { data: deals } } = await ask(stack, `/deals?q=B-${language}&include=stage`);
    assert.equal(deals.length, 1);
    const [{ id, title, value, stage }] = deals;
    assert.equal(line, `${id} Order B-${language} is in Qualified`);
    assert.deepEqual([title, value, stage.name], [`Order B-${language}`, 1999.5, "Qualified"]);
    const history = await ask(stack, `/deals/${id}/history`);
    const kinds = history.body.data.map(({ kind }: Row) => kind);
    assert.deepEqual(kinds, ["stage_changed", "created"]);
    // A deal that a user has moved stays in its stage, and the program creates no second deal.
    await write(stack, "PATCH", `/deals/${id}`, { stage_id: await stageOf(stack, "Closing") });
    assert.deepEqual(await run(variables), [`${id} Order B-${language} is in Closing`]);
  },

  "send-a-template-safely": async ({ run, stack, language, digit }) => {
    const variables = { PHONE: `+1415555015${digit}`, ORDER: `C-${language}` };
    // The first request is temporarily refused, and the response to the second request is lost.
    await using proxy = unsteadyProxy(stack.url);
    const [first] = await run({ ...variables, CRM_API_URL: `${proxy.url}/functions/v1` });
    const [second] = await run(variables);
    assert.deepEqual(proxy.answered, [503, 502, 200]);
    assert.match(first, / (delivered|read)$/);
    assert.equal(second.split(" ")[0], first.split(" ")[0]);
    const [{ message }, ...more] = await sentTo(stack, variables.PHONE);
    assert.deepEqual([message.template?.name, more], ["order_update", []]);
    // The program fails if it reuses an idempotency key for a different message. It also fails if
    // the person has opted out.
    const other = { ...variables, PHONE: `+1415555016${digit}` };
    await assert.rejects(run(other), /idempotency_key belongs to another message/);
    await assert.rejects(run({ ...variables, NAME: "Grace" }), /different values|key differs in/);
    const stop = { ...variables, PHONE: "+5531900000002", ORDER: `D-${language}` };
    await assert.rejects(run(stop), /do_not_contact/);
    assert.deepEqual(await sentTo(stack, other.PHONE), []);
  },

  "answer-within-the-window": async ({ run, stack, folder, language, digit }) => {
    const variables = { PLACE: `place-${digit}`, TEXT: `${language} thanks you.` };
    const phone = `+1415555019${digit}`;
    const answers = async () =>
      (await sentTo(stack, phone)).map(({ message }) => message.text?.body);
    // A change may appear only after earlier transactions have ended, so the program runs several
    // times.
    const lines = async (count: number) => {
      const printed: string[] = [];
      await until(async () => printed.push(...await run(variables)) >= count);
      return printed;
    };
    // A first run that fails stores no cursor.
    await assert.rejects(
      run({ ...variables, CRM_API_KEY: "sk_live_wrong" }),
      /invalid_api_key|API key/,
    );
    assert.deepEqual(await run(variables), []);
    const earlier = await Deno.readTextFile(`${folder}/place-${digit}`);

    await writes(stack, phone, "Are you open today?");
    assert.deepEqual(await lines(1), ["Are you open today? answered"]);
    assert.deepEqual(await answers(), [variables.TEXT]);
    // The next run sends no second reply, even if the last run ended before it stored its position.
    await Deno.writeTextFile(`${folder}/place-${digit}`, earlier);
    assert.deepEqual(await lines(1), ["Are you open today? answered"]);
    assert.deepEqual(await answers(), [variables.TEXT]);
    await until(() => isDelivered(stack, phone));

    // Before the program replies, the conversation is closed and another conversation is opened.
    const [{ id }] = await conversationsOf(stack, phone);
    await writes(stack, phone, "Hello?");
    await write(stack, "PATCH", `/conversations/${id}`, { status: "closed" });
    await writes(stack, phone, "Still there?");
    const [hello, stillThere] = await lines(2);
    if (language === "curl") assert.match(hello, /^Hello\? not answered: .*is closed/);
    else assert.equal(hello, "Hello? answered");
    assert.equal(stillThere, "Still there? answered");

    // The next run reads the same messages again, with another text. It sends no second reply.
    const sent = await answers();
    await Deno.writeTextFile(`${folder}/place-${digit}`, earlier);
    await run({ ...variables, TEXT: "Another text" });
    assert.deepEqual(await answers(), sent);
    assert.notEqual(await Deno.readTextFile(`${folder}/place-${digit}`), earlier);
  },

  "send-the-invoice": async ({ run, stack, folder, language, digit }) => {
    const phone = `+1415555021${digit}`;
    const sent = async () => (await sentTo(stack, phone)).map(({ message }) => message);
    const fileFor = async (order: string) => {
      const pdf = new TextEncoder().encode("%PDF-1.7\n");
      await Deno.writeFile(`${folder}/invoice-${order}.pdf`, pdf);
      return { ORDER: order, PHONE: phone };
    };
    const variables = await fileFor(`E-${language}`);
    const [first] = await run(variables);
    assert.deepEqual(await run(variables), [first]);
    // The program does not report a corrected invoice as sent.
    await assert.rejects(run({ ...variables, AMOUNT: "USD 149" }), /different values|key differs/);
    const [template, ...more] = await sent();
    assert.deepEqual(more, []);
    const [header] = template.template.components;
    assert.equal(header.parameters[0].document.filename, `invoice-E-${language}.pdf`);

    await writes(stack, phone, "Please send me the other invoice too.");
    const [{ id: CONVERSATION }] = await conversationsOf(stack, phone);
    const reply = { ...await fileFor(`F-${language}`), CONVERSATION };
    const [second] = await run(reply);
    assert.deepEqual(await run(reply), [second]);
    const [{ document }, ...others] = await sent();
    assert.equal(others.length, 1);
    assert.deepEqual([document.filename, document.caption], [
      `invoice-F-${language}.pdf`,
      `Your invoice for order F-${language}`,
    ]);
    // The program does not send the same invoice a second time as a reply.
    await assert.rejects(run({ ...variables, CONVERSATION }), /idempotency_key/);
  },

  "hear-the-voice-note": async ({ run, stack, digit }) => {
    const phone = `+1415555020${digit}`;
    await writes(stack, phone, { medium: "voice" });
    const [{ id: CONVERSATION }] = await conversationsOf(stack, phone);
    const heard: string[] = [];
    const server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      async (request) => {
        const voice = createHash("sha256").update(await request.bytes()).digest("hex");
        heard.push(`${request.headers.get("Authorization")} ${voice}`);
        return Response.json({ text: "A second of silence" });
      },
    );
    const TRANSCRIBE_URL = `http://127.0.0.1:${server.addr.port}/listen`;
    const variables = { CONVERSATION, TRANSCRIBE_URL, TRANSCRIBE_KEY: "key" };
    assert.deepEqual(await run(variables), ["A second of silence"]);
    assert.deepEqual(heard, [`Bearer key ${digestOf("voice")}`]);
    // WhatsApp does not have this voice message.
    await writes(stack, phone, { message: { type: "audio", audio: { id: "1", voice: true } } });
    await assert.rejects(run(variables));
    await server.shutdown();
  },
};

// deno-lint-ignore no-explicit-any -- a record of any kind
type Row = any;

const byId = (one: Row, other: Row) => one.id < other.id ? -1 : 1;

/** Makes a write request with the demo key and returns the record. */
async function write(stack: StackAddresses, method: string, path: string, json: unknown) {
  const headers = { "Content-Type": "application/json" };
  const { status, body } = await ask(stack, path, { method, headers, body: JSON.stringify(json) });
  assert.ok(status < 300, JSON.stringify(body));
  return body.data;
}

async function allContacts(stack: StackAddresses): Promise<Row[]> {
  const { body } = await ask(stack, "/contacts?archived=include&limit=200");
  assert.equal(body.pagination.has_more, false);
  return body.data;
}

/** The contacts in a program's copy, which is an SQLite database or a JSON file. */
async function readCopy(path: string, isDatabase: boolean): Promise<Row[]> {
  if (!isDatabase) return Object.values(JSON.parse(await Deno.readTextFile(path)).contacts);
  const { stdout } = await new Deno.Command(PYTHON!, {
    args: [
      "-c",
      "import sqlite3, sys; print('[' + ','.join(record for [record] in " +
      "sqlite3.connect(sys.argv[1]).execute('select record from contacts')) + ']')",
      path,
    ],
  }).output();
  return JSON.parse(new TextDecoder().decode(stdout));
}

async function restartChanges({ url, secret_key }: StackAddresses) {
  const answer = await fetch(`${url}/rest/v1/rpc/restart_changes`, {
    method: "POST",
    headers: { apikey: secret_key, "Content-Type": "application/json" },
    body: "{}",
  });
  assert.equal(answer.status, 200, await answer.text());
}

async function stageOf(stack: StackAddresses, name: string): Promise<string> {
  const { body } = await ask(stack, "/stages");
  return body.data.find((stage: Row) => stage.name === name).id;
}

/** The messages to a phone number that the sandbox accepted. */
async function sentTo({ sandbox_url }: StackAddresses, phone: string): Promise<Row[]> {
  const digits = await fetch(`${sandbox_url}?to=${phone.slice(1)}`);
  const withSign = await fetch(`${sandbox_url}?to=${encodeURIComponent(phone)}`);
  return [...(await digits.json()).data, ...(await withSign.json()).data];
}

/** Simulates a message from a person to the demo company. */
async function writes({ url }: StackAddresses, from: string, content: string | object) {
  const what = typeof content === "string" ? { text: content } : content;
  const answer = await fetch(`${url}/sandbox/inbound`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ phone_number_id: "900000000000011", from, ...what }),
  });
  assert.equal((await answer.json()).webhook_status, 200);
}

async function conversationsOf(stack: StackAddresses, phone: string): Promise<Row[]> {
  const { body } = await ask(stack, `/contacts?phone=${encodeURIComponent(phone)}`);
  return (await ask(stack, `/conversations?contact_id=${body.data[0].id}`)).body.data;
}

/** Whether the last message to a phone number was delivered. */
async function isDelivered(stack: StackAddresses, phone: string): Promise<boolean> {
  const [{ id }] = await conversationsOf(stack, phone);
  const { body } = await ask(stack, `/conversations/${id}/messages?direction=outbound`);
  return ["delivered", "read"].includes(body.data[0].status);
}

/**
 * A proxy for the stack. It temporarily refuses the first write and loses the response to the
 * second write, as the platform sometimes does.
 */
function unsteadyProxy(to: string) {
  const answered: number[] = [];
  const proxy = answeringProxy(to, async ({ method }, pass) => {
    if (method === "GET") return await pass();
    const answer = answered.length === 0 ? later() : await pass();
    if (answered.length !== 1) {
      answered.push(answer.status);
      return answer;
    }
    await answer.body?.cancel();
    answered.push(502);
    return new Response("<h1>Bad gateway</h1>", { status: 502 });
  });
  return { ...proxy, answered };
}

function later(): Response {
  const error = { success: false, error: "Later", code: "database_unavailable", request_id: "1" };
  return Response.json(error, { status: 503, headers: { "Retry-After": "0" } });
}
