import type {
  Account,
  Contact,
  Conversation,
  Deal,
  EventActor,
  EventType,
  Message,
  Send,
  Template,
  Webhook,
} from "./types.ts";

export type { Account, EventActor, EventType, Webhook } from "./types.ts";

/** The type of each kind of record that an event can describe. */
export interface EventRecords {
  contact: Contact;
  deal: Deal;
  conversation: Conversation;
  message: Message;
  send: Send;
  template: Template;
  account: Account;
  webhook: Webhook;
}

/** The kind of record that an event type describes, such as `deal` for `deal.won`. */
export type ResourceOf<Type extends EventType> = Type extends `${infer Resource}.${string}`
  ? Resource & keyof EventRecords
  : never;

/** The ids of an erased contact's conversations and deals. */
export interface ErasedRecords extends Record<string, unknown> {
  conversation_ids: string[];
  deal_ids: string[];
}

/** A field's value before and after a change. */
export interface EventChange {
  from: unknown;
  to: unknown;
}

/**
 * A record that was sent with only its id. This happens if the webhook is set to send only ids, or
 * if the event was too large.
 */
export type OnlyId<Row> = { id: string } & { [Field in Exclude<keyof Row, "id">]?: undefined };

/**
 * An event of one type, as a webhook receives it. `event.type` determines the type of `event.data`:
 *
 * ```ts
 * if (event.type === "deal.won") console.log(event.data?.title);
 * ```
 */
export type WebhookEvent<Type extends EventType = EventType> = Type extends EventType ? {
    /** The event's id. Every delivery of the event has the same id. */
    id: string;
    type: Type;
    /**
     * When the event happened. If a record has two events, the later event has the later timestamp.
     */
    timestamp: string;
    company_id: string;
    resource: ResourceOf<Type>;
    /** The record's id. */
    record_id: string;
    actor: EventActor;
    /** The `X-Request-Id` of the request that made the change. */
    request_id: string | null;
    /** The names of the fields that changed. */
    changed: string[];
    /**
     * The values before and after the change. Fields with personal data are left out. For
     * `webhook.switched_off`, `why` says why the webhook was switched off.
     */
    changes: Type extends "contact.erased" ? ErasedRecords
      : Type extends "webhook.switched_off" ? { why: string }
      : Record<string, EventChange>;
    /**
     * The record's state when the delivery was sent, which may be later than the event. `null` if
     * the record no longer exists.
     */
    data: EventRecords[ResourceOf<Type>] | OnlyId<EventRecords[ResourceOf<Type>]> | null;
    /** Present if the record was too large. `data` then contains only its id. */
    truncated?: true;
  }
  : never;
