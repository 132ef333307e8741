import { resolve } from "node:path";
import { type AttackedStack, startAttackedStack } from "./attacked_stack.ts";
import type { Context } from "./context.ts";
import type { PartResult } from "./findings.ts";
import { events } from "./parts/events.ts";
import { faults } from "./parts/faults.ts";
import { fuzz } from "./parts/fuzz.ts";
import { keyless } from "./parts/keyless.ts";
import { kills } from "./parts/kills.ts";
import { media } from "./parts/media.ts";
import { neighbour } from "./parts/neighbour.ts";
import { webhooks } from "./parts/webhooks.ts";
import { type PartName, PARTS } from "./attack_report.ts";

/**
 * The settings of an attack: its parts, seed and scale, the time of a measurement, and the checkout
 * to compare with.
 */
export interface Attack extends Pick<Context, "seed" | "scale" | "seconds" | "quick" | "fuzzCase"> {
  only?: PartName[];
  /** The folder of another checkout. The attack measures that checkout too. */
  compare?: string;
  progress?: (step: string) => void;
}

const RUN: Record<PartName, (context: Context) => Promise<PartResult>> = {
  fuzz,
  keyless,
  neighbour,
  kills,
  faults,
  events,
  webhooks,
  media,
};

/**
 * Starts a stack on this machine and attacks it.
 * @param resources ends everything that the attack starts.
 */
export async function attack(
  { only, compare, progress = () => {}, ...plan }: Attack,
  resources: AsyncDisposableStack,
) {
  const measured: AttackedStack[] = [];
  if (compare) {
    progress(`starting the stack of ${compare}`);
    measured.push(await startAttackedStack(resources, `${resolve(compare)}/`));
  }
  progress("starting a stack");
  const ours = await startAttackedStack(resources);
  measured.push(ours);
  const results: PartResult[] = [];
  for (const part of Object.keys(PARTS) as PartName[]) {
    if (only && !only.includes(part)) continue;
    progress(part);
    results.push(await RUN[part]({ ...plan, ours, measured, progress, resources }));
  }
  return { results, checkouts: measured.map(({ name }) => name), ours };
}
