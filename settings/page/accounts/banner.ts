import { html, nothing, type TemplateResult } from "lit-html";
import { type App, isManager } from "../app.ts";
import { answered } from "../failure.ts";
import { fromNow } from "../moments.ts";
import { shortAddress } from "../short_address.ts";
import type { Part } from "../view.ts";

/** A problem that stops the sends of a phone number, or will soon stop them. */
interface AccountTrouble {
  display_phone: string;
  trouble: "refused" | "restricted" | "token_expired" | "token_expires";
  until: string | null;
  stopped_sends: number;
}

/** A webhook that receives no events. */
interface WebhookTrouble {
  webhook_id: string;
  /** The URL's host and path. */
  address: string;
  trouble: "off" | "failing";
}

/** A problem in a sentence, and the view that says what to do. */
interface Problem {
  sentence: string;
  path: string;
  isBad: boolean;
}

/**
 * The banner that every view shows when a phone number cannot send or a webhook receives no events.
 */
export function troubleBanner(): Part {
  let accounts: AccountTrouble[] = [];
  let webhooks: WebhookTrouble[] = [];

  async function load({ project: { client }, company }: App): Promise<void> {
    const asked = { company_id: company.id };
    [accounts, webhooks] = await Promise.all([
      answered<AccountTrouble[]>(client.rpc("messaging_account_troubles", asked)),
      isManager(company) ? answered<WebhookTrouble[]>(client.rpc("webhook_troubles", asked)) : [],
    ]);
  }

  function view(app: App): TemplateResult {
    const { t: { banner: t } } = app;
    const problems: Problem[] = [
      ...accounts.map((each) => ({
        sentence: sentenceOf(each, app),
        path: "accounts",
        isBad: each.trouble !== "token_expires",
      })),
      ...webhooks.map(({ trouble, address, webhook_id }) => ({
        sentence: (trouble === "off" ? t.webhookOff : t.webhookFails)(shortAddress(address)),
        path: `webhooks/${webhook_id}`,
        isBad: true,
      })),
    ];
    const [first, ...more] = problems;
    if (!first) return html``;
    return html`
      <section class=${first.isBad ? "bad" : ""} aria-label=${t.title}>
        <b>${first.sentence}</b>
        ${more.length > 0 ? t.more(more.length) : nothing}
        <a href=${app.href(first.path)}>${t.see}</a>
      </section>
    `;
  }

  return { load, html: view };
}

function sentenceOf(
  { trouble, display_phone, until, stopped_sends }: AccountTrouble,
  { t: { banner: t }, locale }: App,
): string {
  switch (trouble) {
    case "refused": {
      const sends = new Intl.NumberFormat(locale).format(stopped_sends);
      return t.refused(display_phone, stopped_sends === 0 ? null : sends);
    }
    case "token_expires":
      return t.token_expires(display_phone, until === null ? "" : fromNow(until, locale));
    default:
      return t[trouble](display_phone);
  }
}
