import * as z from "zod/mini";
import { lazily } from "../lazily.ts";
import { Id, Timestamp } from "../http/fields.ts";

/** The event types of each kind of record. */
export const EVENT_TYPES = {
  contact: [
    ...["created", "updated", "archived", "restored", "merged", "erased", "deleted"],
    ...["opted_out", "opted_in"],
  ],
  deal: [
    ...["created", "updated", "stage_changed", "won", "lost", "reopened", "archived", "restored"],
    "deleted",
  ],
  conversation: ["opened", "assigned", "updated", "closed", "window_closing", "deleted"],
  message: ["received", "status_changed", "updated"],
  send: ["settled", "failed"],
  template: ["status_changed"],
  account: ["restricted", "restored"],
  webhook: ["test", "switched_off"],
};

const RESOURCES = Object.keys(EVENT_TYPES) as (keyof typeof EVENT_TYPES)[];

/** Every event type, such as `deal.won`. */
export const TYPES: string[] = RESOURCES.flatMap((resource) =>
  EVENT_TYPES[resource].map((what) => `${resource}.${what}`)
);

/**
 * The values that a filter or a webhook accepts: a type, all types of a resource (`deal.*`), or all
 * (`*`).
 */
export const WANTED_TYPES: string[] = [
  ...TYPES,
  ...RESOURCES.map((resource) => `${resource}.*`),
  "*",
];

/** The id of an event, in the format that callers see. */
export const EventId = z.string().check(
  z.regex(/^evt_[0-9a-f]{32}$/, "must be evt_ followed by 32 hexadecimal digits"),
);

/** Who made the change that an event reports. */
export const EventActor = lazily(() =>
  z.object({
    kind: z.enum(["key", "person", "platform", "channel", "job"]),
    id: z.nullable(Id),
  }).register(z.globalRegistry, { id: "EventActor" })
);

/** Something that happened to a record, as the event log stores it. */
export const Event = lazily(() =>
  z.object({
    id: EventId,
    type: z.enum(TYPES as [string, ...string[]]),
    timestamp: Timestamp,
    company_id: Id,
    resource: z.enum(RESOURCES),
    record_id: Id,
    actor: EventActor,
    request_id: z.nullable(z.string()),
    changed: z.array(z.string()),
    changes: z.record(z.string(), z.unknown()),
  }).register(z.globalRegistry, { id: "Event" })
);
export type Event = z.output<typeof Event>;
