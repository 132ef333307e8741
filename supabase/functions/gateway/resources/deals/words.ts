import { type FieldsOf, ROW, type Words } from "../../../_shared/http/api_words.ts";
import { batch } from "../../records/words.ts";
import type { DealHistoryEntry } from "./history.ts";
import type { Deal } from "./row.ts";

const deal: FieldsOf<typeof Deal> = {
  ...ROW,
  external_id:
    "The deal's id in your own system. Two deals that are not archived never have the same " +
    "`external_id`.",
  title: "The title of the deal.",
  value: "The deal's value, with at most two decimals.",
  status: "The deal's state. A new deal is `open`.",
  contact_id: "The deal's contact.",
  stage_id: "The stage that the deal is in.",
  won_at: "When the deal was won. `null` if the deal is not won or the time is unknown.",
  lost_at: "When the deal was lost. `null` if the deal is not lost or the time is unknown.",
  stage_changed_at:
    "When the deal entered its stage. For a new deal, this is when the deal was created.",
  archived_at: "When the deal was archived. `null` if the deal is not archived.",
};

/** The descriptions of deals in the OpenAPI document. */
export const words = {
  operations: {
    listDeals: {
      tag: "Deals",
      summary: "List deals",
      description:
        "Lists your company's deals, newest first unless `sort` says otherwise. `q` searches " +
        "`title`. `include` adds each deal's contact and stage.",
    },
    listDealChanges: {
      tag: "Deals",
      summary: "List changes of deals",
      description:
        "Lists your company's deals that were created, changed or deleted after the cursor. A " +
        "deleted deal is returned as a `DeletedRow`. All other deals are returned in their " +
        "current state. The section " +
        '"Keep a copy in step" says how to use this list.',
    },
    getDeal: {
      tag: "Deals",
      summary: "Get a deal",
      description:
        "Returns one of your company's deals by id. `include` adds the deal's contact and stage.",
    },
    createDeal: {
      tag: "Deals",
      summary: "Create a deal",
      description:
        "Creates a deal for a contact, in a stage of a pipeline. A new deal is open. If your " +
        "company already has a deal with this `external_id`, the request returns a 409 with the " +
        "id of that deal.",
    },
    updateDeal: {
      tag: "Deals",
      summary: "Update a deal",
      description:
        "Updates at least one field of a deal. A new `stage_id` moves the deal to that stage.",
    },
    archiveDeal: {
      tag: "Deals",
      summary: "Archive a deal",
      description:
        "Archives a deal. Lists and searches then contain it only with `archived=include` or " +
        "`archived=only`. Archiving the deal again changes nothing.",
    },
    restoreDeal: {
      tag: "Deals",
      summary: "Restore a deal",
      description:
        "Restores an archived deal unchanged, and returns it. A deal that is not archived is " +
        "returned unchanged. A deal can be restored even if its contact is archived. If another " +
        "deal now has its `external_id`, the request returns a 409 with the id of that deal.",
    },
    createDeals: {
      tag: "Deals",
      summary: "Create or update many deals",
      description:
        "Creates up to 500 deals. Each item is checked separately, as `POST /deals` checks its " +
        "body. `on_conflict` determines what happens to a deal that already has an item's " +
        "`external_id`. `data` contains one result for each item, in the order of the items. " +
        "With `atomic=true`, either all items are written or no items are.",
    },
    updateDeals: {
      tag: "Deals",
      summary: "Update many deals",
      description:
        "Updates up to 500 deals. Each item contains the `id` of its deal and is checked " +
        "separately. `data` contains one result for each item, in the order of the items. Two " +
        "items for the same deal are applied one after the other. With `atomic=true`, either all " +
        "deals are updated or no deals are.",
    },
    listDealHistory: {
      tag: "Deals",
      summary: "List the history of a deal",
      description:
        "Lists the entries in a deal's history, newest first unless `sort` says otherwise. The " +
        "oldest entry says when the deal was created. Every other entry says when the deal moved " +
        "to another stage or status. Each entry contains the time and author of the change.",
    },
  },
  schemas: {
    Deal: "A sales opportunity.",
    DealWithIncluded: "A sales opportunity, with the records that `include` adds.",
    NewDeal: "A deal to create.",
    DealChanges: "Changes to a deal.",
    DealChangesById: "Changes to the deal with this id.",
    NewDealBatch: "Deals to create or update. An invalid item does not make the other items fail.",
    DealChangesBatch: "Changes to deals. An invalid item does not make the other items fail.",
    DealHistoryEntry: "An entry in a deal's history.",
    ByKey: "The author of a change, if a request with an API key made the change.",
    ByPerson: "The author of a change, if a signed-in user made the change.",
  },
  fields: {
    Deal: deal,
    DealWithIncluded: {
      ...deal,
      contact: "The deal's contact. Present only with `include=contact`.",
      stage: "The deal's stage. Present only with `include=stage`.",
    },
    NewDeal: deal,
    DealChanges: deal,
    DealChangesById: deal,
    NewDealBatch: batch,
    DealChangesBatch: batch,
    DealHistoryEntry: {
      id: "The entry's id.",
      kind: "The kind of change: the deal was `created`, or moved to another stage or status.",
      from: "The previous stage or status. `null` in the entry `created`.",
      to: "The new stage or status. In the entry `created`, this is the deal's first stage. " +
        "`null` if the value is unknown because the deal is older than its history.",
      at: "When the change happened. No two entries in a deal's history have the same time.",
      by: "The author of the change. `null` if the service itself made the change, or if the " +
        "author is unknown.",
    } satisfies FieldsOf<typeof DealHistoryEntry>,
    ByKey: { api_key_id: "The API key's id." },
    ByPerson: {
      user_id:
        "The user's id. While the user works in your company, this is also the user's id as a " +
        "member.",
    },
  },
} satisfies Words;
