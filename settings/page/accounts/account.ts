import { html, nothing, type TemplateResult } from "lit-html";
import { figuresIn } from "../activity/figures.ts";
import { type App, isManager } from "../app.ts";
import { ago, fromNow, moment } from "../moments.ts";
import { badge } from "../pieces/badge.ts";
import { facts } from "../pieces/facts.ts";
import type { AccountsTexts } from "../texts/en/accounts.ts";
import {
  type Account,
  causeOf,
  isRefusal,
  type Notice,
  type Part,
  partsOf,
  stateOf,
} from "./health.ts";

/**
 * An account: its phone number, its state, the health of its parts, and the possible actions.
 * @param disconnect is called when the user presses the Disconnect button.
 */
export function accountOf(
  account: Account,
  disconnect: () => void,
  app: App,
): TemplateResult {
  const { t: { accounts: t }, locale } = app;
  const { id, display_phone, disconnected_at, connected_at } = account;
  const isConnected = disconnected_at === null;
  const { tone, words } = stateOf(account, t);
  const parts = isConnected
    ? partsOf(account, {
      t,
      moment: (at) => moment(at, locale),
      fromNow: (at) => fromNow(at, locale),
      number: (value) => figuresIn(locale).whole(value),
    })
    : [];
  return html`
    <article class="card account" aria-labelledby="account-${id}">
      <header>
        <h2 id="account-${id}">${display_phone}</h2>
        ${badge(words, tone)}
      </header>
      ${isConnected ? nothing : html`<p>${t.disconnectedMeaning}</p>`}
      ${noticesOf(account, app)}
      ${parts.length === 0 ? nothing : html`
        <dl class="health">${parts.map(partOf)}</dl>
      `}
      ${facts([
        [t.templates, isConnected ? templatesOf(account, app) : null],
        [t.connectedSince, isConnected && connected_at ? moment(connected_at, locale) : null],
        [t.disconnectedOn, disconnected_at && moment(disconnected_at, locale)],
        [t.phoneNumberId, html`<code>${account.phone_number_id}</code>`],
        [
          t.businessAccount,
          account.business_account_id
            ? html`<code>${account.business_account_id}</code>`
            : t.unknown,
        ],
      ])}
      ${isManager(app.company)
        ? html`
          <div class="buttons">
            <a class=${isConnected ? "button" : "button main"} href=${app.href(
              `accounts/connect?number=${account.phone_number_id}`,
            )} aria-label=${isConnected
              ? t.newTokenFor(display_phone)
              : t.connectAgainNumber(display_phone)}>${isConnected
              ? t.newToken
              : t.connectAgain}</a>
            ${isConnected
              ? html`
                <button type="button" class="danger" aria-label=${t.disconnectNumber(display_phone)}
                  @click=${disconnect}>${t.disconnect}</button>
              `
              : nothing}
          </div>
        `
        : nothing}
    </article>
  `;
}

function partOf({ name, tone, state, more, whatToDo }: Part): TemplateResult {
  return html`
    <div class=${tone}>
      <dt>${name}</dt>
      <dd>
        <b>${state}</b>${more
          ? html`
            <span>${more}</span>
          `
          : nothing}
        ${whatToDo ? html`<p>${whatToDo}</p>` : nothing}
      </dd>
    </div>
  `;
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
  { id, notices, disconnected_at }: Account,
  app: App,
): TemplateResult | typeof nothing {
  const { t: { accounts: t }, locale } = app;
  // After a disconnection, a refusal is not shown, because it was about the ended connection.
  const shown = notices.filter((notice) => disconnected_at === null || !isRefusal(notice));
  if (shown.length === 0) return nothing;
  const isBad = shown.some(({ stops_sending }) => stops_sending);
  return html`
    <section class="notices ${isBad ? "bad" : ""}" aria-labelledby="notices-${id}">
      <h3 id="notices-${id}">${t.notices}</h3>
      <ul>
        ${shown.map((notice) =>
          html`
            <li>
              <strong>${titleOf(notice, t)}</strong>
              <p>${t.since(moment(notice.happened_at, locale))}${notice.until
                ? html`, ${t.noticeUntil(moment(notice.until, locale))}`
                : nothing}${pathOfStopped(notice)
                ? html`
                  · <a href=${app.href(pathOfStopped(notice)!)}>${t.stoppedSends(
                    notice.stopped_sends,
                    figuresIn(locale).whole(notice.stopped_sends),
                  )}</a>
                `
                : notice.stops_sending
                ? html`
                  · ${t.stopsSending}.
                `
                : nothing}${isRefusal(notice) && /^\d+$/.test(notice.event)
                ? html`
                  · ${t.code(notice.event)}
                `
                : nothing}</p>
              ${wordsOf(notice, t)}
            </li>
          `
        )}
      </ul>
    </section>
  `;
}

/**
 * The path of the list of sends that a refusal has stopped. Null for a notice that stops no sends.
 */
function pathOfStopped({ kind }: Notice): string | null {
  const outcome = { refusal: "released", reported_refusal: "failed" }[kind as string];
  return outcome ? `sends?outcome=${outcome}&reason=channel_account_error` : null;
}

/** A short description of the notice. */
function titleOf({ kind, event }: Notice, t: AccountsTexts): string {
  if (kind === "reading_refusal") return t.readingRefused;
  if (isRefusal({ kind })) return t.causes[causeOf(event)].title;
  const known: Record<string, string> = t.noticeTitles;
  if (Object.hasOwn(known, event)) return known[event];
  return kind === "trouble" ? t.trouble(event) : event;
}

/** Explains the notice and what to do. For an unknown notice, returns the channel's own text. */
function wordsOf(notice: Notice, t: AccountsTexts): TemplateResult | typeof nothing {
  const { kind, event, value: { message, details } } = notice;
  if (isRefusal(notice)) return html`<p>${t.causes[causeOf(event)].whatToDo}</p>`;
  const known: Record<string, string> = t.knownNotices;
  if (Object.hasOwn(known, event)) return html`<p>${known[event]}</p>`;
  const words = [message, details].filter((text) => typeof text === "string" && text !== "");
  if (kind !== "trouble" || words.length === 0) return nothing;
  return html`<p lang="en">${words.join(": ")}</p>`;
}
