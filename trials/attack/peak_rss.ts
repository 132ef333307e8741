import { usageOf } from "../usage.ts";
import type { FunctionProcess } from "../../local/functions/process.ts";

const EVERY_MS = 20;

/**
 * The memory peak of a process during the work: its resident memory in bytes. NaN when the system
 * does not provide it.
 */
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
