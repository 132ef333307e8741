import type { AttackedStack } from "./attacked_stack.ts";

/** What a part of the attack gets. */
export interface Context {
  /** The stack of this checkout, whose promises are tried. */
  ours: AttackedStack;
  /** The stacks that are measured in turn: the one to compare with, if there is one, and ours. */
  measured: AttackedStack[];
  /** The same seed makes the same requests. */
  seed: number;
  /** How many attempts, in multiples of a full run's or a quick run's. */
  scale: number;
  /** How long each measurement takes. */
  seconds: number;
  quick: boolean;
  /** The number of the only case of the fuzz to send; all, when it is missing. */
  fuzzCase?: number;
  progress(step: string): void;
  /** Owns what a part starts, until the end of the run. */
  resources: AsyncDisposableStack;
}
