import type { Context } from "../context.ts";
import type { Findings } from "../findings.ts";
import { outcomeOf } from "../judge.ts";
import { createContact, newPhone, send } from "../requests.ts";
import type { WireRequest } from "../wire.ts";
import { ask } from "./fault_requests.ts";
import { UNKNOWN_KEY } from "./keyless_requests.ts";

const PROMISES = {
  givenUp: "a body that does not arrive is answered with a 408, or with a 401 without a valid key",
};

/** Callers who begin a body and never send the rest of it. */
export async function stalledBodies({ ours, quick }: Context, findings: Findings) {
  if (quick) return; // a function waits fifteen seconds for a body
  const { key } = ours.companies.attacker;
  const stalled = (request: WireRequest): WireRequest => ({
    ...request,
    cutAfter: 9,
    stalls: true,
  });
  const requests = [key, UNKNOWN_KEY].flatMap((each) => [
    stalled(createContact(each, newPhone())),
    stalled(send(each, newPhone(), "stalled")),
  ]);
  const answers = await ask(findings, ours, "a body that stalls", requests);
  for (const [at, answer] of answers.entries()) {
    const expected = at < 2 ? 408 : 401;
    if (answer?.status === expected) continue;
    const found = answer ? outcomeOf(answer) : "no answer";
    findings.add(
      PROMISES.givenUp,
      found,
      `${requests[at].method} ${requests[at].target}, in place of ${expected}`,
    );
  }
}
