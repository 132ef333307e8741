import { html, type TemplateResult } from "lit-html";
import type { App } from "./app.ts";
import type { View } from "./view.ts";

/**
 * The view where a user chooses one of their companies.
 * @param why `several`: the URL contains no company. `foreign`: the user is not a member of the
 * company in the URL.
 * @param path the view of the chosen company; the empty path is the first view.
 */
export function chooseCompany(why: "several" | "foreign", path: string): View {
  return {
    title: ({ companies: t }) => why === "foreign" ? t.foreign : t.title,
    load: async () => {},
    html: (app) => {
      const { t, person, companies } = app;
      const lead = why === "foreign" ? t.companies.foreignText(person.email) : t.companies.lead;
      return html`
        <p class="lead">${lead}</p>
        <ul class="cards">${companies.map((company) => choiceOf(company, path, app))}</ul>
      `;
    },
  };
}

function choiceOf(company: App["company"], path: string, app: App): TemplateResult {
  return html`
    <li>
      <button type="button" @click=${() => app.choose(company, path)}>
        <b dir="auto">${company.name}</b><span>${app.t.roles[company.role]}</span>
      </button>
    </li>
  `;
}

/** The view for an unknown path. */
export function nothingHere(): View {
  return {
    title: (t) => t.frame.nothingHere,
    load: async () => {},
    html: (app) =>
      html`
        <p class="lead">${app.t.frame.nothingHereText}</p>
        <p class="buttons"><a class="button" href=${app.href("")}>${app.t.frame.toFirst}</a></p>
      `,
  };
}

/** The view of a company that requires a second factor, for an owner or admin without one. */
export function locked(): View {
  return {
    title: (t) => t.companies.locked,
    load: async () => {},
    html: ({ t }) =>
      html`
        <p class="lead">${t.companies.lockedText}</p>
        <p class="buttons"><a class="button main" href="#/security">${t.companies.setUp}</a></p>
      `,
  };
}
