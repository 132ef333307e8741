import { startFunction } from "./function_process.ts";
import { environment, statement } from "./test_stack.ts";

const { JOBS_SECRET } = environment();

/** Starts the function `webhooks` in its own process, which may be killed during a run. */
export async function startDeliverer(env: Record<string, string>) {
  const over = Promise.withResolvers<void>();
  let log = "";
  const server = await startFunction("webhooks", {
    env,
    hear(text) {
      log += text;
      // The line about the end of the run.
      if (log.includes('"event":"job"')) over.resolve();
    },
  });
  return {
    /** Calls the job. Resolves when the run has ended, or when the process was killed. */
    async deliver(company_id: string): Promise<void> {
      const answer = await fetch(`${server.url}/jobs/deliver`, {
        method: "POST",
        headers: { Authorization: `Bearer ${JOBS_SECRET}`, "Content-Type": "application/json" },
        body: JSON.stringify({ company_id, until_idle: true }),
      });
      await answer.body?.cancel();
      if (answer.ok) await over.promise;
    },
    async kill() {
      await server.kill();
      over.resolve();
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Ends the leases of killed runs. Otherwise, the leases would last for up to 30 seconds. */
export const endLeases = (company_id: string) =>
  statement`update webhooks set leased_until = null, lease_id = null where company_id = ${company_id}`;
