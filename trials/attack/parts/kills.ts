import { delay } from "deno-std/async/delay.js";
import * as fc from "fast-check";
import type { Context } from "../context.ts";
import { Findings } from "../findings.ts";
import { createContact, createDeal, nameOf, newPhone, once, send, urlFor } from "../requests.ts";
import { exchange, shortened, type WireAnswer, type WireRequest } from "../wire.ts";

const PROMISES = {
  once: "the channel gets no message twice",
  known: "every send gets a known outcome: the channel has the message once, or the send failed",
  repeatable: "a request that was cut off by a kill can be repeated",
  oneRow: "a contact is written once, however often the request is repeated",
  oneDeal: "a deal is written once for its Idempotency-Key, and each repeat returns that deal",
};

const KILLS = { full: 40, quick: 2 };
const SENDS = 8;
const CREATES = 4;
const DEALS = 4;
/** The requests of a round end within this time, so a kill can hit each of their steps. */
const LATEST_KILL_MS = 120;

/** Functions are killed at random moments, and their requests are then repeated. */
export async function kills({ ours, seed, scale, quick }: Context) {
  const findings = new Findings("kills");
  // This part uses the heavy company, because a random request may have archived, merged or erased
  // the attacker's records.
  const { heavy } = ours.companies;
  const rounds = Math.max(1, Math.round((quick ? KILLS.quick : KILLS.full) * scale));
  const moments = fc.sample(fc.nat(LATEST_KILL_MS), { seed, numRuns: rounds });
  const sends: WireRequest[] = [];
  const creates: WireRequest[] = [];
  const deals: WireRequest[] = [];
  for (const [round, moment] of moments.entries()) {
    const [gateway, sender] = await Promise.all([
      ours.startFunction("gateway"),
      ours.startFunction("send-external-template"),
    ]);
    const newSends = Array.from(
      { length: SENDS },
      (_, n) => send(heavy.key, newPhone(), `kill-${seed}-${round}-${n}`),
    );
    const newCreates = Array.from(
      { length: CREATES },
      () => createContact(heavy.key, newPhone()),
    );
    const newDeals = Array.from({ length: DEALS }, (_, n) => {
      const title = `kill-${seed}-${round}-${n}`;
      return once(createDeal(heavy, 0, title), title);
    });
    const asking = [...newSends, ...newCreates, ...newDeals].map((request) =>
      exchange(urlFor(request, { gateway, sender }), request)
    );
    // The kill must come at a random moment, so the round waits only for this delay and not for a
    // response.
    await delay(moment);
    await Promise.all([gateway.end("SIGKILL"), sender.end("SIGKILL")]);
    await Promise.all(asking);
    sends.push(...newSends);
    creates.push(...newCreates);
    deals.push(...newDeals);
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
  // Ends the leases of the killed functions' claims, as if time had passed.
  await ours.stack.owner`
    update sends set lease_ends_at = now() - interval '1 second'
    where company_id = ${heavy.id} and state = 'pending'
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
  await judgeContacts(findings, ours.stack.owner, heavy.id, creates);
  await judgeDeals(findings, ours, heavy.id, deals);
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

/** Two deals may have the same title, so only the idempotency key prevents a second deal. */
async function judgeDeals(
  findings: Findings,
  ours: Context["ours"],
  company: string,
  deals: WireRequest[],
) {
  for (const request of deals) {
    const answers = [];
    for (const _ of [1, 2]) answers.push(await exchange(urlFor(request, ours), request));
    const { title } = JSON.parse(request.body as string);
    const rows = await ours.stack.owner`
      select id from deals where company_id = ${company} and title = ${title}
    `;
    const isTold = answers.every((answer) =>
      answer?.status === 201 && JSON.parse(answer.text).data.id === rows[0]?.id
    );
    if (rows.length === 1 && isTold) continue;
    findings.add(PROMISES.oneDeal, `${rows.length} deals; ${answers.map(answerOf)}`, title);
  }
}

function answerOf(answer: WireAnswer | null): string {
  return answer ? `${answer.status}: ${shortened(answer.text, 300)}` : "no answer";
}
