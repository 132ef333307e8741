import { html, type TemplateResult } from "lit-html";
import { type App, isManager } from "./app.ts";
import { answered } from "./failure.ts";
import { type ApiKey, keysOf } from "./keys/api_key.ts";
import { whoMay } from "./keys/key_words.ts";
import { exactly } from "./moments.ts";
import { emptyState } from "./pieces/empty_state.ts";
import { type Member, membersOf } from "./project.ts";
import { COLUMNS, type ErrorKind } from "./requests/error_kind.ts";
import { errorsOf } from "./requests/errors.ts";
import type { View } from "./view.ts";

/**
 * The view of one request, with its error, if there was one. A program may have used the same id
 * for two requests.
 * @param part the id as it is encoded in the URL.
 */
export function request(part: string): View {
  const id = decoded(part);
  let found: ErrorKind[] = [];
  let keys: ApiKey[] = [];
  let members: Member[] = [];

  async function load(app: App): Promise<void> {
    const { project, company } = app;
    if (!isManager(company)) {
      members = await membersOf(project, company);
      return;
    }
    const wanted = project.client.from("api_key_errors").select(COLUMNS)
      .eq("company_id", company.id).contains("requests", JSON.stringify([{ id }]))
      .order("last_at", { ascending: false }).limit(10);
    [keys, found] = await Promise.all([keysOf(app), answered<ErrorKind[]>(wanted)]);
  }

  function view(app: App): TemplateResult {
    const { t: { requests: t }, locale } = app;
    if (!isManager(app.company)) return whoMay(members, app);
    const back = html`<p><a href=${app.href("requests")}>${t.toList}</a></p>`;
    const at = found[0]?.requests.find((each) => each.id === id)?.at;
    if (!at) {
      return html`
        ${emptyState({
          title: t.notFound,
          why: t.notFoundWhy,
          example: html`
            <p>${t.notFoundExample}</p>
            <pre lang="en">X-Request-Id: 5f2c1e0a-9d3b-4c57-8a61-0e7b2f9d4c11</pre>
          `,
        })}
        ${back}
      `;
    }
    return html`
      <p class="lead">${t.found(exactly(at, locale))}</p>
      ${errorsOf(found, (id) => keys.find((key) => key.id === id)?.name ?? null, app)}
      ${back}
    `;
  }

  return { title: (t) => t.requests?.request(id) ?? t.menu.requests, load, html: view };
}

/** Decodes a part of a URL. A malformed part is returned unchanged. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
