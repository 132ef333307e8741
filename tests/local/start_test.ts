// Tests `npm start` with one data folder, from the first start to the last stop.
import assert from "node:assert/strict";
import postgres from "postgres";
import type { StackAddresses } from "../../local/stack.ts";
import { sealToken } from "../../supabase/functions/_shared/credentials/credentials.ts";
import { readCredentialsKey } from "../../supabase/functions/_shared/credentials/credentials_keys.ts";
import { anyPhone } from "../support/company.ts";
import { signIn } from "../support/people.ts";
import { accepted, ownChannel } from "../support/sending.ts";
import {
  ask,
  processesOn,
  READY,
  stackOf,
  Started,
  startOn,
  until,
  withFolder,
} from "../support/started.ts";

const DEMO_COMPANY_ID = "de300000-0000-4000-8000-000000000001";

Deno.test("npm start serves the URLs that it prints, and leaves only data when it ends", async (t) => {
  await withFolder(async (parent) => {
    // The folder does not exist yet. `--data` names the folder relative to the working directory.
    const folder = `${parent}/new`;
    const started = new Started(["--data", "new", "--port", "0"], { cwd: parent });
    await started.says(READY);
    const stack = await stackOf(folder);
    const phone = anyPhone();
    const change = (stack: StackAddresses, method: string, path: string) =>
      ask(stack, path, {
        method,
        body: JSON.stringify({ phone }),
        headers: { "Content-Type": "application/json" },
      });

    await t.step("npm start prints the URLs, a new demo key and how long the start took", () => {
      const said = [
        "· applied 20261123000000_baseline.sql",
        "· wrote the demo data of supabase/seed.sql",
        `Gateway        ${stack.gateway_url}`,
        `Template sends ${stack.template_url}`,
        `Sandbox        ${stack.sandbox_url}`,
        `Chats          ${stack.url}/sandbox/chat shows what people see`,
        `Webhooks       ${stack.receiver_url} shows what they deliver`,
        `Docs           ${stack.docs_url}`,
        `Settings       ${stack.settings_url}`,
        `Data API       ${stack.url}/rest/v1`,
        `Database       ${stack.database_url}`,
        `For programs   ${folder}/stack.json`,
        `Demo API key   ${stack.demo?.api_key}`,
        ...stack.people!.map(({ email, role, password }) => `${email} (${role}) ${password}`),
      ];
      for (const line of said) assert.ok(started.out.includes(line), line);
      assert.match(started.out, /Ready in \d+\.\d\d s\./);
      assert.equal(started.err, "");
    });

    await t.step("npm start also writes stack.json, which only its owner can read", async () => {
      const { port } = new URL(stack.url);
      const { database_url, publishable_key, secret_key, people, demo, channel_app } = stack;
      assert.deepEqual(stack, {
        url: `http://127.0.0.1:${port}`,
        gateway_url: `http://127.0.0.1:${port}/functions/v1/gateway`,
        template_url: `http://127.0.0.1:${port}/functions/v1/send-external-template`,
        whatsapp_url: `http://127.0.0.1:${port}/functions/v1/whatsapp`,
        channel_url: `http://127.0.0.1:${port}/sandbox/v26.0`,
        sandbox_url: `http://127.0.0.1:${port}/sandbox/messages`,
        docs_url: `http://127.0.0.1:${port}/docs/`,
        settings_url: `http://127.0.0.1:${port}/settings/`,
        mail_url: `http://127.0.0.1:${port}/sandbox/mail`,
        webhooks_url: `http://127.0.0.1:${port}/functions/v1/webhooks`,
        receiver_url: `http://127.0.0.1:${port}/sandbox/webhooks`,
        database_url,
        publishable_key,
        secret_key,
        people,
        demo,
        channel_app,
      });
      const app = channel_app!;
      assert.equal(
        app.callback_url,
        `http://127.0.0.1:${port}/functions/v1/whatsapp/webhook/${app.app_key}`,
      );
      assert.match(database_url, /^postgresql:\/\/postgres:[\w-]+@127\.0\.0\.1:\d+\/postgres$/);
      assert.match(publishable_key, /^sb_publishable_[\w-]{32}$/);
      assert.match(secret_key, /^sb_secret_[\w-]{32}$/);
      assert.deepEqual(Object.keys(demo!), ["company_id", "api_key"]);
      assert.equal(demo!.company_id, DEMO_COMPANY_ID);
      assert.match(demo!.api_key, /^sk_live_[\w-]{43}$/);
      assert.deepEqual(people!.map(({ email, role }) => `${email} ${role}`), [
        "helena.duarte@ondalva.example owner",
        "amina.okoro@ondalva.example agent",
      ]);
      for (const file of ["stack.json", "secrets.json", "postgres.log", "lock"]) {
        assert.equal((await Deno.stat(`${folder}/${file}`)).mode! & 0o777, 0o600, file);
      }
    });

    await t.step("npm start immediately writes Postgres log messages to a file", async () => {
      const sql = postgres(stack.database_url, { max: 1 });
      await assert.rejects(sql`select no_such_column`);
      await sql.end();
      const log = () => Deno.readTextFileSync(`${folder}/postgres.log`);
      await until(() => log().includes("no_such_column"));
    });

    await t.step("npm start prints a curl command that works when it is pasted", async () => {
      const line = started.out.split("\n").find((line) => line.trim().startsWith("curl "))!;
      const { data, pagination } = JSON.parse(await pasted(line));
      assert.equal(data.length, 3);
      assert.equal(pagination.has_more, true);
      assert.equal(data[0].company_id, DEMO_COMPANY_ID);
    });

    await t.step(
      "npm start prints a curl command that simulates a message from a person",
      async () => {
        const line = started.out.split("\n").find((line) => line.includes("/sandbox/inbound"))!;
        const { posted, webhook_status, warning } = JSON.parse(await pasted(line));
        assert.deepEqual([posted, webhook_status], [true, 200]);
        assert.equal(warning, undefined);
      },
    );

    await t.step("the stack accepts the demo key for reading, writing and sending", async () => {
      assert.equal((await change(stack, "POST", "/contacts")).status, 201);
      const { status, body } = await send(stack.template_url, stack.demo!.api_key, phone);
      assert.deepEqual([status, body.success], [200, true]);
      const taken = await (await fetch(stack.sandbox_url!)).json();
      assert.deepEqual([taken.data[0].id, taken.data[0].message.to], [
        body.whatsapp_message_id,
        phone,
      ]);
    });

    await t.step("the stack serves the documentation, which contains the demo key", async () => {
      const moved = await fetch(`${stack.url}/docs`, { redirect: "manual" });
      await moved.body?.cancel();
      assert.deepEqual([moved.status, moved.headers.get("Location")], [308, "/docs/"]);
      const settings = await fetch(`${stack.docs_url}reference-settings.json`);
      assert.equal((await settings.json()).apiKey, stack.demo!.api_key);
      const head = await fetch(settings.url, { method: "HEAD" });
      assert.deepEqual([head.status, await head.text()], [200, ""]);
    });

    await t.step("npm start prints how the demo company's users sign in", async () => {
      const moved = await fetch(`${stack.url}/settings`, { redirect: "manual" });
      await moved.body?.cancel();
      assert.deepEqual([moved.status, moved.headers.get("Location")], [308, "/settings/"]);
      const config = await (await fetch(`${stack.settings_url}config.json`)).json();
      assert.deepEqual(config, {
        project_url: stack.url,
        publishable_key: stack.publishable_key,
        docs_url: stack.docs_url,
        mail_url: stack.mail_url,
      });
      for (const person of stack.people!) {
        const { client } = await signIn(person, stack);
        const { data } = await client.from("companies").select("id");
        assert.deepEqual(data, [{ id: DEMO_COMPANY_ID }], person.email);
      }
    });

    await t.step("the stack returns a 404 for any other URL", async () => {
      const paths = [
        "/",
        "/docsx",
        "/functions/v1/nothing",
        "/functions/v1/",
        "/rest/v2/contacts",
      ];
      for (const path of paths) {
        const response = await fetch(stack.url + path);
        assert.equal(response.status, 404, path);
        await response.body?.cancel();
      }
    });

    await t.step(
      "a second start with the same data folder fails and names the running stack",
      async () => {
        const second = new Started(["--data", folder, "--port", "0"]);
        const [code, printed] = await second.ended();
        assert.deepEqual([code, second.out], [1, ""]);
        assert.match(
          printed,
          new RegExp(
            `^The data in ${folder} is in use by the stack at ${stack.url} ` +
              `\\(process ${started.pid}, since 2\\S+Z\\)\\. Stop that stack first, or .* --data\\.\n$`,
          ),
        );
        assert.equal((await ask(stack, "/stages")).status, 200);
      },
    );

    await t.step("a second start on the same port fails with the reason", async () => {
      const { port } = new URL(stack.url);
      const second = new Started(["--data", `${parent}/other`, "--port", port]);
      assert.deepEqual(await second.ended(), [
        1,
        `Port ${port} is taken by another program. Stop it, or choose another port with --port.\n`,
      ]);
      assert.equal(second.out, "");
    });

    await t.step(
      "after SIGTERM, npm start completes open requests and stops all processes that it started",
      async () => {
        // The key's usage is reported some seconds later, or when the stack stops.
        assert.equal((await ask(stack, "/teams?limit=0")).status, 422);
        const sql = postgres(stack.database_url, { max: 2 });
        const [answer, end] = await sql.begin(async (mine) => {
          const [{ id }] = await mine`select id from contacts where phone = ${phone} for update`;
          // This request waits for the row, which is locked until this transaction ends.
          const answer = change(stack, "PATCH", `/contacts/${id}`).then(
            ({ status }) => status,
            String,
          );
          const waiting = () =>
            sql`
              select from pg_locks where not granted and locktype in ('transactionid', 'tuple')
            `;
          await until(async () => (await waiting()).count > 0);
          const end = started.end("SIGTERM");
          await started.says("Ending …");
          return [answer, end];
        });
        assert.equal(await answer, 200);
        assert.deepEqual(await end, [0, ""]);
        await sql.end();
        assert.deepEqual(await processesOn(parent), []);
        assert.deepEqual(left(folder), ["data", "lock", "postgres.log", "secrets.json"]);
      },
    );

    await t.step("npm start --quiet prints nothing and serves the same data", async () => {
      const quiet = new Started(["--data", folder, "--port", "0", "--quiet"]);
      await until(() => left(folder).includes("stack.json"));
      const again = await stackOf(folder);
      assert.notEqual(again.demo!.api_key, stack.demo!.api_key);
      // The keys of the previous start are still valid.
      const found = await ask({ ...again, demo: stack.demo }, "/contacts");
      assert.deepEqual([found.status, found.body.data[0].phone], [200, phone]);
      const sql = postgres(again.database_url, { max: 1 });
      const errors =
        await sql`select code, operation from api_key_errors where operation = 'listTeams'`;
      assert.deepEqual([...errors], [{ code: "invalid_request", operation: "listTeams" }]);
      await sql.end();
      assert.deepEqual(
        [again.publishable_key, again.secret_key],
        [stack.publishable_key, stack.secret_key],
      );
      assert.deepEqual(await quiet.end("SIGHUP"), [0, ""]);
      assert.equal(quiet.out, "");
    });

    await t.step("npm start with --fresh and --no-seed creates an empty database", async () => {
      const empty = await startOn(folder, ["--fresh", "--no-seed"]);
      assert.equal(empty.stack.demo, null);
      const { out } = empty.started;
      assert.match(out, /no demo company\. Make a .*\n\n {2}npm run admin -- .*company create/);
      assert.doesNotMatch(out, /wrote the demo data|Demo API key|curl/);
      assert.equal((await ask({ ...empty.stack, demo: stack.demo }, "/contacts")).status, 401);
      const [code, printed] = await empty.started.end("SIGTERM");
      assert.deepEqual([code, JSON.parse(String(printed)).event], [0, "key_refused"]);
    });

    await t.step("a later start without --no-seed writes the demo data", async () => {
      const later = await startOn(folder);
      assert.match(later.started.out, /wrote the demo data/);
      assert.doesNotMatch(later.started.out, /^· applied/m);
      assert.equal((await ask(later.stack, "/contacts?limit=200")).body.data.length, 40);
      assert.deepEqual(await later.started.end(), [0, ""]);
      assert.deepEqual(left(folder), ["data", "lock", "postgres.log", "secrets.json"]);
    });

    await t.step("a stack with WHATSAPP_API_URL sends messages to that URL", async () => {
      await using channel = ownChannel(() => accepted());
      const { started, stack } = await startOn(folder, [], {
        env: { WHATSAPP_API_URL: channel.url },
      });
      assert.equal(stack.sandbox_url, null);
      assert.doesNotMatch(started.out, /Sandbox/);
      const key = stack.demo!.api_key;
      const none = await send(stack.template_url, key, phone);
      assert.deepEqual([none.status, none.body.code], [404, "account_not_connected"]);

      const { credentials_key } = JSON.parse(await Deno.readTextFile(`${folder}/secrets.json`));
      const account = { company_id: DEMO_COMPANY_ID, phone_number_id: "4711" };
      const token = await sealToken("its-token", account, readCredentialsKey(credentials_key));
      const sql = postgres(stack.database_url, { max: 1 });
      await sql`
        insert into messaging_accounts (company_id, phone_number_id, display_phone, encrypted_token)
        values (${DEMO_COMPANY_ID}, '4711', '+15550100', ${token})
      `;
      await sql.end();
      assert.equal((await send(stack.template_url, key, phone)).body.success, true);
      const [{ path, headers }] = channel.calls;
      assert.deepEqual([path, headers.get("Authorization")], [
        "/v26.0/4711/messages",
        "Bearer its-token",
      ]);
      assert.deepEqual(await started.end(), [0, ""]);
    });
  });
});

/** The names of the files and folders in a folder. */
function left(folder: string): string[] {
  return Array.from(Deno.readDirSync(folder), ({ name }) => name).sort();
}

async function send(url: string, key: string, phone: string) {
  const response = await fetch(url, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify({
      phone,
      template_name: "order_update",
      language_code: "pt_BR",
      display_text: "Your order is on its way",
      body_variables: ["Ada", "A-1815"],
    }),
  });
  return { status: response.status, body: await response.json() };
}

/**
 * The response to a curl command. If curl is not installed, `fetch` sends a request with the
 * command's URL and header.
 */
async function pasted(line: string): Promise<string> {
  const shell = new Deno.Command("sh", { args: ["-c", line], stderr: "null" });
  const { code, stdout } = await shell.output();
  if (code !== 127) return new TextDecoder().decode(stdout);
  const [, url, name, value] = /^ +curl '(\S+)' -H '(\S+): (.+)'$/.exec(line)!;
  return await (await fetch(url, { headers: { [name]: value } })).text();
}
