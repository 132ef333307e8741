import { type FieldsOf, ROW, type Words } from "../../../_shared/http/api_words.ts";
import { batch } from "../../records/words.ts";
import type { DealHistoryEntry } from "./history.ts";
import type { Deal } from "./row.ts";

const deal: FieldsOf<typeof Deal> = {
  ...ROW,
  external_id:
    "The id of the deal in your own system. Two deals that are not archived never have the same " +
    "`external_id`.",
  title: "What the deal is about.",
  value: "The value of the deal, with at most two decimals.",
  status: "The state of the deal. A new deal is `open`.",
  contact_id: "The contact of the deal.",
  stage_id: "The stage that the deal is in.",
  won_at: "When the deal was won; `null` when it is not won or the time is not known.",
  lost_at: "When the deal was lost; `null` when it is not lost or the time is not known.",
  stage_changed_at:
    "When the deal entered its stage. For a new deal, this is when the deal was created.",
  archived_at: "When the deal was archived; `null` if it is not archived.",
};

/** The texts about deals in the API's description. */
export const words = {
  operations: {
    listDeals: {
      tag: "Deals",
      summary: "List deals",
      description:
        "Lists the deals of your company, newest first unless `sort` says otherwise. `q` searches `title`. " +
        "`include` adds the contact and the stage of each deal.",
    },
    listDealChanges: {
      tag: "Deals",
      summary: "List changes of deals",
      description:
        "Lists the deals of your company that were created, changed or deleted after the cursor. " +
        "A deleted deal is a `DeletedRow`; any other deal is in its current state. The section " +
        '"Keep a copy in step" says how to use this list.',
    },
    getDeal: {
      tag: "Deals",
      summary: "Get a deal",
      description:
        "Returns one deal of your company, by its id; with `include`, also its contact and its stage.",
    },
    createDeal: {
      tag: "Deals",
      summary: "Create a deal",
      description:
        "Creates a deal for a contact, in a stage of a pipeline. A new deal is open. If your " +
        "company already has a deal with this `external_id`, the answer is a 409 with the id of " +
        "that deal.",
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
        "Archives a deal. Lists and searches then show it only with `archived=include` or " +
        "`archived=only`. Archiving it again changes nothing.",
    },
    restoreDeal: {
      tag: "Deals",
      summary: "Restore a deal",
      description:
        "Restores an archived deal unchanged, and returns it. A deal that is not archived is " +
        "returned unchanged. A deal can be restored even if its contact is archived. If another " +
        "deal now has its `external_id`, the answer is a 409 with the id of that deal.",
    },
    createDeals: {
      tag: "Deals",
      summary: "Create or update many deals",
      description:
        "Creates up to 500 deals. Each item is checked separately, like the body of `POST " +
        "/deals`. `on_conflict` says what happens to a deal that already has the `external_id` " +
        "of an item. `data` has one result for each item, in the order of the items. With " +
        "`atomic=true`, either all items are written, or none.",
    },
    updateDeals: {
      tag: "Deals",
      summary: "Update many deals",
      description:
        "Updates up to 500 deals. Each item has the `id` of its deal and is checked separately. " +
        "`data` has one result for each item, in the order of the items. Two items for the same " +
        "deal are applied one after the other. With `atomic=true`, either all deals are updated, " +
        "or none.",
    },
    listDealHistory: {
      tag: "Deals",
      summary: "List the history of a deal",
      description:
        "Lists what happened to a deal, newest first unless `sort` says otherwise. The oldest " +
        "entry is the creation; every other entry is a move to another stage or status. Each " +
        "entry says when it happened and who did it.",
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
    DealHistoryEntry: "One thing that happened to a deal.",
    ByKey: "The author of a change that a request with an API key made.",
    ByPerson: "The author of a change that a signed-in person made.",
  },
  fields: {
    Deal: deal,
    DealWithIncluded: {
      ...deal,
      contact: "The contact of the deal, with `include=contact`.",
      stage: "The stage that the deal is in, with `include=stage`.",
    },
    NewDeal: deal,
    DealChanges: deal,
    DealChangesById: deal,
    NewDealBatch: batch,
    DealChangesBatch: batch,
    DealHistoryEntry: {
      id: "The id of the entry.",
      kind: "What happened: the deal was `created`, or moved to another stage or status.",
      from: "The previous stage or status. `null` for the creation.",
      to:
        "The new stage or status; for the creation, the first stage. `null` if it is not known, " +
        "because the deal is older than its history.",
      at: "When this happened. No two entries of a deal have the same time.",
      by: "Who made the change. `null` if the service itself made it, or if this is not known.",
    } satisfies FieldsOf<typeof DealHistoryEntry>,
    ByKey: { api_key_id: "The id of the API key." },
    ByPerson: {
      user_id:
        "The id of the person. While the person works in your company, this is also the person's id as a member.",
    },
  },
} satisfies Words;
