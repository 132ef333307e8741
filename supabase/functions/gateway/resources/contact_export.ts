import * as z from "zod";
import { rows } from "../../_shared/database/rows.ts";
import { ApiError } from "../../_shared/errors.ts";
import { Id, IdParams, Timestamp } from "../../_shared/http/fields.ts";
import { operation, replyInPieces } from "../../_shared/http/operation.ts";
import type { Caller } from "../../_shared/key/caller.ts";
import { isAnyOf } from "../records/conditions.ts";
import { survivorOf } from "../records/merged.ts";
import { readPage } from "../records/pagination.ts";
import { select } from "../records/projection.ts";
import { readRecords } from "../records/read_operation.ts";
import type { Resource } from "../records/resource.ts";
import { CONTACT, Contact } from "./contacts.ts";
import { CONVERSATION, Conversation } from "./conversations.ts";
import { DEAL, Deal } from "./deals.ts";
import { MESSAGE, Message } from "./messages.ts";
import { SEND, Send } from "./sends.ts";

type Row = Record<string, unknown>;
// deno-lint-ignore no-explicit-any -- a resource of rows of any shape
type AnyResource = Resource<any, any>;

const Time = Timestamp.nullable();
const Text = z.string().nullable();

/** What the person wishes of messages, and what they said of it when. */
export const ContactWishes = z.object({
  do_not_contact: z.boolean(),
  do_not_contact_source: Text,
  do_not_contact_at: Time,
  stop_word_at: Time,
  start_word_at: Time,
  marketing_stopped_at: Time,
  marketing_stop_source: Text,
  marketing_resumed_at: Time,
  marketing_opt_out_at: Time,
}).meta({ id: "ContactWishes" });

/** An id that the channel gives the person. */
export const ContactIdentity = z.object({
  user_id: z.string(),
  business_account_id: Text,
  seen_at: Timestamp,
}).meta({ id: "ContactIdentity" });

/** A phone that the person had, or has besides. */
export const ContactFormerPhone = z.object({ phone: z.string(), until: Time })
  .meta({ id: "ContactFormerPhone" });

/** What the channel reported of who the person is. */
export const ContactIdentityEvent = z.object({
  kind: z.string(),
  was: Text,
  becomes: Text,
  happened_at: Timestamp,
}).meta({ id: "ContactIdentityEvent" });

/** Until when the company may answer the person freely on one of its accounts. */
export const ContactWindow = z.object({
  account_id: Id,
  last_inbound_at: Time,
  closed_at: Time,
  expires_at: Time,
}).meta({ id: "ContactWindow" });

/** All that is held on a person. */
export const ContactExport = z.object({
  contact: Contact,
  wishes: ContactWishes,
  identities: z.array(ContactIdentity),
  former_phones: z.array(ContactFormerPhone),
  identity_events: z.array(ContactIdentityEvent),
  windows: z.array(ContactWindow),
  deals: z.array(Deal),
  conversations: z.array(Conversation),
  messages: z.array(Message),
  sends: z.array(Send),
}).meta({ id: "ContactExport" });

/** All that is held on a person, as one JSON, which is made while it is sent: the memory has a page of it at a time. */
export const contactExport = operation({
  id: "exportContact",
  method: "GET",
  path: "/contacts/:id/export",
  scope: "read",
  params: IdParams,
  answers: { 200: z.object({ data: ContactExport }) },
  errors: ["not_found"],
}, async ({ caller, params }) => {
  let { id } = params;
  const read = async () => await readRecords(caller, CONTACT as AnyResource, {}, "id", id);
  let [contact] = await read();
  if (!contact) {
    // The person is the contact into which this one was merged.
    id = await survivorOf(caller, CONTACT, id) ?? id;
    if (id !== params.id) [contact] = await read();
  }
  if (!contact) throw new ApiError("not_found", "Contact not found");
  return replyInPieces(200, exportOf(caller, contact, id));
});

async function* exportOf(caller: Caller, contact: Row, id: string): AsyncGenerator<string> {
  const conversationIds: string[] = [];
  yield `{"data":{"contact":${JSON.stringify(contact)},"wishes":${
    JSON.stringify(await wishesOf(caller, id))
  }`;
  yield* member("identities", partsOf(caller, "own_contact_identities", ContactIdentity, id));
  yield* member("former_phones", formerPhonesOf(caller, id));
  yield* member(
    "identity_events",
    partsOf(caller, "own_contact_identity_events", ContactIdentityEvent, id),
  );
  yield* member("windows", partsOf(caller, "own_contact_windows", ContactWindow, id));
  yield* member("deals", recordsOf(caller, DEAL, "contact_id", id));
  yield* member("conversations", async function* () {
    for await (const page of recordsOf(caller, CONVERSATION, "contact_id", id)()) {
      conversationIds.push(...page.map((row) => row.id as string));
      yield page;
    }
  });
  yield* member("messages", messagesOf(caller, conversationIds));
  yield* member("sends", sendsOf(caller, conversationIds));
  yield "}}";
}

type Pages = () => AsyncIterable<Row[]>;

/** A member of the JSON with a list of rows, page by page. */
async function* member(name: string, pages: Pages): AsyncGenerator<string> {
  let separator = "";
  yield `,"${name}":[`;
  for await (const page of pages()) {
    if (page.length === 0) continue;
    yield separator + page.map((row) => JSON.stringify(row)).join(",");
    separator = ",";
  }
  yield "]";
}

async function wishesOf({ reader }: Caller, id: string): Promise<Row> {
  const columns = Object.keys(ContactWishes.shape).join(",");
  const [wishes] = rows(
    await reader.from("own_contact_wishes").select<string, Row>(columns).eq("id", id),
  );
  // Gone since it was read: whoever deletes a company deletes its contacts.
  if (!wishes) throw new ApiError("not_found", "Contact not found");
  return wishes;
}

/** Of what the channel knows of a person, there are few rows; a page has as many as the database answers at most. */
const PART_ROWS = 500;

/** The rows of a view about a contact, in the order of their ids. */
function partsOf(
  { reader }: Caller,
  view:
    | "own_contact_identities"
    | "own_contact_former_phones"
    | "own_contact_identity_events"
    | "own_contact_windows",
  row: z.ZodObject,
  contactId: string,
): Pages {
  const fields = Object.keys(row.shape);
  return async function* () {
    let last = "00000000-0000-0000-0000-000000000000";
    while (true) {
      const found = rows(
        await reader.from(view).select<string, Row>(["id", ...fields].join(","))
          .eq("contact_id", contactId).gt("id", last).order("id").limit(PART_ROWS),
      );
      yield found.map((row) => Object.fromEntries(fields.map((field) => [field, row[field]])));
      if (found.length < PART_ROWS) return;
      last = found.at(-1)!.id as string;
    }
  };
}

function formerPhonesOf(caller: Caller, contactId: string): Pages {
  const pages = partsOf(caller, "own_contact_former_phones", ContactFormerPhone, contactId);
  return async function* () {
    for await (const page of pages()) {
      // A further phone is theirs as long as nobody says otherwise.
      yield page.map((row) => row.until === "infinity" ? { ...row, until: null } : row);
    }
  };
}

/** The records of a resource with this value in a column, newest first. */
function recordsOf(
  caller: Caller,
  resource: AnyResource,
  column: string,
  value: string,
  fields?: string[],
): Pages {
  const list = { resource, within: isAnyOf(column, [value]), whenEmpty: async () => {} };
  return async function* () {
    let cursor: string | undefined;
    do {
      const asked = {
        ...{ limit: 200, cursor, fields, order: resource.order, conditions: [] },
        ...{ archived: "include" as const, includesTotal: false, isChosen: false },
      };
      const { data, pagination } = await readPage(caller, list, asked);
      yield data;
      cursor = pagination.next_cursor ?? undefined;
    } while (cursor !== undefined);
  };
}

function messagesOf(caller: Caller, conversationIds: string[]): Pages {
  return async function* () {
    for (const id of conversationIds) yield* recordsOf(caller, MESSAGE, "conversation_id", id)();
  };
}

/** More ids would make an address too long. */
const SENDS_AT_ONCE = 100;

function sendsOf(caller: Caller, conversationIds: string[]): Pages {
  const selection = select(SEND as AnyResource, {}, []);
  const pagesOfIds = async function* () {
    for (const id of conversationIds) {
      yield* recordsOf(caller, MESSAGE, "conversation_id", id, ["id", "direction"])();
    }
  };
  return async function* () {
    for await (const page of pagesOfIds()) {
      const ids = page.filter(({ direction }) => direction === "outbound").map(({ id }) => id);
      for (let at = 0; at < ids.length; at += SENDS_AT_ONCE) {
        const some = ids.slice(at, at + SENDS_AT_ONCE) as string[];
        const found = caller.reader.from("own_sends").select<string, Row>(selection.columns);
        yield rows(await found.in("message_id", some)).map(selection.answer);
      }
    }
  };
}
