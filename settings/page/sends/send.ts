import { html, nothing, type TemplateResult } from "lit-html";
import type { App } from "../app.ts";
import { badge } from "../pieces/badge.ts";
import { type Outcome, TONES } from "./outcomes.ts";
import { reasonName } from "./reasons.ts";

/** A send in the log, as list_company_sends() returns it. */
export interface ShownSend {
  message_id: string;
  created_at: string;
  outcome: Outcome;
  /** When the outcome was reported; null when nothing was reported. */
  outcome_at: string | null;
  reason: string | null;
  /** WhatsApp's error code. */
  code: number | null;
  /** Null for a reply. */
  template_name: string | null;
  language_code: string | null;
  contact: { id: string; name: string | null; phone: string | null; is_erased: boolean };
  author: Author | null;
}

/** The message's sender. Agents do not see which API key was used. */
export interface Author {
  type: "key" | "member" | "agent" | "system";
  id: string | null;
  name: string | null;
}

/** One send, as get_company_send() returns it. */
export interface WholeSend extends ShownSend {
  type: string;
  text: string;
  is_rendered: boolean;
  attempt: number;
  attempted_at: string;
  lease_ends_at: string;
  has_channel_id: boolean;
  sent_at: string | null;
  delivered_at: string | null;
  read_at: string | null;
  failed_at: string | null;
  expired_at: string | null;
  failure:
    | { reason: string; code: number | null; message: string | null; details: string | null }
    | null;
  double_sent: boolean;
  from_phone: string;
  conversation_id: string;
  whatsapp_message_id: string | null;
  /** Null for agents, and for a send without a key. */
  idempotency_key: string | null;
}

/** The recipient: the name, or else the phone. */
export function recipientOf({ contact }: ShownSend, { t: { sends: t } }: App): string {
  if (contact.is_erased) return t.erased;
  return contact.name || contact.phone || t.nameless;
}

/** The name of the template, or the word for a reply. */
export function messageOf(send: ShownSend, { t: { sends: t } }: App): TemplateResult {
  return send.template_name === null ? html`${t.reply}` : html`
    <bdi>${send.template_name}</bdi> <small>${send.language_code}</small>
  `;
}

/** Describes the outcome of a send, and its reason. */
export function outcomeOf({ outcome, reason, code }: ShownSend, { t: { sends: t } }: App) {
  return html`${badge(t.outcomes[outcome].name, TONES[outcome])}${
    reason === null ? nothing : html`
      <span class="why">${reasonName(reason, code, t)}</span>
    `
  }`;
}

/** Who wrote a message: an API key, with a link to it, or someone else. */
export function authorOf({ author }: ShownSend, app: App): TemplateResult {
  const { t: { sends: t } } = app;
  if (author === null) return html`${t.authors.platform}`;
  const { type, id, name } = author;
  if (type === "key" && id !== null) {
    return html`<a href=${app.href(`keys/${id}`)}><bdi>${name ?? t.authors.key}</bdi></a>`;
  }
  return name === null || type === "system" ? html`${t.authors[type]}` : html`<bdi>${name}</bdi>`;
}
