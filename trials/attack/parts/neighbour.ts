import { delay } from "deno-std/async/delay.js";
import type { AttackedStack } from "../attacked_stack.ts";
import { takes } from "../channel.ts";
import type { Context } from "../context.ts";
import { Findings, type Row } from "../findings.ts";
import { countOf, type FloodAnswers, type FloodPlan, startFlood } from "../flood.ts";
import { peakRss } from "../peak_rss.ts";
import { type Probe, probe } from "../probe.ts";
import {
  createContact,
  list,
  newPhone,
  renameContact,
  renameContactOften,
  send,
} from "../requests.ts";
import { shown } from "../wire.ts";

const PROMISES = {
  served: "no request of a company is refused while another company floods the service",
  told: "the flooding company gets its answer, or a 429 or 503 with Retry-After",
};

const CONNECTIONS = 64;
/**
 * A short flood with few connections. At the end of the flood, each connection still receives its
 * page of 3 MiB, so few connections keep the run short.
 */
const QUICK = { ms: 100, connections: 8 };
const CHANNEL_MS = 1_000;
const MIB = 1024 * 1024;
const ANSWERS_OF_FLOOD = [200, 201, 429, 503];

interface Flood {
  plan: Omit<FloodPlan, "connections">;
  /**
   * Prepares what the flood needs, such as a locked row. The caller disposes of the result after
   * the flood.
   */
  hold(): Promise<AsyncDisposable>;
}

const nothing = () => Promise.resolve({ [Symbol.asyncDispose]: async () => {} });

const FLOODS: Record<string, (side: AttackedStack) => Flood> = {
  "lists of ordinary contacts": ({ gateway, companies: { attacker } }) => ({
    plan: plan(gateway.url, list(attacker.key)),
    hold: nothing,
  }),
  "pages of 200 contacts of 16 KiB": ({ gateway, companies: { heavy } }) => ({
    plan: plan(gateway.url, list(heavy.key, "contacts", 200)),
    hold: nothing,
  }),
  // The flood does not use the attacker's records, because a random request may have archived,
  // merged or erased them.
  "updates of a locked row": ({ gateway, stack, companies: { heavy } }) => ({
    plan: plan(gateway.url, renameContact(heavy, 5)),
    async hold() {
      const sql = await stack.owner.reserve();
      await sql`begin`;
      await sql`select from contacts where id = ${heavy.ids.contact[5]} for update`;
      return {
        async [Symbol.asyncDispose]() {
          await sql`rollback`;
          sql.release();
        },
      };
    },
  }),
  "batches that change one contact 500 times": ({ gateway, companies: { heavy } }) => ({
    plan: plan(gateway.url, renameContactOften(heavy, 6)),
    hold: nothing,
  }),
  "sends on a slow channel": ({ sender, channel, companies: { attacker } }) => ({
    plan: plan(sender.url, send(attacker.key, "+1888{{n}}", "flood-{{n}}")),
    hold() {
      const behaviour = channel.behave(attacker.phoneNumberIds[0], async () => {
        await delay(CHANNEL_MS);
        return takes();
      });
      return Promise.resolve({
        [Symbol.asyncDispose]: () => Promise.resolve(behaviour[Symbol.dispose]()),
      });
    },
  }),
};

function plan(url: string, request: FloodPlan["requests"][number]) {
  return { url, requests: [request] };
}

type Kind = "list" | "create" | "send";

/** One company floods the service, while another company lists, creates and sends. */
export async function neighbour({ ours, measured, seconds, quick, progress }: Context) {
  const findings = new Findings("neighbour");
  for (const [name, floodOf] of Object.entries(FLOODS)) {
    progress(`neighbour: ${name}`);
    const results = [];
    for (const side of quick ? [ours] : measured) {
      const flood = { connections: CONNECTIONS, ms: seconds * 1000, ...(quick && QUICK) };
      const result = await besideFlood(side, floodOf, flood);
      findings.attempts += countOf(result.answers);
      if (side === ours) judgeFlood(findings, name, result);
      results.push(result);
    }
    if (!quick) {
      findings.figures.push({
        title: `${CONNECTIONS} connections: ${name}`,
        rows: rowsOf(results),
      });
    }
  }
  return findings.result;
}

type Result = Awaited<ReturnType<typeof besideFlood>>;

async function besideFlood(
  side: AttackedStack,
  floodOf: (side: AttackedStack) => Flood,
  { connections, ms }: { connections: number; ms: number },
) {
  const gateway = await side.startFunction("gateway");
  const { key } = side.companies.victim;
  const kinds = {
    list: { url: gateway.url, next: () => list(key) },
    create: { url: gateway.url, next: () => createContact(key, newPhone()) },
    send: {
      url: side.sender.url,
      next: () => send(key, newPhone(), `beside-${crypto.randomUUID()}`),
    },
  };
  await probe(kinds, ms / 4); // warms up, because code gets faster with use
  const quiet = await probe(kinds, ms / 2);
  const flood = floodOf({ ...side, gateway });
  let beside: Record<Kind, Probe>;
  let answers: FloodAnswers;
  const peak = await peakRss(gateway, async () => {
    const held = await flood.hold();
    const end = startFlood({ ...flood.plan, connections });
    await delay(ms / 4); // waits until the flood has begun; this time is not measured
    beside = await probe(kinds, ms);
    const ending = end();
    await held[Symbol.asyncDispose]();
    answers = await ending;
  });
  await gateway.end();
  return { quiet, beside: beside!, answers: answers!, peak };
}

function judgeFlood(findings: Findings, name: string, { beside, answers }: Result) {
  for (const [kind, { refusals }] of Object.entries<Probe>(beside)) {
    for (const { request, found } of refusals) {
      findings.add(PROMISES.served, found, `beside ${name}: ${shown(request)}`, `${name} ${kind}`);
    }
  }
  for (const status of Object.keys(answers.statuses)) {
    if (ANSWERS_OF_FLOOD.includes(Number(status))) continue;
    findings.add(PROMISES.told, `${status}, ${answers.statuses[Number(status)]} times`, name);
  }
  if (answers.withoutRetryAfter > 0) {
    findings.add(PROMISES.told, `${answers.withoutRetryAfter} without Retry-After`, name);
  }
}

function rowsOf(results: Result[]): Row[] {
  const row = (name: string, of: (result: Result) => number) => ({ name, values: results.map(of) });
  const statuses = new Set(results.flatMap(({ answers }) => Object.keys(answers.statuses)));
  const kinds = ["list", "create", "send"] as const;
  return [
    ...kinds.flatMap((kind) => [
      row(`the neighbour's ${kind}, p50 ms`, ({ beside }) => beside[kind].p50),
      row(`  × quiet`, ({ beside, quiet }) => beside[kind].p50 / quiet[kind].p50),
      row(`  p95 ms`, ({ beside }) => beside[kind].p95),
      row(`  × quiet`, ({ beside, quiet }) => beside[kind].p95 / quiet[kind].p95),
    ]),
    row(
      "the neighbour's refusals",
      ({ beside }) => kinds.reduce((sum, kind) => sum + beside[kind].refusals.length, 0),
    ),
    ...[...statuses].toSorted().map((status) =>
      row(`the flood's answers ${status}`, ({ answers }) => answers.statuses[Number(status)] ?? 0)
    ),
    row("peak MiB of the gateway", ({ peak }) => peak / MIB),
  ];
}
