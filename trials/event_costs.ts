// `deno run --allow-all trials/event_costs.ts`: measures in SQL how much events slow down a write.
// The three variants take turns, so that the load of the machine is the same for all of them.

import { bootstrap, connect, migrate } from "../local/postgres/database.ts";
import { startPostgres } from "../local/postgres/server.ts";
import { loadSecrets } from "../local/secrets.ts";
import { median } from "./median.ts";
import { table } from "./table.ts";

const ROUNDS = 8;
const VARIANTS = ["no events", "no webhook", "1 webhook"] as const;

await using resources = new AsyncDisposableStack();
const folder = Deno.makeTempDirSync({ prefix: "event-costs-" });
resources.defer(() => Deno.remove(folder, { recursive: true }));
const { database_password: password } = await loadSecrets(`${folder}/secrets.json`);
const { port, stop } = await startPostgres({
  ...{ dataFolder: `${folder}/data`, logFile: `${folder}/postgres.log` },
  ...{ fresh: false, port: 0, password, durable: true },
});
resources.defer(() => stop());
const admin = resources.adopt(connect(port, "supabase_admin", password), (sql) => sql.end());
const owner = resources.adopt(connect(port, "postgres", password), (sql) => sql.end());
await bootstrap(admin, password);
await Array.fromAsync(migrate(owner));

const [{ id: company }] = await owner`insert into companies (name) values ('Costs') returning id`;
await owner`create sequence phones start 10000000`;
await owner`
  insert into contacts (company_id, phone, name)
  select ${company}, '+5511' || n, 'N' from generate_series(10000001, 10005000) as n
`;
await owner`analyze`;
const ids = (await owner`select id from contacts limit 500`).map(({ id }) => id);

let written = 0;
const ADDING =
  "insert into contacts (company_id, phone, name) select $1, '+55119' || nextval('phones'), 'N'";
/** The measured writes, and how often each is made in a round. Each is a transaction of its own. */
const WRITES = {
  "update 1": {
    statement: "update contacts set job_title = $1 where id = $2",
    values: (i: number) => [`title ${written++}`, ids[(i + 500) % 500]],
    times: 40,
  },
  "insert 1": { statement: ADDING, values: () => [company], times: 40 },
  "update 500": {
    statement: "update contacts set job_title = $1 where id = any ($2)",
    values: () => [`title ${written++}`, ids],
    times: 3,
  },
  "insert 500": {
    statement: `${ADDING} from generate_series(1, 500)`,
    values: () => [company],
    times: 3,
  },
};

async function prepare(variant: typeof VARIANTS[number]) {
  const way = variant === "no events" ? "disable" : "enable";
  for (const what of ["added", "changed"]) {
    await owner.unsafe(`alter table contacts ${way} trigger contacts_add_events_${what}`);
  }
  await owner`delete from webhooks where company_id = ${company}`;
  if (variant === "1 webhook") {
    await owner`
      insert into webhooks (company_id, url, types, sealed_secret)
      values (${company}, 'https://receiver.example', '{*}', 'sealed')
    `;
  }
}

const taken: Record<string, number[]> = {};
for (let round = 0; round <= ROUNDS; round++) {
  for (const variant of VARIANTS) {
    await prepare(variant);
    for (const [name, { statement, values, times }] of Object.entries(WRITES)) {
      // During the first statements, Postgres makes its plans, so they are not measured.
      for (let i = -6; i < times; i++) {
        const began = performance.now();
        await owner.unsafe(statement, values(i), { prepare: true });
        if (i >= 0 && round > 0) {
          (taken[`${name} ${variant}`] ??= []).push(performance.now() - began);
        }
      }
    }
  }
}
const of = (name: string, variant: string) => median(taken[`${name} ${variant}`]);
console.log(table(Object.keys(WRITES), [
  ["write", (name) => name],
  ["no events (ms)", (name) => of(name, "no events")],
  ...VARIANTS.slice(1).map((variant) =>
    [`${variant} (×)`, (name: string) => of(name, variant) / of(name, "no events")] as [
      string,
      (name: string) => number,
    ]
  ),
]));
