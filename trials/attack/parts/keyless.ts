import { usageOf } from "../../usage.ts";
import type { AttackedStack } from "../attacked_stack.ts";
import type { Context } from "../context.ts";
import { Findings, type Row } from "../findings.ts";
import { countOf, floodFor, type FloodPlan, startFlood } from "../flood.ts";
import { isOfServer, judge, outcomeOf } from "../judge.ts";
import { probe } from "../probe.ts";
import { list, urlFor } from "../requests.ts";
import { exchange, shortened, shown, type WireRequest } from "../wire.ts";
import { COSTLIEST, TRICKLE } from "./keyless_requests.ts";

const PROMISES = { refused: "a request without a valid key gets a 401" };

const CONNECTIONS = 8;
const TRICKLES = 64;

/**
 * Sends the costliest requests without a valid key, checks that each is refused, and measures how
 * much they slow down other callers.
 */
export async function keyless({ ours, measured, seconds, quick, progress }: Context) {
  const findings = new Findings("keyless");
  for (const [name, request] of Object.entries(COSTLIEST)) {
    await judgeOne(findings, ours, name, request);
  }
  if (quick) return findings.result;

  const cpu: Row[] = [];
  const waits: Row[] = [];
  for (const [name, request] of Object.entries(COSTLIEST)) {
    progress(`keyless: ${name}`);
    const costs = [];
    for (const side of measured) costs.push(await costOf(side, request, seconds * 1000));
    cpu.push({ name, values: costs.map(({ cpu }) => cpu) });
    waits.push({ name, values: costs.map(({ wait }) => wait) });
    findings.attempts += costs.reduce((sum, { requests }) => sum + requests, 0);
  }
  progress("keyless: bodies that trickle in");
  const name = `${TRICKLES} bodies that trickle in`;
  const values: number[] = [];
  for (const side of measured) {
    const plan = {
      url: side.gateway.url,
      requests: [TRICKLE],
      connections: TRICKLES,
      trickles: true,
    };
    values.push((await waitDuring(side, plan, seconds * 1000)).wait);
  }
  waits.push({ name, values });
  findings.figures.push({ title: "CPU of the function, ms a request", rows: cpu });
  findings.figures.push({
    title: `another company's median list time, × quiet, beside ${CONNECTIONS} such connections`,
    rows: waits,
  });
  return findings.result;
}

async function judgeOne(
  findings: Findings,
  ours: AttackedStack,
  name: string,
  request: WireRequest,
) {
  const url = urlFor(request, ours);
  const answer = await exchange(url, request);
  judge(findings, url, request, answer, { fault: name });
  const isKeyless = /openapi|health/.test(request.target);
  if (!answer || isKeyless || isOfServer(answer) || answer.status === 401) return;
  const found = `${outcomeOf(answer)}: ${shortened(answer.text, 200)}`;
  findings.add(PROMISES.refused, found, `${name}: ${shown(request)}`);
}

/**
 * The CPU time that a request costs the function, in milliseconds, and how much another company
 * slows down while eight connections repeat the request.
 */
async function costOf(side: AttackedStack, request: WireRequest, ms: number) {
  const process = request.target.startsWith("/send-") ? side.sender : side.gateway;
  const plan = { url: process.url, requests: [request] };
  const warmUp = countOf(await floodFor({ ...plan, connections: 1 }, ms / 8));
  const before = usageOf(process).cpu;
  const alone = countOf(await floodFor({ ...plan, connections: 1 }, ms / 2));
  const cpu = (usageOf(process).cpu - before) / alone;
  const { wait, requests } = await waitDuring(side, { ...plan, connections: CONNECTIONS }, ms);
  return { cpu, wait, requests: requests + alone + warmUp };
}

/**
 * The median time of the victim's list request during a flood, as a multiple of the median just
 * before the flood.
 */
async function waitDuring(side: AttackedStack, plan: FloodPlan, ms: number) {
  const next = () => list(side.companies.victim.key);
  const lists = { list: { url: side.gateway.url, next } };
  const quiet = await probe(lists, ms / 4);
  const end = startFlood(plan);
  const beside = await probe(lists, ms);
  return { wait: beside.list.p50 / quiet.list.p50, requests: countOf(await end()) };
}
