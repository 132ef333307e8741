import { environment, statement } from "./test_stack.ts";

const { JOBS_SECRET } = environment();

/**
 * Calls the job of the function `webhooks`, which runs in its own process. The call may be
 * interrupted.
 */
export async function deliverAt(url: string, company_id: string): Promise<void> {
  const answer = await fetch(`${url}/jobs/deliver`, {
    method: "POST",
    headers: { Authorization: `Bearer ${JOBS_SECRET}`, "Content-Type": "application/json" },
    body: JSON.stringify({ company_id, until_idle: true }),
  });
  await answer.body?.cancel();
}

/** Ends the leases of killed runs, which otherwise end after 30 seconds. */
export const endLeases = (company_id: string) =>
  statement`update webhooks set leased_until = null, lease_id = null where company_id = ${company_id}`;
