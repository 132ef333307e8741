import { delay } from "deno-std/async/delay.js";
import { readCredentialsKey } from "../../supabase/functions/_shared/credentials/credentials.ts";
import { sealWebhookSecret } from "../../supabase/functions/_shared/credentials/webhook_secrets.ts";
import { newSecret } from "../../supabase/functions/_shared/webhooks/signature.ts";
import { median, percentile } from "../median.ts";
import { progress } from "../progress.ts";
import type { BenchStack } from "../stack.ts";
import { usageOf } from "../usage.ts";
import { fillDatabase } from "./dataset.ts";

const CONTACTS = 5_000;
/**
 * The number of due deliveries. A run stops after an estimated second of CPU, in which it delivers
 * about 2,300 events.
 */
const DUE = 2_000;
const ROUNDS = 5;
/** The number of measured webhooks in the test with a silent and a failing webhook. */
const BESIDE = 5;
const DUE_OF_BROKEN = 1_000;
const WRITES = 150;
const WRITE_EVERY_MS = 100;

/** The receivers. The beginning of a request's path selects the receiver. */
const RECEIVERS = ["/quick", "/silent", "/failing"] as const;

/**
 * Measures deliveries to receivers on this machine: the deliveries per second of one run, and the
 * CPU time of each delivery. Also measures the time from a write until the receiver has the event,
 * while another receiver never answers and a third one fails.
 */
export async function measureDeliveries(
  stack: BenchStack,
  resources: AsyncDisposableStack,
): Promise<string> {
  progress(`writing ${CONTACTS} contacts`);
  const { secrets, owner } = stack;
  await fillDatabase(owner, CONTACTS, secrets.credentials_key);
  const [{ company_id }] = await owner`
    select company_id from contacts group by company_id order by count(*) desc limit 1
  `;
  const receiver = receivers(resources);
  const server = await stack.startFunction("webhooks", { env: { WEBHOOK_HOSTS: receiver.url } });
  /** Begins a run for all companies. */
  const run = async (untilIdle: boolean) => {
    const answer = await fetch(`${server.url}/webhooks/jobs/deliver`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${secrets.jobs_secret}`,
        "Content-Type": "application/json",
      },
      body: JSON.stringify({ until_idle: untilIdle }),
    });
    if (!answer.ok) throw new Error(`The job answered ${answer.status} ${await answer.text()}`);
    await answer.body?.cancel();
  };
  const add = async (path: string) => {
    const id = crypto.randomUUID();
    const key = readCredentialsKey(secrets.credentials_key);
    const sealed_secret = await sealWebhookSecret(newSecret(), { company_id, webhook_id: id }, key);
    await owner`insert into webhooks ${
      owner({ id, company_id, url: receiver.url + path, types: ["contact.*"], sealed_secret })
    }`;
    return id;
  };
  /**
   * Writes this many events about contacts, and queues them for a webhook, as a trigger does.
   * Returns the id of one of the events.
   */
  const note = async (webhook: string, count: number): Promise<string> => {
    const [{ name }] = await owner`
      with noted as (
        insert into app.events (slot, id, seq, version, company_id, type, record_id, changed, happened_at)
        select app.slot_of(clock_timestamp()), app.new_event_id(clock_timestamp()), nextval('app.event_seq'),
          app.change_now(), company_id, 'contact.updated', id, '{name}', clock_timestamp()
        from (
          select id, company_id from contacts, generate_series(1, 10)
          where company_id = ${company_id} order by generate_series, random() limit ${count}
        ) as chosen
        returning *
      ),
      queued as (
        insert into app.open_deliveries (webhook_id, record_id, seq, slot, event_id, company_id, type, due_at)
        select ${webhook}, record_id, seq, slot, id, company_id, type, clock_timestamp() from noted
      )
      select app.event_name(id) as name from noted limit 1
    `;
    return name;
  };

  const quick = await add("/quick/rate");
  const rounds: { perSecond: number; cpu: number }[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    progress(`${DUE} deliveries, round ${round} of ${ROUNDS}`);
    await note(quick, DUE);
    receiver.times.length = 0;
    const before = usageOf(server).cpu;
    await run(true);
    const isActive = async () =>
      (await owner`select from app.delivery_runs where run_id is not null`).length > 0;
    while (await isActive()) await delay(20);
    const cpu = (usageOf(server).cpu - before) / DUE;
    const count = receiver.times.length;
    if (count !== DUE) throw new Error(`${count} of ${DUE} deliveries arrived`);
    const perSecond = (count - 1) * 1000 / (receiver.times.at(-1)! - receiver.times[0]);
    // The first round warms up.
    if (round > 0) rounds.push({ perSecond, cpu });
  }
  await owner`update webhooks set state = 'paused' where id = ${quick}`;

  progress("writes beside a silent and a failing receiver");
  const [silent, failing] = [await add("/silent"), await add("/failing")];
  await Promise.all([silent, failing].map((webhook) => note(webhook, DUE_OF_BROKEN)));
  await run(false);
  await delay(1_000);
  const times: number[] = [];
  const hooks = await Promise.all(Array.from({ length: BESIDE }, (_, at) => add(`/quick/${at}`)));
  const began = new Map<string, number>();
  for (let write = 0; write < WRITES; write++) {
    const now = performance.now();
    began.set(await note(hooks[write % BESIDE], 1), now);
    await delay(WRITE_EVERY_MS);
  }
  await delay(3_000);
  for (const [id, at] of began) {
    const arrived = receiver.arrivals.get(id);
    if (arrived !== undefined) times.push(arrived - at);
  }
  if (times.length !== WRITES) throw new Error(`${times.length} of ${WRITES} writes arrived`);
  const broken = receiver.counts;
  receiver.end();
  const ms = (value: number) => `${Math.round(value)} ms`;
  return [
    `One run, one receiver: ${
      Math.round(median(rounds.map((each) => each.perSecond)))
    } deliveries a second, ` +
    `${median(rounds.map(({ cpu }) => cpu)).toFixed(2)} ms of CPU each.`,
    `From a write to its delivery, beside a silent and a failing receiver with ${DUE_OF_BROKEN} due each: ` +
    `p50 ${ms(median(times))}, p95 ${ms(percentile(times, 95))}, at most ${
      ms(Math.max(...times))
    }.`,
    `Requests to the silent receiver: ${broken["/silent"]}, to the failing one: ${
      broken["/failing"]
    }.`,
  ].join("\n");
}

/**
 * A server with a receiver that responds immediately, one that never responds, and one that fails.
 */
function receivers(resources: AsyncDisposableStack) {
  const times: number[] = [];
  const counts: Record<string, number> = {};
  const arrivals = new Map<string, number>();
  const silence = Promise.withResolvers<Response>();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      await request.arrayBuffer();
      const { pathname } = new URL(request.url);
      const name = RECEIVERS.find((each) => pathname.startsWith(each))!;
      counts[name] = (counts[name] ?? 0) + 1;
      if (name === "/silent") return await silence.promise;
      if (name === "/failing") return new Response(null, { status: 500 });
      times.push(performance.now());
      arrivals.set(request.headers.get("webhook-id")!, performance.now());
      return new Response(null, { status: 204 });
    },
  );
  const end = () => silence.resolve(new Response());
  resources.defer(async () => {
    end();
    await server.shutdown();
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    /** The arrival time of each request to the quick receiver. */
    times,
    /** The number of requests to each receiver. */
    counts,
    /** The arrival time of each event at the quick receiver, by the event's id. */
    arrivals,
    end,
  };
}
