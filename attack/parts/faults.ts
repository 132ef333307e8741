import type { AttackedStack } from "../attacked_stack.ts";
import type { Context } from "../context.ts";
import { Findings } from "../findings.ts";
import { judge } from "../judge.ts";
import {
  createContact,
  createDeal,
  health,
  list,
  newPhone,
  renameContact,
  renameDeal,
  send,
  urlFor,
} from "../requests.ts";
import { exchange, type WireRequest } from "../wire.ts";
import { channelFaults } from "./channel_faults.ts";
import { clockFaults } from "./clock_faults.ts";
import { databaseFaults } from "./database_faults.ts";
import { restFaults } from "./rest_faults.ts";

/** The functions that a fault is tried on. */
export type Functions = Pick<AttackedStack, "gateway" | "sender">;

/** Troubles of what the functions rely on: database, REST layer, channel, clock. */
export async function faults(context: Context) {
  const findings = new Findings("faults");
  // Each waits for time-outs more than it works, and none disturbs another.
  await Promise.all([
    restFaults(context, findings),
    clockFaults(context, findings),
    (async () => {
      await databaseFaults(context, findings);
      await channelFaults(context, findings);
    })(),
  ]);
  return findings.result;
}

let sends = 0;

/** One request of each kind, of the victim. */
export function everyKind({ companies: { victim } }: AttackedStack): WireRequest[] {
  return [
    list(victim.key),
    createContact(victim.key, newPhone()),
    renameContact(victim, 1),
    createDeal(victim),
    renameDeal(victim),
    send(victim.key, newPhone(), `fault-${++sends}`),
    health(),
  ];
}

/** Sends requests at the same time and judges their answers. */
export async function ask(
  findings: Findings,
  functions: Functions,
  fault: string,
  requests: WireRequest[],
) {
  return await Promise.all(requests.map(async (request) => {
    const url = urlFor(request, functions);
    const answer = await exchange(url, request);
    judge(findings, url, request, answer, { fault });
    return answer;
  }));
}

/** Starts functions that find the Data API at another address. */
export async function functionsOn(ours: AttackedStack, restUrl: string): Promise<Functions> {
  const [gateway, sender] = await Promise.all([
    ours.startFunction("gateway", { restUrl }),
    ours.startFunction("send-external-template", { restUrl }),
  ]);
  return { gateway, sender };
}
