import type { MeasuredCompany } from "./dataset.ts";
import type { BenchStack } from "../stack.ts";
import { median } from "../median.ts";
import { progress } from "../progress.ts";

/** The speed of each way to write rows, in rows per second. */
export type Batches = Awaited<ReturnType<typeof measureBatches>>;

const BATCH = 500;
/** The number of rounds. All rounds together write 10,000 new rows and change 10,000 known rows. */
const ROUNDS = 20;
const WARM_UP = 2;
/** The number of single creates in each round. */
const SINGLES = 25;
/** The minimum ratio of a batch's rows per second to those of single creates. */
export const BAR_OF_SINGLES = 15;
/** The minimum ratio of a batch's rows per second to those of a bare upsert. */
export const BAR_OF_BARE = 0.7;

/** A row to write. */
type Row = { phone: string } & Record<string, unknown>;
/** Writes rows, and throws an error when the response does not contain all of them. */
type Write = (rows: Row[]) => Promise<unknown>;

/**
 * One client writes contacts, 500 at a time: new contacts, and changes of contacts that already
 * exist. Each batch of the gateway is compared with two other ways to write the same rows: a bare
 * upsert through the REST layer, which also returns the rows, and single creates. The three ways
 * take turns within each round, so that they run under the same conditions.
 *
 * @throws Error when a response was wrong.
 */
export async function measureBatches(stack: BenchStack, company: MeasuredCompany) {
  progress("batches of contacts");
  const [{ id: company_id }] = await stack.owner`
    select id from companies where name = 'Company 0'
  `;
  const ways = waysOf(stack, company, company_id);
  const speeds = {
    single: [] as number[],
    new: { batch: [] as number[], bare: [] as number[] },
    known: { batch: [] as number[], bare: [] as number[] },
  };
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const isMeasured = round >= 0;
    const time = async (into: number[], count: number, work: () => Promise<unknown>) => {
      const began = performance.now();
      await work();
      if (isMeasured) into.push(count / (performance.now() - began) * 1000);
    };
    const known = rowsOf(BATCH);
    await ways.bare(known);
    const turns = [
      () =>
        time(speeds.single, SINGLES, async () => {
          for (const row of rowsOf(SINGLES)) await ways.single(row);
        }),
      ...(["batch", "bare"] as const).flatMap((way) => [
        () => time(speeds.new[way], BATCH, () => ways[way](rowsOf(BATCH))),
        () => time(speeds.known[way], BATCH, () => ways[way](changed(known))),
      ]),
    ];
    // The way that is first in one round is last in the next round.
    for (const turn of round % 2 === 0 ? turns : turns.toReversed()) await turn();
  }
  const of = (kind: "new" | "known") => {
    const batch = median(speeds[kind].batch);
    const bare = median(speeds[kind].bare);
    const ratios = (others: number[]) =>
      median(speeds[kind].batch.map((speed, at) => speed / others[at]));
    return { batch, bare, ofSingles: ratios(speeds.single), ofBare: ratios(speeds[kind].bare) };
  };
  return {
    rows: BATCH * ROUNDS,
    batch: BATCH,
    single: median(speeds.single),
    new: of("new"),
    known: of("known"),
  };
}

function waysOf(stack: BenchStack, { apiKey }: MeasuredCompany, company_id: string) {
  const ask = async (url: string, headers: Record<string, string>, json: unknown) => {
    const body = JSON.stringify(json);
    const answer = await fetch(url, {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json" },
      body,
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text.slice(0, 300)}`);
    return JSON.parse(text);
  };
  const contacts = `${stack.gateway.url}/gateway/contacts`;
  const byKey = { Authorization: `Bearer ${apiKey}` };
  const secret = stack.secrets.secret_key;
  // The upsert runs as the platform's role, because a key may not upsert by a generated column.
  const byPlatform = {
    apikey: secret,
    Authorization: `Bearer ${secret}`,
    Prefer: "resolution=merge-duplicates,return=representation",
  };
  const upsert = `${stack.rest.url}/rest/v1/contacts?on_conflict=company_id,phone_key&select=*`;
  const requireAll = (written: number, rows: Row[]) => {
    if (written !== rows.length) throw new Error(`${written} of ${rows.length} rows were written.`);
  };
  const batch: Write = async (rows) => {
    const { summary } = await ask(`${contacts}/batch?on_conflict=update`, byKey, { items: rows });
    requireAll(summary.created + summary.updated, rows);
  };
  const bare: Write = async (rows) => {
    const written = await ask(upsert, byPlatform, rows.map((row) => ({ ...row, company_id })));
    requireAll(written.length, rows);
  };
  return { batch, bare, single: (row: Row) => ask(contacts, byKey, row) };
}

let number = 0;

/** New rows for each call, with the same fields as in the scenario `create_contact`. */
function rowsOf(count: number): Row[] {
  return Array.from({ length: count }, () => {
    const n = String(number++).padStart(9, "0");
    return {
      phone: `+1206${n}`,
      name: `Contact ${n}`,
      email: `contact.${n}@example.com`,
      tags: ["lead"],
      custom_fields: { plan: "pro", seats: 12 },
    };
  });
}

/** The same rows, each with a new name. */
function changed(rows: Row[]): Row[] {
  return rows.map((row) => ({ ...row, name: `Renamed ${number++}` }));
}
