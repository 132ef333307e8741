import { html, nothing, type TemplateResult } from "lit-html";
import { Action } from "../action.ts";
import { type App, isManager } from "../app.ts";
import { copyButton } from "../copy_button.ts";
import { answered } from "../failure.ts";
import { facts } from "../pieces/facts.ts";
import { timeline } from "../pieces/timeline.ts";
import type { Part, View } from "../view.ts";
import { authorOf, messageOf, outcomeOf, recipientOf, type WholeSend } from "./send.ts";
import { stepsOf } from "./send_steps.ts";

/** One send: its steps, the message as the recipient saw it, and its ids. */
export function sendPage(id: string): Part & Pick<View, "title"> {
  const refreshing = new Action();
  let send: WholeSend | null = null;
  let recipient = "";

  async function load(app: App): Promise<void> {
    send = await answered<WholeSend>(
      app.project.client.rpc("get_company_send", { company_id: app.company.id, message_id: id }),
    );
    recipient = recipientOf(send, app);
  }

  function view(app: App): TemplateResult {
    const { t: { send: t, sends }, locale } = app;
    const { text, contact, double_sent } = send!;
    recipient = recipientOf(send!, app);
    const refresh = () => refreshing.run(app, () => load(app).then(() => app.say(t.refreshed)));
    return html`
      <p class="what">${outcomeOf(send!, app)}</p>
      ${double_sent ? html`<p class="note">${t.doubleSent}</p>` : nothing}
      <section class="card" aria-labelledby="steps">
        <header class="row">
          <h2 id="steps">${t.happened}</h2>
          <button type="button" class="copy" ?disabled=${refreshing.isBusy} @click=${refresh}>
            ${t.refresh}
          </button>
        </header>
        ${refreshing.html(app.t)}
        ${timeline(stepsOf(send!, app), locale)}
      </section>
      <section class="card" aria-labelledby="message">
        <h2 id="message">${sends.message}</h2>
        ${text === ""
          ? html`<p class="hint">${t.noText}</p>`
          : html`<blockquote class="bubble">${text}</blockquote>`}
        ${send!.template_name !== null && !send!.is_rendered && text !== ""
          ? html`<p class="hint">${t.notRendered}</p>`
          : nothing}
      </section>
      <section class="card" aria-labelledby="facts">
        <h2 id="facts">${t.facts}</h2>
        ${facts(factsOf(send!, app))}
      </section>
      <p class="buttons">
        ${contact.phone
          ? html`<a href=${app.href(`sends?${new URLSearchParams({ q: contact.phone })}`)}>${
            t.othersTo(recipient)
          }</a>`
          : nothing}
        <a href=${app.href("sends")}>${t.back}</a>
      </p>
    `;
  }

  return {
    title: (t) => recipient === "" ? t.menu.sends : t.send.titleOf(recipient),
    load,
    html: view,
  };
}

function factsOf(send: WholeSend, app: App): [string, unknown][] {
  const { t: { send: t, sends } } = app;
  const { contact, idempotency_key, whatsapp_message_id, attempt } = send;
  const copied = (id: string, text: string, what: string) =>
    html`<span class="copied"><code id=${id}>${text}</code> ${
      copyButton(text, what, id, app)
    }</span>`;
  return [
    [sends.person, html`<bdi>${recipientOf(send, app)}</bdi>`],
    [t.phone, contact.phone],
    [t.kind, messageOf(send, app)],
    [t.from, send.from_phone],
    [sends.author, authorOf(send, app)],
    [t.attempts, attempt > 1 ? attempt : null],
    [
      t.idempotencyKey,
      isManager(app.company) && idempotency_key
        ? copied("idempotency-key", idempotency_key, t.copyIdempotencyKey)
        : null,
    ],
    [t.link, copied("send-link", location.href, t.copyLink)],
    [t.messageId, copied("message-id", send.message_id, t.copyMessageId)],
    [
      t.whatsappId,
      whatsapp_message_id && copied("whatsapp-id", whatsapp_message_id, t.copyWhatsappId),
    ],
  ];
}
