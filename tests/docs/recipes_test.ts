// The programs of the recipes are run as a reader runs them: saved in a folder, with the demo company.
import assert from "node:assert/strict";
import type { StackAddresses } from "../../local/stack.ts";
import { answeringProxy } from "../support/answering_proxy.ts";
import { folderWithClient } from "../support/built_client.ts";
import { JQ, PYTHON } from "../support/programs.ts";
import { ask, startOn, until, withFolder } from "../support/started.ts";
import { readPage } from "./pages.ts";

interface Language {
  name: string;
  /** Of the block on the page. */
  fence: string;
  /** The program that runs the file; null when it is not installed. */
  runner: string | null;
  /** The end of the file's name. */
  suffix: string;
}

const LANGUAGES: Language[] = [
  { name: "curl", fence: "bash", runner: JQ && "bash", suffix: "sh" },
  { name: "JavaScript", fence: "js", runner: "node", suffix: "mjs" },
  { name: "Python", fence: "python", runner: PYTHON, suffix: "py" },
];

/** What a test of one program has. */
interface Trial {
  /** Runs the program with these variables in its environment, and returns the lines that it prints. */
  run(variables: Record<string, string>): Promise<string[]>;
  stack: StackAddresses;
  /** The folder in which the program runs. */
  folder: string;
  language: Language;
  /** A digit that is another one for each language, for names and phones. */
  digit: number;
}

const RECIPES: Record<string, (trial: Trial) => Promise<void>> = {
  "find-or-create-a-contact": async ({ run, stack, digit }) => {
    const first = await run({ PHONE: `+551199000021${digit}` });
    // Another spelling and another name: the person is a contact already.
    const second = await run({ PHONE: `+55119000021${digit}`, NAME: "Beatriz" });
    assert.deepEqual(second, first);
    const { body } = await ask(stack, `/contacts?phone=%2B551199000021${digit}`);
    const found = body.data.map((each: Row) => [`${each.id} ${each.name}`, each.source]);
    assert.deepEqual(found, [[first[0], "form"]]);
    assert.match(first[0], / Bia Torres$/);
  },

  "sync-contacts": async ({ run, stack, language, folder, digit }) => {
    const isDatabase = language.name === "Python";
    const variables = { COPY: `copy-${digit}` };
    const inStep = async () => {
      const [line] = await run(variables);
      const copy = await readCopy(`${folder}/copy-${digit}`, isDatabase);
      const rows = await allContacts(stack);
      assert.ok(rows.length >= 40);
      assert.deepEqual(copy.sort(byId), rows.sort(byId));
      return line.replace(`, ${rows.length} contacts`, "");
    };
    const gone = await write(stack, "PUT", "/contacts", { phone: `+1415555017${digit}` });
    const stays = await write(stack, "PUT", "/contacts", { phone: `+1415555018${digit}` });
    await inStep();
    const json = { phone: `+1415555018${digit}`, name: language.name };
    await write(stack, "PUT", "/contacts", json);
    await write(stack, "POST", `/contacts/${stays.id}/merge`, { from: gone.id });
    assert.equal(await inStep(), "2 changes");

    // The database is restored from a backup: the cursor is worth nothing, and everything is read anew.
    await restartChanges(stack);
    if (language.name === "curl") {
      await assert.rejects(run(variables), /cursor_expired/);
      await Deno.remove(`${folder}/copy-${digit}`);
    }
    assert.match(await inStep(), /^[4-9]\d changes$/);
  },

  "open-and-move-a-deal": async ({ run, stack, language }) => {
    const variables = { ORDER: `B-${language.name}` };
    const [line] = await run(variables);
    const { body: { data: deals } } = await ask(stack, `/deals?q=B-${language.name}&include=stage`);
    assert.equal(deals.length, 1);
    const [{ id, title, value, stage }] = deals;
    assert.equal(line, `${id} Order B-${language.name} is in Qualified`);
    assert.deepEqual([title, value, stage.name], [`Order B-${language.name}`, 1999.5, "Qualified"]);
    const history = await ask(stack, `/deals/${id}/history`);
    const kinds = history.body.data.map(({ kind }: Row) => kind);
    assert.deepEqual(kinds, ["stage_changed", "created"]);
    // What a person has moved stays there, and there is no other deal.
    await write(stack, "PATCH", `/deals/${id}`, { stage_id: await stageOf(stack, "Closing") });
    assert.deepEqual(await run(variables), [`${id} Order B-${language.name} is in Closing`]);
  },

  "send-a-template-safely": async ({ run, stack, language, digit }) => {
    const variables = { PHONE: `+1415555015${digit}`, ORDER: `C-${language.name}` };
    // The first request is refused for the moment, and the answer to the second one is lost.
    await using proxy = unsteadyProxy(stack.url);
    const [first] = await run({ ...variables, CRM_API_URL: `${proxy.url}/functions/v1` });
    const [second] = await run(variables);
    assert.deepEqual(proxy.answered, [503, 502, 200]);
    assert.match(first, / (delivered|read)$/);
    assert.equal(second.split(" ")[0], first.split(" ")[0]);
    const [{ message }, ...more] = await sentTo(stack, variables.PHONE);
    assert.deepEqual([message.template?.name, more], ["order_update", []]);
    // Neither is another message that was given the same key, nor one to a person who wants none.
    const other = { ...variables, PHONE: `+1415555016${digit}` };
    await assert.rejects(run(other), /key names another message/);
    const stop = { ...variables, PHONE: "+5531900000002", ORDER: `D-${language.name}` };
    await assert.rejects(run(stop), /do_not_contact/);
    assert.deepEqual(await sentTo(stack, other.PHONE), []);
  },

  "answer-within-the-window": async ({ run, stack, folder, language, digit }) => {
    const variables = { PLACE: `place-${digit}`, TEXT: `${language.name} thanks you.` };
    const phone = `+1415555019${digit}`;
    const answers = async () =>
      (await sentTo(stack, phone)).map(({ message }) => message.text?.body);
    assert.deepEqual(await run(variables), []);
    const earlier = await Deno.readTextFile(`${folder}/place-${digit}`);

    await writes(stack, phone, "Are you open today?");
    assert.deepEqual(await run(variables), ["Are you open today? answered"]);
    assert.deepEqual(await answers(), [variables.TEXT]);
    // A run that ended before it kept its place answers nobody twice.
    await Deno.writeTextFile(`${folder}/place-${digit}`, earlier);
    assert.deepEqual(await run(variables), ["Are you open today? answered"]);
    assert.deepEqual(await answers(), [variables.TEXT]);
    await until(() => isDelivered(stack, phone));

    // The conversation is closed before it is answered, and another one is opened.
    const [{ id }] = await conversationsOf(stack, phone);
    await writes(stack, phone, "Hello?");
    await write(stack, "PATCH", `/conversations/${id}`, { status: "closed" });
    await writes(stack, phone, "Still there?");
    const [hello, stillThere] = await run(variables);
    if (language.name === "curl") assert.match(hello, /^Hello\? not answered: .*is closed/);
    else assert.equal(hello, "Hello? answered");
    assert.equal(stillThere, "Still there? answered");
  },
};

Deno.test("the programs of the recipes do what their pages say", async (t) => {
  await withFolder(async (folder) => {
    const { started, stack } = await startOn(`${folder}/.local`);
    const env = {
      CRM_API_URL: `${stack.url}/functions/v1`,
      CRM_API_KEY: stack.demo!.api_key,
    };
    await Deno.symlink(`${await folderWithClient()}/node_modules`, `${folder}/node_modules`);
    for (const [recipe, tried] of Object.entries(RECIPES)) {
      const { blocks } = await readPage(`docs/recipes/${recipe}.md`);
      for (const [digit, language] of LANGUAGES.entries()) {
        const { name, fence, runner, suffix } = language;
        const fn = async () => {
          const [{ text }, ...others] = blocks.filter((block) => block.language === fence);
          assert.deepEqual(others, []);
          await Deno.writeTextFile(`${folder}/${recipe}.${suffix}`, text);
          const run = async (variables: Record<string, string>) => {
            const { success, stdout, stderr } = await new Deno.Command(runner!, {
              args: [`${recipe}.${suffix}`],
              cwd: folder,
              env: { ...env, ...variables },
            }).output();
            if (!success) throw new Error(new TextDecoder().decode(stderr));
            return new TextDecoder().decode(stdout).split("\n").slice(0, -1);
          };
          await tried({ run, stack, folder, language, digit });
        };
        await t.step({ name: `${recipe}, ${name}`, ignore: runner === null, fn });
      }
    }
    await started.end();
  });
});

// deno-lint-ignore no-explicit-any -- a record of any kind
type Row = any;

const byId = (one: Row, other: Row) => one.id < other.id ? -1 : 1;

/** Writes with the demo key, and returns the record. */
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

/** The contacts of a copy: a SQLite database, or a file of JSON. */
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

/** What the sandbox took for a phone. */
async function sentTo({ sandbox_url }: StackAddresses, phone: string): Promise<Row[]> {
  const digits = await fetch(`${sandbox_url}?to=${phone.slice(1)}`);
  const withSign = await fetch(`${sandbox_url}?to=${encodeURIComponent(phone)}`);
  return [...(await digits.json()).data, ...(await withSign.json()).data];
}

/** A person writes to the demo company. */
async function writes({ url }: StackAddresses, from: string, text: string) {
  const answer = await fetch(`${url}/sandbox/inbound`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ phone_number_id: "900000000000011", from, text }),
  });
  assert.equal((await answer.json()).webhook_status, 200);
}

async function conversationsOf(stack: StackAddresses, phone: string): Promise<Row[]> {
  const { body } = await ask(stack, `/contacts?phone=${encodeURIComponent(phone)}`);
  return (await ask(stack, `/conversations?contact_id=${body.data[0].id}`)).body.data;
}

/** Whether the last message to a phone has arrived. */
async function isDelivered(stack: StackAddresses, phone: string): Promise<boolean> {
  const [{ id }] = await conversationsOf(stack, phone);
  const { body } = await ask(stack, `/conversations/${id}/messages?direction=outbound`);
  return ["delivered", "read"].includes(body.data[0].status);
}

/**
 * A server before the stack. It refuses the first write for the moment, and loses the answer to the second one, as the
 * platform does.
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
