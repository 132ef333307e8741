import { html, type TemplateResult } from "lit-html";
import { type App, isManager } from "./app.ts";
import { answered } from "./failure.ts";
import { type ApiKey, keysOf } from "./keys/api_key.ts";
import { emptyState } from "./pieces/empty_state.ts";
import { filterBar } from "./pieces/filter_bar.ts";
import { Older } from "./pieces/older.ts";
import { whoMay } from "./keys/key_words.ts";
import { type Member, membersOf } from "./project.ts";
import { COLUMNS, type ErrorKind } from "./requests/error_kind.ts";
import { errorOf, errorsOf } from "./requests/errors.ts";
import type { View } from "./view.ts";

/** Errors of requests made with any of the company's keys, and a search for one request. */
export function requests(): View {
  const errors = new Older<ErrorKind>(readErrors, 30);
  let keys: ApiKey[] = [];
  let members: Member[] = [];

  async function load(app: App): Promise<void> {
    if (!isManager(app.company)) {
      members = await membersOf(app.project, app.company);
      return;
    }
    [keys] = await Promise.all([keysOf(app), errors.load(app)]);
  }

  const nameOf = (id: string) => keys.find((key) => key.id === id)?.name ?? null;

  function view(app: App): TemplateResult {
    const { t: { requests: t }, query } = app;
    if (!isManager(app.company)) return whoMay(members, app);
    return html`
      <p class="lead">${t.lead}</p>
      <div class="tools">
        ${filterBar("requests", [
          {
            ...{ kind: "choice", name: "key", label: t.key },
            choices: [
              ["", t.everyKey],
              ...keys.map(({ id, name, hint }) => [id, `${name} …${hint}`] as [string, string]),
            ],
          },
          {
            ...{ kind: "choice", name: "kind", label: t.kind },
            choices: [["", t.kinds.all], ["refused", t.kinds.refused], ["failed", t.kinds.failed]],
          },
        ], app)}
        ${lookUp(app)}
      </div>
      ${errors.rows.length > 0
        ? html`
          ${errorsOf(errors.rows, nameOf, app)}
          ${errors.html(".errors > li", app)}
          <p class="hint">${t.kept}</p>
        `
        : query.size > 0
        ? emptyState({
          title: t.noneOfFilter,
          why: t.noneOfFilterWhy,
          next: html`<a class="button" href=${
            app.href("requests")
          }>${app.t.frame.clearFilters}</a>`,
        })
        : emptyState({
          title: t.none,
          why: t.noneWhy,
          next: html`<a class="button main" href=${app.href("keys")}>${t.toKeys}</a>`,
          example: exampleOf(app),
        })}
    `;
  }

  return { title: (t) => t.requests?.title ?? t.menu.requests, load, html: view };
}

/** The errors after `last`, newest first; the newest errors if `last` is undefined. */
async function readErrors(
  last: ErrorKind | undefined,
  limit: number,
  { project: { client }, company, query }: App,
): Promise<ErrorKind[]> {
  let wanted = client.from("api_key_errors").select(COLUMNS).eq("company_id", company.id);
  const [key, kind] = [query.get("key"), query.get("kind")];
  if (key) wanted = wanted.eq("key_id", key);
  if (kind === "failed") wanted = wanted.gte("status", 500);
  if (kind === "refused") wanted = wanted.lt("status", 500);
  if (last) {
    const { last_at, id } = last;
    wanted = wanted.or(`last_at.lt."${last_at}",and(last_at.eq."${last_at}",id.lt.${id})`);
  }
  return await answered<ErrorKind[]>(
    wanted.order("last_at", { ascending: false }).order("id", { ascending: false }).limit(limit),
  );
}

/** The field that leads to the page of one request. */
function lookUp(app: App): TemplateResult {
  const { t: { requests: t } } = app;
  const look = (event: Event) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const id = String(new FormData(form).get("id")).trim();
    if (id) app.go(app.href(`requests/${encodeURIComponent(id)}`));
  };
  return html`
    <form class="filters look-up" role="search" aria-label=${t.lookUpHint} @submit=${look}>
      <p class="search">
        <label for="look-up">${t.lookUp}</label>
        <input id="look-up" name="id" type="search" required maxlength="128" autocomplete="off"
          spellcheck="false">
      </p>
      <button type="submit">${t.lookUpButton}</button>
    </form>
  `;
}

/** An error message of the API. These messages are always in English. */
const EXAMPLE = "must be in E.164 format with a leading plus sign, such as +5511987654321";

/** An example of an error. */
function exampleOf(app: App): TemplateResult {
  const { t: { requests: t } } = app;
  const at = new Date().toISOString();
  const example: ErrorKind = {
    ...{ id: "example", key_id: "", status: 422, code: "invalid_request", method: "POST" },
    ...{ operation: "createContact", path: "/gateway/contacts", field: "phone" },
    ...{ problem: EXAMPLE, errors: 3, first_at: at, last_at: at },
    requests: [],
  };
  return html`
    <h3>${t.exampleTitle}</h3>
    <div class="card example" inert>${errorOf(example, null, app)}</div>
  `;
}
