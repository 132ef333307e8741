import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { readPage } from "../docs/pages.ts";
import { withFolder } from "../support/started.ts";
import { stack, withDatabase } from "../support/test_stack.ts";
import { adminRuns, bareCompany, type Ending } from "./command.ts";

/** A company without contacts, and its imports of a file with this content. */
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
          ...await sql`select ${
            sql(columns)
          } from contacts where company_id = ${company} order by phone`,
        ]),
    });
  });
}

interface Importing {
  company: string;
  /** A file of the folder. */
  rejected: string;
  /** The arguments that import this content, or with null that of before. */
  args(content: string | null, ...options: string[]): Promise<string[]>;
  contacts(columns?: string[]): Promise<Record<string, unknown>[]>;
}

/** A project whose calls are counted, and answered as this says or else by that of these tests. */
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

/** A file of so many people, the first of whom has this number. */
function people(count: number, first = 0): string {
  const row = (_: unknown, at: number) => `+5511${900_000_000 + first + at},Person ${first + at}\n`;
  return `phone,name\n${Array.from({ length: count }, row).join("")}`;
}

Deno.test("a file is imported, and again without a change; its rejected rows are mended and imported", async () => {
  await importing(async ({ args, contacts, rejected }) => {
    const file = "\ufeffphone;name;tags;custom_fields.plan\r\n+5511987654321;Ada;vip;pro\r\n" +
      ';Nobody;;\r\n+5511987654322;"Grace; ""H""";;\r\n+5511987654323;Short\r\n';
    const once = await args(file, "--rejected", rejected);
    const [dry, first, again] = await adminRuns([[...once, "--dry-run"], once, once]);
    const rows = "4 rows: 2 created, 0 known already, 2 rejected.";
    const mend =
      `2 rows were rejected. ${rejected} has the reasons: mend its rows, and import that file.\n`;
    assert.deepEqual(said(dry), {
      code: 1,
      said: `A dry run, nothing was written. ${rows}\n${mend}`,
    });
    assert.deepEqual(said(first), { code: 1, said: `Imported ${rows}\n${mend}` });
    assert.match(again.stdout, /^Imported 4 rows: 0 created, 2 known already, 2 rejected\.\n$/);
    const text = await Deno.readTextFile(rejected);
    assert.deepEqual(
      new TextDecoder("utf-8", { ignoreBOM: true }).decode(await Deno.readFile(rejected))[0],
      "\ufeff",
    );
    assert.deepEqual(
      text.replace("\ufeff", ""),
      "line;reason;phone;name;tags;custom_fields.plan\r\n" +
        "3;phone is required;;Nobody;;\r\n5;The row has 2 cells, and the header 4;+5511987654323;Short\r\n",
    );
    assert.equal((await Deno.stat(rejected)).mode! & 0o777, 0o600);

    const mended = text.replace("required;", "required;+5511987654324").replace("Short", "Short;;");
    const last = [...await args(mended), "--json"];
    const [ending] = await adminRuns([last]);
    assert.deepEqual([ending.code, ending.stderr], [0, ""]);
    assert.deepEqual(JSON.parse(ending.stdout), {
      rows: 2,
      created: 2,
      known: 0,
      rejected: 0,
      dry_run: false,
    });
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

Deno.test("of a contact that is there already, what is empty is filled; or it is updated, or the row fails", async () => {
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
      /^Line 2: A contact with this phone, or another spelling of it, exists already: [0-9a-f-]{36}\.\nLine 3: .*\n2 rows were rejected\. --rejected <file> /,
    );
    const columns = ["name", "email", "custom_fields"];
    await adminRuns([later]);
    assert.deepEqual(await contacts(columns), [
      { name: "Ada", email: "grace@example.com", custom_fields: { plan: "free", seats: "7" } },
    ]);
    await withDatabase((sql) =>
      sql`update contacts set custom_fields = custom_fields || '{"own": 1}' where company_id = ${company}`
    );
    await adminRuns([with_("update")]);
    const updated = {
      name: "Grace",
      email: "grace@example.com",
      custom_fields: { own: 1, plan: "pro", seats: "8" },
    };
    assert.deepEqual(await contacts(columns), [updated]);
    const [{ version }] = await contacts(["version"]);
    await adminRuns([with_("update")]);
    // Running it again passes through the same values.
    assert.deepEqual(await contacts(columns), [updated]);
    assert.ok(BigInt(String((await contacts(["version"]))[0].version)) >= BigInt(String(version)));
  });
});

Deno.test("the file that the page on importing shows is imported as the page says", async () => {
  const { text } = await readPage("docs/importing.md");
  const [, file = ""] = /^```csv\n([^]*?)^```/m.exec(text) ?? [];
  const [, answer = ""] = /^```text\n([^]*?)^```/m.exec(text) ?? [];
  await importing(async ({ args, rejected }) => {
    const [ending] = await adminRuns([await args(file, "--rejected", rejected)]);
    assert.deepEqual(said(ending), { code: 1, said: answer.replace("rejected.csv", rejected) });
  });
});

Deno.test("what the database refuses of a row is told of that row", async () => {
  await importing(async ({ args, contacts }) => {
    const many = Array.from({ length: 10 }, (_, at) => `custom_fields.${at}`);
    const cells = many.map(() => "x".repeat(2000));
    const file = `phone,${many}\n+5511987654321,${cells}\n+5511987654322,${many.map(() => "")}\n`;
    const [{ code, stderr }] = await adminRuns([await args(file)]);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^Line 2: custom_fields must be at most 16 KiB of JSON\.\n1 row was rejected\. /,
    );
    assert.deepEqual(await contacts(["phone"]), [{ phone: "+5511987654322" }]);
  });
});

Deno.test("when the database goes away, the command says up to which line the file is in", async () => {
  await importing(async ({ args, contacts }) => {
    const file = people(1200).replace("\n+5511900000700", "\n\n+5511900000700");
    const gone = await args(file);
    const away = () => new Response("", { status: 503 });
    const ending = async (answer: (call: number) => Response | undefined, ...options: string[]) => {
      await using project = projectBefore(answer);
      const [{ code, stderr }] = await adminRuns([[...gone, ...options]], project.env);
      assert.equal(code, 1);
      return stderr;
    };
    assert.match(await ending(away), / No row is known to be in\. It is safe to run .* again\.\n$/);
    assert.match(
      await ending((call) => call > 2 ? away() : undefined),
      / The file is in up to line 1002: 1,000 rows, 1,000 created, 0 known already, 0 rejected\. It is safe to run /,
    );
    assert.equal((await contacts()).length, 1000);
    assert.match(
      await ending((call) => call > 1 ? away() : undefined, "--on-conflict", "fail"),
      / 500 rejected\. .*: it rejects what is in, and writes the rest\.\n$/,
    );
    assert.match(await ending(away, "--dry-run"), / It was a dry run: nothing was written\.\n$/);
    // The company is deleted meanwhile.
    const deleted = Response.json({ code: "PT404", message: "No" }, { status: 404 });
    assert.match(
      await ending(() => deleted),
      /^No company has the id .*: npm run admin -- company list /,
    );
    // A row that another transaction holds: the batch is tried again.
    const locked = () => Response.json({ code: "40P01", message: "deadlock" }, { status: 500 });
    await using project = projectBefore((call) => call === 2 ? locked() : undefined);
    const [again] = await adminRuns([gone], project.env);
    assert.deepEqual(said(again), {
      code: 0,
      said: "Imported 1,200 rows: 200 created, 1,000 known already, 0 rejected.\n",
    });
  });
});

Deno.test("an interrupted import ends after the rows under way, and says where", async () => {
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
      /^The import was interrupted\. The file is in up to line 1001: 1,000 rows, 1,000 created, .*none is there twice\.\n$/,
    );
    assert.equal((await contacts()).length, 1000);
  });
});

const MAIN = fileURLToPath(new URL("../../admin/main.ts", import.meta.url));

Deno.test("what cannot be imported is said in a sentence, and nothing is written", async () => {
  await importing(async ({ args, contacts, company }) => {
    const file = await args("phone\n+5511987654321\n");
    const path = file[2];
    const unknown = crypto.randomUUID();
    const wrong: [string[], number, RegExp][] = [
      [["contacts", "import", path], 2, /required option '--company <id>' not specified/],
      [["contacts", "import", "--company", company], 2, /missing required argument 'file\.csv'/],
      [[...file, "--on-conflict", "merge"], 2, /Allowed choices are keep, update, fail\./],
      [
        ["contacts", "import", path, "--company", unknown],
        1,
        /^No company has the id .* shows the ids\.\n$/,
      ],
      [["contacts", "import", `${path}x`, "--company", company], 1, /^There is no file /],
      [[...file, "--rejected", path], 1, /^--rejected must name another file than the one /],
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
