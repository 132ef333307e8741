import { pooledMap } from "deno-std/async/pool.js";
import type { AttackedStack } from "../attacked_stack.ts";
import { type AttackedCompany, hashOfRows, VICTIM_MARK } from "../companies.ts";
import type { Context } from "../context.ts";
import { Findings } from "../findings.ts";
import { UNDESCRIBED } from "../../../tests/support/api_description.ts";
import { repeatAlone } from "../repeats.ts";
import { endsItself, isOfServer, judge, outcomeOf } from "../judge.ts";
import { exchange, shortened, shown, type WireAnswer, type WireRequest } from "../wire.ts";
import { type FuzzCase, fuzzCases } from "./fuzz_requests.ts";

const PROMISES = {
  apart: "no answer contains a row or an id of another company",
  unchanged: "no request changes a row of another company",
  no503: "no request gets a 503 twice while nothing is wrong with the database",
  keyFirst: "without a valid key, every request gets a 401, whatever else is wrong with it",
  noKey: "no line of the log contains an API key",
  shortLog: "no line of the log is longer than 8 KiB",
};

const CASES = { full: 4_000, quick: 120 };
const AT_ONCE = 4;
const LOG_LINE_BYTES = 8 * 1024;
/** Matches a whole key. The lists of keys show only the last characters of a key. */
const WHOLE_KEY = /sk_live_[\w-]{20,}/;

/**
 * Sends requests made from the OpenAPI document, each with the attacker's key and again without a
 * valid key.
 */
export async function fuzz({ ours, seed, scale, quick, fuzzCase }: Context) {
  const findings = new Findings("fuzz");
  const lines = new LogLines(findings);
  const [gateway, sender, replies] = await Promise.all([
    ours.startFunction("gateway", { hear: lines.hearer() }),
    ours.startFunction("send-external-template", { hear: lines.hearer() }),
    ours.startFunction("whatsapp", { hear: lines.hearer() }),
  ]);
  const urlOf = ({ target }: WireRequest) => {
    if (target.startsWith("/send-external-template")) return sender.url;
    return (target.startsWith("/whatsapp") ? replies : gateway).url;
  };

  const { attacker, victim } = ours.companies;
  const before = await hashOfRows(ours.stack.owner, victim);
  const messagesOf = ({ ids }: AttackedCompany) => `conversations/${ids.conversation[0]}/messages`;
  const cursors = [
    ...await cursorsOf(gateway.url, attacker, ["contacts", "deals", "stages", "conversations"]),
    ...await cursorsOf(gateway.url, attacker, [messagesOf(attacker)]),
    ...await cursorsOf(gateway.url, victim, ["contacts", "deals", messagesOf(victim)]),
  ];
  const count = Math.max(1, Math.round((quick ? CASES.quick : CASES.full) * scale));
  const cases = fuzzCases(ours.companies, cursors, { seed, count });
  const numbered = cases.map((fuzzCase, number) => ({ number, ...fuzzCase }));
  const chosen = fuzzCase === undefined ? numbered : numbered.slice(fuzzCase, fuzzCase + 1);
  const run = async ({ number, request, withKey, withoutKey }: FuzzCase & { number: number }) => {
    const url = urlOf(request);
    const given = `case ${number}: `;
    lines.mark(given + shown(request));
    const asAttacker = { ...request, headers: [...withKey, ...request.headers] };
    const answer = await exchange(url, asAttacker);
    judge(findings, url, asAttacker, answer, { given });
    const repeated = answer?.status === 503 ? await repeatAlone(url, asAttacker, answer) : null;
    if (answer?.status === 503 && repeated?.status === 503) {
      findings.add(PROMISES.no503, shortened(answer.text), given + shown(request), request.method);
    }
    if (answer) judgeApart(findings, ours, asAttacker, answer, given);
    const keyless = { ...request, headers: [...withoutKey, ...request.headers] };
    judgeKeyless(findings, keyless, await exchange(url, keyless), given);
  };
  for await (const _ of pooledMap(AT_ONCE, chosen, run));

  if (await hashOfRows(ours.stack.owner, victim) !== before) {
    findings.add(PROMISES.unchanged, "the victim's rows have changed", `seed ${seed}`);
  }
  await Promise.all([gateway, sender, replies].map((each) => each.end()));
  lines.end();
  return findings.result;
}

/** The cursor after a page of one row, for each list that has at least two rows. */
async function cursorsOf(
  url: string,
  { key }: AttackedCompany,
  lists: string[],
): Promise<string[]> {
  const found = lists.map(async (list) => {
    const headers = { Authorization: `Bearer ${key}` };
    const answer = await fetch(`${url}/gateway/${list}?limit=1`, { headers });
    const { pagination } = await answer.json();
    return pagination.next_cursor as string | null;
  });
  return (await Promise.all(found)).filter((cursor) => cursor !== null);
}

function judgeApart(
  findings: Findings,
  { companies: { victim } }: AttackedStack,
  request: WireRequest,
  { status, text }: WireAnswer,
  given: string,
) {
  const sent = shownWhole(request).toLowerCase();
  const ids = [victim.id, ...Object.values(victim.ids).flat()];
  // An error response may repeat an id from the request. A successful response must not.
  const foreign = ids.filter((id) => text.includes(id) && (status < 300 || !sent.includes(id)));
  if (foreign.length === 0 && !text.includes(VICTIM_MARK)) return;
  const found = `${status} with ${foreign[0] ?? VICTIM_MARK}: ${shortened(text)}`;
  findings.add(PROMISES.apart, found, given + shown(request), `${request.method} ${status}`);
}

function shownWhole({ target, body }: WireRequest): string {
  return `${decodeURI(target.replaceAll("%", "%25"))} ${typeof body === "string" ? body : ""}`;
}

/** Paths that send messages. */
const SENDS = /^\/(send-external-template|whatsapp\/messages)/;

/** Paths that answer every caller, even without a key. */
const KEYLESS = /^\/gateway\/(health|openapi\.json)(\?|$)/;

function judgeKeyless(
  findings: Findings,
  request: WireRequest,
  answer: WireAnswer | null,
  given: string,
) {
  findings.attempts++;
  const { method, target, headers } = request;
  const hasOddHost = headers.some(([name]) => name === "Host");
  // A request with an invalid Host does not reach any function. An operation that sends messages
  // accepts only POST.
  const isKeyless = KEYLESS.test(target) && (method === "GET" || method === "HEAD");
  if (UNDESCRIBED.test(target)) return;
  if (answer ? isOfServer(answer) || answer.status === 401 : endsItself(request)) return;
  if (answer && isKeyless && answer.status !== 500) return;
  if (answer?.status === 400 && hasOddHost) return;
  if (answer?.status === 405 && SENDS.test(target) && method !== "POST") return;
  const found = answer ? `${outcomeOf(answer)}: ${shortened(answer.text, 200)}` : "no answer";
  const kind = `${method} ${answer && outcomeOf(answer)}`;
  findings.add(PROMISES.keyFirst, found, given + shown(request), kind);
}

/** Checks the logs of processes for lines that are too long or contain a key. */
class LogLines {
  #recent: string[] = [];
  #open: string[] = [];

  constructor(readonly findings: Findings) {}

  /** Remembers a request for the findings, because a log line does not show the whole request. */
  mark(request: string) {
    this.#recent = [...this.#recent.slice(1 - 2 * AT_ONCE), request];
  }

  hearer(): (text: string) => void {
    const at = this.#open.push("") - 1;
    return (text) => {
      const [...lines] = (this.#open[at] + text).split("\n");
      this.#open[at] = lines.pop()!;
      lines.forEach((line) => this.#judge(line));
    };
  }

  end() {
    this.#open.forEach((line) => this.#judge(line));
  }

  #judge(line: string) {
    const [, event = "other"] = /"event":"(\w+)"/.exec(line) ?? [];
    const among = shortened(`one of: ${this.#recent.join(" | ")}`, 1_500);
    if (WHOLE_KEY.test(line)) this.findings.add(PROMISES.noKey, event, among);
    const bytes = new TextEncoder().encode(line).length;
    if (bytes <= LOG_LINE_BYTES) return;
    const about = `${bytes} bytes: ${line.slice(0, 120)}…`;
    this.findings.add(PROMISES.shortLog, about, among, event);
  }
}
