import { html, nothing, type TemplateResult } from "lit-html";
import { Action } from "../action.ts";
import { type App, isManager } from "../app.ts";
import { answered } from "../failure.ts";
import { HeldPart } from "../held_part.ts";
import { moment, when } from "../moments.ts";
import { emptyState } from "../pieces/empty_state.ts";
import { type Filter, filterBar } from "../pieces/filter_bar.ts";
import { type Column, tableOf } from "../pieces/table.ts";
import type { Part } from "../view.ts";
import { isOutcome, OUTCOMES, WITH_REASON } from "./outcomes.ts";
import { periodOf, PERIODS } from "./period.ts";
import { type Reason, reasonName } from "./reasons.ts";
import { authorOf, messageOf, outcomeOf, recipientOf, type ShownSend } from "./send.ts";
import { SendsChart } from "./sends_chart.ts";

/** A position in the log. */
interface Place {
  at: string;
  message_id: string;
}

interface Page {
  sends: ShownSend[];
  /** The position after which the next page begins; null at the end of the log. */
  next: Place | null;
}

/**
 * For each page, the database searches at most 5,000 sends, so a page may be empty before the end
 * of the log. The view reads at most this many pages before it asks the user whether to continue.
 */
const PATIENCE = 6;

/** The reasons that the filter offers, as in the API. */
const REASONS: Reason[] = [
  ...[
    "recipient_unreachable",
    "recipient_opted_out",
    "window_closed",
    "template_rejected",
  ] as const,
  ...["channel_account_error", "channel_unavailable", "outcome_unknown", "channel_error"] as const,
];

/** The log of sends, with filters. Above it is the chart of the last 30 days. */
export function sendList(): Part {
  const view: Part = { load, html: content };
  // If the chart cannot be loaded, the log still works.
  const chart = new HeldPart(new SendsChart({ load: refresh, html: content }));
  const reading = new Action();
  let sends: ShownSend[] = [];
  let next: Place | null = null;
  /** Whether the shown sends were read with filters. The URL may already have other filters. */
  let areFiltered = false;
  /** The number of the latest load. Late responses to an earlier load are ignored. */
  let turn = 0;

  /** Reads pages after a position until a page has a send, at most PATIENCE pages. */
  async function read(
    { project: { client }, company, query }: App,
    after: Place | null,
  ): Promise<Page> {
    const outcome = query.get("outcome") ?? "";
    const asked = {
      company_id: company.id,
      outcome: isOutcome(outcome) ? outcome : null,
      reason: query.get("reason"),
      search: query.get("q"),
      ...periodOf(query),
    };
    let page: Page = { sends: [], next: after };
    for (let looked = 0; looked < PATIENCE; looked++) {
      page = await answered<Page>(
        client.rpc("list_company_sends", { ...asked, after: page.next }),
      );
      if (page.sends.length > 0 || page.next === null) break;
    }
    return page;
  }

  async function load(app: App): Promise<void> {
    // The log does not wait for the chart, because counting very many sends takes seconds.
    if (!isFiltered(app)) void chart.load(app);
    await loadLog(app);
  }

  /** Loads the log and the chart. The chart's button then says when the chart was loaded. */
  async function refresh(app: App): Promise<void> {
    await Promise.all([loadLog(app), chart.load(app)]);
  }

  async function loadLog(app: App): Promise<void> {
    const ownTurn = ++turn;
    const willBeFiltered = isFiltered(app);
    const page = await read(app, null);
    if (ownTurn !== turn) return;
    ({ sends, next } = page);
    areFiltered = willBeFiltered;
  }

  function readOlder(app: App) {
    return reading.run(app, async () => {
      const [ownTurn, known] = [turn, sends.length];
      const page = await read(app, next);
      if (ownTurn !== turn) return;
      sends = [...sends, ...page.sends];
      next = page.next;
      app.say(app.t.frame.olderShown(page.sends.length));
      // The button may have disappeared. So the focus moves to the first new send, where the person
      // continues to read.
      document.querySelectorAll<HTMLElement>(".rows tbody tr")[known]?.focus();
    });
  }

  function content(app: App): TemplateResult {
    const { t: { sends: t } } = app;
    if (!areFiltered && sends.length === 0 && next === null) return noSends(app);
    return html`
      ${areFiltered ? nothing : chart.html(app)}
      <section class="log" aria-labelledby="log">
        <h2 id="log" class=${areFiltered ? "unseen" : nothing}>${areFiltered ? t.found : t.log}</h2>
        ${filterBar("sends", filtersOf(app), app)}
        ${sends.length > 0 ? tableOf(t.log, columnsOf(app), sends) : noneFound(app)}
        ${reading.html(app.t)}
        ${next === null ? nothing : html`
          <div class="more">
            ${sends.length === 0
              ? html`<p class="hint">${t.lookedBack(moment(next.at, app.locale))}</p>`
              : nothing}
            <button type="button" ?disabled=${reading.isBusy} @click=${() => readOlder(app)}>
              ${sends.length === 0 ? t.lookFurther : app.t.frame.older}
            </button>
          </div>
        `}
      </section>
    `;
  }

  /** Explains that no send matches the filters, and how to find more. */
  function noneFound(app: App): TemplateResult {
    const { t: { sends: t } } = app;
    return emptyState({
      title: t.noneFound,
      why: next === null ? t.noneFoundWhy : t.noneFoundYet,
      next: html`<a class="button" href=${app.href("sends")}>${t.showAll}</a>`,
    });
  }

  return view;
}

function isFiltered({ query }: App): boolean {
  return ["q", "outcome", "reason", "days", "day"].some((name) => query.has(name));
}

function columnsOf(app: App): Column<ShownSend>[] {
  const { t: { sends: t }, locale } = app;
  const column = (name: string, value: (send: ShownSend) => unknown): Column<ShownSend> => ({
    ...{ name, value },
  });
  return [
    {
      name: t.person,
      kind: "main",
      value: (send) => {
        const { name, phone } = send.contact;
        return html`
          <a href=${app.href(`sends/${send.message_id}`)}><bdi class=${name || !phone
            ? nothing
            : "phone"}>${recipientOf(send, app)}</bdi></a>
          ${name && phone ? html`<small class="phone">${phone}</small>` : nothing}
        `;
      },
    },
    column(t.message, (send) => messageOf(send, app)),
    column(t.outcome, (send) => outcomeOf(send, app)),
    ...(isManager(app.company) ? [column(t.author, (send) => authorOf(send, app))] : []),
    column(t.at, ({ created_at }) => when(created_at, locale)),
  ];
}

function filtersOf({ t: { sends: t }, query, company }: App): Filter[] {
  const outcome = query.get("outcome") ?? "";
  const reason = query.get("reason");
  const reasons = reason && !REASONS.some((known) => known === reason)
    ? [...REASONS, reason]
    : REASONS;
  const hasReason = reason !== null || isOutcome(outcome) && WITH_REASON.includes(outcome);
  return [
    {
      ...{ kind: "search", name: "q", label: t.search },
      hint: isManager(company) ? t.searchHintOfManagers : t.searchHint,
    },
    {
      ...{ kind: "choice", name: "outcome", label: t.outcome },
      choices: [
        ["", t.any],
        ...OUTCOMES.map((each): [string, string] => [each, t.outcomes[each].name]),
      ],
    },
    ...(hasReason
      ? [{
        ...{ kind: "choice" as const, name: "reason", label: t.reason },
        choices: [["", t.any], ...reasons.map((each) => [each, reasonName(each, null, t)])] as [
          string,
          string,
        ][],
      }]
      : []),
    {
      ...{ kind: "choice", name: "days", label: t.period },
      choices: [
        ["", t.anyTime],
        ...PERIODS.map((days): [string, string] => [`${days}`, t.lastDays(days)]),
      ],
    },
    { kind: "day", name: "day", label: t.onDay },
  ];
}

/** What a company sees before its first send. */
function noSends(app: App): TemplateResult {
  const { t: { sends: t }, project: { docsUrl } } = app;
  const guide = docsUrl && `${docsUrl}${docsUrl.endsWith("/") ? "" : "/"}sending-templates.html`;
  return emptyState({
    title: t.none,
    why: isManager(app.company) ? t.noneWhy : t.noneWhyOfAgents,
    next: isManager(app.company)
      ? html`
        <a class="button main" href=${app.href("keys")}>${t.toKeys}</a>
        ${guide ? html`<a href=${guide}>${t.guide}</a>` : nothing}
      `
      : nothing,
    example: html`<p class="example"><b>${t.example}</b> ${t.exampleRow}</p>`,
  });
}
