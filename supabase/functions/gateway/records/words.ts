import { COMMON, type FieldsOf, type Words } from "../../_shared/http/api_words.ts";
import type { BatchItemError, BatchSummary } from "./batch_operation.ts";
import type { DeletedRow } from "./changes.ts";

export const batch = { items: "The items to write, in any order." };

const batchItemError: FieldsOf<typeof BatchItemError> = {
  error: "What is wrong, as a sentence for people.",
  code: "The error's code.",
  details:
    "What is wrong with each field of the item, such as `items.3.phone`; `items.3` means the " +
    "whole item.",
  existing_id:
    "The id of the existing record that the item conflicts with, such as the contact with the " +
    "same phone.",
};

const batchSummary: FieldsOf<typeof BatchSummary> = {
  total: "How many items there are.",
  created: "How many records were created.",
  updated: "How many records were updated.",
  unchanged:
    "How many records already had the values of their items. They keep their `version` and " +
    "`updated_at`.",
  failed: "How many items failed.",
};

/** The texts about lists, changes and batches of any resource. */
export const words = {
  schemas: {
    BatchItemError:
      "Why an item was not written: the same body as the error for a single record, without `request_id`.",
    BatchSummary: "How many items succeeded and how many failed.",
    DeletedRow: "A record that was deleted. Only these fields are left.",
    Pagination: "The place of this page in the list.",
    ChangesPagination: "The place of this page in the list of changes.",
  },
  fields: {
    BatchItemError: batchItemError,
    BatchSummary: batchSummary,
    DeletedRow: {
      id: COMMON.id,
      company_id: COMMON.company_id,
      deleted_at: "When the record was deleted.",
      merged_into:
        "For a contact that was merged: the id of the contact into which it was merged. Left out otherwise.",
    } satisfies FieldsOf<typeof DeletedRow>,
    ChangesPagination: {
      limit: "The maximum number of changes on a page.",
      has_more:
        "Whether there are more changes to read now. When this is `false`, your copy is up to date.",
      next_cursor: "The `cursor` of the next page. That page also has changes that are made later.",
    },
    Pagination: {
      limit: "The maximum number of records on a page.",
      has_more: "Whether there is another page.",
      next_cursor: "The `cursor` of the next page; `null` on the last page.",
      total: "How many records the filters find, up to 100,000. Only with `include_total=true`.",
      total_relation: "`eq`: the total is exact. `gte`: there are at least this many.",
    },
  },
} satisfies Words;
