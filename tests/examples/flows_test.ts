// Tests the Arazzo flows for the five most common tasks. A flow must fail on an unexpected
// response.
import assert from "node:assert/strict";
import { root } from "../../local/checkout.ts";
import tools from "../../tools/package.json" with { type: "json" };
import { readPage } from "../docs/pages.ts";
import { answeringProxy } from "../support/answering_proxy.ts";
import { call } from "../support/calls.ts";
import { changesOnce } from "../support/changes.ts";
import { type Company, newCompany } from "../support/company.ts";
import { writes } from "../support/replying.ts";
import { stack } from "../support/test_stack.ts";

const FOLDER = "examples/flows/";
/**
 * The flow that reads changes must be first. While another test has an open transaction, the API
 * does not show new changes yet. If another flow ran first, the flow that reads changes could find
 * the other flow's contact instead of its own.
 */
const flows = Array.from(Deno.readDirSync(root + FOLDER), ({ name }) => name).sort().reverse();

/** The phone number of the person to whom the reply flow replies by default. */
const WHO_WRITES = "+14155550147";

interface Check {
  name: string;
  passed: boolean;
  condition?: string;
}

/**
 * Runs flows with a company's key, as a reader would.
 *
 * @returns whether all flows passed, and the failed checks by flow name, such as
 *   `["makeSure: schema check"]`.
 */
async function run(
  names: string[],
  { keys }: Company,
  url: string,
): Promise<{ passed: boolean; failed: Record<string, string[]> }> {
  const report = await Deno.makeTempFile({ prefix: "crm-flows-", suffix: ".json" });
  try {
    const { success, stdout, stderr } = await new Deno.Command("node", {
      args: [
        `${root}tools/node_modules/@redocly/cli/bin/cli.js`,
        ...["respect", ...names.map((name) => FOLDER + name)],
        ...["--server", `crm=${url}/functions/v1`, "--input", `api_key=${keys.all}`],
        ...["--json-output", report],
      ],
      cwd: root,
      env: { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    }).output();
    const text = await Deno.readTextFile(report);
    assert.notEqual(text, "", new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr));
    return { passed: success, failed: failedChecks(JSON.parse(text)) };
  } finally {
    await Deno.remove(report);
  }
}

// deno-lint-ignore no-explicit-any -- the report of another program
function failedChecks({ files }: any): Record<string, string[]> {
  const failed: Record<string, string[]> = {};
  for (const [path, { executedWorkflows: [workflow] }] of Object.entries<typeof files>(files)) {
    // The report lists a repeated step once for each attempt. Only the last attempt counts.
    const last = new Map<string, Check[]>();
    for (const { stepId, checks } of workflow.executedSteps) last.set(stepId, checks);
    const checks = Array.from(last).flatMap(([stepId, checks]) =>
      checks.filter(({ passed }) => !passed)
        .map(({ name, condition }) => `${stepId}: ${condition ?? name}`)
    );
    if (checks.length > 0) failed[path.replace(FOLDER, "")] = checks;
  }
  return failed;
}

/** Creates a company that has just received a message from a person. */
async function companyToWriteTo(): Promise<Company> {
  const company = await newCompany();
  const json = { phone: WHO_WRITES };
  await call(company.keys.write, "PATCH", `/contacts/${company.contact_id}`, { json });
  await writes(company);
  // Like WhatsApp, the sandbox enforces the 24-hour window.
  const heard = await fetch(`${stack.url}/sandbox/inbound`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      phone_number_id: company.phone_number_id,
      from: WHO_WRITES,
      text: "Are you open?",
    }),
  });
  assert.equal((await heard.json()).posted, false, "this stack's sandbox posts no events");
  // The flows read the changes to these records.
  for (const path of ["/messages/changes", "/contacts/changes"]) {
    await changesOnce(company.keys.read, path, (rows) => rows.length > 0);
  }
  return company;
}

Deno.test("every flow passes and does its task once", async () => {
  assert.equal(flows.length, 5);
  assert.equal(flows[0], "sync-contacts.arazzo.yaml");
  const company = await companyToWriteTo();
  assert.deepEqual(await run(flows, company, stack.url), { passed: true, failed: {} });
  const sent = await fetch(`${stack.sandbox_url}?phone_number_id=${company.phone_number_id}`);
  const { data } = await sent.json();
  assert.deepEqual(
    data.map(({ message }: { message: { type: string } }) => message.type).sort(),
    ["template", "text"],
  );
  const contacts = await call(company.keys.read, "GET", "/contacts?include_total=true");
  // The contacts that the flows use, and the person who sent the message.
  assert.equal(contacts.body.pagination.total, 5);
  const { body: { data: deals } } = await call(company.keys.read, "GET", "/deals?q=Order");
  assert.deepEqual(deals.map((deal: { title: string }) => deal.title), ["Order A-1843"]);
});

Deno.test("a flow fails if a response has a wrong status, type or value", async () => {
  const company = await companyToWriteTo();
  await using proxy = answeringProxy(stack.url, async ({ method, path }, pass) => {
    const answer = await pass();
    const { status } = answer;
    const body = await answer.json();
    if (path === "/whatsapp/messages") {
      const error = { success: false, error: "Later", code: "too_many_requests", request_id: "1" };
      return Response.json(error, { status: 429 });
    }
    if (path === "/gateway/deals") body.data.value = String(body.data.value);
    if (method === "PUT" && body.data.email) body.data.email = "ada@torres.example";
    return Response.json(body, { status });
  });
  const bent = ["answer-within-the-window", "open-and-move-a-deal", "find-or-create-a-contact"]
    .map((name) => `${name}.arazzo.yaml`);
  const { passed, failed } = await run(bent, company, proxy.url);
  assert.equal(passed, false);
  assert.deepEqual(failed, {
    [bent[0]]: [
      "answer: $statusCode == 200",
      "answer: $response.body#/success == true",
      "answer: unexpected error", // the response has no message_id for the next step
    ],
    [bent[1]]: ["open: schema check"],
    [bent[2]]: ['makeSureAgain: $response.body#/data/email == "bia@torres.example"'],
  });
});

Deno.test("the page of each flow shows the command and the version that the tests use", async () => {
  for (const flow of flows) {
    const { text } = await readPage(`docs/recipes/${flow.replace(".arazzo.yaml", "")}.md`);
    const command = `npx --yes @redocly/cli@${
      tools.dependencies["@redocly/cli"]
    } respect ${FOLDER}${flow}`;
    assert.ok(text.includes(command), command);
  }
});
