/** What a process has used so far; NaN where the system does not tell. */
export interface ProcessUsage {
  /** Of all threads, in user and kernel mode, in milliseconds; the clock ticks every 10. */
  cpuMs: number;
  /** Resident memory, in bytes. */
  rss: number;
}

/** Clock ticks a second in /proc: 100 on every Linux that Deno runs on. */
const TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4096;

export function usageOf({ pid }: { pid: number }): ProcessUsage {
  if (Deno.build.os !== "linux") return { cpuMs: NaN, rss: NaN };
  // The name, in brackets, may hold spaces. proc(5) counts the fields behind it from 3 on.
  const fields = Deno.readTextFileSync(`/proc/${pid}/stat`).split(") ").at(-1)!.split(" ");
  const [user, system, pages] = [fields[11], fields[12], fields[21]].map(Number);
  return { cpuMs: (user + system) * 1000 / TICKS_PER_SECOND, rss: pages * PAGE_BYTES };
}
