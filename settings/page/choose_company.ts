import { html } from "lit-html";
import type { View } from "./view.ts";

/** The view where a person chooses one of their companies. */
export function chooseCompany(): View {
  return {
    title: (t) => t.companies.title,
    load: async () => {},
    html: (app) =>
      html`
        <p class="lead">${app.t.companies.lead}</p>
        <ul class="cards">${app.companies.map((company) =>
          html`<li><button type="button" @click=${() => app.choose(company)}>
            <b dir="auto">${company.name}</b><span>${
            app.t.roles[company.role]
          }</span></button></li>`
        )}</ul>
      `,
  };
}
