import type { AttackedStack } from "../attacked_stack.ts";
import type { Findings } from "../findings.ts";
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

/** The functions that are tested during a fault. */
export type Functions = Pick<AttackedStack, "gateway" | "sender">;

let sends = 0;

/** One request of each kind, all sent by the victim. */
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

/** Sends requests at the same time and checks the responses. */
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

/** Starts functions that use another URL for the Data API. */
export async function functionsOn(ours: AttackedStack, restUrl: string): Promise<Functions> {
  const [gateway, sender] = await Promise.all([
    ours.startFunction("gateway", { restUrl }),
    ours.startFunction("send-external-template", { restUrl }),
  ]);
  return { gateway, sender };
}
