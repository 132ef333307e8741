import type { OperationId } from "./functions.ts";

// The requests of the examples. `npm run generate` makes them with the demo company's key and records the
// answers in examples.json. A test makes them again and compares.

/** The request of an example. */
interface ExampleRequest {
  name: string;
  summary: string;
  /** The values of the parameters in the path. */
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: Record<string, unknown>;
  /** The headers that carry the key; by default the key of the demo company. */
  key?: Record<string, string>;
}

/** A request with its recorded answer. */
export interface Example {
  name: string;
  summary: string;
  request: Pick<ExampleRequest, "params" | "query" | "body">;
  status: number;
  answer: unknown;
}

/** The examples of each operation, by its id. */
export type Examples = Partial<Record<string, Example[]>>;

/** The id of a row of the demo data: each table has a block. */
const demoId = (block: string, number: number) =>
  `de3000${block}-0000-4000-8000-${String(number).padStart(12, "0")}`;
const contact = (number: number) => demoId("06", number);
const TEMPLATE = {
  phone: "+12025550101",
  template_name: "order_update",
  language_code: "en_US",
  display_text: "Hello Maya, your order A-1815 is on its way.",
  body_variables: ["Maya", "A-1815"],
};
const ORDER_KEY = "order-A-1815-shipped";
/** A send to one of the recipients for which the sandbox answers with a failure. */
const failingSend = (name: string, summary: string, phone: string): ExampleRequest => ({
  name,
  summary,
  body: { ...TEMPLATE, phone },
});

/**
 * The requests of each operation, in the order in which they are made: first those that only read. Does not
 * compile when an operation has none.
 */
export const EXAMPLE_REQUESTS = {
  listContacts: [
    { name: "firstPage", summary: "The first page", query: { limit: "2" } },
    { name: "noKey", summary: "Without a key", key: {} },
    { name: "wrongKey", summary: "With an invalid key", key: { "X-Api-Key": "sk_live_wrong" } },
    { name: "wrongLimit", summary: "With a limit that is too high", query: { limit: "1000" } },
  ],
  listContactChanges: [
    {
      name: "fromTheBeginning",
      summary: "The first page",
      query: { start: "beginning", limit: "1" },
    },
    { name: "fromNow", summary: "Only a cursor", query: { start: "now" } },
  ],
  getContact: [
    { name: "oneContact", summary: "One contact", params: { id: contact(4) } },
    {
      name: "unknownContact",
      summary: "Your company has no such contact",
      params: { id: contact(9999) },
    },
  ],
  listDeals: [{ name: "firstPage", summary: "The first page", query: { limit: "2" } }],
  listDealChanges: [
    { name: "fromTheBeginning", summary: "The first page", query: { limit: "1" } },
  ],
  getDeal: [{ name: "oneDeal", summary: "One deal", params: { id: demoId("07", 5) } }],
  listPipelines: [{ name: "all", summary: "All pipelines" }],
  getPipeline: [{ name: "onePipeline", summary: "One pipeline", params: { id: demoId("04", 1) } }],
  listStages: [
    {
      name: "ofOnePipeline",
      summary: "The stages of one pipeline",
      query: { pipeline_id: demoId("04", 1) },
    },
  ],
  getStage: [{ name: "oneStage", summary: "One stage", params: { id: demoId("05", 1) } }],
  listConversations: [{ name: "firstPage", summary: "The first page", query: { limit: "2" } }],
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
      summary: "Your company has no such conversation",
      params: { id: demoId("08", 9999) },
    },
  ],
  listMessageChanges: [
    { name: "fromTheBeginning", summary: "The first page", query: { limit: "1" } },
  ],
  getMessage: [{ name: "oneMessage", summary: "One message", params: { id: demoId("10", 304) } }],
  search: [
    { name: "found", summary: "What has the word", query: { q: "maya", limit: "3" } },
    { name: "noWord", summary: "Without a word", query: { q: "!" } },
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
      summary: "A template that the channel does not list",
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
      summary: "Your company has no such template",
      params: { id: demoId("09", 9999) },
    },
  ],
  getHealth: [{ name: "ok", summary: "The service works" }],
  // Its answer would be the description that contains the examples.
  getOpenApi: [],
  createContact: [
    {
      name: "created",
      summary: "A new contact",
      body: { phone: "+14155550123", name: "Ada Lovelace", tags: ["newsletter"] },
    },
    {
      name: "exists",
      summary: "The person is a contact already",
      body: { phone: "+552190000001", name: "João Gonçalves" },
    },
  ],
  updateContact: [
    {
      name: "updated",
      summary: "Set the temperature and clear the job title",
      params: { id: contact(4) },
      body: { phone: "+12025550101", temperature: "hot", job_title: null },
    },
    {
      name: "unknown",
      summary: "Your company has no such contact",
      params: { id: contact(9999) },
      body: { phone: "+12025550101" },
    },
  ],
  createDeal: [
    {
      name: "created",
      summary: "A new deal",
      body: {
        title: "Analytical engine",
        value: 1999.5,
        contact_id: contact(4),
        stage_id: demoId("05", 1),
      },
    },
  ],
  updateDeal: [
    {
      name: "moved",
      summary: "Mark a deal as won and move it to another stage",
      params: { id: demoId("07", 1) },
      body: { stage_id: demoId("05", 4), status: "won" },
    },
  ],
  updateConversation: [
    {
      name: "assigned",
      summary: "Assign a conversation to a team",
      params: { id: demoId("08", 11) },
      body: { team_id: demoId("02", 2) },
    },
  ],
  sendExternalTemplate: [
    { name: "sent", summary: "A first send", body: { ...TEMPLATE, idempotency_key: ORDER_KEY } },
    {
      name: "repeat",
      summary: "A repeat with the same idempotency key",
      body: { ...TEMPLATE, idempotency_key: ORDER_KEY },
    },
    {
      name: "doNotContact",
      summary: "The contact must not be contacted",
      body: { ...TEMPLATE, phone: "+5531900000002" },
    },
    {
      name: "wrongPhone",
      summary: "A phone without the plus sign",
      body: { ...TEMPLATE, phone: "12025550101" },
    },
    failingSend("rejected", "The template does not exist or is not approved", "+15550132001"),
    failingSend("unreachable", "The recipient cannot be reached", "+15550131026"),
    failingSend("optedOut", "The recipient has opted out", "+15550131050"),
    failingSend("accountRefused", "The account's token has expired", "+15550000190"),
    failingSend("notSent", "The channel is down", "+15551000002"),
    failingSend("unknownOutcome", "The channel fails without a reason", "+15551000006"),
  ],
} satisfies
  & Record<Exclude<OperationId, "getOpenApi">, [ExampleRequest, ...ExampleRequest[]]>
  & Record<"getOpenApi", []>;

/** Every request with the id of its operation, in the order in which they are made. */
export function exampleRequests(): { id: OperationId; example: ExampleRequest }[] {
  return Object.entries<ExampleRequest[]>(EXAMPLE_REQUESTS).flatMap(([id, requests]) =>
    requests.map((example) => ({ id: id as OperationId, example }))
  );
}
