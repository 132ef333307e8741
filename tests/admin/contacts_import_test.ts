import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { readPage } from "../docs/pages.ts";
import { withFolder } from "../support/started.ts";
import { stack, statement, withDatabase } from "../support/test_stack.ts";
import { eventsOf } from "../support/events.ts";
import { adminRuns, bareCompany, type Ending } from "./command.ts";

/** Creates a company without contacts, and files to import into the company. */
async function importing(work: (importing: Importing) => Promise<void>) {
  const company = await bareCompany();
  await withFolder(async (folder) => {
    const rejected = `${folder}/rejected.csv`;
    await work({
      company,
      rejected,
      args: async (content, ...options) => {
        const path = `${folder}/contacts.csv`;
        if (content !== null) await Deno.writeTextFile(path, content);
        return ["contacts", "import", path, "--company", company, ...options];
      },
      contacts: (columns = ["phone", "name"]) =>
        withDatabase(async (sql) => [
          ...await sql`
            select ${sql(columns)} from contacts where company_id = ${company} order by phone
          `,
        ]),
    });
  });
}

interface Importing {
  company: string;
  /** The path of the file for the rejected rows, in the test's folder. */
  rejected: string;
  /**
   * The arguments of a command that imports a file with this content. If the content is null, the
   * command imports the previous file again.
   */
  args(content: string | null, ...options: string[]): Promise<string[]>;
  contacts(columns?: string[]): Promise<Record<string, unknown>[]>;
}

/**
 * A proxy in front of the tests' project. `answer` gets the number of each import request and may
 * respond to it. The proxy forwards all other requests.
 */
function projectBefore(answer: (call: number) => Response | undefined | Promise<undefined>) {
  let calls = 0;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    const isImport = pathname.endsWith("/rpc/import_contacts");
    const { method, headers } = request;
    const body = method === "GET" ? undefined : await request.text();
    return (isImport && await answer(++calls)) ||
      await fetch(`${stack.url}${pathname}${search}`, { method, headers, body });
  });
  return {
    env: {
      SUPABASE_URL: `http://127.0.0.1:${server.addr.port}`,
      SUPABASE_SECRET_KEY: stack.secret_key,
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

function said({ code, stdout, stderr }: Ending) {
  return { code, said: stdout + stderr };
}

/** A file with `count` people, whose phone numbers and names are numbered starting at `first`. */
function people(count: number, first = 0): string {
  const row = (_: unknown, at: number) => `+5511${900_000_000 + first + at},Person ${first + at}\n`;
  return `phone,name\n${Array.from({ length: count }, row).join("")}`;
}

Deno.test("importing the same file again changes nothing, and importing the corrected rows adds them", async () => {
  await importing(async ({ args, contacts, rejected }) => {
    const file = "\ufeffphone;name;tags;custom_fields.plan\r\n+5511987654321;Ada;vip;pro\r\n" +
      ';Nobody;;\r\n+5511987654322;"Grace; ""H""";;\r\n+5511987654323;Short\r\n';
    const once = await args(file, "--rejected", rejected);
    const dryRun = await args(null, "--rejected", `${rejected}.dry`, "--dry-run");
    const [dry, first, again] = await adminRuns([dryRun, once, await args(null)]);
    const rows = "4 rows: 2 created, 0 already there, 2 rejected.";
    const mend = (path: string) =>
      `2 rows were rejected. ${path} has the reasons: correct its rows, and import that file.\n`;
    const nothing = `A dry run, nothing was written. ${rows}\n${mend(`${rejected}.dry`)}`;
    assert.deepEqual(said(dry), { code: 1, said: nothing });
    assert.deepEqual(said(first), { code: 1, said: `Imported ${rows}\n${mend(rejected)}` });
    assert.match(again.stdout, /^Imported 4 rows: 0 created, 2 already there, 2 rejected\.\n$/);
    const text = await Deno.readTextFile(rejected);
    assert.deepEqual([...await Deno.readFile(rejected)].slice(0, 3), [0xef, 0xbb, 0xbf]);
    assert.deepEqual(
      text.replace("\ufeff", ""),
      "line;reason;phone;name;tags;custom_fields.plan\r\n" +
        "3;phone is required;;Nobody;;\r\n5;The row has 2 cells, but the header has 4;+5511987654323;Short\r\n",
    );
    assert.equal((await Deno.stat(rejected)).mode! & 0o777, 0o600);

    const mended = text.replace("required;", "required;+5511987654324").replace("Short", "Short;;");
    const last = [...await args(mended), "--json"];
    const [ending] = await adminRuns([last]);
    assert.deepEqual([ending.code, ending.stderr], [0, ""]);
    assert.deepEqual(
      JSON.parse(ending.stdout),
      { rows: 2, created: 2, known: 0, rejected: 0, dry_run: false },
    );
    assert.deepEqual(
      await contacts(["phone", "name", "tags", "custom_fields", "source"]),
      [
        ["+5511987654321", "Ada", ["vip"], { plan: "pro" }],
        ["+5511987654322", 'Grace; "H"', [], {}],
        ["+5511987654323", "Short", [], {}],
        ["+5511987654324", "Nobody", [], {}],
      ].map(([phone, name, tags, custom_fields]) => ({
        phone,
        name,
        tags,
        custom_fields,
        source: "api",
      })),
    );
  });
});

Deno.test("an import makes one event for each contact that the import adds or changes, and the event's actor is the platform", async () => {
  await importing(async ({ args, company }) => {
    const events = () =>
      withDatabase(async (sql) =>
        (await eventsOf(sql, { id: company })).map(({ type, actor, changed }) => [
          ...[type, actor.kind, actor.id, changed],
        ])
      );
    const created = ["contact.created", "platform", null, null];
    const first = await args(people(3));
    await adminRuns([[...first, "--dry-run"]]);
    assert.deepEqual(await events(), []);
    await adminRuns([first]);
    assert.deepEqual(await events(), [created, created, created]);
    // One contact is known and unchanged, one gets another name, and one is new.
    const again = `${people(1)}+5511900000001,Grace\n${people(1, 3).split("\n")[1]}\n`;
    await adminRuns([[...await args(again), "--on-conflict", "update"]]);
    assert.deepEqual((await events()).slice(3).map(String).sort(), [
      String(created),
      String(["contact.updated", "platform", null, ["name"]]),
    ]);
  });
});

Deno.test("an import may fill the empty fields of a known contact, update the contact or reject the row", async () => {
  await importing(async ({ args, contacts, company }) => {
    const header = "phone,name,email,custom_fields.plan,custom_fields.seats\n";
    await adminRuns([await args(`${header}+5511987654321,Ada,,free,\n`)]);
    const row = "+55 (11) 98765-4321".replace(/[ ()-]/g, "");
    const later = await args(`${header}${row},Grace,grace@example.com,pro,7\n${row},,,,8\n`);
    const with_ = (mode: string) => [...later, "--on-conflict", mode];
    const [failing] = await adminRuns([with_("fail")]);
    assert.equal(failing.code, 1);
    assert.match(
      failing.stderr,
      /^Line 2: A contact with this phone, or another spelling of it, already exists: [0-9a-f-]{36}\.\nLine 3: .*\n2 rows were rejected\. --rejected <file> /,
    );
    const columns = ["name", "email", "custom_fields"];
    await adminRuns([later]);
    assert.deepEqual(await contacts(columns), [
      { name: "Ada", email: "grace@example.com", custom_fields: { plan: "free", seats: "7" } },
    ]);
    await statement`
      update contacts set custom_fields = custom_fields || '{"own": 1}' where company_id = ${company}
    `;
    await adminRuns([with_("update")]);
    const custom_fields = { own: 1, plan: "pro", seats: "8" };
    const updated = { name: "Grace", email: "grace@example.com", custom_fields };
    assert.deepEqual(await contacts(columns), [updated]);
    const [{ version }] = await contacts(["version"]);
    await adminRuns([with_("update")]);
    // A second import changes nothing.
    assert.deepEqual(await contacts(columns), [updated]);
    assert.ok(BigInt(String((await contacts(["version"]))[0].version)) >= BigInt(String(version)));
  });
});

Deno.test("with `update`, a row may have an external_id that an earlier row takes from another contact", async () => {
  await importing(async ({ args, contacts }) => {
    const header = "phone,external_id\n";
    await adminRuns([await args(`${header}+5511987654321,A\n+5511987654322,B\n`)]);
    const file = `${header}+5511987654321,C\n+5511987654323,A\n+5511987654324,B\n`;
    const [ending] = await adminRuns([await args(file, "--on-conflict", "update")]);
    assert.match(ending.stdout, /3 rows: 1 created, 1 already there, 1 rejected\.\n$/);
    assert.match(ending.stderr, /^Line 4: Another contact has this external_id: /);
    assert.deepEqual(
      (await contacts(["external_id"])).map(({ external_id }) => external_id),
      ["C", "B", "A"],
    );
  });
});

Deno.test("importing the example file from the documentation has the documented result", async () => {
  const { text } = await readPage("docs/importing.md");
  const [, file = ""] = /^```csv\n([^]*?)^```/m.exec(text) ?? [];
  const [, answer = ""] = /^```text\n([^]*?)^```/m.exec(text) ?? [];
  await importing(async ({ args, rejected }) => {
    const [ending] = await adminRuns([await args(file, "--rejected", rejected)]);
    assert.deepEqual(said(ending), { code: 1, said: answer.replace("rejected.csv", rejected) });
  });
});

Deno.test("if the file for the rejected rows already exists, an import does not change the file", async () => {
  await importing(async ({ args, contacts, rejected }) => {
    await Deno.writeTextFile(rejected, "line,reason,phone\n3,phone is required,+5511987654324\n");
    const before = await Deno.readTextFile(rejected);
    const [ending] = await adminRuns([
      await args("phone\n+5511987654321\n", "--rejected", rejected),
    ]);
    const sentence =
      `${rejected} already exists and was not changed: name another file with --rejected.\n`;
    assert.deepEqual(said(ending), { code: 1, said: sentence });
    assert.equal(await Deno.readTextFile(rejected), before);
    assert.deepEqual(await contacts(), []);
  });
});

Deno.test("if the database refuses a row, the row is rejected with a reason", async () => {
  await importing(async ({ args, contacts }) => {
    const many = Array.from({ length: 10 }, (_, at) => `custom_fields.${at}`);
    const cells = many.map(() => "x".repeat(2000));
    const file = `phone,${many}\n+5511987654321,${cells}\n+5511987654322,${many.map(() => "")}\n`;
    const [{ code, stderr }] = await adminRuns([await args(file)]);
    assert.equal(code, 1);
    const reason = /^Line 2: custom_fields must be at most 16 KiB of JSON\.\n1 row was rejected\. /;
    assert.match(stderr, reason);
    assert.deepEqual(await contacts(["phone"]), [{ phone: "+5511987654322" }]);
  });
});

Deno.test("a row that adds a 51st tag to a contact is rejected, and the reason names the tags", async () => {
  await importing(async ({ args, contacts }) => {
    const tags = Array.from({ length: 50 }, (_, at) => `tag ${at}`);
    const file = (cell: string) => `phone,tags\n+5511987654321,${cell}\n`;
    await adminRuns([await args(file(tags.join(";")))]);
    const [{ code, stderr }] = await adminRuns([
      await args(file("one more"), "--on-conflict", "merge"),
    ]);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^Line 2: tags would have more than 50 different tags together with the stored ones; remove some first\.\n/,
    );
    assert.deepEqual(await contacts(["tags"]), [{ tags }]);
  });
});

Deno.test("if the database becomes unavailable, the command reports the last imported line", async () => {
  await importing(async ({ args, contacts, rejected }) => {
    const file = people(1200).replace("\n+5511900000700", "\n\n+5511900000700");
    const gone = await args(file);
    const away = () => new Response("", { status: 503 });
    const ending = async (answer: (call: number) => Response | undefined, ...options: string[]) => {
      await using project = projectBefore(answer);
      const [{ code, stderr }] = await adminRuns([[...gone, ...options]], project.env);
      assert.equal(code, 1);
      return stderr;
    };
    const none = / It is not certain whether rows were imported\. It is safe to run .* again\.\n$/;
    assert.match(await ending(away), none);
    assert.match(
      await ending(away, "--rejected", rejected),
      / It is safe to run the command again with another file for --rejected\.\n$/,
    );
    assert.match(
      await ending((call) => call > 2 ? away() : undefined),
      / The file was imported up to line 1002: 1,000 rows, 1,000 created, 0 already there, 0 rejected\. It is safe to run /,
    );
    assert.equal((await contacts()).length, 1000);
    assert.match(
      await ending((call) => call > 1 ? away() : undefined, "--on-conflict", "fail"),
      / 500 rejected\. .*: it rejects the imported rows, and writes the rest\.\n$/,
    );
    assert.match(await ending(away, "--dry-run"), / It was a dry run: nothing was written\.\n$/);
    // The company is deleted during the import.
    const deleted = Response.json({ code: "PT404", message: "No" }, { status: 404 });
    const unknown = /^No company has the id .*: npm run admin -- company list /;
    assert.match(await ending(() => deleted), unknown);
    // Another transaction has locked a row, so the import retries the batch.
    const locked = () => Response.json({ code: "40P01", message: "deadlock" }, { status: 500 });
    await using project = projectBefore((call) => call === 2 ? locked() : undefined);
    const [again] = await adminRuns([gone], project.env);
    const all = "Imported 1,200 rows: 200 created, 1,000 already there, 0 rejected.\n";
    assert.deepEqual(said(again), { code: 0, said: all });
  });
});

Deno.test("an interrupted import finishes the rows in progress and reports the line where it stopped", async () => {
  await importing(async ({ args, contacts }) => {
    await using project = projectBefore((call) => {
      if (call === 2) child.kill("SIGINT");
      return undefined;
    });
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "--allow-all", "--no-prompt", MAIN, ...await args(people(1500))],
      env: { ...project.env, NO_COLOR: "1" },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const { code, stderr } = await child.output();
    assert.equal(code, 1);
    assert.match(
      new TextDecoder().decode(stderr),
      /^The import was interrupted\. The file was imported up to line 1001: 1,000 rows, 1,000 created, .*creates none twice\.\n$/,
    );
    assert.equal((await contacts()).length, 1000);
  });
});

const MAIN = fileURLToPath(new URL("../../admin/main.ts", import.meta.url));

Deno.test("if an import is not possible, the command explains why and writes nothing", async () => {
  await importing(async ({ args, contacts, company }) => {
    const file = await args("phone\n+5511987654321\n");
    const path = file[2];
    const unknown = crypto.randomUUID();
    const wrong: [string[], number, RegExp][] = [
      [["contacts", "import", path], 2, /required option '--company <id>' not specified/],
      [["contacts", "import", "--company", company], 2, /missing required argument 'file\.csv'/],
      [[...file, "--on-conflict", "replace"], 2, /Allowed choices are keep, update, merge, fail\./],
      [
        ["contacts", "import", path, "--company", unknown],
        1,
        /^No company has .* shows the ids\.\n$/,
      ],
      [["contacts", "import", `${path}x`, "--company", company], 1, /^The file .* does not exist/],
      [
        [...file, "--rejected", path],
        1,
        /contacts\.csv already exists and was not changed: name another file with --rejected\.\n$/,
      ],
      [[...file, "--rejected", `${path}/x.csv`], 1, /x\.csv cannot be written: /],
    ];
    const endings = await adminRuns(wrong.map(([args]) => args));
    wrong.forEach(([args, code, sentence], at) => {
      assert.deepEqual([endings[at].code, endings[at].stdout], [code, ""], args.join(" "));
      assert.match(endings[at].stderr, sentence);
    });
    assert.deepEqual(await contacts(), []);
    assert.equal(await Deno.readTextFile(path), "phone\n+5511987654321\n");
  });
});
