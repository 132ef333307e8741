import { delay } from "deno-std/async/delay.js";
import { hostileAddresses } from "../../../tests/support/hostile_addresses.ts";
import { VICTIM_MARK } from "../companies.ts";
import type { Context } from "../context.ts";
import { Findings } from "../findings.ts";
import { peakRss } from "../peak_rss.ts";
import { repeatAlone } from "../repeats.ts";
import { newPhone } from "../requests.ts";
import { exchange, shown, type WireAnswer, type WireRequest } from "../wire.ts";
import { type HostileReceivers, hostileReceivers } from "./hostile_receivers.ts";

const PROMISES = {
  address: "a hostile address is refused with a 422 about url, and nothing is stored",
  foreign: "a webhook of another company is not found, and stays as it is",
  most: "a company has at most ten webhooks, however many requests come at once",
  flood:
    "each of many tests and replays is accepted, or refused because earlier tests or replays still wait",
  reached: "no redirect is followed, and nothing else on this machine gets a request",
  header: "a company's text does not become a header of a delivery",
  arrives: "beside hostile receivers, another receiver gets every event, in order for each record",
  read: "only the beginning of an endless answer is read",
};

/**
 * The number of contacts that change, and the number of writes. The receivers get an event of each
 * write.
 */
const CONTACTS = 8;
const WRITES = 24;
const PATIENCE_MS = 20_000;
/**
 * The maximum number of bytes of an endless response that may be sent. Some MiB of them may be
 * unread in the system's buffers.
 */
const MOST_READ_BYTES = 32 * 1024 * 1024;

type Ask = (method: string, path: string, json?: unknown) => Promise<WireAnswer | null>;

/** Hostile addresses and receivers of webhooks, and webhooks of other companies. */
export async function webhooks({ ours, measured, quick, progress, resources }: Context) {
  const findings = new Findings("webhooks");
  const receivers = hostileReceivers(resources);
  const { owner, secrets } = ours.stack;
  const webhookHosts = receivers.url;
  const [gateway, deliverer] = await Promise.all([
    ours.startFunction("gateway", { webhookHosts }),
    ours.startFunction("webhooks", { webhookHosts }),
  ]);
  const { attacker, victim } = ours.companies;
  const [{ api_key }] = await owner.begin(async (sql) => {
    await sql`set local role service_role`;
    return await sql`
      select (create_api_key('attack', array['read', 'write', 'webhooks'], null, ${attacker.id})).api_key
    `;
  });
  const ask: Ask = async (method, path, json) => {
    findings.attempts++;
    const request: WireRequest = {
      ...{ method, target: `/gateway${path}` },
      headers: [["Authorization", `Bearer ${api_key}`], ["Content-Type", "application/json"]],
      ...(json !== undefined && { body: JSON.stringify(json) }),
    };
    let answer = await exchange(gateway.url, request);
    if (answer?.status === 503) answer = await repeatAlone(gateway.url, request, answer);
    const text = `${answer?.text} ${JSON.stringify([...answer?.headers ?? []])}`;
    if (!answer || answer.status >= 500 || text.includes(VICTIM_MARK)) {
      findings.add(
        PROMISES.foreign,
        `${answer?.status ?? "no answer"}: ${answer?.text}`,
        shown(request),
      );
    }
    return answer;
  };
  const stored = async () => {
    const [{ webhooks }] = await owner`
      select count(*)::int as webhooks from webhooks where company_id = ${attacker.id}
    `;
    return webhooks as number;
  };

  progress("webhooks: hostile addresses");
  const addresses = Object.values(hostileAddresses).flat();
  for (const url of addresses.filter((_, at) => !quick || at % 10 === 0)) {
    const answer = await ask("POST", "/webhooks", { url, types: ["*"] });
    const isRefused = answer?.status === 413 ||
      answer?.status === 422 && /\burl\b/.test(answer.text);
    if (!isRefused) findings.add(PROMISES.address, `${answer?.status}`, url.slice(0, 200));
  }
  if (await stored() > 0) findings.add(PROMISES.address, `${await stored()} are stored`, "all");

  progress("webhooks: a webhook of another company");
  const [foreign] = await owner`
    insert into webhooks ${
    owner({
      ...{ company_id: victim.id, url: `${receivers.url}/private?${VICTIM_MARK}` },
      ...{ types: ["*"], sealed_secret: VICTIM_MARK, description: VICTIM_MARK },
    })
  } returning *
  `;
  await attackForeign(ask, foreign.id, findings);
  const [after] = await owner`select * from webhooks where id = ${foreign.id}`;
  if (JSON.stringify(after) !== JSON.stringify(foreign)) {
    findings.add(PROMISES.foreign, "the row has changed", "requests with its id");
  }
  await owner`delete from webhooks where id = ${foreign.id}`;

  progress("webhooks: hostile receivers");
  // Other parts may have archived or erased the company's contacts, so this part creates its own.
  const contacts: { id: string; phone: string }[] = [];
  for (let row = 0; row < CONTACTS; row++) {
    const answer = await ask("POST", "/contacts", { phone: newPhone(), name: "Changed later" });
    contacts.push(JSON.parse(answer!.text).data);
  }
  const made = new Map<string, string>();
  for (const name of receivers.names) {
    const answer = await ask("POST", "/webhooks", {
      url: `${receivers.url}/${name}`,
      types: ["contact.*"],
      description: "x\r\nX-Injected: 1\r\n\r\nGET /private HTTP/1.1",
    }) ?? await ask("GET", "/webhooks");
    if (answer?.status === 201) made.set(name, JSON.parse(answer.text).data.id);
  }
  // The service may refuse the description because of its line breaks. The second attempt has no
  // description.
  for (const name of receivers.names.filter((each) => !made.has(each))) {
    const answer = await ask("POST", "/webhooks", {
      ...{ url: `${receivers.url}/${name}`, types: ["contact.*"] },
    });
    if (answer?.status === 201) made.set(name, JSON.parse(answer.text).data.id);
    else findings.add(PROMISES.arrives, `${answer?.status}: ${answer?.text}`, `POST ${name}`);
  }
  const url = `${deliverer.url}/webhooks/jobs/deliver`;
  const headers = {
    Authorization: `Bearer ${secrets.jobs_secret}`,
    "Content-Type": "application/json",
  };
  const rss = await peakRss(deliverer, async () => {
    // The delivery run ends with the function's process.
    const answer = await fetch(url, { method: "POST", headers, body: "{}" });
    await answer.body?.cancel();
    for (let write = 0; write < WRITES; write++) {
      const { id, phone } = contacts[write % CONTACTS];
      await ask("PATCH", `/contacts/${id}`, { phone, name: `Webhook ${write}` });
    }
    const untilMs = performance.now() + PATIENCE_MS;
    while (performance.now() < untilMs && receivers.got("good").length < WRITES) await delay(50);
  });
  await judgeArrivals(receivers, contacts.map(({ id }) => id), owner, findings);
  if (!quick) {
    const values = measured.map((side) => side === ours ? rss / 1024 / 1024 : NaN);
    findings.figures.push({
      title: "peak memory of the function webhooks beside hostile receivers, MiB",
      rows: [{ name: "one that sends 1 GB, one that never answers, three others", values }],
    });
  }

  progress("webhooks: floods");
  const create = () =>
    ask("POST", "/webhooks", { url: `${receivers.url}/good`, types: ["deal.*"] });
  const crowd = await Promise.all(Array.from({ length: 15 }, create));
  // On a busy machine, some of these requests may wait too long for their turn.
  for (const [at, answer] of crowd.entries()) {
    if (answer?.status === 429) crowd[at] = await create();
  }
  const refused = crowd.filter((answer) => answer?.status !== 201 && answer?.status !== 409);
  if (await stored() > 10 || refused.length > 0) {
    const statuses = crowd.map((answer) => answer?.status).join(" ");
    findings.add(PROMISES.most, `${await stored()} are stored: ${statuses}`, "15 POST /webhooks");
  }
  const since = new Date(Date.now() - 3_600_000).toISOString();
  const id = made.get("good");
  const floods = await Promise.all(
    Array.from(
      { length: quick ? 10 : 100 },
      (_, at) =>
        at % 2
          ? ask("POST", `/webhooks/${id}/test`)
          : ask("POST", `/webhooks/${id}/replay`, { since }),
    ),
  );
  for (const answer of floods) {
    if ([202, 409, 429].includes(answer?.status ?? 0)) continue;
    findings.add(PROMISES.flood, `${answer?.status}: ${answer?.text}`, "POST …/test, …/replay");
  }
  await Promise.all([gateway.end(), deliverer.end("SIGKILL")]);
  await owner`delete from webhooks where company_id = ${attacker.id}`;
  return findings.result;
}

/** Calls each operation with the id of another company's webhook. */
async function attackForeign(ask: Ask, id: string, findings: Findings) {
  const event = `evt_${"0".repeat(32)}`;
  const since = new Date(Date.now() - 3_600_000).toISOString();
  const requests: [string, string, unknown?][] = [
    ["GET", `/webhooks/${id}`],
    ["GET", `/webhooks/${id}/deliveries`],
    ["PATCH", `/webhooks/${id}`, { state: "paused" }],
    ["PATCH", `/webhooks/${id}`, { types: ["deal.won"], description: "taken over" }],
    ["POST", `/webhooks/${id}/rotate-secret`, { overlap_hours: 0 }],
    ["POST", `/webhooks/${id}/test`],
    ["POST", `/webhooks/${id}/deliveries/${event}/redeliver`],
    ["POST", `/webhooks/${id}/replay`, { since }],
    ["DELETE", `/webhooks/${id}`],
  ];
  for (const [method, path, json] of requests) {
    const answer = await ask(method, path, json);
    if (answer?.status !== 404) {
      findings.add(PROMISES.foreign, `${answer?.status}`, `${method} ${path}`);
    }
  }
}

async function judgeArrivals(
  receivers: HostileReceivers,
  contactIds: string[],
  owner: Context["ours"]["stack"]["owner"],
  findings: Findings,
) {
  const events = await owner<{ name: string; record_id: string }[]>`
    select app.event_name(id) as name, record_id from app.events
    where record_id = any (${contactIds}) and type = 'contact.updated' order by seq
  `;
  const got = receivers.got("good");
  const first = new Set(got.map(({ headers }) => headers["webhook-id"]));
  const missing = events.filter(({ name }) => !first.has(name));
  if (events.length < WRITES || missing.length > 0) {
    findings.add(
      PROMISES.arrives,
      `${missing.length} of ${events.length} are missing`,
      "PATCH /contacts",
    );
  }
  const order = (names: string[]) =>
    Map.groupBy(names, (name) => events.find((event) => event.name === name)?.record_id);
  const [wanted, given] = [order(events.map(({ name }) => name)), order([...first])];
  for (const [record, names] of missing.length === 0 ? wanted : []) {
    if (names.join() === given.get(record)?.join()) continue;
    findings.add(PROMISES.arrives, `${given.get(record)} in place of ${names}`, "PATCH /contacts");
  }
  for (const name of receivers.names) {
    // If a hostile receiver got no request, this part has not tested it.
    if (receivers.got(name).length > 0) continue;
    findings.add(PROMISES.arrives, "no delivery came", `the receiver /${name}`);
  }
  const stray = receivers.strays();
  if (stray.length > 0) findings.add(PROMISES.reached, stray.join(), "a delivery to /redirect");
  for (const { headers } of got) {
    if ("x-injected" in headers) {
      findings.add(PROMISES.header, JSON.stringify(headers), "description");
    }
  }
  if (receivers.sentBytes() > MOST_READ_BYTES) {
    findings.add(PROMISES.read, `${receivers.sentBytes()} bytes`, "a delivery to /endless");
  }
}
