import { built, type ObjectSchema } from "../../supabase/functions/_shared/lazily.ts";
import { Contact } from "../../supabase/functions/gateway/resources/contacts/row.ts";
import { Conversation } from "../../supabase/functions/gateway/resources/conversations/row.ts";
import { Deal } from "../../supabase/functions/gateway/resources/deals/row.ts";
import { Stage } from "../../supabase/functions/gateway/resources/stages/row.ts";
import { Sent } from "../../supabase/functions/_shared/sending/send_answers.ts";
import { type MeasuredCompany, NAME, RARE_TAG } from "./dataset.ts";
import { ANY, type PlannedRequest } from "./planned_request.ts";
import { type BenchStack, CHANNEL_DELAY_MS } from "../stack.ts";

/**
 * The servers that the benchmark compares with the scenarios. These servers show the best speed at
 * which this machine could return the same responses.
 */
export const FLOORS = {
  rest: "the same call directly to the REST layer",
  relay: "the same call through a function that only passes it on",
  sql: "the same row-secured SQL over a plain driver",
  hono: "bare Hono with a constant answer",
};

export type FloorName = keyof typeof FLOORS;

/** A request as integrations send it. */
export interface Scenario extends PlannedRequest {
  name: string;
  title: string;
  function: "gateway" | "sender" | "slowSender";
  /** The floors to measure: none if the function makes more than one call to the REST layer. */
  floors: FloorName[];
}

type Plan =
  & Omit<Scenario, "name" | "headers" | "function" | "floors">
  & Partial<Pick<Scenario, "function" | "floors">>;
/** `cursor` leads to the page with the number `deepPage`. */
type Facts = MeasuredCompany & { deepPage: number; cursor: string };

export const PAGE = 50;
const MAX_LIMIT = 200;
const DEEP_PAGE = 1000;

const SCENARIOS: Record<string, (facts: Facts) => Plan> = {
  list: () => ({
    ...list(`List contacts, first page of ${PAGE}`, "contacts", Contact),
    floors: ["rest", "relay", "sql", "hono"],
  }),
  list_deep: ({ deepPage, cursor }) => {
    const title = `List contacts, page ${deepPage.toLocaleString("en")} by cursor`;
    return list(title, `contacts?limit=${PAGE}&cursor=${cursor}`, Contact);
  },
  list_filter: ({ pipelineId, stages }) =>
    list("List the stages of a pipeline", `stages?pipeline_id=${pipelineId}`, Stage, stages),
  list_conversations: () =>
    list(`List conversations, first page of ${PAGE}`, "conversations", Conversation),
  list_one: () => find("List contacts, a page of one", "limit=1", 1),
  by_id: ({ contactTargets: targets }) => ({
    title: "Get a contact by its id",
    method: "GET",
    path: "/gateway/contacts/{{id}}",
    targets,
    status: 200,
    answer: { data: { ...fieldsOf(Contact), id: "{{id}}" } },
  }),
  by_phone: ({ contactTargets: targets }) => ({
    ...find("Find a contact by its phone", "phone={{phone}}", 1),
    targets,
  }),
  by_tag: ({ rare }) => find("Find contacts by a rare tag", `tags=${RARE_TAG}`, rare),
  words: () => find("Find contacts by three letters", "q=ana"),
  two_words: ({ namesakes }) =>
    find("Find contacts by two words", `q=${NAME.replace(" ", "+")}`, Math.min(namesakes, PAGE)),
  changes: () => ({
    ...list(`List changes of contacts, a page of ${PAGE}`, "contacts/changes", Contact),
    floors: [],
  }),
  create_contact: () => ({
    ...write("Create a contact", "POST contacts", Contact, {
      phone: "+79{{n}}",
      name: "Contact {{n}}",
      email: "contact.{{n}}@example.com",
      tags: ["lead"],
      custom_fields: { plan: "pro", seats: 12 },
    }),
    floors: ["rest", "relay"],
  }),
  phone_taken: ({ contactTargets }) => ({
    title: "Create a contact whose phone is taken",
    method: "POST",
    path: "/gateway/contacts",
    json: { phone: "{{phone}}", name: "Contact {{n}}" },
    targets: contactTargets,
    status: 409,
    answer: { code: "conflict", error: ANY, existing_id: "{{id}}" },
  }),
  update_contact: ({ contactTargets: targets }) => {
    const changes = { phone: "{{phone}}", name: "Renamed {{n}}" };
    return { ...write("Update a contact", "PATCH contacts/{{id}}", Contact, changes), targets };
  },
  put_contact: ({ contactTargets: targets }) => {
    const json = { phone: "{{phone}}", name: "Put {{n}}" };
    return {
      ...write("Put a contact by its phone", "PUT contacts", Contact, json),
      targets,
      floors: [],
    };
  },
  update_deal: ({ dealTargets: targets }) => {
    const changes = { title: "Renamed {{n}}" };
    return { ...write("Update a deal", "PATCH deals/{{id}}", Deal, changes), targets };
  },
  send: (facts) => send("at once", "sender", facts),
  send_slow: (facts) => send(`after ${CHANNEL_DELAY_MS} ms`, "slowSender", facts),
};

export const SCENARIO_NAMES = Object.keys(SCENARIOS);

/**
 * The scenarios for a company. To get the cursor of a deep page, this reads the company's contacts
 * once up to page 1,000, or to the last full page.
 */
export async function planScenarios(
  company: MeasuredCompany,
  { gateway }: BenchStack,
): Promise<Scenario[]> {
  const authorization = { Authorization: `Bearer ${company.apiKey}` };
  const deepPage = Math.min(DEEP_PAGE, Math.floor((company.contacts - 1) / PAGE));
  let cursor = "";
  for (let left = (deepPage - 1) * PAGE; left > 0; left -= MAX_LIMIT) {
    const query = `limit=${Math.min(left, MAX_LIMIT)}${cursor && `&cursor=${cursor}`}`;
    const url = `${gateway.url}/gateway/contacts?${query}`;
    const answer = await fetch(url, { headers: authorization });
    ({ pagination: { next_cursor: cursor } } = await answer.json());
  }
  const headers = { ...authorization, "Content-Type": "application/json" };
  const facts = { ...company, deepPage, cursor };
  return Object.entries(SCENARIOS).map(([name, plan]) => (
    { name, headers, function: "gateway", floors: [], ...plan(facts) }
  ));
}

function list(title: string, path: string, row: ObjectSchema, count = PAGE): Plan {
  const answer = { data: Array(count).fill(fieldsOf(row)) };
  return { title, method: "GET", path: `/gateway/${path}`, status: 200, answer, floors: ["rest"] };
}

function find(title: string, query: string, count = PAGE): Plan {
  return { ...list(title, `contacts?${query}`, Contact, count), floors: [] };
}

/** The response contains the row with the values that were sent. */
function write(title: string, request: string, row: ObjectSchema, json: object): Plan {
  const [method, path] = request.split(" ");
  const status = method === "POST" ? 201 : 200;
  const answer = { data: { ...fieldsOf(row), ...json } };
  return { title, method, path: `/gateway/${path}`, json, status, answer, floors: ["rest"] };
}

function send(when: string, server: Scenario["function"], { contactTargets }: Facts): Plan {
  return {
    title: `Send a template, the channel answering ${when}`,
    function: server,
    method: "POST",
    path: "/send-external-template",
    json: {
      phone: "{{phone}}",
      template_name: "order_update",
      language_code: "pt_BR",
      display_text: "Your order {{n}} is on its way",
      body_variables: ["{{n}}"],
      idempotency_key: "bench-{{n}}",
    },
    targets: contactTargets,
    status: 200,
    answer: { ...fieldsOf(Sent), success: true, idempotent_hit: false },
  };
}

/** A row that has all fields of a schema, with any values. */
function fieldsOf(row: ObjectSchema): object {
  return Object.fromEntries(Object.keys(built(row).shape).map((field) => [field, ANY]));
}
