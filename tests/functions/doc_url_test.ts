// Tests that every error links to its section of the errors page if the operator sets `DOCS_URL`.
import assert from "node:assert/strict";
import { ConfigError, readConfig } from "../../supabase/functions/_shared/config.ts";
import { readGatewayConfig } from "../../supabase/functions/gateway/gateway_config.ts";
import { EVENT_STATUS, JOB_STATUS, STATUS } from "../../supabase/functions/_shared/errors.ts";
import { gateway } from "../../supabase/functions/gateway/app.ts";
import { sendExternalTemplate } from "../../supabase/functions/send-external-template/app.ts";
import { whatsapp } from "../../supabase/functions/whatsapp/app.ts";
import {
  readWhatsappConfig,
  type WhatsappConfig,
} from "../../supabase/functions/whatsapp/whatsapp_config.ts";
import { newChannelApp } from "../support/channel_apps.ts";
import { checked } from "../support/checked_answers.ts";
import { anyPhone, newCompany } from "../support/company.ts";
import { logged } from "../support/log_lines.ts";
import { replyIn } from "../support/replying.ts";
import { template } from "../support/sending.ts";
import { environment, statement } from "../support/test_stack.ts";

const DOCS_URL = "https://docs.example.com/crm";
const NOWHERE = "http://127.0.0.1:9";
const STATUSES = { ...STATUS, ...JOB_STATUS, ...EVENT_STATUS };

const [company, app] = await Promise.all([newCompany(), newChannelApp()]);
const { all, messaging } = company.keys;
const phone = anyPhone();
await statement`insert into contacts (company_id, phone) values (${company.id}, ${phone})`;

/** The key, body and headers of a request that is refused. */
interface Sent {
  key?: string;
  json?: unknown;
  body?: BodyInit;
  headers?: Record<string, string>;
  /** Changes to the function's configuration. */
  changes?: Partial<WhatsappConfig>;
}

const CONTACTS = "/gateway/contacts";
const CONTACT = `${CONTACTS}/${company.contact_id}`;
const SEND = "/send-external-template";
const REPLY = "/whatsapp/messages";
const JOB = "/whatsapp/jobs/template-sync";
const WEBHOOK = `/whatsapp/webhook/${app.app_key}`;
const away = { supabaseUrl: NOWHERE };

/** Requests that are refused, each with the code of its error. */
const REFUSED: [code: string, method: string, path: string, sent?: Sent][] = [
  ["missing_api_key", "GET", CONTACTS],
  ["route_not_found", "GET", "/elsewhere", { key: all }],
  ["malformed_request", "GET", CONTACT, { key: all, headers: { Host: "a b" } }],
  ["invalid_request", "POST", CONTACTS, { key: all, body: "{" }],
  ["conflict", "POST", CONTACTS, { key: all, json: { phone } }],
  ["database_unavailable", "GET", "/gateway/health", { changes: away }],
  ["method_not_allowed", "GET", SEND],
  ["channel_unavailable", "POST", SEND, { key: messaging, json: template(phone) }],
  ["window_closed", "POST", REPLY, { key: messaging, json: replyIn(company) }],
  ["route_not_found", "GET", "/whatsapp/nothing"],
  ["invalid_jobs_secret", "POST", JOB],
  ["invalid_signature", "POST", WEBHOOK, { body: "{}" }],
  ["wrong_verify_token", "GET", WEBHOOK],
];

/**
 * The response to a refused request. The functions run with this `DOCS_URL`, or without a
 * `DOCS_URL`.
 */
async function answerTo(
  [, method, path, { key, json, body, headers, changes } = {}]: typeof REFUSED[number],
  DOCS_URL?: string,
) {
  const env = { ...environment({ channelUrl: NOWHERE }), DOCS_URL };
  const { mediaShare, webhookAddresses } = await readGatewayConfig(env);
  const config = {
    ...await readWhatsappConfig(env),
    mediaShare,
    webhookAddresses,
    mediaPatience: { timeoutMs: 1_000, leaseSeconds: 2, firstByteMs: 1_000, wholeMs: 2_000 },
    ...changes,
  };
  const [, name] = path.split(/[/?]/);
  const served = name === "send-external-template"
    ? sendExternalTemplate(config)
    : name === "whatsapp"
    ? whatsapp(config)
    : gateway(config);
  const ask = checked(async (each) => await served.fetch(each), assert.fail);
  const sent = json === undefined ? body : JSON.stringify(json);
  const answer = await ask(
    new Request(`http://edge${path}`, {
      method,
      headers: {
        ...(key && { Authorization: `Bearer ${key}` }),
        ...(sent !== undefined && { "Content-Type": "application/json" }),
        ...headers,
      },
      body: sent,
    }),
  );
  return { status: answer.status, body: await answer.json() };
}

const answers = (docsUrl?: string) =>
  Promise.all(REFUSED.map((refused) => answerTo(refused, docsUrl)));

Deno.test("the last member of every error is the URL of its section on the errors page", async () => {
  const answered: Awaited<ReturnType<typeof answers>>[] = [];
  await logged(async () => {
    for (const docsUrl of [`${DOCS_URL}/`, undefined, ""]) answered.push(await answers(docsUrl));
  });
  const [named, plain, empty] = answered;
  for (const [at, [code, , path]] of REFUSED.entries()) {
    const { status, body } = named[at];
    assert.equal(body.code, code, `${path}: ${JSON.stringify(body)}`);
    assert.equal(status, STATUSES[body.code as keyof typeof STATUSES], path);
    assert.equal(body.doc_url, `${DOCS_URL}/errors.html#${code}`, path);
    assert.equal(Object.keys(body).at(-1), "doc_url", path);
    if (path.startsWith(SEND) || path.startsWith(REPLY)) assert.equal(body.success, false, path);
    // Without `DOCS_URL`, the error has no `doc_url`, but is otherwise the same.
    const { doc_url: _, request_id: _id, ...others } = body;
    for (const without of [plain[at], empty[at]]) {
      const { request_id: _id, ...members } = without.body;
      assert.deepEqual([without.status, members], [status, others], path);
    }
  }
});

Deno.test("a failed batch item has no `doc_url`, because the response as a whole is not an error", async () => {
  const json = { items: [{ phone: "none" }] };
  const { status, body } = await answerTo(
    ["", "POST", `${CONTACTS}/batch`, { key: all, json }],
    DOCS_URL,
  );
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body.data[0].error), ["error", "code", "details"]);
});

Deno.test("`DOCS_URL` must use https, or http on this machine", async () => {
  const docsUrl = async (DOCS_URL?: string) =>
    (await readConfig({ ...environment(), DOCS_URL })).docsUrl;
  const right: [string | undefined, string | null][] = [
    [undefined, null],
    ["", null],
    ["https://docs.example.com", "https://docs.example.com"],
    ["https://DOCS.example.com/crm/v2//", "https://docs.example.com/crm/v2"],
    ["http://127.0.0.1:54321/docs/", "http://127.0.0.1:54321/docs"],
    ["http://host.docker.internal:54321/docs", "http://host.docker.internal:54321/docs"],
  ];
  for (const [given, url] of right) assert.equal(await docsUrl(given), url);
  const wrong = [
    ...["docs.example.com", "/docs", "not a url", "ftp://x", "https://", "file:///docs"],
    ...["https://x/?a=secret-s", "https://x/#secret-s", "https://secret-s@x/", "javascript:1"],
    ...["http://docs.example.com", "http://10.0.0.1/docs", "http://localhost.evil.com", " "],
  ];
  for (const each of wrong) {
    const error = await docsUrl(each).then(() => null, (error) => error);
    assert.ok(error instanceof ConfigError, each);
    assert.match(error.message, /^DOCS_URL must be the https:\/\/ URL [^\n]*\.$/);
    assert.ok(!error.message.includes("secret-s"));
  }
});
