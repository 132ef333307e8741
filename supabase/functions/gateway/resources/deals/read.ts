import { isNull } from "../../records/conditions.ts";
import { changesOperation } from "../../records/changes_operation.ts";
import {
  choice,
  oneOfIds,
  optionalAmount,
  optionalChoice,
  searchedText,
  sortedTime,
  time,
} from "../../records/filters.ts";
import { listOperation } from "../../records/list_operation.ts";
import { oneOf, TEXT, UUID } from "../../records/query_values.ts";
import { readOperation } from "../../records/read_operation.ts";
import { resource } from "../../records/resource.ts";
import { byAmount, byText, byTime, newestFirst } from "../../records/sorting.ts";
import { CONTACTS } from "../contacts/row.ts";
import { dealHistory } from "./history.ts";
import { requirePipeline } from "../stages/read.ts";
import { STAGES } from "../stages/row.ts";
import { DEAL_STATUSES, DEALS } from "./row.ts";

/**
 * With at most this many stage ids, a query is short enough, even with `include`, some other
 * filters and the cursor after the longest title.
 */
const MAX_STAGES = 100;

export const DEAL = resource({
  table: DEALS,
  name: "Deal",
  filters: {
    id: choice("id", UUID),
    external_id: optionalChoice("external_id", TEXT),
    title: searchedText("title", "words"),
    value: optionalAmount("value", "value_sort"),
    status: choice("status", oneOf(DEAL_STATUSES)),
    contact_id: choice("contact_id", UUID),
    stage_id: choice("stage_id", UUID),
    pipeline_id: oneOfIds("pipeline_id", UUID),
    won_at: sortedTime("won_sort"),
    lost_at: sortedTime("lost_sort"),
    stage_changed_at: time("stage_changed_at"),
    created_at: time("created_at"),
    updated_at: time("updated_at"),
  },
  words: ["words"],
  sorts: {
    created_at: byTime("created_at"),
    updated_at: byTime("updated_at"),
    title: byText("title_sort"),
    value: byAmount("value_sort"),
    won_at: byTime("won_sort"),
    lost_at: byTime("lost_sort"),
    stage_changed_at: byTime("stage_changed_at"),
  },
  order: newestFirst(),
  archives: {},
  through: {
    pipeline_id: {
      column: "stage_id",
      table: STAGES,
      // An archived stage never has deals.
      among: isNull("archived_at", true),
      atMost: MAX_STAGES,
      tooMany: `must name pipelines that together have at most ${MAX_STAGES} stages; name fewer ` +
        "pipelines in one request, or filter by stage_id",
    },
  },
  includes: { contact: { table: CONTACTS }, stage: { table: STAGES } },
});

/** See the specification, 4.4 to 4.6 and 4.13. */
export const dealReads = [
  listOperation({
    id: "listDeals",
    path: "/deals",
    resource: DEAL,
    whenEmpty: requirePipeline,
  }),

  changesOperation({
    id: "listDealChanges",
    path: "/deals/changes",
    resource: DEAL,
    feed: "deal_changes",
  }),

  readOperation({ id: "getDeal", path: "/deals/:id", resource: DEAL }),

  dealHistory,
];
