import type { OperationId } from "./functions.ts";

// The requests of the examples. `npm run generate` makes them as the demo company and records the answers
// in examples.json; a test makes them again and compares.

/** A request of an example. */
interface Ask {
  name: string;
  summary: string;
  /** What stands in the path in place of its names. */
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: Record<string, unknown>;
  /** The headers that carry the key, where it is not the demo company's. */
  key?: Record<string, string>;
}

/** A recorded answer. */
export interface Example {
  name: string;
  summary: string;
  request: Pick<Ask, "params" | "query" | "body">;
  status: number;
  answer: unknown;
}

/** The examples of each operation. */
export type Examples = Partial<Record<string, Example[]>>;

const demo = (block: string, number: number) =>
  `de3000${block}-0000-4000-8000-${String(number).padStart(12, "0")}`;
const contact = (number: number) => demo("06", number);
const TEMPLATE = {
  phone: "+12025550101",
  template_name: "order_update",
  language_code: "en_US",
  display_text: "Hello Maya, your order A-1815 is on its way.",
  body_variables: ["Maya", "A-1815"],
};
const ORDER_KEY = "order-A-1815-shipped";
/** A send to a recipient for which the sandbox has an answer of its own. */
const sandboxSend = (name: string, summary: string, phone: string): Ask => ({
  name,
  summary,
  body: { ...TEMPLATE, phone },
});

/**
 * The requests of each operation, in the order in which they are made: what only reads comes first.
 * Compiles only when every operation has one.
 */
export const ASKS = {
  listContacts: [
    { name: "firstPage", summary: "The first page", query: { limit: "2" } },
    { name: "noKey", summary: "Without a key", key: {} },
    { name: "wrongKey", summary: "With a wrong key", key: { "X-Api-Key": "sk_live_wrong" } },
    { name: "wrongLimit", summary: "With a limit that is too high", query: { limit: "1000" } },
  ],
  listDeals: [{ name: "firstPage", summary: "The first page", query: { limit: "2" } }],
  listPipelines: [{ name: "all", summary: "All pipelines" }],
  listStages: [
    {
      name: "ofOnePipeline",
      summary: "The stages of one pipeline",
      query: { pipeline_id: demo("04", 1) },
    },
  ],
  listConversations: [{ name: "firstPage", summary: "The first page", query: { limit: "2" } }],
  listTeams: [{ name: "all", summary: "All teams" }],
  listMembers: [{ name: "all", summary: "All members" }],
  getHealth: [{ name: "ok", summary: "All is well" }],
  // Its answer is the description that the examples stand in.
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
      summary: "A new temperature, and no job title any more",
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
        stage_id: demo("05", 1),
      },
    },
  ],
  updateDeal: [
    {
      name: "moved",
      summary: "The deal is won and moves to another stage",
      params: { id: demo("07", 1) },
      body: { stage_id: demo("05", 4), status: "won" },
    },
  ],
  updateConversation: [
    {
      name: "assigned",
      summary: "Assigned to a team",
      params: { id: demo("08", 11) },
      body: { team_id: demo("02", 2) },
    },
  ],
  sendExternalTemplate: [
    { name: "sent", summary: "A first send", body: { ...TEMPLATE, idempotency_key: ORDER_KEY } },
    {
      name: "repeat",
      summary: "The same once more",
      body: { ...TEMPLATE, idempotency_key: ORDER_KEY },
    },
    {
      name: "doNotContact",
      summary: "The contact must not be contacted",
      body: { ...TEMPLATE, phone: "+5531900000002" },
    },
    {
      name: "wrongPhone",
      summary: "A phone without its plus sign",
      body: { ...TEMPLATE, phone: "12025550101" },
    },
    sandboxSend("rejected", "A template that is not approved", "+15550132001"),
    sandboxSend("unreachable", "A recipient out of reach", "+15550131026"),
    sandboxSend("optedOut", "A recipient who has opted out", "+15550131050"),
    sandboxSend("accountRefused", "A token that has expired", "+15550000190"),
    sandboxSend("notSent", "The channel is down", "+15551000002"),
    sandboxSend("unknownOutcome", "The channel answers a bare 500", "+15551000006"),
  ],
} satisfies
  & Record<Exclude<OperationId, "getOpenApi">, [Ask, ...Ask[]]>
  & Record<"getOpenApi", []>;

/** Every request, with the operation that it is of. */
export function asks(): { id: OperationId; ask: Ask }[] {
  return Object.entries<Ask[]>(ASKS).flatMap(([id, list]) =>
    list.map((ask) => ({ id: id as OperationId, ask }))
  );
}
