import { delay } from "deno-std/async/delay.js";
import * as fc from "fast-check";
import type { Context } from "../context.ts";
import { Findings } from "../findings.ts";
import { createContact, nameOf, newPhone, send, urlFor } from "../requests.ts";
import { exchange, shortened, type WireAnswer, type WireRequest } from "../wire.ts";

const PROMISES = {
  once: "no message is at the channel twice",
  known: "every send ends known: sent when the channel has it, else sent or failed",
  repeatable: "a request that was cut off by a kill can be repeated",
  oneRow: "a contact is written once, however often the request is repeated",
};

const KILLS = { full: 40, quick: 2 };
const SENDS = 8;
const CREATES = 4;
/** Within this the requests of a round are over, so a kill comes at any step of them. */
const LATEST_KILL_MS = 120;

/** Functions that are killed at any moment, and requests that are then repeated. */
export async function kills({ ours, seed, scale, quick }: Context) {
  const findings = new Findings("kills");
  const { attacker } = ours.companies;
  const rounds = Math.max(1, Math.round((quick ? KILLS.quick : KILLS.full) * scale));
  const moments = fc.sample(fc.nat(LATEST_KILL_MS), { seed, numRuns: rounds });
  const sends: WireRequest[] = [];
  const creates: WireRequest[] = [];
  for (const [round, moment] of moments.entries()) {
    const [gateway, sender] = await Promise.all([
      ours.startFunction("gateway"),
      ours.startFunction("send-external-template"),
    ]);
    const newSends = Array.from(
      { length: SENDS },
      (_, n) => send(attacker.key, newPhone(), `kill-${seed}-${round}-${n}`),
    );
    const newCreates = Array.from(
      { length: CREATES },
      () => createContact(attacker.key, newPhone()),
    );
    const asking = [...newSends, ...newCreates].map((request) =>
      exchange(urlFor(request, { gateway, sender }), request)
    );
    // The moment is the point of it: nothing is waited for.
    await delay(moment);
    await Promise.all([gateway.end("SIGKILL"), sender.end("SIGKILL")]);
    await Promise.all(asking);
    sends.push(...newSends);
    creates.push(...newCreates);
    findings.attempts++;
  }

  const repeat = async (request: WireRequest) => {
    const answer = await exchange(urlFor(request, ours), request);
    if (answer?.status !== 200 && answer?.status !== 201 && answer?.status !== 409) {
      findings.add(PROMISES.repeatable, answerOf(answer), shortened(request.body as string));
    }
    return answer;
  };
  for (const request of [...sends, ...creates]) await repeat(request);
  // As time would: no claim of a killed function is under way any longer.
  await ours.stack.owner`
    update sends set lease_ends_at = now() - interval '1 second'
    where company_id = ${attacker.id} and state = 'pending'
  `;
  const calls = ours.channel.calls.map(({ message }) => nameOf(message));
  const times = (name: string) => calls.filter((each) => each === name).length;
  for (const request of sends) {
    const answer = await repeat(request);
    const { idempotency_key: name } = JSON.parse(request.body as string);
    if (times(name) > 1) findings.add(PROMISES.once, `${name}: ${times(name)} times`, name);
    const { success, status } = JSON.parse(answer?.text ?? "{}");
    const isKnown = success ? times(name) === 1 : status === "failed";
    if (!isKnown) findings.add(PROMISES.known, answerOf(answer), name);
  }
  await judgeContacts(findings, ours.stack.owner, attacker.id, creates);
  return findings.result;
}

async function judgeContacts(
  findings: Findings,
  owner: Context["ours"]["stack"]["owner"],
  company: string,
  creates: WireRequest[],
) {
  for (const request of creates) {
    const { phone } = JSON.parse(request.body as string);
    const [{ rows }] = await owner`
      select count(*)::int as rows from contacts where company_id = ${company} and phone = ${phone}
    `;
    if (rows !== 1) findings.add(PROMISES.oneRow, `${rows} contacts`, request.body as string);
  }
}

function answerOf(answer: WireAnswer | null): string {
  return answer ? `${answer.status}: ${shortened(answer.text, 300)}` : "no answer";
}
