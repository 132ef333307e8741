import { html, nothing, type TemplateResult } from "lit-html";
import { type App, isManager } from "./app.ts";
import { copyButton } from "./copy_button.ts";
import { answered, expectRow } from "./failure.ts";
import { HeldPart } from "./held_part.ts";
import { later } from "./later.ts";
import { ago, moment } from "./moments.ts";
import { badge } from "./pieces/badge.ts";
import { facts } from "./pieces/facts.ts";
import { previewOf } from "./templates/preview.ts";
import { requestFor } from "./templates/request.ts";
import {
  examplesOf,
  languageName,
  mediumOf,
  type Sender,
  sendersOf,
  toneOf,
  type Values,
  type Variable,
  WHOLE,
  type WholeTemplate,
  wordFor,
} from "./templates/template.ts";
import type { View } from "./view.ts";

/** A template with one of these statuses can never be sent. */
const NEVER_SENT = ["REJECTED", "DISABLED", "DELETED"];

/**
 * One template: its preview, whether it can be sent, what a send needs, and a test send.
 */
export function template(id: string): View {
  let shown: WholeTemplate | null = null;
  let senders: Sender[] = [];
  let values: Values = { header: [], body: [], buttons: [] };
  const tested = () => ({ template: shown!, values, senders });
  const test = new HeldPart(
    later(async () => (await import("./templates/test_send.ts")).testSend(tested), {
      texts: ["sends", "send"],
    }),
  );

  async function load(app: App): Promise<void> {
    const { project: { client }, company } = app;
    const [rows, all] = await Promise.all([
      answered<WholeTemplate[]>(
        client.from("templates").select(WHOLE).eq("company_id", company.id).eq("id", id),
      ),
      sendersOf(app),
    ]);
    shown = expectRow(rows);
    senders = all.filter((each) => shown!.phone_number_ids.includes(each.phone_number_id));
    values = examplesOf(shown, app.t.templates.word);
    if (isManager(company)) test.load(app);
  }

  function view(app: App): TemplateResult {
    const { t: { templates: t }, locale } = app;
    const template = shown!;
    const troubles = troublesOf(template, senders, app);
    return html`
      <p class="what">
        ${badge(wordFor(template.status, t.statuses), toneOf(template.status))}
        <span>${languageName(template.language, locale)}</span>
        ${template.category
          ? html`<span>${wordFor(template.category, t.categories)}</span>`
          : nothing}
      </p>
      ${troubles.map((trouble) => html`<div class="failure">${trouble}</div>`)}
      ${template.upcoming_category
        ? html`<p class="note">${t.upcoming(wordFor(template.upcoming_category, t.categories))}</p>`
        : nothing}
      <div class="sides">
        <section class="card" aria-labelledby="needs">
          <h2 id="needs">${t.needs}</h2>
          ${needsOf(template, values, app)}
        </section>
        <section aria-labelledby="preview">
          <h2 id="preview">${t.preview}</h2>
          ${previewOf(template, values, app)}
        </section>
      </div>
      <section class="card" aria-labelledby="test">
        <h2 id="test">${t.test.title}</h2>
        ${!isManager(app.company)
          ? html`<p>${t.test.onlyManagers}</p>`
          : troubles.length > 0
          ? html`<p>${t.test.notNow}</p>`
          : html`
            <p>${t.test.lead}</p>
            ${test.html(app)}
          `}
      </section>
      ${NEVER_SENT.includes(template.status) ? nothing : requestOf(template, app)}
      <section class="card" aria-labelledby="facts">
        <h2 id="facts">${t.facts}</h2>
        ${facts([
          [t.account, senders.map(({ display_phone }) => display_phone).join(", ") || t.noAccount],
          [t.quality, wordFor(template.quality ?? "UNKNOWN", t.qualities)],
          [t.statusSince, moment(template.status_since, locale)],
          [t.readAt, ago(template.read_at, locale)],
          [t.channelId, template.channel_template_id],
        ])}
      </section>
      <p><a href=${app.href("templates")}>${t.toList}</a></p>
    `;
  }

  /** A request that sends the template with the values of the form. */
  function requestOf(template: WholeTemplate, app: App): TemplateResult {
    const { t: { templates: t }, project: { functionsUrl } } = app;
    const text = requestFor(functionsUrl, template, values, {
      phone: t.phonePlace,
      phoneNumberId: template.phone_number_ids[0] ?? t.numberPlace,
      key: t.keyPlace,
    });
    return html`
      <section class="card" aria-labelledby="request">
        <h2 id="request">${t.request}</h2>
        <figure class="line">
          <figcaption>${t.requestHint} ${copyButton(
            text,
            t.copyRequest,
            "template-request",
            app,
          )}</figcaption>
          <pre tabindex="0"><code id="template-request">${text}</code></pre>
        </figure>
      </section>
    `;
  }

  return { title: (t) => shown?.name ?? t.menu.templates, load, html: view };
}

/** Why the template cannot be sent, and what a person can do. */
function troublesOf(template: WholeTemplate, senders: Sender[], app: App): TemplateResult[] {
  const { t: { templates: t } } = app;
  const { status, rejected_reason, unsupported, media_problem } = template;
  const troubles: TemplateResult[] = [];
  if (status !== "APPROVED") {
    const reason = rejected_reason && wordFor(rejected_reason, t.rejections);
    troubles.push(html`
      <p>${wordFor(status, t.meanings) === status
        ? t.otherMeaning
        : wordFor(status, t.meanings)}</p>
      ${reason ? html`<p>${t.rejectedFor} ${reason}</p>` : nothing}
    `);
  }
  if (unsupported.length > 0) {
    troubles.push(html`
      <p>${t.unsupported(unsupported.map((part) => wordFor(part, t.parts)).join(", "))}</p>
    `);
  }
  if (media_problem) {
    troubles.push(html`
      <p>${t.mediaProblem}</p>
      <p lang="en">${media_problem}</p>
    `);
  }
  if (senders.length === 0) {
    troubles.push(html`
      <p>${t.noSender} <a href=${app.href("accounts")}>${t.toAccounts}</a></p>
    `);
  }
  return troubles;
}

/** A field for each value of a send. The preview and the request show the values. */
function needsOf(template: WholeTemplate, values: Values, app: App): TemplateResult {
  const { t: { templates: t } } = app;
  const { variables } = template;
  const medium = mediumOf(template);
  const count = variables.header.length + variables.body.length + variables.buttons.length;
  const field = (
    part: keyof Values,
    label: (name: string) => string,
    { name }: Variable,
    at: number,
  ) => {
    const change = ({ target }: Event) => {
      values[part][at] = (target as HTMLInputElement).value;
      app.render();
    };
    const fieldId = `value-${part}-${at}`;
    return html`
      <p class="value">
        <label for=${fieldId}>${label(name)}</label>
        <input id=${fieldId} autocomplete="off" maxlength="1024" .value=${values[part][at]}
          @input=${change}>
      </p>
    `;
  };
  return html`
    ${medium ? html`<p>${t.mediumNeeded[medium]}</p>` : nothing}
    ${count > 0
      ? html`<p class="hint">${t.valuesHint}</p>`
      : medium
      ? nothing
      : html`<p>${t.noValues}</p>`}
    ${variables.header.map((each, at) => field("header", t.headerValue, each, at))}
    ${variables.body.map((each, at) => field("body", t.bodyValue, each, at))}
    ${variables.buttons.map((each, at) =>
      field("buttons", t.buttonValue, { ...each, name: each.text }, at)
    )}
  `;
}
