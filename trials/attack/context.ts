import type { AttackedStack } from "./attacked_stack.ts";

/** What each part of the attack gets. */
export interface Context {
  /** The stack of this checkout, whose promises are tested. */
  ours: AttackedStack;
  /**
   * The stacks that are measured in turn: the one to compare with, if there is one, and this
   * checkout's.
   */
  measured: AttackedStack[];
  /** The same seed makes the same requests. */
  seed: number;
  /** The factor for the number of attempts of a full run or a quick run. */
  scale: number;
  /** How long each measurement takes. */
  seconds: number;
  quick: boolean;
  /** The number of the only case of the fuzz to send. If missing, all cases are sent. */
  fuzzCase?: number;
  progress(step: string): void;
  /** Owns everything that a part starts, until the end of the run. */
  resources: AsyncDisposableStack;
}
