import { usageOf } from "../bench/usage.ts";
import type { FunctionProcess } from "../local/functions/process.ts";

const EVERY_MS = 20;

/** The most resident memory in bytes that a process has during the work; NaN where the system does not tell. */
export async function peakRss(process: FunctionProcess, work: () => Promise<unknown>) {
  let peak = usageOf(process).rss;
  const look = () => peak = Math.max(peak, usageOf(process).rss);
  const looking = setInterval(look, EVERY_MS);
  try {
    await work();
  } finally {
    clearInterval(looking);
  }
  look();
  return peak;
}
