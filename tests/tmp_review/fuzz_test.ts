import { readEvent } from "../../supabase/functions/whatsapp/reading/event.ts";
import { fixture, FIXTURES } from "../whatsapp_function/told/fixtures.ts";
import { newWorld } from "../whatsapp_function/told/world.ts";
import { rolledBack } from "../support/acting_as.ts";

const ODD: unknown[] = [
  null,
  true,
  -1,
  1.5,
  1e300,
  "",
  " ",
  "x".repeat(70000),
  "\u0000\ud800",
  "a b\u001b[2J",
  [],
  {},
  [null],
  [[]],
  { a: 1 },
  "0",
  "-5",
  "99999999999",
  "4294967296",
  2147483648,
  "infinity",
  "__proto__",
  ["x", "y"],
  "é".repeat(300),
  "'; drop",
  "1795262400",
  1795262400,
  "+5511987654321",
  "A".repeat(255),
  "\u200b",
  "\ud83d\ude00".repeat(130),
];
function* paths(v: unknown, at: (string | number)[] = []): Generator<(string | number)[]> {
  if (at.length) yield at;
  if (Array.isArray(v)) { for (let i = 0; i < v.length; i++) yield* paths(v[i], [...at, i]); }
  else if (v && typeof v === "object") {
    for (const k of Object.keys(v)) yield* paths((v as any)[k], [...at, k]);
  }
}
function put(v: any, p: (string | number)[], x: unknown) {
  const c = structuredClone(v);
  let o = c;
  for (const k of p.slice(0, -1)) o = o[k];
  o[p.at(-1)!] = x;
  return c;
}
Deno.test({
  name: "fuzz",
  fn: async () => {
    const world = await newWorld();
    const all: [string, (string | number)[], unknown, any][] = [];
    for (const f of FIXTURES) {
      let body: any;
      try {
        body = JSON.parse(fixture(f.split("_")[0], world.shift));
      } catch {
        continue;
      }
      for (const p of paths(body)) for (const x of ODD) all.push([f, p, x, body]);
    }
    console.log("all", all.length);
    for (let i = all.length - 1; i > 0; i--) {
      const j = Math.floor(Math.random() * (i + 1));
      [all[i], all[j]] = [all[j], all[i]];
    }
    const until = Date.now() + 150_000;
    let n = 0;
    const states: Record<string, number> = {};
    const errs: Record<string, string> = {};
    await rolledBack(async (sql) => {
      for (const [f, p, x, body] of all) {
        if (Date.now() > until) break;
        const bytes = new TextEncoder().encode(JSON.stringify(put(body, p, x)));
        const { items, problem } = readEvent(bytes);
        const b64 = btoa(String.fromCharCode(...new TextEncoder().encode(`${f}${p}${n}`)));
        let r: any;
        try {
          [{ r }] = await sql.savepoint((sql) =>
            sql`select receive_channel_event(${world.app.app_key}, ${b64}, ${
              sql.json(items as any)
            }, ${problem}) as r`
          );
        } catch (e) {
          errs["THROW " + (e as Error).message.slice(0, 80)] = `${f} ${p.join(".")} ${
            JSON.stringify(x)?.slice(0, 40)
          }`;
          continue;
        }
        n++;
        states[r.state] = (states[r.state] ?? 0) + 1;
        if (r.failed || r.delayed || r.state === "failed") {
          const [{ error }] = await sql`select error from channel_events where id=${r.event_id}`;
          errs[error.slice(0, 150)] = `${f} ${p.join(".")} ${JSON.stringify(x)?.slice(0, 40)}`;
        }
      }
    });
    console.log(n, states);
    console.log(errs);
  },
});
