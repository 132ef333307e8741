import { chunk } from "deno-std/collections/chunk.js";
import { signatureOf } from "../../sandbox/event_bytes.ts";
import { sealAppSecret } from "../../supabase/functions/_shared/credentials/app_secrets.ts";
import { readCredentialsKey } from "../../supabase/functions/_shared/credentials/credentials_keys.ts";
import { send } from "./load.ts";
import type { BenchStack } from "../stack.ts";
import { median, percentile } from "../median.ts";
import { progress } from "../progress.ts";
import type { Scenario } from "./scenarios.ts";

export type Events = Awaited<ReturnType<typeof measureEvents>>;

const SENDS = 20_000;
/** The statuses of each send, as the channel names them. Two statuses occur twice. */
const TOLD = ["sent", "delivered", "read", "delivered", "sent"];
const BATCH = 100;
const POSTERS = 4;
/** The number of events with one message, which are sent one after the other. */
const INBOUND = 300;
const WARM_UP = 50;
const SECRET = "bench-app-secret-0123456789abcdef";
const PHONE_NUMBER_ID = "300000000001";
const BUSINESS_ACCOUNT_ID = "300000000002";

/**
 * Posts events of the channel. First come events with one inbound message, one after the other.
 * Then come the statuses of many sends, in batches and in any order, while templates are being
 * sent.
 *
 * @throws Error when a response was wrong, a status was lost, or a transaction ended in a deadlock.
 */
export async function measureEvents(stack: BenchStack, scenarios: Scenario[]) {
  progress("preparing sends that the channel reports on");
  const post = await connectApp(stack);
  await addSends(stack);

  progress("events of one message");
  const times: number[] = [];
  for (let n = 0; n < WARM_UP + INBOUND; n++) {
    const ms = await post([inbound(n)]);
    if (n >= WARM_UP) times.push(ms);
  }

  progress("statuses while templates are sent");
  const before = await deadlocks(stack);
  const batches = chunk(shuffled(statuses()), BATCH);
  const batchTimes: number[] = [];
  const began = performance.now();
  const posting = Promise.all(Array.from({ length: POSTERS }, async () => {
    for (let batch = batches.shift(); batch; batch = batches.shift()) {
      batchTimes.push(await post(batch));
    }
  })).then(() => performance.now() - began);
  const requests = scenarios.filter(({ name }) => name === "send");
  const rounds: Awaited<ReturnType<typeof send>>[] = [];
  let isPosting = true;
  posting.catch(() => {}).finally(() => isPosting = false);
  while (isPosting) {
    const load = { title: "Sends during statuses", url: stack.sender.url, clients: 2, requests };
    rounds.push(await send({ ...load, seconds: 5 }));
  }
  const ms = await posting;
  await requireAllApplied(stack, before);
  return {
    inbound: { events: INBOUND, p50: median(times), p95: percentile(times, 95) },
    statuses: {
      sends: SENDS,
      count: SENDS * TOLD.length,
      batch: BATCH,
      perSecond: SENDS * TOLD.length / (ms / 1000),
      p50: median(batchTimes),
      p95: percentile(batchTimes, 95),
    },
    sendsBeside: {
      count: rounds.reduce((sum, { requests }) => sum + requests, 0),
      p50: median(rounds.map(({ p50 }) => p50)),
    },
  };
}

/**
 * Creates an app with an account of the measured company and an account of another company. Returns
 * a function that posts events of the app and returns the time in milliseconds.
 */
export async function connectApp({ owner, secrets, startFunction }: BenchStack) {
  const app_key = crypto.randomUUID();
  const key = readCredentialsKey(secrets.credentials_key);
  const app = {
    app_key,
    name: "Bench",
    sealed_secret: await sealAppSecret(SECRET, { app_key, kind: "secret" }, key),
    sealed_verify_token: await sealAppSecret("bench", { app_key, kind: "verify_token" }, key),
  };
  const [{ id }] = await owner`insert into channel_apps ${owner(app)} returning id`;
  // The company already has an account that sends. The added account is disconnected, so that sends
  // need not specify an account.
  await owner`
    insert into messaging_accounts (company_id, phone_number_id, business_account_id, display_phone,
      disconnected_at, channel_app_id)
    select id, ${PHONE_NUMBER_ID}, ${BUSINESS_ACCOUNT_ID}, '+5511000000', now(), ${id}
    from companies where name = 'Company 0'
  `;
  await owner`
    insert into messaging_accounts (company_id, phone_number_id, business_account_id, display_phone,
      encrypted_token, channel_app_id)
    select id, '300000000003', ${BUSINESS_ACCOUNT_ID}, '+5511000001', 'a..b.c.d', ${id}
    from companies where name = 'Company 1'
  `;
  // The times of events are in whole seconds, so an event could seem earlier than a connection in
  // the same second.
  await owner`update account_connections set connected_at = connected_at - interval '1 minute'`;
  const server = await startFunction("whatsapp");
  return async (values: object[]): Promise<number> => {
    const body = new TextEncoder().encode(JSON.stringify({
      object: "whatsapp_business_account",
      entry: [{
        id: BUSINESS_ACCOUNT_ID,
        changes: values.map((value) => ({ field: "messages", value })),
      }],
    }));
    const signature = await signatureOf(body, SECRET);
    const began = performance.now();
    const answer = await fetch(`${server.url}/whatsapp/webhook/${app_key}`, {
      method: "POST",
      headers: { "X-Hub-Signature-256": signature },
      body,
    });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`The webhook answered ${answer.status}: ${text}`);
    return performance.now() - began;
  };
}

/** Adds sends that the channel has accepted, ten for each person. */
export async function addSends({ owner }: BenchStack, count = SENDS) {
  await owner`
    create temporary table told as
    select n, gen_random_uuid() as send_id, gen_random_uuid() as message_id from generate_series(1, ${count}) as n
  `;
  await owner.begin(async (sql) => {
    await sql`
      insert into contacts (company_id, phone)
      select id, '+4900' || lpad(n::text, 8, '0')
      from companies, generate_series(1, ${count / 10}) as n where name = 'Company 0'
    `;
    await sql`
      insert into conversations (company_id, contact_id, messaging_account_id)
      select accounts.company_id, contacts.id, accounts.id
      from messaging_accounts as accounts
      join contacts on contacts.company_id = accounts.company_id and contacts.phone like '+4900%'
      where accounts.phone_number_id = ${PHONE_NUMBER_ID}
    `;
    await sql`
      insert into messages (id, company_id, conversation_id, direction, content, outcome, whatsapp_message_id)
      select told.message_id, conversations.company_id, conversations.id, 'outbound', 'Hello', 'accepted',
        'wamid.BENCH' || told.n
      from told
      join contacts on contacts.phone = '+4900' || lpad((1 + told.n % ${count / 10})::text, 8, '0')
      join conversations on conversations.contact_id = contacts.id
    `;
    await sql`
      insert into sends (id, company_id, message_id, template_name, language_code, state, claim_id,
        whatsapp_message_id)
      select told.send_id, messages.company_id, messages.id, 'order_update', 'pt_BR', 'sent', gen_random_uuid(),
        messages.whatsapp_message_id
      from told join messages on messages.id = told.message_id
    `;
  });
  await owner`vacuum analyze messages, sends, conversations, contacts`;
}

const metadata = { display_phone_number: "5511000000", phone_number_id: PHONE_NUMBER_ID };

/** An event with one message of a new person. */
export function inbound(n: number): object {
  const from = `49009${String(n).padStart(7, "0")}`;
  return {
    metadata: { ...metadata, phone_number_id: "300000000003" },
    contacts: [{ profile: { name: `Person ${n}` }, wa_id: from }],
    messages: [{
      from,
      id: `wamid.INBOUND${n}`,
      timestamp: String(Math.floor(Date.now() / 1000)),
      type: "text",
      text: { body: "Hello" },
    }],
  };
}

function statuses(): object[] {
  const now = Math.floor(Date.now() / 1000);
  return Array.from(
    { length: SENDS },
    (_, n) => TOLD.map((status, at) => reported(n, status, now + at)),
  ).flat();
}

/** An event with the status of one of the added sends. */
export function reported(n: number, status: string, seconds: number): object {
  const id = `wamid.BENCH${n + 1}`;
  return { metadata, statuses: [{ id, status, timestamp: String(seconds) }] };
}

function shuffled<Item>(items: Item[]): Item[] {
  return items.map((item) => ({ item, at: Math.random() })).sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

async function deadlocks({ admin }: BenchStack): Promise<number> {
  const [{ deadlocks }] = await admin`
    select deadlocks::integer from pg_stat_database where datname = current_database()
  `;
  return deadlocks;
}

async function requireAllApplied(stack: BenchStack, deadlocksBefore: number) {
  const [{ read }] = await stack.owner`
    select count(*)::integer as read from messages
    where whatsapp_message_id like 'wamid.BENCH%' and status = 'read' and sent_at is not null
      and delivered_at is not null
  `;
  if (read !== SENDS) throw new Error(`Of ${SENDS} sends, only ${read} are read in the end.`);
  const [{ left }] = await stack.owner`
    select count(*)::integer as left from channel_events where state <> 'done'
  `;
  if (left > 0) throw new Error(`${left} events are not done.`);
  const locked = await deadlocks(stack) - deadlocksBefore;
  if (locked > 0) throw new Error(`The database had to end ${locked} transactions.`);
}
