import { html, type TemplateResult } from "lit-html";
import type { App } from "../app.ts";
import type { Texts } from "../texts.ts";
import type { Part } from "../view.ts";
import { addressOf, type Webhook, webhooksOf } from "./webhook.ts";

/**
 * The webhooks that a question is about, by address: the creator of a webhook may have given it a
 * misleading description. Without such webhooks, the part is empty.
 */
export function askedWebhooks(
  isMeant: (webhook: Webhook) => boolean,
  intro: (t: Texts) => string,
): Part {
  let found: Webhook[] = [];

  async function load(app: App): Promise<void> {
    found = (await webhooksOf(app)).filter((each) => each.state !== "off" && isMeant(each));
  }

  function view({ t }: App): TemplateResult {
    if (found.length === 0) return html``;
    return html`
      <p class="note warn">${intro(t)}</p>
      <ul>${found.map((each) => html`<li><bdi>${addressOf(each)}</bdi></li>`)}</ul>
    `;
  }

  return { load, html: view };
}
