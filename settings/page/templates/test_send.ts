import { html, nothing, type TemplateResult } from "lit-html";
import { askSettings } from "../accounts/ask_settings.ts";
import { Action } from "../action.ts";
import type { App } from "../app.ts";
import { answered, Failure } from "../failure.ts";
import { timeline } from "../pieces/timeline.ts";
import type { WholeSend } from "../sends/send.ts";
import { stepsOf } from "../sends/send_steps.ts";
import { keep, kept, type Texts } from "../texts.ts";
import type { Part } from "../view.ts";
import type { Sender, Values, WholeTemplate } from "./template.ts";

/**
 * The name under which the browser stores the phone number of the user's test sends. No server
 * stores which number the user sends tests to.
 */
const phoneOf = ({ person }: App) => `settings.test_phone.${person.id}`;

const PHONE = /^\+[1-9]\d{6,14}$/;

/** How long the page looks for reports, and how often. */
const WATCH_MS = 5 * 60_000;
const OFTEN_MS = 2_000;
const SELDOM_MS = 10_000;

/** Nothing more is reported after these outcomes. */
const ENDED = ["read", "failed", "refused", "released", "expired"];

/** What a test sends: the template, the current values of the form, and the numbers. */
export interface Tested {
  template: WholeTemplate;
  values: Values;
  /** The numbers that can send the template: at least one. */
  senders: Sender[];
}

/** The form that sends a template to one phone, and what happens to the message. */
export function testSend(tested: () => Tested): Part {
  const test = new TestSend();
  return { load: () => Promise.resolve(), html: (app) => test.html(tested(), app) };
}

class TestSend {
  readonly #sending = new Action();
  /** Null until the form was shown once. */
  #phone: string | null = null;
  #isPhoneWrong = false;
  /**
   * The id and the content of the test, until the page has read what happened to the message. Until
   * then, a press of the button with the same content uses the same id, so that no message is sent
   * twice.
   */
  #unread: { id: string; content: string } | null = null;
  #send: WholeSend | null = null;
  /** Why nothing was sent, although nothing failed. */
  #stopped: "do_not_contact" | "marketing_opt_out" | null = null;

  html({ template, values, senders }: Tested, app: App): TemplateResult {
    const { t: { templates: { test: t } } } = app;
    this.#phone ??= kept(phoneOf(app)) ?? "";
    const submit = (event: Event) => {
      event.preventDefault();
      const form = new FormData(event.currentTarget as HTMLFormElement);
      const sender = String(form.get("sender") ?? senders[0].phone_number_id);
      this.#press(template, values, String(form.get("phone")), sender, app);
    };
    return html`
      <form @submit=${submit} novalidate>
        <label for="test-phone">${t.phone}</label>
        <input id="test-phone" name="phone" type="tel" inputmode="tel" autocomplete="tel"
          placeholder="+5511987654321" .value=${this.#phone}
          aria-invalid=${this.#isPhoneWrong ? "true" : nothing}
          aria-describedby="test-phone-hint test-phone-fault">
        <p id="test-phone-fault" class="fault">${this.#isPhoneWrong ? t.phoneFault : nothing}</p>
        <p id="test-phone-hint" class="hint">${t.phoneHint}</p>
        ${senders.length > 1
          ? html`
            <label for="test-sender">${t.sender}</label>
            <select id="test-sender" name="sender">${senders.map((sender) =>
              html`<option value=${sender.phone_number_id}>${sender.display_phone}</option>`
            )}</select>
          `
          : nothing}
        <p class="buttons">
          <button class="main" ?disabled=${this.#sending.isBusy}>${this.#sending.isBusy
            ? t.sending
            : t.button}</button>
        </p>
        ${this.#sending.html(app.t)}
      </form>
      ${this.#stopped
        ? html`<p class="note" role="status">${t.stopped[this.#stopped]}</p>`
        : nothing}
      ${this.#send ? this.#shown(this.#send, app) : nothing}
    `;
  }

  #shown(send: WholeSend, app: App): TemplateResult {
    const { t: { templates: { test: t } }, locale } = app;
    return html`
      <div id="test-steps" tabindex="-1" aria-label=${t.steps} role="group">
        ${timeline(stepsOf(send, app), locale)}
        <p><a href=${app.href(`sends/${send.message_id}`)}>${t.toSend}</a></p>
      </div>
    `;
  }

  #press(template: WholeTemplate, values: Values, typed: string, sender: string, app: App) {
    const phone = typed.replace(/[\s().-]/g, "");
    this.#phone = typed;
    this.#isPhoneWrong = !PHONE.test(phone);
    if (this.#isPhoneWrong) {
      app.render();
      document.getElementById("test-phone")!.focus();
      return;
    }
    keep(phoneOf(app), phone);
    void this.#sending.run(app, async () => {
      this.#send = this.#stopped = null;
      const asked = {
        ...{ company_id: app.company.id, phone, phone_number_id: sender },
        ...{ template_name: template.name, language_code: template.language },
        header_variables: values.header,
        body_variables: values.body,
        button_variables: values.buttons,
      };
      const content = JSON.stringify(asked);
      if (this.#unread?.content !== content) this.#unread = { id: crypto.randomUUID(), content };
      let sent: string | null;
      try {
        const { message_id, reason } = await askSettings<Sent>(app, "test-sends", {
          ...asked,
          id: this.#unread.id,
        }, sentenceFor);
        this.#stopped = reason;
        sent = message_id;
      } catch (error) {
        if (!(error instanceof Failure) || error.kind !== "unanswered") this.#unread = null;
        throw error;
      }
      if (sent) await this.#watch(sent, app);
      this.#unread = null;
    });
  }

  /** Shows the steps of the send, and looks for new steps while the page shows them. */
  async #watch(message_id: string, app: App): Promise<void> {
    const began = Date.now();
    const read = async () => {
      this.#send = await answered<WholeSend>(
        app.project.client.rpc("get_company_send", { company_id: app.company.id, message_id }),
      );
    };
    await read();
    app.render();
    document.getElementById("test-steps")?.focus();
    const again = async () => {
      const isShown = document.getElementById("test-steps") !== null;
      if (!isShown || this.#send?.message_id !== message_id) return;
      const outcome = this.#send.outcome;
      // A check that fails is not shown, because the next check follows soon.
      if (!document.hidden) await read().catch(() => {});
      if (this.#send.outcome !== outcome) app.say(app.t.sends.outcomes[this.#send.outcome].name);
      app.render();
      const waited = Date.now() - began;
      if (ENDED.includes(this.#send.outcome) || waited > WATCH_MS) return;
      setTimeout(again, waited < 60_000 ? OFTEN_MS : SELDOM_MS);
    };
    setTimeout(again, OFTEN_MS);
  }
}

/** The response to a test send. Without a message, the reason explains why no message was sent. */
interface Sent {
  message_id: string | null;
  reason: "do_not_contact" | "marketing_opt_out" | null;
}

/** The page's own sentence for a refused test. */
function sentenceFor(
  { code, error = "", details }: { code?: string; error?: string; details?: { message: string }[] },
  { templates: { test: t } }: Texts,
): string | undefined {
  switch (code) {
    case "too_many_requests":
      return t.tooMany;
    case "template_rejected":
    case "invalid_request":
      return t.refused(error);
    case "account_not_connected":
      return t.noAccount;
    case "channel_account_error":
      return t.accountError;
    case "channel_unavailable":
      return t.unavailable;
    default:
      return details ? t.refused(error) : undefined;
  }
}
