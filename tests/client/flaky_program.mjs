// A program that Deno, Node and Bun run unchanged. It sends, writes and reads through a proxy that
// damages responses.
const { client, apiKey, baseUrl, sends, stage_id, contact_id, deals, timeout } = JSON.parse(
  globalThis.process.argv[2],
);
const print = console.log;
// An edge runtime has none of these globals, so Deno and Bun run without them. Node keeps them,
// because its `fetch` needs them.
const { versions } = globalThis.process;
if (versions.bun || versions.deno) {
  for (const name of ["process", "Buffer", "require", "global"]) {
    Reflect.deleteProperty(globalThis, name);
  }
}
const { CRM } = await import(client);

// On a busy machine, many attempts may time out.
const crm = new CRM({ apiKey, baseUrl, timeout, maxRetries: 50 });

/** Does the work for each item, a few items at a time. */
async function each(items, work) {
  const waiting = [...items];
  const results = [];
  await Promise.all(Array.from({ length: 8 }, async () => {
    while (waiting.length > 0) results.push(await work(waiting.pop()));
  }));
  return results;
}

const [results, made] = await Promise.all([
  each(sends, (message) => crm.templates.send(message)),
  each(deals, (title) => crm.deals.create({ title, contact_id, stage_id })),
]);

const listed = [];
for await (
  const { title } of crm.deals.list({ limit: 7, "title[contains]": "flaky", fields: ["title"] })
) {
  listed.push(title);
}
let changed = [];
// Other tests' transactions delay the changes.
while (!made.every(({ id }) => changed.includes(id))) {
  changed = [];
  for await (const change of crm.deals.changes({ limit: 7 })) changed.push(change.id);
}

print(JSON.stringify({
  succeeded: results.filter(({ success }) => success).length,
  made: made.map(({ id }) => id),
  listed,
  changed,
}));
