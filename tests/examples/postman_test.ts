// Tests the Postman collection, run by newman.
import assert from "node:assert/strict";
import { formatted } from "../../generate/formatted.ts";
import { root } from "../../local/checkout.ts";
import { postmanCollection } from "../../generate/postman/collection.ts";
import { call } from "../support/calls.ts";
import { addTemplate } from "../support/company.ts";
import { spokenTo } from "../support/replying.ts";
import { until } from "../support/started.ts";
import { stack, withDatabase } from "../support/test_stack.ts";
import { bendingProxy } from "./bending_proxy.ts";

const FILE = `${root}examples/postman_collection.json`;
const DOCUMENT = `${root}supabase/functions/gateway/openapi.json`;

/**
 * A company with all records that the requests of the collection need. The second run finds the
 * records of the first run.
 */
const company = once(async () => {
  const made = await spokenTo();
  await withDatabase((sql) => addTemplate(sql, made.id));
  // The log shows an event only after all transactions that began earlier have ended.
  await until(async () =>
    (await call(made.keys.all, "GET", "/events?type=deal.*")).body.data.length > 0
  );
  return made;
});

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => made ??= make();
}

/** The result of a run, as newman reports it. */
interface Run {
  code: number;
  /** The number of requests that were made. */
  requests: number;
  /** `<request>: <test>` of each check that failed. */
  failures: string[];
  printed: string;
}

async function newman(baseUrl: string): Promise<Run> {
  const { keys } = await company();
  const report = await Deno.makeTempFile({ suffix: ".json" });
  const { code, stdout, stderr } = await new Deno.Command("node", {
    args: [
      `${root}tools/node_modules/newman/bin/newman.js`,
      ...["run", FILE, "--reporters", "json", "--reporter-json-export", report],
      ...["--env-var", `baseUrl=${baseUrl}`, "--env-var", `apiKey=${keys.all}`],
    ],
  }).output();
  const text = new TextDecoder();
  const { run } = JSON.parse(await Deno.readTextFile(report));
  await Deno.remove(report);
  return {
    code,
    requests: run.stats.requests.total,
    failures: run.failures.map((
      each: { source: { name: string }; error: { test?: string; message: string } },
    ) => `${each.source.name}: ${each.error.test ?? each.error.message}`),
    printed: text.decode(stdout) + text.decode(stderr) +
      run.failures.map((each: { error: { message: string } }) => each.error.message).join("\n"),
  };
}

Deno.test("postman_collection.json is exactly what npm run generate makes from openapi.json", async () => {
  const collection = postmanCollection(JSON.parse(await Deno.readTextFile(DOCUMENT)));
  const made = await formatted("json", JSON.stringify(collection));
  assert.equal(await Deno.readTextFile(FILE), made, "the file is stale: run npm run generate");
});

Deno.test("the collection contains no key, and its requests contain no id or phone of the demo company", async () => {
  const { item, variable } = JSON.parse(await Deno.readTextFile(FILE));
  const key = variable.find((each: { key: string }) => each.key === "apiKey");
  assert.deepEqual(key, { key: "apiKey", value: "", type: "secret" });
  for (const folder of item) {
    for (const { name, request } of folder.item) {
      const { body, url } = request;
      const sent = `${url.raw} ${JSON.stringify(url.variable ?? [])} ${body?.raw ?? ""}`;
      assert.doesNotMatch(sent, /de3000|[+]\d{7}/, name);
    }
  }
});

Deno.test("newman runs the collection without a failure", async () => {
  const document = JSON.parse(await Deno.readTextFile(DOCUMENT));
  const operations = Object.values<object>(document.paths).flatMap(Object.keys).length;
  const run = await newman(`${stack.url}/functions/v1`);
  assert.deepEqual([run.failures, run.code], [[], 0], run.printed);
  // The run leaves out 15 requests, because the test gives no values for them. Two need a file:
  // creating and reading an upload. Four need a message: marking it as read, reading its file, and
  // adding and removing a reaction. Nine need a webhook's URL.
  assert.equal(run.requests, operations - 15);
});

Deno.test("in a second run, newman reports a failure for each wrong response, and no other failure", async () => {
  await using proxy = bendingProxy(stack.url, {
    "GET /gateway/health": (answer) => ({ ...answer, contentType: "text/html" }),
    "GET /gateway/contacts": (answer) => {
      delete answer.body.data[0].custom_fields;
      return answer;
    },
    "PATCH /gateway/contacts/batch": (answer) => ({ ...answer, status: 201 }),
    "GET /gateway/members": (answer) => {
      answer.body.data[0].name = 7;
      return answer;
    },
    "PATCH /gateway/deals/batch": (answer) => {
      answer.body.summary.failed = 1;
      return answer;
    },
    "GET /gateway/search": (answer) => ({ ...answer, status: 503, body: { code: "internal" } }),
  });
  const run = await newman(`${proxy.url}/functions/v1`);
  assert.equal(run.code, 1);
  assert.deepEqual(
    run.failures.sort(),
    [
      "Check the service: The response is JSON",
      "List contacts: The response has the documented properties and types",
      "List members: The response has the documented properties and types",
      "Search contacts, deals and conversations: The response has the documented properties and types",
      "Search contacts, deals and conversations: The status is 200",
      "Update many contacts: The status is 200",
      "Update many deals: No item failed",
    ],
    run.printed,
  );
});
