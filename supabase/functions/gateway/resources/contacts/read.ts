import type { Table } from "../../../_shared/database/table.ts";
import { changesOperation } from "../../records/changes_operation.ts";
import {
  choice,
  list,
  optionalChoice,
  optionalTime,
  searchedText,
  text,
  time,
} from "../../records/filters.ts";
import { listOperation } from "../../records/list_operation.ts";
import { ANY_CASE, oneOf, PHONE, TEXT, TRUE_OR_FALSE, UUID } from "../../records/query_values.ts";
import { readOperation } from "../../records/read_operation.ts";
import { resource } from "../../records/resource.ts";
import { byText, byTime, newestFirst } from "../../records/sorting.ts";
import { CONVERSATIONS } from "../conversations/row.ts";
import { DEALS } from "../deals/row.ts";
import { CONTACTS, TEMPERATURES } from "./row.ts";

/**
 * Includes only the newest records that refer to a contact. To read older records, callers use the
 * list of these records.
 */
function newest(table: Table) {
  const listedBy = ["created_at", "id"].map((column) => ({ column, ascending: false }));
  return { table, listedBy, atMost: 10 };
}

export const CONTACT = resource({
  table: CONTACTS,
  name: "Contact",
  filters: {
    id: choice("id", UUID),
    external_id: optionalChoice("external_id", TEXT),
    name: searchedText("name", "name_words"),
    email: searchedText("email_key", "email_words", ANY_CASE),
    phone: optionalChoice("phone_key", PHONE),
    temperature: choice("temperature", oneOf(TEMPERATURES)),
    tags: list("tags"),
    source: text("source"),
    job_title: searchedText("job_title", "job_title_words"),
    empresa: searchedText("empresa", "empresa_words"),
    do_not_contact: choice("do_not_contact", TRUE_OR_FALSE),
    marketing_opt_out_at: optionalTime("marketing_opt_out_at"),
    is_active: choice("is_active", TRUE_OR_FALSE),
    created_at: time("created_at"),
    updated_at: time("updated_at"),
  },
  words: ["name_words", "email_words", "phone_words", "empresa_words"],
  phones: { words: "phone_words", key: "phone_key" },
  members: "custom_fields",
  sorts: {
    created_at: byTime("created_at"),
    updated_at: byTime("updated_at"),
    name: byText("name_sort"),
  },
  order: newestFirst(),
  archives: { keptIn: { phone_key: "archived_phone_key" }, erasedIn: "erased_at" },
  survivor: "survivor_of_contact",
  includes: {
    deals: { ...newest(DEALS), leavesOutArchived: true },
    conversations: newest(CONVERSATIONS),
  },
  besides: { column: "phone_key", by: "contacts_of_further_phones", contact: "id" },
});

/** See the specification, 4.1 and 4.13. */
export const contactReads = [
  listOperation({ id: "listContacts", path: "/contacts", resource: CONTACT }),

  changesOperation({
    id: "listContactChanges",
    path: "/contacts/changes",
    resource: CONTACT,
    feed: "contact_changes",
  }),

  readOperation({ id: "getContact", path: "/contacts/:id", resource: CONTACT }),
];
