import { root } from "../../local/checkout.ts";

// Measures the memory and the CPU time of a function that runs in its own process.

export const MIB = 2 ** 20;

/** The Deno version that runs the tests, and the Deno version of the hosted runtime. */
export const DENOS: [version: string, deno: string][] = [
  ["the current Deno", Deno.execPath()],
  ["the hosted runtime's Deno", `${root}tools/node_modules/deno/deno`],
];

/** A process's CPU time in seconds, and its maximum resident memory in bytes; see proc(5). */
export function usageOf(pid: number) {
  const stat = Deno.readTextFileSync(`/proc/${pid}/stat`).split(") ")[1].split(" ");
  const ticks = Number(stat[11]) + Number(stat[12]);
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  const [, kib] = /^VmHWM:\s*(\d+) kB$/m.exec(status)!;
  return { cpu: ticks / 100, memory: Number(kib) * 1024 };
}
