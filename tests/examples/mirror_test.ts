// Tests the script that keeps a CSV file up to date. The test runs the script as docs/automation.md
// describes.
import assert from "node:assert/strict";
import { root } from "../../local/checkout.ts";
import { newSecret, sign } from "../../supabase/functions/_shared/webhooks/signature.ts";
import { call } from "../support/calls.ts";
import { anyPhone, type Company, newCompany } from "../support/company.ts";
import { freePort } from "../support/free_port.ts";
import { until, withFolder } from "../support/started.ts";
import { stack, statement, withDatabase } from "../support/test_stack.ts";
import { type Bend, bendingProxy } from "./bending_proxy.ts";

const CHANGES = "GET /gateway/contacts/changes";

/**
 * Runs the script in a folder that contains contacts.csv. The script has only the permissions that
 * the page states.
 */
function started(
  folder: string,
  url: string,
  key: string,
  { host = new URL(url).host, seconds = "0.02", port = "0", secret = "" } = {},
) {
  const variables = "CRM_API_URL,CRM_API_KEY,WEBHOOK_SECRET";
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--no-prompt", "--no-config", "--no-check"],
      ...[`--allow-net=${host},127.0.0.1:${port}`, "--allow-read=.", "--allow-write=."],
      ...[`--allow-env=${variables}`, `${root}examples/mirror.ts`, "contacts.csv", seconds, port],
    ],
    cwd: folder,
    env: { CRM_API_URL: `${url}/functions/v1`, CRM_API_KEY: key, WEBHOOK_SECRET: secret },
    stderr: "piped",
  }).spawn();
  const printed = new Response(child.stderr).text();
  return {
    async [Symbol.asyncDispose]() {
      try {
        child.kill("SIGKILL");
      } catch { /* it has ended */ }
      await child.status;
      await printed;
    },
    ended: async () => [(await child.status).code, await printed] as const,
  };
}

/**
 * The rows of contacts.csv, as objects with the column names, or null while the file does not
 * exist.
 */
async function rowsIn(folder: string): Promise<Record<string, string>[] | null> {
  const bytes = await Deno.readFile(`${folder}/contacts.csv`).catch(() => null);
  if (!bytes) return null;
  assert.deepEqual([...bytes.subarray(0, 3)], [0xEF, 0xBB, 0xBF], "the byte order mark is missing");
  const text = new TextDecoder().decode(bytes);
  assert.ok(text.endsWith("\r\n"), "the file is complete");
  const [header, ...lines] = text.slice(0, -2).split(/\r\n(?="|$)/);
  const names = header.split(",");
  return lines.map((line) => {
    const cells = Array.from(
      line.matchAll(/(?:^|,)"((?:[^"]|"")*)"/g),
      ([, cell]) => cell.replaceAll('""', '"'),
    );
    assert.equal(cells.length, names.length, line);
    return Object.fromEntries(names.map((name, at) => [name, cells[at]]));
  });
}

/** Waits until the file and the API have the same data for each contact. */
async function inStep(folder: string, { keys }: Company) {
  await until(async () => {
    const { body } = await call(keys.read, "GET", "/contacts?archived=include&limit=200");
    const expected = body.data.map((each: Record<string, unknown>) =>
      `${each.id} ${each.phone ?? ""} ${each.archived_at ?? ""} ${each.updated_at}`
    );
    const rows = await rowsIn(folder) ?? [];
    const found = rows.map((row) => `${row.id} ${row.phone} ${row.archived_at} ${row.updated_at}`);
    return expected.sort().join("\n") === found.sort().join("\n");
  });
}

/** Waits until the list of changes shows a contact. */
async function inChanges({ keys }: Company, contactId: string) {
  await until(async () => {
    const { body } = await call(keys.read, "GET", "/contacts/changes?start=beginning");
    return body.data.some(({ id }: { id: string }) => id === contactId);
  });
}

async function added(company: Company, names: string[]): Promise<string[]> {
  const rows = names.map((name) => ({ company_id: company.id, phone: anyPhone(), name }));
  const made = await withDatabase((sql) => sql`insert into contacts ${sql(rows)} returning id`);
  return made.map(({ id }) => id);
}

async function named(folder: string): Promise<Set<string>> {
  return new Set((await rowsIn(folder))!.map(({ name }) => name));
}

Deno.test("the mirror follows changes, archiving, merges and deletions, and continues after it was killed", async () => {
  await withFolder(async (folder) => {
    const company = await newCompany();
    const words = ["Merged", "Deleted", "Archived", "Erased"];
    const [merged, deleted, archived, erased] = await added(company, words);
    {
      await using _mirror = started(folder, stack.url, company.keys.read);
      await inStep(folder, company);
      await added(company, ["While it runs"]);
      await inStep(folder, company);
    }
    const { write } = company.keys;
    const into = await call(write, "POST", `/contacts/${company.contact_id}/merge`, {
      json: { from: merged },
    });
    const gone = await call(write, "DELETE", `/contacts/${archived}`);
    const erasing = await call(write, "POST", `/contacts/${erased}/erase`, {
      json: { confirm: erased },
    });
    assert.deepEqual([into.status, gone.status, erasing.status], [200, 204, 200]);
    await statement`delete from contacts where id = ${deleted}`;
    {
      await using _mirror = started(folder, stack.url, company.keys.read);
      await inStep(folder, company);
    }
    const names = await named(folder);
    assert.deepEqual(
      [...words, "While it runs"].map((name) => names.has(name)),
      [false, false, true, false, true],
    );
    assert.equal((await Deno.stat(`${folder}/contacts.csv`)).mode! & 0o777, 0o600);
    const left = Array.from(Deno.readDirSync(folder), ({ name }) => name).sort();
    assert.deepEqual(left.filter((name) => !name.endsWith(".new")), [
      "contacts.csv",
      "contacts.csv.state.json",
    ]);
  });
});

Deno.test("a signed event makes the mirror read the changes immediately, but other requests do not", async () => {
  await withFolder(async (folder) => {
    const company = await newCompany();
    const [secret, port] = [newSecret(), String(freePort())];
    const post = async (signedWith: string, ago = 0, padding = 0) => {
      const [id, body] = ["evt_1", '{"type":"contact.created"}' + " ".repeat(padding)];
      const at = Math.floor(Date.now() / 1000) - ago;
      const answer = await fetch(`http://127.0.0.1:${port}/`, {
        method: "POST",
        headers: {
          "webhook-id": id,
          "webhook-timestamp": String(at),
          "webhook-signature": await sign([newSecret(), signedWith], id, at, body),
        },
        // A stream is sent without the header Content-Length.
        body: padding ? new Blob([body]).stream() : body,
      });
      await answer.body?.cancel();
      return answer.status;
    };
    // While an earlier transaction is still writing, the list of changes does not show new rows.
    await inChanges(company, company.contact_id);
    await using _mirror = started(folder, stack.url, company.keys.read, {
      seconds: "3600",
      port,
      secret,
    });
    await inStep(folder, company);
    const [grace] = await added(company, ["Grace"]);
    await inChanges(company, grace);
    assert.deepEqual([await post(newSecret()), await post(secret, 600)], [400, 400]);
    assert.equal(await post(secret, 0, 300_000), 400);
    assert.ok(!(await named(folder)).has("Grace"));
    assert.equal(await post(secret, 0, 250_000), 204);
    await inStep(folder, company);
  });
});

Deno.test("a cell of the mirror is never a formula, and other characters stay unchanged", async () => {
  await withFolder(async (folder) => {
    const company = await newCompany();
    const formulas = ["=1+1", '=HYPERLINK("http://x.example")', "+1+2", "-2+3", "@SUM(A1)", "＝1"];
    const texts = ['Ada, "the" countess', "two\r\nlines", "Зоя 😀", "O’Connell", "-5"];
    await added(company, [...formulas, ...texts]);
    await using _mirror = started(folder, stack.url, company.keys.read);
    await inStep(folder, company);
    const names = await named(folder);
    for (const text of texts) assert.ok(names.has(text), text);
    for (const formula of formulas) {
      assert.ok(names.has(`'${formula}`) && !names.has(formula), formula);
    }
  });
});

Deno.test("the mirror waits as long as `Retry-After` says, and survives a broken response and an expired cursor", async () => {
  await withFolder(async (folder) => {
    const company = await newCompany();
    await added(company, ["Ada"]);
    // The cursor in the file has expired, so no change will report that the contact `ghost` was
    // deleted.
    const ghost = { cursor: "of-an-older-database", contacts: { ghost: ["ghost", "Ghost"] } };
    await Deno.writeTextFile(`${folder}/contacts.csv.state.json`, JSON.stringify(ghost));
    const times: number[] = [];
    const bend: Bend = (answer, made) => {
      times.push(performance.now());
      if (made === 0) return { ...answer, status: 429, headers: { "Retry-After": "1" } };
      if (made === 1) return { ...answer, status: 200, body: '{"data": [' };
      if (made === 2) return { ...answer, status: 410, body: { code: "cursor_expired" } };
      return answer;
    };
    await using proxy = bendingProxy(stack.url, { [CHANGES]: bend });
    await using _mirror = started(folder, proxy.url, company.keys.read);
    await inStep(folder, company);
    assert.ok(times[1] - times[0] >= 1000, "the mirror waits as long as Retry-After says");
    assert.ok(times[2] - times[1] >= 1000, "the mirror waits after a broken response");
    await until(async () => {
      const state = await Deno.readTextFile(`${folder}/contacts.csv.state.json`);
      return !state.includes("Ghost");
    });
  });
});

Deno.test("the mirror prints the reason and exits if its key is refused or its host is not allowed", async () => {
  await withFolder(async (folder) => {
    await using other = started(folder, stack.url, "sk_live_any", { host: "crm.example" });
    const [failed, said] = await other.ended();
    assert.equal(failed, 1);
    assert.match(said, /Requires net access to "127\.0\.0\.1:\d+"/);
    await using mirror = started(folder, stack.url, "sk_live_wrong");
    const [code, printed] = await mirror.ended();
    assert.equal(code, 1);
    assert.match(printed, /401 invalid_api_key: /);
    assert.equal(await rowsIn(folder), null);
  });
});

Deno.test("the mirror has at most 105 lines and no dependencies", async () => {
  const text = await Deno.readTextFile(`${root}examples/mirror.ts`);
  assert.ok(text.trimEnd().split("\n").length <= 105);
  assert.doesNotMatch(text, /\bimport\b/);
});
