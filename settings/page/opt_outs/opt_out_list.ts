import { html, nothing, type TemplateResult } from "lit-html";
import { Action } from "../action.ts";
import type { App } from "../app.ts";
import { closeDialog, dialog } from "../dialog.ts";
import { answered, changed, Failure } from "../failure.ts";
import { when } from "../moments.ts";
import { badge } from "../pieces/badge.ts";
import { emptyState } from "../pieces/empty_state.ts";
import { filterBar } from "../pieces/filter_bar.ts";
import { Older } from "../pieces/older.ts";
import { type Column, tableOf } from "../pieces/table.ts";
import type { Part } from "../view.ts";

/**
 * What a contact has opted out of: all messages, or only marketing. The values are field names of a
 * contact.
 */
const KINDS = ["do_not_contact", "marketing_opt_out"] as const;
type Kind = typeof KINDS[number];

/** An opt-out that is in effect now. */
interface OptOut {
  contact_id: string;
  name: string | null;
  phone: string | null;
  kind: Kind;
  source: string;
  /** With microseconds, because the function that lifts the opt-out compares this time. */
  asked_at: string;
  /** The person's message, or the text of the tapped button. */
  words: string | null;
  is_button: boolean | null;
}

/** An opt-out that a member lifted. */
interface Lift {
  id: string;
  kind: Kind;
  source: string;
  asked_at: string;
  /** Null after the contact was erased. */
  reason: string | null;
  member_name: string | null;
  lifted_at: string;
  contacts: { name: string | null; phone: string | null };
}

/** The maximum length of a reason in the database. */
const LONGEST_REASON = 500;

/** The people who opted out, and the opt-outs that members lifted. */
export function optOutList(): Part {
  let asked: { optOut: OptOut; action: Action } | null = null;
  const isLifted = ({ query }: App) => query.get("state") === "lifted";

  const optOuts = new Older<OptOut>((last, max_rows, { project, company, query }) =>
    answered<OptOut[]>(project.client.rpc("opt_outs", {
      ...{ company_id: company.id, search: query.get("q"), max_rows },
      of_kind: KINDS.find((kind) => kind === query.get("kind")),
      ...{
        older_than: last?.asked_at,
        older_than_id: last?.contact_id,
        older_than_kind: last?.kind,
      },
    }))
  );
  const lifts = new Older<Lift>((last, limit, { project, company, query }) => {
    let wanted = project.client.from("opt_out_lifts").select(
      "id,kind,source,asked_at,reason,member_name,lifted_at,contacts!inner(name,phone)",
    ).eq("company_id", company.id);
    const kind = KINDS.find((kind) => kind === query.get("kind"));
    if (kind) wanted = wanted.eq("kind", kind);
    if (last) {
      wanted = wanted.or(
        `lifted_at.lt."${last.lifted_at}",and(lifted_at.eq."${last.lifted_at}",id.lt.${last.id})`,
      );
    }
    return answered<Lift[]>(
      wanted.order("lifted_at", { ascending: false }).order("id", { ascending: false })
        .limit(limit),
    );
  });

  const view = (app: App): TemplateResult => {
    const { t: { optOuts: t } } = app;
    const state = isLifted(app) ? "lifted" : "";
    return html`
      <p class="lead">${t.lead}</p>
      ${filterBar("opt-outs", [
        // There are few lifted opt-outs, so the database has no search for them.
        ...(state
          ? []
          : [{ kind: "search", name: "q", label: t.search, hint: t.searchHint } as const]),
        {
          kind: "choice",
          name: "kind",
          label: t.wish,
          choices: [
            ["", t.every],
            ...KINDS.map((kind) => [kind, t.kinds[kind]] as [string, string]),
          ],
        },
        {
          kind: "choice",
          name: "state",
          label: t.state,
          choices: [["", t.counts], ["lifted", t.lifted]],
        },
      ], app)}
      ${state ? liftsOf(app) : optOutsOf(app)}
      ${asked ? questionOf(asked, app) : nothing}
    `;
  };

  const optOutsOf = (app: App) => {
    const { t: { optOuts: t }, query } = app;
    if (optOuts.rows.length === 0) {
      return query.size > 0 ? emptyState({ title: t.noneFound, why: t.noneFoundWhy }) : emptyState({
        ...{ title: t.none, why: t.noneWhy },
        example: html`<p class="hint">${t.noneExample}</p>`,
      });
    }
    const columns: Column<OptOut>[] = [
      { name: t.person, kind: "main", value: personOf },
      {
        name: t.wish,
        value: ({ kind }) => badge(t.kinds[kind], kind === "do_not_contact" ? "bad" : "warn"),
      },
      { name: t.how, value: (optOut) => howOf(optOut, app) },
      { name: t.since, value: ({ asked_at }) => when(asked_at, app.locale) },
      {
        name: t.change,
        kind: "act",
        value: (optOut) =>
          html`
            <button type="button" class="link" aria-label=${t.liftOf(
              optOut.name ?? optOut.phone ?? "",
            )}
              @click=${() => {
                asked = { optOut, action: new Action() };
                app.render();
              }}>${t.lift}</button>
          `,
      },
    ];
    return html`${tableOf(t.title, columns, optOuts.rows)}${optOuts.html(".rows tbody tr", app)}`;
  };

  const liftsOf = (app: App) => {
    const { t: { optOuts: t } } = app;
    if (lifts.rows.length === 0) return emptyState({ title: t.noneLifted, why: t.noneLiftedWhy });
    const columns: Column<Lift>[] = [
      { name: t.person, kind: "main", value: ({ contacts }) => personOf(contacts) },
      { name: t.wish, value: ({ kind }) => badge(t.kinds[kind], "quiet") },
      {
        name: t.reason,
        value: ({ reason }) => reason === null ? t.erased : html`<bdi>${reason}</bdi>`,
      },
      {
        name: t.liftedBy,
        value: ({ member_name, lifted_at }) =>
          html`<bdi>${member_name ?? t.someone}</bdi>, ${when(lifted_at, app.locale)}`,
      },
    ];
    return html`${tableOf(t.lifted, columns, lifts.rows)}${lifts.html(".rows tbody tr", app)}`;
  };

  const questionOf = ({ optOut, action }: NonNullable<typeof asked>, app: App) => {
    const { t: { optOuts: t, frame } } = app;
    const person = optOut.name ?? optOut.phone ?? t.nameless;
    const submit = (event: SubmitEvent) => {
      event.preventDefault();
      const fields = new FormData(event.target as HTMLFormElement);
      const reason = String(fields.get("reason")).trim();
      return action.run(app, async () => {
        if (reason === "") throw new Failure("invalid", "", () => t.reasonMissing);
        const { contact_id, kind, asked_at } = optOut;
        await changed(
          app.project.client.rpc("lift_opt_out", { contact_id, kind, asked_at, reason }),
        );
        closeDialog();
        app.reload();
        app.say(t.isLifted(person));
      });
    };
    return dialog(
      action,
      t.question(person),
      html`
        <form novalidate @submit=${submit}>
          <p>${t.meaning[optOut.kind]}</p>
          ${optOut.source === "manual" ? nothing : html`<p class="note">${t.askedThemselves}</p>`}
          <label for="reason">${t.reason}</label>
          <input id="reason" name="reason" maxlength=${LONGEST_REASON} autocomplete="off" dir="auto"
            required aria-describedby="reason-hint">
          <p class="hint" id="reason-hint">${t.reasonHint}</p>
          ${action.html(app.t)}
          <p class="buttons">
            <button class="main" ?disabled=${action.isBusy}>${t.lift}</button>
            <button type="button" @click=${closeDialog}>${frame.cancel}</button>
          </p>
        </form>
      `,
      () => {
        asked = null;
        app.render();
      },
    );
  };

  return { load: (app) => isLifted(app) ? lifts.load(app) : optOuts.load(app), html: view };
}

function personOf({ name, phone }: { name: string | null; phone: string | null }): TemplateResult {
  return name
    ? html`<bdi>${name}</bdi>${
      phone
        ? html`
          <small>${phone}</small>
        `
        : nothing
    }`
    : html`${phone ?? "–"}`;
}

/** The source of an opt-out: the contact's own message, a button, or another source. */
function howOf({ source, words, is_button }: OptOut, { t: { optOuts: t } }: App): TemplateResult {
  const how = Object.hasOwn(t.sources, source)
    ? t.sources[source as keyof typeof t.sources]
    : source;
  if (words === null) return html`${how}`;
  return html`${is_button ? t.tapped : t.wrote} <q>${words.slice(0, 200)}</q>`;
}
