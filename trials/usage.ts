import type { FunctionProcess } from "../local/functions/process.ts";
import type { BenchStack } from "./stack.ts";

/**
 * The number of clock ticks per second in /proc. The number is 100 on every Linux that Deno
 * supports.
 */
const TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4096;

/**
 * The CPU time and the memory that a process has used so far. CPU time is in milliseconds, in steps
 * of 10, of all threads in user and kernel mode. Resident memory is in bytes. NaN when the system
 * does not provide them.
 */
export function usageOf({ pid }: Pick<FunctionProcess, "pid">) {
  if (Deno.build.os !== "linux") return { cpu: NaN, rss: NaN };
  // The process name, in brackets, may contain spaces. In proc(5), the field after the name has the
  // number 3.
  const fields = Deno.readTextFileSync(`/proc/${pid}/stat`).split(") ").at(-1)!.split(" ");
  const [user, system, pages] = [fields[11], fields[12], fields[21]].map(Number);
  return { cpu: (user + system) * 1000 / TICKS_PER_SECOND, rss: pages * PAGE_BYTES };
}

/**
 * The CPU time and the memory that a server and the REST layer have used so far, and how many calls
 * the REST layer and the database have received.
 */
export async function countersOf(server: FunctionProcess, { rest, admin }: BenchStack) {
  // When the REST layer itself is measured, there is no function.
  const [own, theirs] = [server === rest ? { cpu: 0, rss: 0 } : usageOf(server), usageOf(rest)];
  const answer = await fetch(`${rest.url}/requests`);
  const [{ calls }] = await admin`
    select coalesce(sum(calls), 0)::float as calls from pg_stat_statements
    join pg_roles on pg_roles.oid = userid where rolname in ('authenticator', 'api_client', 'api_reader')
  `;
  return {
    functionCpu: own.cpu,
    restCpu: theirs.cpu,
    functionRss: own.rss,
    restRss: theirs.rss,
    /** Requests that the REST layer has received. */
    restCalls: await answer.json() as number,
    /** Statements of the REST layer and the floors, including begin and commit. */
    databaseCalls: calls as number,
  };
}
