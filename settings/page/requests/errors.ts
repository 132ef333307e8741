// Errors of requests, as the view of the requests, the page of one request and the page of a key
// show them.
import { html, nothing, type TemplateResult } from "lit-html";
import { figuresIn } from "../activity/figures.ts";
import { outcomeOf } from "../activity/outcome.ts";
import type { App } from "../app.ts";
import { copyButton } from "../copy_button.ts";
import { ago, exactly, moment } from "../moments.ts";
import { type ErrorKind, pageOf, referenceOf } from "./error_kind.ts";

/** The name of the key that caused an error; null when the key has been deleted. */
export type KeyName = (keyId: string) => string | null;

/**
 * A list of errors.
 * @param keyName returns a key's name; null when all errors belong to the key that the page shows.
 */
export function errorsOf(
  errors: ErrorKind[],
  keyName: KeyName | null,
  app: App,
): TemplateResult {
  return html`
    <ol class="errors">
      ${errors.map((error) =>
        html`<li class="card" tabindex="-1">${errorOf(error, keyName, app)}</li>`
      )}
    </ol>
  `;
}

/** One kind of error: what happened, how often, and what to change. */
export function errorOf(error: ErrorKind, keyName: KeyName | null, app: App): TemplateResult {
  const { t: { requests: t }, locale, project: { docsUrl } } = app;
  const { status, code, method, operation, path, field, problem, key_id } = error;
  const reference = referenceOf(error, docsUrl);
  const times = t.times(error.errors, figuresIn(locale).whole(error.errors));
  return html`
    <p class="happened">
      <span class="status ${outcomeOf(status)}">${status}</span>
      <span class="problem" lang="en">${field
        ? html`
          <code>${field}</code>
        `
        : nothing}${problem}</span>
    </p>
    <p class="asked">
      <code>${method} ${path ?? nothing}</code> ${operation ? nothing : t.noOperation}
      ${keyName
        ? html`
          <span>${t.withKey} <a href=${app.href(`keys/${key_id}`)}><bdi>${keyName(key_id) ??
            t.deletedKey}</bdi></a></span>
        `
        : nothing}
      <span><b>${times}</b>${error.errors > 1
        ? html`, ${t.since(moment(error.first_at, locale))}, ${t.last}`
        : nothing} ${ago(error.last_at, locale)}</span>
    </p>
    <div class="advice">
      <p class="label">${t.toChange}</p>
      <p>${field && code === "invalid_request"
        ? t.correctField(field)
        : t.advice[code] ?? t.otherAdvice}</p>
      <p class="links">
        ${linkOf(error, app)}
        ${docsUrl
          ? html`<a href=${pageOf(docsUrl, `errors.html#${code}`)}>${t.about(code)}</a>`
          : html`<code>${code}</code>`}
        ${reference && operation
          ? html`<a href=${reference}>${t.reference(operation)}</a>`
          : nothing}
      </p>
    </div>
    ${requestsOf(error, app)}
  `;
}

/**
 * A link to the view where a user can do something about an error; nothing when there is no such
 * view.
 */
function linkOf({ code, key_id }: ErrorKind, app: App) {
  const { links: t } = app.t.requests;
  const places: Record<string, [path: string, words: string]> = {
    account_not_connected: ["accounts", t.accounts],
    channel_account_error: ["accounts", t.accounts],
    template_rejected: ["templates", t.templates],
    window_closed: ["templates", t.templates],
    invalid_api_key: [`keys/${key_id}`, t.key],
    insufficient_scope: ["keys/new", t.newKey],
  };
  if (!Object.hasOwn(places, code)) return nothing;
  const [path, words] = places[code];
  return html`<a href=${app.href(path)}>${words}</a>`;
}

/** The ids of the latest requests, which support needs to find a request. */
function requestsOf(
  { id: errorId, requests }: ErrorKind,
  app: App,
): TemplateResult | typeof nothing {
  const { t: { requests: t }, locale } = app;
  if (requests.length === 0) return nothing;
  return html`
    <details class="request-ids">
      <summary>${t.latest(requests.length)}</summary>
      <ul>
        ${requests.map(({ id, at }, number) =>
          html`
            <li>
              <time datetime=${at}>${exactly(at, locale)}</time>
              <code id="request-${errorId}-${number}">${id}</code>
              ${copyButton(id, t.copyRequestId(id), `request-${errorId}-${number}`, app)}
            </li>
          `
        )}
      </ul>
    </details>
  `;
}
