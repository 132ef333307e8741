import { html } from "lit-html";
import type { View } from "./view.ts";

/** The WhatsApp accounts of the company. */
export function accounts(): View {
  return { title: (t) => t.menu.accounts, load: async () => {}, html: () => html`` };
}
