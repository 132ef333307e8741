// Performs an integrator's task with curl and with the client, in the same company.
import assert from "node:assert/strict";
import { APIError, CRM } from "../../client/src/main.ts";
import { messagesFrom, nameChannelApp, ownWebhook } from "../support/channel_apps.ts";
import { companyWithTemplates } from "../support/known_templates.ts";
import { JQ } from "../support/programs.ts";
import { template } from "../support/sending.ts";
import { stack, statement, withDatabase } from "../support/test_stack.ts";

const { id: company_id, keys, account_id, phone_number_id, stage_ids } =
  await companyWithTemplates();
export const [stage_id] = stage_ids;
const app = await withDatabase((sql) => nameChannelApp(sql, account_id));
const webhook = await ownWebhook();
export const baseUrl = `${stack.url}/functions/v1`;
export const crm = new CRM({ apiKey: keys.all, baseUrl });
export const PROMOTION = "loyalty_points";
await statement`
  update templates set category = 'MARKETING' where company_id = ${company_id} and name = ${PROMOTION}
`;

/**
 * The phone numbers, the ID and the message for one variant of a task: with curl or with the
 * client.
 */
function ownOf(id: number) {
  const [phone, other] = [`+1415555${id}`, `+1415556${id}`];
  return { id, phone, other, message: template(phone, { idempotency_key: `send-${id}` }) };
}
type Own = ReturnType<typeof ownOf>;

/** Every `curl` call sends the API key. `post`, `put` and `patch` take a path and a JSON body. */
const PRELUDE = `
curl() { command curl -sSg -H "Authorization: Bearer $KEY" "$@"; }
find() { curl $API/gateway/contacts --get --data-urlencode "$@"; }
post() { curl $API/$1 -H "Content-Type: application/json" -d "$2"; }
put() { curl -X PUT $API/gateway/$1 -H "Content-Type: application/json" -d "$2"; }
patch() { curl -X PATCH $API/gateway/$1 -H "Content-Type: application/merge-patch+json" -d "$2" "\${@:3}"; }
`;

async function shell(lines: string, { id, phone, other, message }: Own): Promise<unknown[]> {
  const { success, stdout, stderr } = await new Deno.Command("bash", {
    args: ["-euo", "pipefail", "-c", PRELUDE + lines],
    env: {
      ...{ API: baseUrl, KEY: keys.all, STAGE: stage_id, MESSAGE: JSON.stringify(message) },
      ...{ ID: String(id), PHONE: phone, OTHER: other },
    },
    stdin: "null",
    signal: AbortSignal.timeout(60_000), // this limit stops a task that would wait forever
  }).output();
  const [printed, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  assert.ok(success, printed + errors);
  return printed.split("\n").slice(0, -1).map((line) => JSON.parse(line));
}

let tasks = 0;

/**
 * Tests that a task has the same results with curl and with the client.
 * @param lines shell commands; each line that they print is a result as JSON
 * @param said the messages that the person sends to the company before the task
 */
export function task(
  fact: string,
  results: unknown[],
  lines: string,
  client: (own: Own) => Promise<unknown[]>,
  said: string[] = [],
) {
  tasks++;
  for (const [place, way] of ["curl", "the client"].entries()) {
    const own = ownOf(1000 + tasks * 10 + place);
    const fn = async () => {
      if (said.length > 0) await writes(own, said);
      assert.deepEqual(await (place === 0 ? shell(lines, own) : client(own)), results);
    };
    Deno.test({ name: `${fact}, with ${way}`, ignore: place === 0 && JQ === null, fn });
  }
}

/**
 * Simulates a message from a person to the company, as the channel reports it. The sandbox then
 * accepts a reply.
 */
async function writes({ phone }: Own, texts: string[]) {
  const heard = await fetch(stack.sandbox_url!.replace(/messages$/, "inbound"), {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ phone_number_id, from: phone, text: texts[0] }),
  });
  assert.equal(heard.status, 200, await heard.text());
  const messages = texts.map((body) => ({ text: { body } }));
  const event = messagesFrom(phone, phone_number_id, messages);
  assert.equal((await webhook.post(app, event)).status, 200);
}

/** The error code of the response, and the fields in the error's details. */
export async function refusal(request: PromiseLike<unknown>): Promise<unknown[]> {
  const error = await request.then(() => assert.fail("it succeeded"), (error) => error);
  assert.ok(error instanceof APIError, String(error));
  return [error.code, ...error.details.map(({ field }) => field)];
}
export const REFUSAL = `jq -c '[.code, (.details // [])[].field]'`;
