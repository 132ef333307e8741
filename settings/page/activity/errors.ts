import { html, nothing, type TemplateResult } from "lit-html";
import type { App } from "../app.ts";
import { copyButton } from "../copy_button.ts";
import { zoneOfPerson } from "../moments.ts";
import { outcomeOf } from "./outcome.ts";

/** A request of a key that was refused or failed. */
export interface KeyError {
  id: string;
  at: string;
  status: number;
  /** The code of the error in the answer, such as `not_found`. */
  code: string;
  method: string;
  /** For example `listContacts`. Null when the API has no such path. */
  operation: string | null;
  request_id: string;
}

/** This many errors are shown. A person can expand the others. */
const AT_A_GLANCE = 10;

/**
 * The last errors of a key, the newest first. Each has the request id, so that support can find the
 * request.
 */
export function lastErrorsOf(errors: KeyError[], app: App): TemplateResult {
  const { t: { activity: t } } = app;
  const earlier = errors.slice(AT_A_GLANCE);
  return html`
    <section class="card" aria-labelledby="errors">
    <h2 id="errors">${t.errors}</h2>
    ${errors.length === 0 ? html`<p>${t.noErrors}</p>` : html`
      <ol class="errors" aria-labelledby="errors">
        ${errors.slice(0, AT_A_GLANCE).map((error) => errorOf(error, app))}
      </ol>
      ${earlier.length === 0 ? nothing : html`
        <details class="earlier">
          <summary>${t.earlierErrors(earlier.length)}</summary>
          <ol class="errors" aria-label=${t.earlierErrors(earlier.length)}>
            ${earlier.map((error) => errorOf(error, app))}
          </ol>
        </details>
      `}
      <p class="hint">${t.errorsKept(zoneOfPerson())}</p>
    `}
    </section>
  `;
}

function errorOf(error: KeyError, app: App): TemplateResult {
  const { t: { activity: t }, locale, project: { docsUrl } } = app;
  const { id, at, status, code, method, operation, request_id } = error;
  const meanings = docsUrl && `${docsUrl}${docsUrl.endsWith("/") ? "" : "/"}errors.html`;
  return html`
    <li>
      <b>
        <span class="status ${outcomeOf(status)}">${status}</span>
        ${meanings ? html`<a href="${meanings}#${code}">${code}</a>` : code}
      </b>
      <time datetime=${at}>${toTheSecond(at, locale)}</time>
      <span class="asked">${method} ${operation ?? t.noOperation}</span>
      <span class="request-id">
        <span class="unseen">${t.requestId}</span> <code id="request-${id}">${request_id}</code>
        ${copyButton(request_id, t.copyRequestId(request_id), `request-${id}`, app)}
      </span>
    </li>
  `;
}

/** The time of an error, precise enough for finding its log line: `Nov 22, 2:03:12 PM`. */
function toTheSecond(at: string, locale: string): string {
  return new Intl.DateTimeFormat(locale, {
    ...{ day: "numeric", month: "short", hour: "numeric", minute: "2-digit", second: "2-digit" },
  }).format(new Date(at));
}
