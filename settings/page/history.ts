import { html } from "lit-html";
import type { View } from "./view.ts";

/** Who changed which key, and when. */
export function history(): View {
  return { title: (t) => t.menu.history, load: async () => {}, html: () => html`` };
}
