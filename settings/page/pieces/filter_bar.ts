import { html, nothing, type TemplateResult } from "lit-html";
import type { App } from "../app.ts";

/** A filter of a list. The filter's value is in the URL, so that a link leads to the same rows. */
export type Filter =
  | {
    kind: "search";
    /** The parameter's name in the URL: `sends?phone=…`. */
    name: string;
    label: string;
    /** An example of a value, such as a phone number. */
    hint?: string;
  }
  | {
    kind: "choice";
    name: string;
    label: string;
    /** The values and their labels. The value "" means that the filter is not used. */
    choices: [value: string, words: string][];
  }
  | { kind: "day"; name: string; label: string };

/**
 * The filters above a list. A change navigates to the URL with the new filter. The view then loads
 * again and reads the values from `app.query`.
 * @param path the view's path, such as `sends`.
 */
export function filterBar(path: string, filters: Filter[], app: App): TemplateResult {
  const { t: { frame: t }, query } = app;
  const isUsed = filters.some(({ name }) => query.has(name));
  const search = (event: Event) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const wanted = new URLSearchParams();
    for (const [name, value] of new FormData(form)) {
      if (String(value).trim() !== "") wanted.append(name, String(value).trim());
    }
    app.go(app.href(wanted.size === 0 ? path : `${path}?${wanted}`));
  };
  return html`
    <form class="filters" role="search" @submit=${search} @change=${search}>
      ${filters.map((filter) => fieldOf(filter, query.get(filter.name) ?? ""))}
      <button class="unseen" tabindex="-1">${t.search}</button>
      ${isUsed ? html`<a class="clear" href=${app.href(path)}>${t.clearFilters}</a>` : nothing}
    </form>
  `;
}

function fieldOf(filter: Filter, value: string): TemplateResult {
  const { kind, name, label } = filter;
  const id = `filter-${name}`;
  if (kind === "choice") {
    return html`
      <p>
        <label for=${id}>${label}</label>
        <select id=${id} name=${name} .value=${value}>
          ${filter.choices.map(([each, words]) =>
            html`<option value=${each} ?selected=${each === value}>${words}</option>`
          )}
        </select>
      </p>
    `;
  }
  return html`
    <p class=${kind}>
      <label for=${id}>${label}</label>
      <input id=${id} name=${name} type=${kind === "day" ? "date" : "search"} autocomplete="off"
        spellcheck="false" placeholder=${kind === "search" ? filter.hint ?? nothing : nothing}
        .value=${value}>
    </p>
  `;
}
