import { encodeBase64Url } from "deno-std/encoding/base64url.js";
import type { OperationId } from "../openapi/functions.ts";
import { contact, demoId } from "./demo_ids.ts";
import type { ExampleRequest } from "./example_request.ts";

// The example requests that only read.

/** The `next_cursor` from a page of contacts that was requested without filters. */
const CURSOR_OF_ALL = encodeBase64Url(
  JSON.stringify(["contacts", "", "2026-03-02T09:00:00+00:00", contact(39)]),
);

/** The example requests for each read operation. */
export const EXAMPLE_READS = {
  listContacts: [
    { name: "firstPage", summary: "The first page", query: { limit: "2" } },
    { name: "noKey", summary: "Without a key", key: {} },
    { name: "wrongKey", summary: "With an invalid key", key: { "X-Api-Key": "sk_live_wrong" } },
    { name: "wrongLimit", summary: "With a limit that is too high", query: { limit: "1000" } },
    {
      name: "byTwoTags",
      summary: "Hot contacts that have both tags",
      query: { temperature: "hot", "tags[all]": "customer,brisa", fields: "name,tags" },
    },
    {
      name: "byWords",
      summary: "A search for words, in any order and without accents",
      query: { q: "goncalves guanabara", fields: "name,empresa" },
    },
    {
      name: "byCustomField",
      summary: "A filter on a custom field",
      query: { "custom_fields.preferred_language": "ca", fields: "name,custom_fields" },
    },
    {
      name: "sortedWithTotal",
      summary: "Sorted by name, with the total number of contacts",
      query: {
        ...{ tags: "roaster,grinder", sort: "name", include_total: "true" },
        ...{ fields: "name,tags", limit: "2" },
      },
    },
    {
      name: "unknownParameter",
      summary: "With a parameter that does not exist",
      query: { "nam[contains]": "ana" },
    },
    {
      name: "unknownOperator",
      summary: "With an operator that does not exist",
      query: { "name[like]": "ana" },
    },
    {
      name: "otherCursor",
      summary: "With the cursor of a different query",
      query: { temperature: "hot", cursor: CURSOR_OF_ALL },
    },
  ],
  listContactChanges: [
    {
      name: "fromTheBeginning",
      summary: "The first page",
      query: { start: "beginning", limit: "1" },
    },
    {
      name: "fromNow",
      summary: "Starting from now: a cursor and no changes",
      query: { start: "now" },
    },
  ],
  getContact: [
    { name: "oneContact", summary: "One contact", params: { id: contact(4) } },
    {
      name: "withDeals",
      summary: "One contact with its newest deals and conversations",
      params: { id: contact(4) },
      query: { fields: "name,phone", include: "deals,conversations" },
    },
    {
      name: "unknownContact",
      summary: "Your company does not have this contact",
      params: { id: contact(9999) },
    },
  ],
  exportContact: [
    {
      name: "everything",
      summary: "Everything that is stored about a contact",
      params: { id: contact(4) },
    },
  ],
  listDeals: [
    { name: "firstPage", summary: "The first page", query: { limit: "2" } },
    {
      name: "ofOnePipeline",
      summary: "The deals in the stages of one pipeline",
      query: { pipeline_id: demoId("04", 1), fields: "title,stage_id", limit: "2" },
    },
    {
      name: "largest",
      summary: "The largest open deals of at least 10,000, each with its stage",
      query: {
        ...{ status: "open", "value[gte]": "10000", sort: "-value" },
        ...{ fields: "title,value", include: "stage", limit: "2" },
      },
    },
  ],
  listDealChanges: [
    { name: "fromTheBeginning", summary: "The first page", query: { limit: "1" } },
  ],
  getDeal: [
    { name: "oneDeal", summary: "One deal", params: { id: demoId("07", 5) } },
    {
      name: "withContactAndStage",
      summary: "One deal with its contact and its stage",
      params: { id: demoId("07", 5) },
      query: { include: "contact,stage" },
    },
  ],
  listDealHistory: [
    { name: "ofOneDeal", summary: "The history of a deal", params: { id: demoId("07", 3) } },
    {
      name: "unknownDeal",
      summary: "Your company does not have this deal",
      params: { id: demoId("07", 9999) },
    },
  ],
  listPipelines: [{ name: "all", summary: "All pipelines" }],
  getPipeline: [
    { name: "onePipeline", summary: "One pipeline", params: { id: demoId("04", 1) } },
    {
      name: "withStages",
      summary: "One pipeline with its stages",
      params: { id: demoId("04", 1) },
      query: { fields: "name", include: "stages" },
    },
  ],
  listStages: [
    {
      name: "ofOnePipeline",
      summary: "The stages of one pipeline",
      query: { pipeline_id: demoId("04", 1) },
    },
  ],
  getStage: [{ name: "oneStage", summary: "One stage", params: { id: demoId("05", 1) } }],
  listConversations: [
    { name: "firstPage", summary: "The first page", query: { limit: "2" } },
    {
      name: "withContact",
      summary: "Open conversations without an assigned member, each with its contact",
      query: { status: "open", "assigned_to[empty]": "true", include: "contact", limit: "1" },
    },
  ],
  listConversationChanges: [
    { name: "fromTheBeginning", summary: "The first page", query: { limit: "1" } },
  ],
  getConversation: [{
    name: "oneConversation",
    summary: "One conversation",
    params: { id: demoId("08", 3) },
  }],
  listMessages: [
    {
      name: "newestMessages",
      summary: "The newest messages of a conversation",
      params: { id: demoId("08", 3) },
      query: { limit: "2" },
    },
    {
      name: "unknownConversation",
      summary: "Your company does not have this conversation",
      params: { id: demoId("08", 9999) },
    },
  ],
  listMessageChanges: [
    { name: "fromTheBeginning", summary: "The first page", query: { limit: "1" } },
  ],
  getMessage: [{ name: "oneMessage", summary: "One message", params: { id: demoId("10", 304) } }],
  getMessageMedia: [
    { name: "picture", summary: "The bytes of an image", params: { id: demoId("10", 403) } },
    {
      name: "expired",
      summary: "The channel no longer has the image",
      params: { id: demoId("10", 104) },
    },
    {
      name: "noMedium",
      summary: "The message is a text message and has no media file",
      params: { id: demoId("10", 304) },
    },
  ],
  listSends: [
    { name: "firstPage", summary: "The newest sends", query: { limit: "2" } },
    {
      name: "found",
      summary: "The send with this key",
      query: { idempotency_key: "catalogue-chloe" },
    },
    { name: "none", summary: "No send has this key", query: { idempotency_key: "never-sent" } },
    {
      name: "ofOneTemplate",
      summary: "The sends of one template to one contact, with their total number",
      query: {
        ...{ template_name: "catalogue_reminder", contact_id: contact(11) },
        ...{ include_total: "true", fields: "message_id,status,created_at" },
      },
    },
  ],
  getSend: [
    { name: "oneSend", summary: "One send", params: { message_id: demoId("10", 1201) } },
    {
      name: "unknownSend",
      summary: "Your company does not have this send",
      params: { message_id: demoId("10", 9999) },
    },
  ],
  listEvents: [
    {
      name: "ofOneRecord",
      summary: "A deal's stage changes in the last 30 days",
      query: { record_id: demoId("07", 3), type: "deal.stage_changed" },
    },
    {
      name: "fromNow",
      summary: "Starting from now: a cursor and no events",
      query: { start: "now" },
    },
    {
      name: "wrongType",
      summary: "An event type that does not exist",
      query: { type: "deal.moved" },
    },
  ],
  getEvent: [
    {
      name: "oneEvent",
      summary: "One event",
      params: { id: "evt_de300012000070008000000000000001" },
    },
    {
      name: "unknownEvent",
      summary: "The log does not have this event",
      params: { id: "evt_de300012000070008000000000009999" },
    },
  ],
  search: [
    {
      name: "found",
      summary: "All records that contain the word",
      query: { q: "maya", limit: "3" },
    },
    { name: "noWord", summary: "A search text without a letter or a digit", query: { q: "!" } },
  ],
  listTeams: [{ name: "all", summary: "All teams" }],
  getTeam: [{ name: "oneTeam", summary: "One team", params: { id: demoId("02", 1) } }],
  listMembers: [{ name: "all", summary: "All members" }],
  getMember: [{ name: "oneMember", summary: "One member", params: { id: demoId("01", 1) } }],
  listTemplates: [
    {
      name: "ofOneName",
      summary: "The languages of one template",
      query: { name: "order_update", limit: "2" },
    },
    {
      name: "none",
      summary: "A template that is not in the channel's list",
      query: { name: "order_update", language: "fr" },
    },
  ],
  getTemplate: [
    {
      name: "oneTemplate",
      summary: "One template",
      params: { id: demoId("09", 2) },
    },
    {
      name: "unknownTemplate",
      summary: "Your company does not have this template",
      params: { id: demoId("09", 9999) },
    },
  ],
  getMe: [{ name: "ownKey", summary: "The company and the API key that make the request" }],
  getHealth: [{ name: "ok", summary: "The service works" }],
  // This operation has no example, because its response is the OpenAPI document, which contains the
  // examples.
  getOpenApi: [],
} satisfies Partial<Record<OperationId, [] | [ExampleRequest, ...ExampleRequest[]]>>;
