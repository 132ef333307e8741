// This program keeps a CSV file of your contacts up to date while it runs. See docs/automation.md.
// deno run --allow-net=<host>,127.0.0.1:8000 --allow-read=. --allow-write=. \
// --allow-env=CRM_API_URL,CRM_API_KEY,WEBHOOK_SECRET mirror.ts contacts.csv 600 8000
const [file = "contacts.csv", seconds = "600", port = "8000"] = Deno.args;
const [api, key, secret] = ["CRM_API_URL", "CRM_API_KEY", "WEBHOOK_SECRET"].map((name) =>
  Deno.env.get(name)
);
if (!api || !key) throw new Error("Set CRM_API_URL and CRM_API_KEY.");
const COLUMNS = "id name phone email temperature tags empresa archived_at updated_at".split(" ");
/** The cells of each contact, by contact id. The cells contain all changes up to the cursor. */
let state: { cursor: string | null; contacts: Record<string, unknown[]> } = await Deno
  .readTextFile(`${file}.state.json`).then(JSON.parse, (error) => {
    if (error instanceof Deno.errors.NotFound) return { cursor: null, contacts: {} };
    throw error;
  });
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Replaces a file atomically: no program reads a partial file. Only its owner may read it. */
async function replace(path: string, text: string) {
  await Deno.writeTextFile(`${path}.new`, text, { mode: 0o600 });
  await Deno.rename(`${path}.new`, path);
}

/** Returns a quoted CSV cell. Puts an apostrophe before a formula, but not before a phone number. */
function cell(value: unknown): string {
  const text = Array.isArray(value) ? value.join(", ") : String(value ?? "");
  const isFormula = /^\s*[=@＝＠]|^[\t\r\n]|^\s*[-+＋－](?!\d+$)/.test(text);
  return `"${(isFormula ? "'" : "") + text.replaceAll('"', '""')}"`;
}

function csv(): string {
  const rows = [COLUMNS, ...Object.values(state.contacts).map((cells) => cells.map(cell))];
  return "\uFEFF" + rows.map((cells) => cells.join(",") + "\r\n").join("");
}

/** Ends the pause before the next request. */
let wake = () => {};
/** How many of the next pauses are short. An event may arrive before its change is in the list. */
let shortPauses = 0;

/** Whether a request is a recent delivery of the webhook. Throws if its body is too long. */
async function isDelivery({ headers, body }: Request): Promise<boolean> {
  const bytesOf = (text = "") => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const head = `${headers.get("webhook-id")}.${headers.get("webhook-timestamp")}.`;
  const content = new Uint8Array(300_000); // larger than any delivery; `set` throws if more arrives
  let { written: length } = new TextEncoder().encodeInto(head, content);
  for await (const part of body ?? []) {
    content.set(part, length);
    length += part.length;
  }
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const secretKey = bytesOf(secret!.replace("whsec_", ""));
  const hmacKey = await crypto.subtle.importKey("raw", secretKey, hmac, false, ["verify"]);
  for (const signature of (headers.get("webhook-signature") ?? "").split(" ")) {
    const [version, mac] = signature.split(",");
    if (version !== "v1") continue;
    if (await crypto.subtle.verify("HMAC", hmacKey, bytesOf(mac), content.subarray(0, length))) {
      return Math.abs(Date.now() / 1000 - Number(headers.get("webhook-timestamp"))) <= 300;
    }
  }
  return false;
}

// An event only says that something changed. The program then reads the list of changes.
if (secret) {
  Deno.serve({ hostname: "127.0.0.1", port: Number(port), onListen() {} }, async (request) => {
    const isRecent = await isDelivery(request).catch(() => false);
    if (!isRecent) return new Response(null, { status: 400 });
    shortPauses = 5;
    wake();
    return new Response(null, { status: 204 });
  });
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
    if (error instanceof Deno.errors.NotCapable) throw error; // --allow-net does not name this host
    console.error(`${error}; trying again`);
    await wait(1000 * (Number(headers.get("Retry-After")) || Math.min(2 ** failures++, 60)));
  } else if (status !== 200) throw new Error(`${status} ${code}: ${error}`);
  if (status !== 200) continue;
  for (const row of data) {
    if (row.deleted_at) delete state.contacts[row.id]; // also if the contact was merged into another contact
    else state.contacts[row.id] = COLUMNS.map((name) => row[name]);
  }
  state.cursor = pagination.next_cursor;
  [failures, isChanged] = [0, isChanged || data.length > 0];
  if (pagination.has_more && Date.now() - savedAt < 10_000) continue;
  // The file is written before the cursor. If the program crashes between the two writes, it reads
  // the same changes again after the restart, and no change is lost.
  if (isChanged && !pagination.has_more) await replace(file, csv());
  if (isChanged) await replace(`${file}.state.json`, JSON.stringify(state));
  [isChanged, savedAt] = [isChanged && pagination.has_more, Date.now()];
  if (pagination.has_more) continue;
  const pause = wait(shortPauses-- > 0 ? 1000 : 1000 * Number(seconds));
  await Promise.race([pause, new Promise<void>((resolve) => wake = resolve)]);
}
