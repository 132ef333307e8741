import type { AttackedStack } from "./attacked_stack.ts";

/** The input of each part of the attack. */
export interface Context {
  /** The stack of this checkout. The attack tests its promises. */
  ours: AttackedStack;
  /**
   * The stacks that the attack measures in turn: the stack of the other checkout, if any, and the
   * stack of this checkout.
   */
  measured: AttackedStack[];
  /** The same seed makes the same requests. */
  seed: number;
  /** A factor that multiplies the usual number of attempts, in a full run and in a quick run. */
  scale: number;
  /** The length of each measurement, in seconds. */
  seconds: number;
  quick: boolean;
  /** The number of the only fuzz case to send. If missing, all cases are sent. */
  fuzzCase?: number;
  progress(step: string): void;
  /** Owns everything that a part starts, until the end of the run. */
  resources: AsyncDisposableStack;
}
