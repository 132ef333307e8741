import { pauseUntilEnd } from "../../_shared/background.ts";
import { pause } from "../../_shared/pause.ts";

/** Wakes one waiting task. If no task is waiting, the signal is kept for the next wait. */
export class Signal {
  #hasRung = false;
  #wake: (() => void) | null = null;

  ring() {
    this.#hasRung = true;
    this.#wake?.();
  }

  /** Waits for a ring. */
  async heard(): Promise<void> {
    if (!this.#hasRung) await new Promise<void>((resolve) => this.#wake = resolve);
    this.#wake = null;
    this.#hasRung = false;
  }

  /** Waits this long, and then drops the signals that arrived in the meantime. */
  async after(ms: number): Promise<void> {
    await pause(ms);
    this.#hasRung = false;
  }

  /**
   * Waits for a signal, but no longer than this time. Resolves to true when the platform is about
   * to end this instance.
   */
  async orEnd(ms: number): Promise<boolean> {
    const ended = pauseUntilEnd(ms);
    const isEnding = await Promise.race([this.heard().then(() => false), ended]);
    this.#wake = null;
    return isEnding;
  }
}
