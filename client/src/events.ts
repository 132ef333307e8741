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

/** The record of each kind of event. */
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

/** The kind of record of a type of event. */
export type ResourceOf<Type extends EventType> = Type extends `${infer Resource}.${string}`
  ? Resource & keyof EventRecords
  : never;

/** The ids of what belongs to a person who was erased. */
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
    /** The id of the event. It is the same in every repeat. */
    id: string;
    type: Type;
    /** When it happened. Of two events of one record, the later one has the later time. */
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
    /** Of fields that say nothing about a person, the values before and after the change. */
    changes: Type extends "contact.erased" ? ErasedRecords : Record<string, EventChange>;
    /**
     * The record as it was when the request was made, which may be later than the event. `null`
     * when the record is gone.
     */
    data: EventRecords[ResourceOf<Type>] | OnlyId<EventRecords[ResourceOf<Type>]> | null;
    /** Present when the record was too large, so that `data` has only its id. */
    truncated?: true;
  }
  : never;
