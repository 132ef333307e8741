import { COMMON, type FieldsOf, type Words } from "../../_shared/http/api_words.ts";
import type { BatchItemError, BatchSummary } from "./batch_operation.ts";
import type { DeletedRow } from "./changes.ts";

export const batch = { items: "The items to write. The service applies them in this order." };

const batchItemError: FieldsOf<typeof BatchItemError> = {
  error: "A human-readable description of the error.",
  code: "The error's code.",
  details:
    "The problem with each invalid field of the item, such as `items.3.phone`. `items.3` means " +
    "the whole item.",
  existing_id:
    "The id of the existing record that the item conflicts with, such as the contact with the " +
    "same phone number.",
};

const batchSummary: FieldsOf<typeof BatchSummary> = {
  total: "The number of items.",
  created: "The number of records that were created.",
  updated: "The number of records that were updated.",
  unchanged:
    "The number of records that already had the values in their items. These records keep their " +
    "`version` and `updated_at`.",
  failed: "The number of items that failed.",
};

/** The descriptions of lists, changes and batches for any resource. */
export const words = {
  schemas: {
    BatchItemError:
      "The reason why an item was not written. This is the same body as the error for a single " +
      "record, without `request_id`.",
    BatchSummary: "The number of items that succeeded, and the number of items that failed.",
    DeletedRow: "A record that was deleted. Only these fields remain.",
    Pagination: "The position of this page in the list.",
    ChangesPagination: "The position of this page in the list of changes.",
  },
  fields: {
    BatchItemError: batchItemError,
    BatchSummary: batchSummary,
    DeletedRow: {
      id: COMMON.id,
      company_id: COMMON.company_id,
      deleted_at: "When the record was deleted.",
      merged_into:
        "For a merged contact, the id of the contact into which it was merged. Otherwise left out.",
    } satisfies FieldsOf<typeof DeletedRow>,
    ChangesPagination: {
      limit: "The maximum number of changes on a page.",
      has_more:
        "Whether there are more changes to read now. When this is `false`, your copy is up to date.",
      next_cursor:
        "The `cursor` for the next page. Later changes appear on that page or a following page.",
    },
    Pagination: {
      limit: "The maximum number of records on a page.",
      has_more: "Whether there is another page.",
      next_cursor: "The `cursor` of the next page. `null` on the last page.",
      total: "The number of records that match the filters, up to 100,000. Present only with " +
        "`include_total=true`.",
      total_relation: "`eq`: the total is exact. `gte`: there are at least this many records.",
    },
  },
} satisfies Words;
