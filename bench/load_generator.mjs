// Sends requests with autocannon and checks every answer. Runs on Node, in a process of its own: reads one
// Load (load.ts) per line from stdin and writes one result per line to stdout, until stdin ends.
import { createRequire } from "node:module";
import process from "node:process";
import { createInterface } from "node:readline";

const autocannon = createRequire(new URL("tools/package.json", import.meta.url))("autocannon");

/** Seconds; a later answer counts as wrong. */
const TIMEOUT = 30;
const MAX_EXAMPLES = 5;

/** Fills `{{n}}`; this process uses each number once. */
let n = 1_000_000_000;

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(JSON.stringify(await send(JSON.parse(line))) + "\n");
}

async function send({ url, clients, seconds, requests, duringOutage }) {
  const latencies = [];
  const timeline = [];
  const examples = [];
  let failed = 0;
  let wrong = 0;
  const noteWrong = (what) => {
    if (++wrong <= MAX_EXAMPLES) examples.push(what);
  };
  // Lists mostly answer the same bytes again, which need no second check.
  const known = new Map();
  const check = (sent, status, body, headers) => {
    const { method, path, expect } = sent;
    if (status < 200 || status > 299) failed++;
    const isKnown = known.get(expect) === body && status === expect.status;
    const problem = isKnown ? null : problemOf(sent, status, body);
    if (duringOutage) timeline.push([Date.now(), problem === null]);
    if (problem === null) {
      if (!expect.echo) known.set(expect, body);
    } else if (!duringOutage || !isUnavailable(status, body, headers)) {
      noteWrong(`${method} ${path.split("?")[0]}: ${problem}: ${status} ${body.slice(0, 300)}`);
    }
  };

  const running = autocannon({
    url,
    connections: clients,
    timeout: TIMEOUT,
    // The load ends earlier, as below; this is for a server that does not answer at all.
    duration: seconds + TIMEOUT,
    sampleInt: 10,
    requests: [isConstant(requests) ? constant(requests[0], check) : varying(requests, check)],
  });
  const began = performance.now();
  let last = began;
  running.on("response", (client, _status, _bytes, ms) => {
    last = performance.now();
    latencies.push(ms);
    // No further request, but those under way are answered: then their whole cost is counted.
    if (last - began >= seconds * 1000) client.responseMax = 1;
  });
  running.on("reqError", (error) => {
    noteWrong(`no answer: ${error.message}`);
    if (duringOutage) timeline.push([Date.now(), false]);
  });
  await running;
  if (latencies.length === 0) noteWrong("no answer at all");
  const sorted = Float64Array.from(latencies).sort();
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  const took = (last - began) / 1000;
  const rate = { requests: sorted.length, requestsPerSecond: sorted.length / took, seconds: took };
  const latency = { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
  return { ...rate, ...latency, failed, wrong, examples, timeline };
}

function isConstant([{ path, body, targets }, ...more]) {
  return more.length === 0 && !targets && !`${path}${body}`.includes("{{");
}

/** autocannon builds this request once. */
function constant(request, check) {
  const onResponse = (status, body, _, headers) => check(request, status, body, headers);
  return { ...request, onResponse };
}

/** One request of autocannon that differs each time: the requests in turn, with their places filled. */
function varying(requests, check) {
  let turn = 0;
  return {
    setupRequest(request, context) {
      context.sent = filled(requests[turn++ % requests.length]);
      return { ...request, ...context.sent };
    },
    onResponse: (status, body, { sent }, headers) => check(sent, status, body, headers),
  };
}

function filled({ method, path, headers, body, targets, expect }) {
  const values = { n: n++, ...targets?.[n % targets.length] };
  const fill = (text) => text.replace(/\{\{(\w+)\}\}/g, (_, name) => values[name]);
  return { method, path: fill(path), headers, expect, ...(body && { body: fill(body) }) };
}

/** How an answer differs from what is expected; null when it does not. */
function problemOf({ expect, body: sentBody }, status, body) {
  const { at, count, fields, echo = [], values = {} } = expect;
  if (status !== expect.status) return `status ${status} instead of ${expect.status}`;
  if (!fields) return null;
  const answer = parsed(body);
  const found = at ? answer?.[at] : answer;
  if (Array.isArray(found) !== (count !== undefined)) return "the body has another shape";
  const rows = [found].flat();
  if (rows.length !== (count ?? 1)) return `${rows.length} rows instead of ${count}`;
  for (const row of rows) {
    const missing = fields.find((field) => row?.[field] === undefined);
    if (missing) return `there is no ${missing}`;
  }
  const sent = echo.length > 0 ? parsed(sentBody) : {};
  const wanted = { ...values, ...Object.fromEntries(echo.map((field) => [field, sent[field]])) };
  const other = Object.keys(wanted).find((field) => rows[0][field] !== wanted[field]);
  return other ? `${other} is not ${wanted[other]}` : null;
}

/** Whether an answer says properly that the database is away for now. */
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
