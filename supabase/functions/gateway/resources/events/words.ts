import { COMMON, type FieldsOf, type Words } from "../../../_shared/http/api_words.ts";
import type { Event, EventActor } from "../../../_shared/webhooks/event.ts";

/** The texts about events in the API's description. */
export const words = {
  operations: {
    listEvents: {
      tag: "Events",
      summary: "List events",
      description:
        "Lists what happened to the records of your company in the last 30 days, oldest first. " +
        "To get every event, always continue with `next_cursor`, even after a page whose " +
        "`has_more` is false. This works like the changes of a resource. With a filter, a page " +
        "may have fewer events than its limit, or none, and `has_more` may still be true. An " +
        "event has ids and the names of the changed fields, and no personal data.",
    },
    getEvent: {
      tag: "Events",
      summary: "Get an event",
      description: "Returns one event of the last 30 days.",
    },
  },
  schemas: {
    Event: "Something that happened to a record.",
    EventActor: "Who made a change.",
  },
  fields: {
    Event: {
      id: "The id of the event. Every delivery of the event has this id as `webhook-id`.",
      type: "What happened, such as `deal.won`.",
      timestamp:
        "When the event happened, to the microsecond. A later event of the same record never has an " +
        "earlier time, even if both happened in the same millisecond.",
      company_id: COMMON.company_id,
      resource: "The kind of record.",
      record_id: "The id of the record. For a send, this is the id of its message.",
      actor: "Who made the change.",
      request_id:
        "The `X-Request-Id` of the request that made the change; `null` when there was none.",
      changed: "The names of the fields that changed.",
      changes:
        "The value of a field before the change (`from`) and after it (`to`), only for fields " +
        "without personal data, such as `stage_id`. Some types have other values here, such as " +
        "the ids of the conversations of an erased contact.",
    } satisfies FieldsOf<typeof Event>,
    EventActor: {
      kind: "`key`: an API key. `person`: a signed-in person. `platform`: the operator. " +
        "`channel`: WhatsApp. `job`: a scheduled job of the service.",
      id: "The id of the key or of the person; otherwise `null`.",
    } satisfies FieldsOf<typeof EventActor>,
  },
} satisfies Words;
