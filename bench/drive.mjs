// Sends requests with autocannon and looks at every answer. Runs on Node, in a process of its own: reads
// one Load (load.ts) a line from stdin and writes one Driven a line to stdout, until stdin ends.
import { createRequire } from "node:module";
import process from "node:process";
import { createInterface } from "node:readline";

const autocannon = createRequire(new URL("tools/package.json", import.meta.url))("autocannon");

/** Fills every {{n}}; a number of this process is used once, so that no two requests are the same. */
let n = 1_000_000_000;

/** No answer for so long is a wrong one. In seconds. */
const TIMEOUT = 30;
const MAX_EXAMPLES = 5;

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(JSON.stringify(await drive(JSON.parse(line))) + "\n");
}

async function drive({ url, clients, seconds, requests, withTimeline }) {
  const latencies = [];
  const timeline = [];
  const wrong = { count: 0, examples: [] };
  const statuses = {};
  const note = (what) => {
    wrong.count++;
    if (wrong.examples.length < MAX_EXAMPLES) wrong.examples.push(what);
  };
  const look = checker(note);
  const answered = (request, sent) => (status, body, _, headers) => {
    const isGood = look(request, sent, status, body, headers);
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (withTimeline) timeline.push([Date.now(), isGood]);
  };

  const running = autocannon({
    url,
    connections: clients,
    timeout: TIMEOUT,
    // Ends earlier, by itself, as below; this is for a server that does not answer at all.
    duration: seconds + TIMEOUT,
    sampleInt: 10,
    requests: requests.length === 1 && !isTemplate(requests[0])
      ? [{ ...requests[0], onResponse: answered(requests[0], requests[0]) }]
      : [varying(requests, answered)],
  });
  const began = performance.now();
  let last = began;
  running.on("response", (client, _status, _bytes, ms) => {
    last = performance.now();
    latencies.push(ms);
    // No further request, and the ones under way are answered: what they cost is then all counted.
    if (last - began >= seconds * 1000) client.responseMax = 1;
  });
  running.on("reqError", (error) => {
    note(`no answer: ${error.message}`);
    if (withTimeline) timeline.push([Date.now(), false]);
  });
  await running;
  if (latencies.length === 0) note("no answer at all");
  return {
    seconds: (last - began) / 1000,
    latencies: summary(latencies),
    statuses,
    wrong,
    timeline,
  };
}

/** One request of autocannon's that is another one each time: the requests in turn, each filled anew. */
function varying(requests, answered) {
  let turn = 0;
  return {
    setupRequest(request, context) {
      const next = requests[turn++ % requests.length];
      const sent = filled(next);
      context.answered = answered(next, sent);
      return { ...request, ...sent };
    },
    onResponse: (status, body, context, headers) =>
      context.answered(status, body, context, headers),
  };
}

function isTemplate({ path, body, targets }) {
  return targets !== undefined || `${path}${body}`.includes("{{");
}

function filled({ method, path, headers, body, targets }) {
  const values = { n: n++, ...targets?.[n % targets.length] };
  const fill = (text) => text?.replace(/\{\{(\w+)\}\}/g, (_, name) => values[name]);
  return { method, path: fill(path), headers, ...(body !== undefined && { body: fill(body) }) };
}

/** Looks at status and shape of every answer. */
function checker(note) {
  // Lists mostly answer the same bytes again, which need no second look.
  const known = new Map();
  return ({ method, expect }, sent, status, body, headers) => {
    if (known.get(expect) === body && status === expect.status) return true;
    const problem = problemOf(expect, sent, status, body, headers);
    if (problem !== null) {
      const isAllowed = expect.orUnavailable && isUnavailable(status, body, headers);
      if (!isAllowed) {
        note(`${method} ${sent.path.split("?")[0]}: ${problem}: ${status} ${body.slice(0, 300)}`);
      }
      return false;
    }
    if (!expect.echo) known.set(expect, body);
    return true;
  };
}

/** What is not as expected of an answer; null when nothing is. */
function problemOf(expect, sent, status, body) {
  if (status !== expect.status) return `status ${status} instead of ${expect.status}`;
  if (!expect.fields) return null;
  const answer = parsed(body);
  const found = expect.at ? answer?.[expect.at] : answer;
  if (Array.isArray(found) !== (expect.count !== undefined)) return "the body has another shape";
  const rows = expect.count === undefined ? [found] : found;
  if (expect.count !== undefined && rows.length !== expect.count) {
    return `${rows.length} rows instead of ${expect.count}`;
  }
  for (const row of rows) {
    const missing = expect.fields.find((field) => row?.[field] === undefined);
    if (missing) return `there is no ${missing}`;
  }
  for (const field of expect.echo ?? []) {
    if (rows[0][field] !== parsed(sent.body)[field]) return `${field} is not what was sent`;
  }
  for (const [field, value] of Object.entries(expect.values ?? {})) {
    if (rows[0][field] !== value) return `${field} is not ${value}`;
  }
  return null;
}

/** Whether an answer says, as it should, that the database is away for now. */
function isUnavailable(status, body, headers) {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  return status === 503 && parsed(body)?.code === "database_unavailable" &&
    names.includes("retry-after");
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function summary(latencies) {
  const sorted = Float64Array.from(latencies).sort();
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), p99: at(0.99), max: sorted.at(-1) };
}
