// Tests that the Supabase CLI uploads everything that the functions need. The CLI works on a copy
// of the checkout, because the CLI stores a project name next to config.toml. The checkout may
// already contain the name of a real project.

import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "../../local/checkout.ts";
import { until, withFolder } from "../support/started.ts";
import { eventsOf, newChannelApp, signatureOf } from "../support/channel_apps.ts";
import { anyPhone, newCompany } from "../support/company.ts";
import { send } from "../support/calls.ts";
import { environment, statement } from "../support/test_stack.ts";
import { supabase } from "./cli.ts";
import { PROJECT, startManagementApi, TOKEN, type Upload } from "./management_api.ts";
import { checkTypes, UploadedFunction } from "./uploaded_function.ts";

/** The functions: every folder except _shared. */
const NAMES = Array.from(Deno.readDirSync(`${root}supabase/functions`))
  .filter(({ name, isDirectory }) => isDirectory && name !== "_shared").map(({ name }) => name)
  .sort();
/** The Deno executable with the version of the hosted runtime. */
const HOSTED_DENO = `${root}tools/node_modules/deno/deno`;
const DENOS = [Deno.execPath(), HOSTED_DENO];
const JSON_TYPE = { "Content-Type": "application/json" };

const deploy = await supabaseProject(["functions", "deploy", "--use-api"]);

Deno.test("the CLI deploys the functions without a warning", () => {
  assert.deepEqual(NAMES, [
    ...["gateway", "send-external-template", "settings", "webhooks", "whatsapp"],
  ]);
  const puts = deploy.requests.filter(({ method }) => method === "PUT");
  assert.deepEqual(
    puts.flatMap(({ json }) => json as Deployed[]).map(({ slug, status }) => [slug, status]).sort(),
    NAMES.map((name) => [name, "ACTIVE"]),
  );
});

Deno.test("the platform does not require a JWT for the functions", () => {
  for (const name of NAMES) assert.equal(uploadOf(name).metadata.verify_jwt, false, name);
  const puts = deploy.requests.filter(({ method }) => method === "PUT");
  for (const { json } of puts) {
    for (const { slug, verify_jwt } of json as Deployed[]) assert.equal(verify_jwt, false, slug);
  }
});

Deno.test("the CLI uploads exactly the import map and the modules that a function imports", async () => {
  for (const name of NAMES) {
    const entry = `supabase/functions/${name}/index.ts`;
    const { files, metadata } = uploadOf(name);
    assert.deepEqual(
      [metadata.entrypoint_path, metadata.import_map_path],
      [entry, "import_map.json"],
    );
    assert.deepEqual(
      [...files.keys()].sort(),
      ["import_map.json", ...await imported(entry)].sort(),
    );
    for (const [path, text] of files) {
      assert.match(
        path,
        /^(import_map\.json|supabase\/functions\/(_shared|[\w-]+)\/[\w/]+\.(ts|json))$/,
      );
      assert.ok(path.split("/").every((part) => !["tests", "local", "admin"].includes(part)), path);
      assert.equal(text, await Deno.readTextFile(root + path), path);
    }
  }
});

// The platform has no node_modules folder. In the checkout, this folder could hide that a package
// is missing from the import map.
Deno.test("the import map contains every imported package with its exact version", async () => {
  for (const name of NAMES) {
    const { imports } = JSON.parse(uploadOf(name).files.get("import_map.json")!);
    const specifiers = (await ownModules(`supabase/functions/${name}/index.ts`))
      .flatMap(({ dependencies = [] }) => dependencies.map(({ specifier }) => specifier));
    const packages = new Set(specifiers.filter((each) => !/^(\.\.?\/|node:)/.test(each)));
    assert.ok(packages.has("hono") && packages.has("@supabase/postgrest-js"), name);
    for (const specifier of packages) {
      const entry = imports[specifier] ?? imports[specifier.replace(/\/.*/, "/")];
      assert.match(entry ?? "", /^npm:\/?(@[\w-]+\/)?[\w.-]+@\d+\.\d+\.\d+/, specifier);
    }
  }
});

// This test uses only the hosted runtime's Deno version, because `npm run check` checks the same
// files with the current version.
Deno.test("the uploads type-check with the hosted runtime's Deno", async () => {
  const [isRight, printed] = await checkTypes(NAMES.map(uploadOf), HOSTED_DENO);
  assert.ok(isRight, printed);
});

for (const deno of DENOS) {
  const version = deno === Deno.execPath() ? "the current Deno" : "the hosted runtime's Deno";

  Deno.test(`on ${version}, the uploaded gateway serves a company`, async () => {
    const [company, other] = await Promise.all([newCompany(), newCompany()]);
    await UploadedFunction.unpacked(uploadOf("gateway"), async (unpacked) => {
      await using server = await unpacked.start(deno);
      const headers = { Authorization: `Bearer ${company.keys.all}` };
      const answer = await send(`${server.url}/gateway/contacts`, "GET", headers);
      const ids = answer.body.data?.map(({ id }: { id: string }) => id);
      assert.deepEqual([answer.status, ids], [200, [company.contact_id]]);
      const foreign = `${server.url}/gateway/contacts/${other.contact_id}`;
      const body = JSON.stringify({ phone: anyPhone() });
      const refused = await send(foreign, "PATCH", { ...headers, ...JSON_TYPE }, body);
      assert.deepEqual([refused.status, refused.body.code], [404, "not_found"]);
    });
  });

  Deno.test(`on ${version}, the uploaded send-external-template refuses a request without a key`, async () => {
    await UploadedFunction.unpacked(uploadOf("send-external-template"), async (unpacked) => {
      await using server = await unpacked.start(deno);
      const { status, body } = await send(`${server.url}/send-external-template`, "POST", {});
      assert.deepEqual([status, body.code], [401, "missing_api_key"]);
    });
  });

  Deno.test(`on ${version}, the uploaded whatsapp function runs a job only if the request contains the secret`, async () => {
    const { account_id } = await newCompany();
    await UploadedFunction.unpacked(uploadOf("whatsapp"), async (unpacked) => {
      await using server = await unpacked.start(deno);
      const url = `${server.url}/whatsapp/jobs/template-sync`;
      const body = JSON.stringify({ account_id });
      const refused = await send(url, "POST", JSON_TYPE, body);
      assert.deepEqual([refused.status, refused.body.code], [401, "invalid_jobs_secret"]);
      const headers = { ...JSON_TYPE, Authorization: `Bearer ${environment().JOBS_SECRET}` };
      const run = await send(url, "POST", headers, body);
      assert.deepEqual([run.status, run.body.data], [202, { job: "template-sync", account_id }]);
      // A new test company's account does not belong to a business account, so the job fails.
      await until(async () => {
        const [{ failure }] = await statement`
          select failure from job_runs where account_id = ${account_id}
        `;
        return /business account/.test(failure ?? "");
      });
    });
  });

  Deno.test(`on ${version}, the uploaded webhooks function delivers events only if the request contains the secret`, async () => {
    const { id } = await newCompany();
    await UploadedFunction.unpacked(uploadOf("webhooks"), async (unpacked) => {
      await using server = await unpacked.start(deno);
      const url = `${server.url}/webhooks/jobs/deliver`;
      const body = JSON.stringify({ company_id: id, until_idle: true });
      const refused = await send(url, "POST", JSON_TYPE, body);
      assert.deepEqual([refused.status, refused.body.code], [401, "invalid_jobs_secret"]);
      const headers = { ...JSON_TYPE, Authorization: `Bearer ${environment().JOBS_SECRET}` };
      const run = await send(url, "POST", headers, body);
      assert.deepEqual([run.status, run.body.data], [202, { job: "deliver", company_id: id }]);
    });
  });

  Deno.test(`on ${version}, the uploaded whatsapp function checks a free reply`, async () => {
    const company = await newCompany();
    await UploadedFunction.unpacked(uploadOf("whatsapp"), async (unpacked) => {
      await using server = await unpacked.start(deno);
      const url = `${server.url}/whatsapp/messages`;
      const { conversation_id } = company;
      const body = JSON.stringify({ conversation_id, text: "Hello" });
      const refused = await send(url, "POST", JSON_TYPE, body);
      assert.deepEqual([refused.status, refused.body.code], [401, "missing_api_key"]);
      const headers = { ...JSON_TYPE, Authorization: `Bearer ${company.keys.messaging}` };
      const closed = await send(url, "POST", headers, body);
      assert.deepEqual([closed.status, closed.body.code], [409, "window_closed"]);
    });
  });

  Deno.test(`on ${version}, the uploaded whatsapp function verifies a callback URL and stores a signed event`, async () => {
    const app = await newChannelApp();
    await UploadedFunction.unpacked(uploadOf("whatsapp"), async (unpacked) => {
      await using server = await unpacked.start(deno);
      const url = `${server.url}/whatsapp/webhook/${app.app_key}`;
      const query = `hub.mode=subscribe&hub.verify_token=${app.verify_token}&hub.challenge=42`;
      const verified = await fetch(`${url}?${query}`);
      assert.deepEqual([verified.status, await verified.text()], [200, "42"]);
      const body = crypto.getRandomValues(new Uint8Array(50_000));
      const post = async (signature: string) => {
        const headers = { "X-Hub-Signature-256": signature };
        const answer = await fetch(url, { method: "POST", headers, body });
        await answer.body?.cancel();
        return answer.status;
      };
      assert.equal(await post(await signatureOf(body, "another secret")), 401);
      assert.equal(await post(await signatureOf(body, app.secret)), 200);
      const [stored, ...others] = await eventsOf(app);
      assert.ok(stored.body.equals(body));
      assert.deepEqual(others, []);
    });
  });
}

Deno.test("the CLI accepts every secret in .env.example and uploads it unchanged", async () => {
  const example = await Deno.readTextFile(`${root}supabase/functions/.env.example`);
  const names = Array.from(example.matchAll(/^#?([A-Z][A-Z0-9_]*)=/gm), ([, name]) => name);
  const key = JSON.stringify({ kty: "oct", k: "c2VjcmV0", kid: "5fbc-1" });
  const secrets = names.map((name) => ({ name, value: name === "JWT_SIGNING_KEY" ? key : name }));
  const lines = secrets.map(({ name, value }) => `${name}=${value}\n`).join("");
  const files = { "secrets.env": lines };
  const { requests } = await supabaseProject(
    ["secrets", "set", "--env-file", "secrets.env"],
    files,
  );
  const [{ json }] = requests.filter(({ path }) => path === "/secrets");
  assert.deepEqual(json, secrets);
});

Deno.test("the CLI sets the new and the previous key during a rotation, and then removes the previous key", async () => {
  const pair = ["CREDENTIALS_KEY=bmV3", "CREDENTIALS_KEY_PREVIOUS=b2xk"];
  const set = await supabaseProject(["secrets", "set", ...pair]);
  assert.deepEqual(set.requests.filter(({ path }) => path === "/secrets")[0].json, [
    { name: "CREDENTIALS_KEY", value: "bmV3" },
    { name: "CREDENTIALS_KEY_PREVIOUS", value: "b2xk" },
  ]);
  const unset = await supabaseProject(["secrets", "unset", "CREDENTIALS_KEY_PREVIOUS"]);
  const [{ method, json }] = unset.requests.filter(({ path }) => path === "/secrets");
  assert.deepEqual([method, json], ["DELETE", ["CREDENTIALS_KEY_PREVIOUS"]]);
});

interface Deployed {
  slug: string;
  status: string;
  verify_jwt: boolean;
}

function uploadOf(name: string): Upload {
  const upload = deploy.uploads.get(name);
  assert.ok(upload, `${name} was not uploaded`);
  return upload;
}

/** The files in this checkout that a module needs, including the module itself. */
async function imported(entry: string): Promise<string[]> {
  const modules = await ownModules(entry);
  return modules.map(({ specifier }) => relative(root, fileURLToPath(specifier)));
}

interface Module {
  specifier: string;
  dependencies?: { specifier: string }[];
}

/**
 * The modules in this checkout that a module needs, each with its imports, as Deno reports them.
 */
async function ownModules(entry: string): Promise<Module[]> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", entry],
    cwd: root,
  }).output();
  const { modules }: { modules: Module[] } = JSON.parse(new TextDecoder().decode(stdout));
  return modules.filter(({ specifier }) =>
    specifier.startsWith("file:") && !specifier.includes("/node_modules/")
  );
}

/**
 * Copies this checkout, adds these files to the copy, and runs the CLI there for the mock API's
 * project.
 */
async function supabaseProject(args: string[], files: Record<string, string> = {}) {
  await using api = startManagementApi();
  await withFolder(async (folder) => {
    const checkout = `${folder}/checkout`;
    for (const part of ["supabase", "local", "admin", "tests", "import_map.json", "deno.json"]) {
      const filter = (path: string) => !/\/(node_modules|\.temp|\.env)$/.test(path);
      await cp(root + part, `${checkout}/${part}`, { recursive: true, filter });
    }
    // `supabase functions serve` reads this file, so a checkout can contain it.
    files = { ...files, "supabase/functions/.env": "CREDENTIALS_KEY=c2VjcmV0\n" };
    for (const [path, text] of Object.entries(files)) {
      await Deno.writeTextFile(`${checkout}/${path}`, text);
    }
    await Deno.writeTextFile(`${folder}/profile.yaml`, profile(api.url));
    await supabase(
      [...args, `--remote=${PROJECT}`, "--profile", `${folder}/profile.yaml`],
      { cwd: checkout, env: { HOME: folder, SUPABASE_ACCESS_TOKEN: TOKEN } },
    );
  });
  return { requests: api.requests, uploads: api.uploads };
}

function profile(url: string): string {
  return `name: stand-in
api_url: ${url}
dashboard_url: ${url}
docs_url: ${url}
project_host: 127.0.0.1
pooler_host: 127.0.0.1
`;
}
