import { COMMON, type FieldsOf, type Words } from "../../../_shared/http/api_words.ts";
import type { Event, EventActor } from "../../../_shared/webhooks/event.ts";

/** The descriptions of events in the OpenAPI document. */
export const words = {
  operations: {
    listEvents: {
      tag: "Events",
      summary: "List events",
      description:
        "Lists the events about your company's records in the last 30 days, oldest first. To " +
        "receive every event, always continue with `next_cursor`, even after a page whose " +
        "`has_more` is false. This is also the way to read lists of changes. A page may " +
        "contain fewer events than its limit, although `has_more` is true: it ends at about " +
        "1 MiB, and with a filter it may even contain no events. An event contains ids and the names of the changed fields, but no personal data.",
    },
    getEvent: {
      tag: "Events",
      summary: "Get an event",
      description: "Returns one event from the last 30 days.",
    },
  },
  schemas: {
    Event: "An event about a record.",
    EventActor: "The author of a change.",
  },
  fields: {
    Event: {
      id: "The event's id. Every delivery of the event has this id as `webhook-id`.",
      type: "The event type, such as `deal.won`.",
      timestamp:
        "When the event happened, to the microsecond. A later event about the same record never " +
        "has an earlier time, even if both events happened in the same millisecond.",
      company_id: COMMON.company_id,
      resource: "The kind of record.",
      record_id: "The record's id. For a send, this is the id of its message.",
      actor: "The author of the change.",
      request_id:
        "The `X-Request-Id` of the request that made the change. `null` if no request made the " +
        "change.",
      changed: "The names of the fields that changed.",
      changes:
        "The values of each changed field before (`from`) and after (`to`) the change. Only " +
        "fields without personal data are included, such as `stage_id`. Some event types have " +
        "other values here, such as the ids of an erased contact's conversations.",
    } satisfies FieldsOf<typeof Event>,
    EventActor: {
      kind: "`key`: an API key. `person`: a signed-in user. `platform`: the operator. " +
        "`channel`: WhatsApp. `job`: a scheduled job of the service.",
      id: "The id of the API key or the user. Otherwise `null`.",
    } satisfies FieldsOf<typeof EventActor>,
  },
} satisfies Words;
