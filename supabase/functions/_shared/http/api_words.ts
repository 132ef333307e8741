import type * as z from "zod/mini";

// The texts of the API's description are in files called words.ts, next to the code that they
// describe. Only the generator of the description imports these files, so no function loads them.

/** The groups of operations, each with its description. */
export const TAGS = {
  Contacts:
    "The people that the company talks to. One person is one contact: if WhatsApp treats two " +
    "formats of a phone number as the same number, both formats lead to the same contact.",
  Deals: "Sales opportunities. A deal has a contact and is in a stage of a pipeline.",
  Pipelines: "Sales pipelines and their stages.",
  Conversations:
    "Conversations with contacts. A conversation begins with a message, so no operation " +
    "creates a conversation.",
  People: "The teams and members of your company, who are assigned to conversations.",
  Templates: "The WhatsApp templates of your company, and sends of approved templates.",
  Sends: "What happened to each message that your company sent with this API.",
  Events: "What happened to the records of your company in the last 30 days.",
  Search: "One search over several kinds of records.",
  Webhooks:
    "URLs of your company that receive its events. Each request is signed. These operations need " +
    "the scope `webhooks`.",
  Service: "For monitors and tools. Only `GET /me` needs a key.",
} as const;

/** The texts about an operation in the API's description. */
export interface OperationWords {
  tag: keyof typeof TAGS;
  summary: string;
  description: string;
}

/**
 * The texts about one subject in the API's description: its operations, schemas and fields, by
 * their ids.
 */
export interface Words {
  operations?: Record<string, OperationWords>;
  schemas: Record<string, string>;
  fields: Record<string, Record<string, string>>;
}

/** A sentence for each field of a schema. The code does not compile if a field has no sentence. */
export type FieldsOf<Schema extends z.core.$ZodType> = Record<
  keyof z.output<Schema> & string,
  string
>;

/** The fields that records share. */
export const COMMON = {
  id: "The id of the record.",
  company_id: "The company of the record, which is the company of the key.",
  created_at: "When the record was created.",
  updated_at: "When the record was last changed.",
};

const version =
  "A string of digits that is different after each change of the record. In double quotes, the " +
  "version is the record's ETag.";

/** The fields of every record that is a row. */
export const ROW = { ...COMMON, version };
