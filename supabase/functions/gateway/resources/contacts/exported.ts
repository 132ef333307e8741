import { rows } from "../../../_shared/database/rows.ts";
import { ApiError } from "../../../_shared/errors.ts";
import type { ObjectSchema } from "../../../_shared/lazily.ts";
import type { Caller } from "../../../_shared/key/caller.ts";
import { isAnyOf } from "../../records/conditions.ts";
import { readPage } from "../../records/pagination.ts";
import type { Resource } from "../../records/resource.ts";
import { inFormOf } from "../../records/written.ts";
import { CONVERSATION } from "../conversations/read.ts";
import { DEAL } from "../deals/read.ts";
import { MESSAGE } from "../messages/read.ts";
import { SEND } from "../sends/read.ts";
import {
  ContactFormerPhone,
  ContactIdentity,
  ContactIdentityEvent,
  ContactWindow,
  ContactWishes,
  OptOutLift,
} from "./export_row.ts";

type Row = Record<string, unknown>;

// deno-lint-ignore no-explicit-any -- a resource of rows of any shape
type AnyResource = Resource<any, any>;

/**
 * Returns the JSON document with the data that is stored about a person, in chunks. Throws an error
 * before the end of the document if the contact was merged or deleted in the meantime.
 *
 * @param read reads the contact.
 */
export async function* exportOf(
  caller: Caller,
  id: string,
  read: () => Promise<Row | undefined>,
): AsyncGenerator<string> {
  const conversationIds: string[] = [];
  const editedIds: string[] = [];
  // This is the first read, so every merge that changes a later read is noticed at the end.
  const merges = await mergesInto(caller, id);
  const [contact, wishes] = await Promise.all([read(), wishesOf(caller, id)]);
  yield `{"data":{"contact":${JSON.stringify(contact)},"wishes":${JSON.stringify(wishes)}`;
  yield* member("opt_out_lifts", partsOf(caller, "own_opt_out_lifts", OptOutLift, id));
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
  yield* member("messages", async function* () {
    for await (const page of messagesOf(caller, conversationIds)()) {
      editedIds.push(
        ...page.filter((row) => row.edited_at !== null).map((row) => row.id as string),
      );
      yield page;
    }
  });
  yield* member("original_contents", originalContentsOf(caller, editedIds));
  yield* member("sends", sendsOf(caller, id));
  // A merge moves records, so the lists above may lack some of them.
  const [, mergesNow] = await Promise.all([wishesOf(caller, id), mergesInto(caller, id)]);
  if (mergesNow !== merges) throw new Error("Another contact was merged into the exported contact");
  yield "}}";
}

type Pages = () => AsyncIterable<Row[]>;

/** Returns a property of the JSON document that contains a list of rows, page by page. */
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
  // After the contact was read, it was merged into another contact, or its company was deleted.
  if (!wishes) throw new ApiError("not_found", "Contact not found");
  return inFormOf(ContactWishes, wishes);
}

/** Returns the number of contacts that were merged into a contact. */
async function mergesInto({ reader }: Caller, id: string): Promise<number> {
  const merges = await reader.from("own_contact_identity_events").select("id", { count: "exact" })
    .eq("contact_id", id).eq("kind", "merged").limit(1);
  rows(merges);
  return merges.count!;
}

/**
 * The maximum number of rows in one request. The channel provides little data about a person, so
 * there are few rows.
 */
const PART_ROWS = 500;

/** Returns a view's rows about a contact, sorted by id. */
function partsOf(
  { reader }: Caller,
  view:
    | "own_contact_identities"
    | "own_contact_former_phones"
    | "own_contact_identity_events"
    | "own_contact_windows"
    | "own_opt_out_lifts",
  row: ObjectSchema,
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
      // The value `infinity` means that the person still uses the phone number of a merged contact.
      yield page.map((row) => row.until === "infinity" ? { ...row, until: null } : row);
    }
  };
}

/** Returns a resource's records that have this value in a column, newest first. */
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

/** Returns the first texts of these edited messages. A request contains at most 100 ids. */
function originalContentsOf({ reader }: Caller, messageIds: string[]): Pages {
  return async function* () {
    for (let start = 0; start < messageIds.length; start += 100) {
      const found = rows(
        await reader.from("own_original_contents").select()
          .in("id", messageIds.slice(start, start + 100)).order("id"),
      );
      yield found.filter(({ original_content }) => original_content !== null)
        .map(({ id, original_content }) => ({ message_id: id, content: original_content }));
    }
  };
}

function sendsOf(caller: Caller, contactId: string): Pages {
  return recordsOf(caller, SEND as AnyResource, "contact_id", contactId);
}
