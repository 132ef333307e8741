import { html } from "lit-html";
import type { Part } from "../view.ts";

/** What programs did with a key in the last 30 days. */
export function keyActivity(_keyId: string): Part {
  return { load: async () => {}, html: () => html`` };
}
