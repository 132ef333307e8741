import { html, nothing, type TemplateResult } from "lit-html";
import { figuresIn } from "../activity/figures.ts";
import { type App, isManager } from "../app.ts";
import { ago, moment, when } from "../moments.ts";
import type { AccountsTexts } from "../texts/en/accounts.ts";

/** A messaging account, as the page reads it. */
export interface Account {
  id: string;
  /** For example `+5511987654321`. */
  display_phone: string;
  phone_number_id: string;
  business_account_id: string | null;
  /** Null when the number was connected before the platform recorded this time. */
  connected_at: string | null;
  disconnected_at: string | null;
  /** When the templates were last read; null when they were never read. */
  templates_synced_at: string | null;
  /** How many readings have failed since then. */
  template_sync_failures: number;
  approved_templates: number;
  /** When the channel last sent an event about the account; null when it never did. */
  last_event_at: string | null;
  notices: Notice[];
}

/** What the channel reports about an account. */
interface Notice {
  kind: "event" | "trouble";
  /** The channel's name of the event, such as `ACCOUNT_RESTRICTION`, or the code of the problem. */
  event: string;
  value: { message?: unknown; details?: unknown };
  happened_at: string;
  until: string | null;
  stops_sending: boolean;
}

/**
 * An account: its number, its state, and the button that disconnects it.
 * @param disconnect is called when the button is pressed.
 */
export function accountOf(
  account: Account,
  disconnect: () => void,
  app: App,
): TemplateResult {
  const { t: { accounts: t }, locale } = app;
  const { id, display_phone, disconnected_at, connected_at, last_event_at } = account;
  const isConnected = disconnected_at === null;
  return html`
    <article class="card account" aria-labelledby="account-${id}">
      <header>
        <h2 id="account-${id}">${display_phone}</h2>
        <p class="badge ${isConnected ? "" : "off"}">
          ${isConnected ? t.connected : t.disconnected}
        </p>
      </header>
      ${noticesOf(account, app)}
      <dl>
        ${momentOf(t.connectedSince, isConnected ? connected_at : null, locale)}
        ${momentOf(t.disconnectedOn, disconnected_at, locale)}
        <div><dt>${t.templates}</dt><dd>${templatesOf(account, app)}</dd></div>
        <div><dt>${t.lastEvent}</dt><dd>${last_event_at
          ? ago(last_event_at, locale)
          : t.noEvent}</dd></div>
        <div><dt>${t.phoneNumberId}</dt><dd>${account.phone_number_id}</dd></div>
        <div><dt>${t.businessAccount}</dt><dd>${account.business_account_id ?? t.unknown}</dd></div>
      </dl>
      ${isConnected && isManager(app.company)
        ? html`
          <div class="buttons">
            <button type="button" class="danger" aria-label=${t.disconnectNumber(display_phone)}
              @click=${disconnect}>${t.disconnect}</button>
          </div>
        `
        : nothing}
    </article>
  `;
}

/** A moment and its name; nothing when there is no moment. */
function momentOf(name: string, at: string | null, locale: string) {
  return at
    ? html`
      <div>
        <dt>${name}</dt>
        <dd>${when(at, locale)}</dd>
      </div>
    `
    : nothing;
}

function templatesOf(account: Account, { t: { accounts: t }, locale }: App): TemplateResult {
  const { templates_synced_at, template_sync_failures, approved_templates } = account;
  const approved = t.approved(approved_templates, figuresIn(locale).whole(approved_templates));
  const read = templates_synced_at === null
    ? t.templatesNeverRead
    : html`${approved}, ${t.templatesRead} ${ago(templates_synced_at, locale)}`;
  return html`${read}${
    template_sync_failures === 0
      ? nothing
      : html`; <strong class="trouble">${t.readingsFailed(template_sync_failures)}</strong>`
  }`;
}

function noticesOf(
  { id, notices }: Account,
  { t: { accounts: t }, locale }: App,
): TemplateResult | typeof nothing {
  if (notices.length === 0) return nothing;
  return html`
    <section class="notices" aria-labelledby="notices-${id}">
      <h3 id="notices-${id}">${t.notices}</h3>
      <ul>
        ${notices.map((notice) =>
          html`
            <li>
              <strong>${notice.kind === "trouble"
                ? t.trouble(notice.event)
                : notice.event}</strong>,
              ${t.since(moment(notice.happened_at, locale))}${notice.until
                ? html`, ${t.noticeUntil(moment(notice.until, locale))}`
                : nothing}.
              ${notice.stops_sending ? html`<strong>${t.stopsSending}.</strong>` : nothing}
              ${wordsOf(notice, t)}
            </li>
          `
        )}
      </ul>
    </section>
  `;
}

/** The meaning of a notice. For an unknown notice, the channel's words. */
function wordsOf({ kind, event, value: { message, details } }: Notice, t: AccountsTexts) {
  const known: Record<string, string> = t.knownNotices;
  if (Object.hasOwn(known, event)) return html`<span>${known[event]}</span>`;
  const words = [message, details].filter((text) => typeof text === "string" && text !== "");
  if (kind !== "trouble" || words.length === 0) return nothing;
  return html`<span lang="en">${words.join(": ")}</span>`;
}
