import * as z from "zod/mini";
import { rows } from "../../../_shared/database/rows.ts";
import { ApiError } from "../../../_shared/errors.ts";
import { Id, IdParams, Timestamp } from "../../../_shared/http/fields.ts";
import { lazily, operation, replyInPieces } from "../../../_shared/http/operation.ts";
import type { Caller } from "../../../_shared/key/caller.ts";
import { isAnyOf } from "../../records/conditions.ts";
import { survivorOf } from "../../records/merged.ts";
import { readPage } from "../../records/pagination.ts";
import { readRecords } from "../../records/read_operation.ts";
import type { Resource } from "../../records/resource.ts";
import { inFormOf } from "../../records/written.ts";
import { Contact } from "./row.ts";
import { CONTACT } from "./read.ts";
import { Conversation } from "../conversations/row.ts";
import { CONVERSATION } from "../conversations/read.ts";
import { Deal } from "../deals/row.ts";
import { DEAL } from "../deals/read.ts";
import { Message } from "../messages/row.ts";
import { MESSAGE } from "../messages/read.ts";
import { Send } from "../sends/row.ts";
import { SEND } from "../sends/read.ts";

type Row = Record<string, unknown>;

// deno-lint-ignore no-explicit-any -- a resource of rows of any shape
type AnyResource = Resource<any, any>;

const Time = z.nullable(Timestamp);

const Text = z.nullable(z.string());

/** Which messages the person wants, and when the person allowed or refused them. */
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
}).register(z.globalRegistry, { id: "ContactWishes" });

/** An id that the channel gives the person. */
export const ContactIdentity = z.object({
  user_id: z.string(),
  business_account_id: Text,
  seen_at: Timestamp,
}).register(z.globalRegistry, { id: "ContactIdentity" });

/** A phone that the person had earlier, or that came from a merged contact. */
export const ContactFormerPhone = z.object({ phone: z.string(), until: Time }).register(
  z.globalRegistry,
  { id: "ContactFormerPhone" },
);

/** What the channel reported about changes of the person's phones and ids. */
export const ContactIdentityEvent = z.object({
  kind: z.string(),
  was: Text,
  becomes: Text,
  happened_at: Timestamp,
}).register(z.globalRegistry, { id: "ContactIdentityEvent" });

/** The time until which the company may send free replies to the person, on one of its accounts. */
export const ContactWindow = z.object({
  account_id: Id,
  last_inbound_at: Time,
  closed_at: Time,
  expires_at: Time,
}).register(z.globalRegistry, { id: "ContactWindow" });

/** Everything that is stored about a person. */
export const ContactExport = lazily(() =>
  z.object({
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
  }).register(z.globalRegistry, { id: "ContactExport" })
);

/**
 * Everything that is stored about a person, as one JSON document. The service makes the document
 * while it sends the document, so only one page is in memory at a time.
 */
export const contactExport = operation({
  id: "exportContact",
  method: "GET",
  path: "/contacts/:id/export",
  scope: "read",
  params: IdParams,
  answers: () => ({ 200: z.object({ data: ContactExport }) }),
  errors: ["not_found"],
}, async ({ caller, params }) => {
  let { id } = params;
  const read = async () => await readRecords(caller, CONTACT as AnyResource, {}, "id", id);
  let [contact] = await read();
  if (!contact) {
    // If this contact was merged, the export is about the remaining contact.
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
  yield* member("sends", sendsOf(caller, id));
  yield "}}";
}

type Pages = () => AsyncIterable<Row[]>;

/** A member of the JSON document with a list of rows, page by page. */
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
  const [wishes] = rows(await reader.from("own_contact_wishes").select().eq("id", id));
  // The contact was deleted after it was read: deleting a company deletes its contacts.
  if (!wishes) throw new ApiError("not_found", "Contact not found");
  return inFormOf(ContactWishes, wishes);
}

/**
 * The channel knows few things about a person, so there are few rows. One request reads at most
 * this many rows.
 */
const PART_ROWS = 500;

/** The rows of a view about a contact, in the order of their ids. */
function partsOf(
  { reader }: Caller,
  view:
    | "own_contact_identities"
    | "own_contact_former_phones"
    | "own_contact_identity_events"
    | "own_contact_windows",
  row: z.ZodMiniObject,
  contactId: string,
): Pages {
  return async function* () {
    let last = "00000000-0000-0000-0000-000000000000";
    while (true) {
      const found = rows(
        await reader.from(view).select()
          .eq("contact_id", contactId).gt("id", last).order("id").limit(PART_ROWS),
      );
      yield found.map((each) => inFormOf(row, each));
      if (found.length < PART_ROWS) return;
      last = found.at(-1)!.id;
    }
  };
}

function formerPhonesOf(caller: Caller, contactId: string): Pages {
  const pages = partsOf(caller, "own_contact_former_phones", ContactFormerPhone, contactId);
  return async function* () {
    for await (const page of pages()) {
      // The phone of a merged contact belongs to the person until the channel reports a change.
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
): Pages {
  const list = { resource, within: isAnyOf(column, [value]), whenEmpty: async () => {} };
  return async function* () {
    let cursor: string | undefined;
    do {
      const asked = {
        ...{ limit: 200, cursor, order: resource.order, conditions: [] },
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

function sendsOf(caller: Caller, contactId: string): Pages {
  return recordsOf(caller, SEND as AnyResource, "contact_id", contactId);
}
