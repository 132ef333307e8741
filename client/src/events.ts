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

/** For each kind of event, the type of the record that the event is about. */
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

/** The kind of record that a type of event is about: `deal` for `deal.won`. */
export type ResourceOf<Type extends EventType> = Type extends `${infer Resource}.${string}`
  ? Resource & keyof EventRecords
  : never;

/** The ids of the conversations and deals of an erased person. */
export interface ErasedRecords extends Record<string, unknown> {
  conversation_ids: string[];
  deal_ids: string[];
}

/** The value of a field before a change and after it. */
export interface EventChange {
  from: unknown;
  to: unknown;
}

/** The record when only its id was sent: the webhook asks for ids, or the event was too large. */
export type OnlyId<Row> = { id: string } & { [Field in Exclude<keyof Row, "id">]?: undefined };

/**
 * An event of one type, as a webhook receives it. `event.type` tells the type of `event.data`:
 *
 * ```ts
 * if (event.type === "deal.won") console.log(event.data?.title);
 * ```
 */
export type WebhookEvent<Type extends EventType = EventType> = Type extends EventType ? {
    /** The id of the event. Every delivery of the event has this id. */
    id: string;
    type: Type;
    /** When the event happened. If a record has two events, the later event has the later time. */
    timestamp: string;
    company_id: string;
    resource: ResourceOf<Type>;
    /** The id of the record. */
    record_id: string;
    actor: EventActor;
    /** The id of the request that made the change, `X-Request-Id`. */
    request_id: string | null;
    /** The names of the fields that changed. */
    changed: string[];
    /** The values before and after the change, only for fields without personal data. */
    changes: Type extends "contact.erased" ? ErasedRecords : Record<string, EventChange>;
    /**
     * The record as it was when the delivery was sent, which may be later than the event. `null`
     * when the record is gone.
     */
    data: EventRecords[ResourceOf<Type>] | OnlyId<EventRecords[ResourceOf<Type>]> | null;
    /** Present when the record was too large, so that `data` has only its id. */
    truncated?: true;
  }
  : never;
