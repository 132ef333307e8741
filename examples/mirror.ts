// Keeps a CSV file of your contacts in step with the CRM, for as long as it runs; docs/automation.md.
// deno run --allow-net=<host> --allow-read=. --allow-write=. --allow-env=CRM_API_URL,CRM_API_KEY mirror.ts contacts.csv 30
const [file = "contacts.csv", seconds = "30"] = Deno.args;
const [api, key] = [Deno.env.get("CRM_API_URL"), Deno.env.get("CRM_API_KEY")];
if (!api || !key) throw new Error("Set CRM_API_URL and CRM_API_KEY.");
const COLUMNS = "id name phone email temperature tags empresa archived_at updated_at".split(" ");
/** The cells of each contact by its id. They have all changes up to the cursor. */
let state: { cursor: string | null; contacts: Record<string, unknown[]> } = await Deno
  .readTextFile(`${file}.state.json`).then(JSON.parse, (error) => {
    if (error instanceof Deno.errors.NotFound) return { cursor: null, contacts: {} };
    throw error;
  });
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Replaces a file in one step, so that no reader finds half of it. Only its owner may read it. */
async function replace(path: string, text: string) {
  await Deno.writeTextFile(`${path}.new`, text, { mode: 0o600 });
  await Deno.rename(`${path}.new`, path);
}

/** A cell in quotes. Formulas get an apostrophe before them, but phones do not. */
function cell(value: unknown): string {
  const text = Array.isArray(value) ? value.join(", ") : String(value ?? "");
  const isFormula = /^\s*[=@＝＠]|^[\t\r\n]|^\s*[-+＋－](?!\d+$)/.test(text);
  return `"${(isFormula ? "'" : "") + text.replaceAll('"', '""')}"`;
}

function csv(): string {
  const rows = [COLUMNS, ...Object.values(state.contacts).map((cells) => cells.map(cell))];
  return "\uFEFF" + rows.map((cells) => cells.join(",") + "\r\n").join("");
}

for (let failures = 0, isChanged = true, savedAt = Date.now();;) {
  const place = state.cursor ? `cursor=${state.cursor}` : "start=beginning";
  const answer = await fetch(`${api}/gateway/contacts/changes?limit=200&${place}`, {
    headers: { Authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(60_000),
  }).then(async (each) => ({ ...await each.json(), status: each.status, headers: each.headers }))
    .catch((error) => ({ error, status: 503, headers: new Headers() }));
  const { status, headers, data, pagination, code, error } = answer;
  if (code === "cursor_expired") [state, isChanged] = [{ cursor: null, contacts: {} }, true];
  else if (status === 429 || status >= 500) {
    if (error instanceof Deno.errors.NotCapable) throw error; // --allow-net names another host
    console.error(`${error}; trying again`);
    await wait(1000 * (Number(headers.get("Retry-After")) || Math.min(2 ** failures++, 60)));
  } else if (status !== 200) throw new Error(`${status} ${code}: ${error}`);
  if (status !== 200) continue;
  for (const row of data) {
    if (row.deleted_at) delete state.contacts[row.id]; // a contact that was merged into another one is deleted too
    else state.contacts[row.id] = COLUMNS.map((name) => row[name]);
  }
  state.cursor = pagination.next_cursor;
  [failures, isChanged] = [0, isChanged || data.length > 0];
  if (pagination.has_more && Date.now() - savedAt < 10_000) continue;
  // The file is written first: a crash before the cursor is written only repeats changes.
  if (isChanged && !pagination.has_more) await replace(file, csv());
  if (isChanged) await replace(`${file}.state.json`, JSON.stringify(state));
  [isChanged, savedAt] = [isChanged && pagination.has_more, Date.now()];
  if (!pagination.has_more) await wait(1000 * Number(seconds));
}
