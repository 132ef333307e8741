import * as z from "zod/mini";
import { Id, Timestamp } from "../../../_shared/http/fields.ts";
import { lazily } from "../../../_shared/lazily.ts";
import { Conversation } from "../conversations/row.ts";
import { Deal } from "../deals/row.ts";
import { Message } from "../messages/row.ts";
import { Send } from "../sends/row.ts";
import { Contact } from "./row.ts";

const Time = z.nullable(Timestamp);

const Text = z.nullable(z.string());

/** Which kinds of messages the person allows, and when the person allowed or refused them. */
export const ContactWishes = lazily(() =>
  z.object({
    do_not_contact: z.boolean(),
    do_not_contact_source: Text,
    do_not_contact_at: Time,
    stop_word_at: Time,
    start_word_at: Time,
    marketing_stopped_at: Time,
    marketing_stop_source: Text,
    marketing_resumed_at: Time,
    marketing_opt_out_at: Time,
  }).register(z.globalRegistry, { id: "ContactWishes" })
);

/** An id that the channel assigned to the person. */
export const ContactIdentity = lazily(() =>
  z.object({
    user_id: z.string(),
    business_account_id: Text,
    seen_at: Timestamp,
  }).register(z.globalRegistry, { id: "ContactIdentity" })
);

/** A phone number that the person used earlier, or that came from a merged contact. */
export const ContactFormerPhone = lazily(() =>
  z.object({ phone: z.string(), until: Time }).register(
    z.globalRegistry,
    { id: "ContactFormerPhone" },
  )
);

/** A change to the person's phone numbers or ids, as the channel reported it. */
export const ContactIdentityEvent = lazily(() =>
  z.object({
    kind: z.string(),
    was: Text,
    becomes: Text,
    happened_at: Timestamp,
  }).register(z.globalRegistry, { id: "ContactIdentityEvent" })
);

/**
 * For one of the company's accounts, the time until which the company may send free replies to the
 * person.
 */
export const ContactWindow = lazily(() =>
  z.object({
    account_id: Id,
    last_inbound_at: Time,
    closed_at: Time,
    expires_at: Time,
  }).register(z.globalRegistry, { id: "ContactWindow" })
);

/** An opt-out of the person that a member of the company lifted. */
export const OptOutLift = lazily(() =>
  z.object({
    kind: z.string(),
    source: z.string(),
    asked_at: Timestamp,
    reason: Text,
    lifted_at: Timestamp,
  }).register(z.globalRegistry, { id: "OptOutLift" })
);

/** The first text of a message that the person edited. */
export const OriginalContent = lazily(() =>
  z.object({ message_id: Id, content: z.string() }).register(
    z.globalRegistry,
    { id: "OriginalContent" },
  )
);

/** The data that is stored about a person. */
export const ContactExport = lazily(() =>
  z.object({
    contact: Contact,
    wishes: ContactWishes,
    opt_out_lifts: z.array(OptOutLift),
    identities: z.array(ContactIdentity),
    former_phones: z.array(ContactFormerPhone),
    identity_events: z.array(ContactIdentityEvent),
    windows: z.array(ContactWindow),
    deals: z.array(Deal),
    conversations: z.array(Conversation),
    messages: z.array(Message),
    original_contents: z.array(OriginalContent),
    sends: z.array(Send),
  }).register(z.globalRegistry, { id: "ContactExport" })
);
