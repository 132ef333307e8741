import type { FloorName } from "./floors.ts";
import type { Expectation, PlannedRequest } from "./load.ts";
import type { ScenarioSubject } from "./measure.ts";
import type { MeasuredCompany } from "./measured_company.ts";
import { type BenchStack, CHANNEL_DELAY_MS } from "./stack.ts";

/** A request that integrations send, as they send it. */
export interface Scenario {
  name: string;
  title: string;
  function: "gateway" | "sender" | "slowSender";
  request: PlannedRequest;
  /** None where the function does more than one call of the REST layer. */
  floors: FloorName[];
}

/** A scenario as the table states it. */
interface Row extends Partial<Pick<Scenario, "function" | "floors">> {
  title: string;
  request: string;
  json?: Record<string, unknown>;
  targets?: PlannedRequest["targets"];
  expect: Expectation;
}

interface Facts extends MeasuredCompany {
  deepPage: number;
  /** Leads to the deep page. */
  cursor: string;
}

const PAGE = 50;
const MAX_LIMIT = 200;
const DEEP_PAGE = 1000;

// The fields of answers that are checked.
const CONTACT = ["id", "company_id", "phone", "tags", "custom_fields", "created_at"];
const DEAL = ["id", "title", "status", "contact_id", "stage_id"];
const STAGE = ["id", "pipeline_id", "name", "position"];
const CONVERSATION = ["id", "contact_id", "status", "last_message_at"];
const SENT = ["success", "conversation_id", "message_id", "whatsapp_message_id"];

const list = (title: string, path: string, fields: string[], count = PAGE): Row => ({
  title,
  request: `GET /gateway/${path}`,
  expect: { status: 200, at: "data", count, fields },
  floors: ["rest"],
});
const send = (title: string, sender: "sender" | "slowSender", { contactTargets }: Facts): Row => ({
  title: `Send a template, the channel answering ${title}`,
  function: sender,
  request: "POST /send-external-template",
  json: {
    phone: "{{phone}}",
    template_name: "order_update",
    language_code: "pt_BR",
    display_text: "Your order {{n}} is on its way",
    body_variables: ["{{n}}"],
    idempotency_key: "bench-{{n}}",
  },
  targets: contactTargets,
  expect: { status: 200, fields: SENT, values: { success: true, idempotent_hit: false } },
});

const SCENARIOS: Record<string, (facts: Facts) => Row> = {
  list: () => ({
    ...list(`List contacts, first page of ${PAGE}`, "contacts", CONTACT),
    floors: ["rest", "relay", "sql", "hono"],
  }),
  list_deep: ({ deepPage, cursor }) =>
    list(
      `List contacts, page ${deepPage.toLocaleString("en")} by cursor`,
      `contacts?limit=${PAGE}&cursor=${cursor}`,
      CONTACT,
    ),
  list_filter: ({ pipelineId, stages }) =>
    list("List the stages of a pipeline", `stages?pipeline_id=${pipelineId}`, STAGE, stages),
  list_conversations: () =>
    list(`List conversations, first page of ${PAGE}`, "conversations", CONVERSATION),
  create_contact: () => ({
    title: "Create a contact",
    request: "POST /gateway/contacts",
    json: {
      phone: "+79{{n}}",
      name: "Contact {{n}}",
      email: "contact.{{n}}@example.com",
      tags: ["lead"],
      custom_fields: { plan: "pro", seats: 12 },
    },
    expect: { status: 201, at: "data", fields: CONTACT, echo: ["phone", "name", "email"] },
    floors: ["rest", "relay"],
  }),
  phone_taken: ({ contactTargets }) => ({
    title: "Create a contact whose phone is taken",
    request: "POST /gateway/contacts",
    json: { phone: "{{phone}}", name: "Contact {{n}}" },
    targets: contactTargets,
    expect: { status: 409, fields: ["error", "existing_id"], values: { code: "conflict" } },
  }),
  update_contact: ({ contactTargets }) => ({
    title: "Update a contact",
    request: "PATCH /gateway/contacts/{{id}}",
    json: { phone: "{{phone}}", name: "Renamed {{n}}" },
    targets: contactTargets,
    expect: { status: 200, at: "data", fields: CONTACT, echo: ["phone", "name"] },
    floors: ["rest"],
  }),
  update_deal: ({ dealTargets }) => ({
    title: "Update a deal",
    request: "PATCH /gateway/deals/{{id}}",
    json: { title: "Renamed {{n}}" },
    targets: dealTargets,
    expect: { status: 200, at: "data", fields: DEAL, echo: ["title"] },
    floors: ["rest"],
  }),
  send: (facts) => send("at once", "sender", facts),
  send_slow: (facts) => send(`after ${CHANNEL_DELAY_MS} ms`, "slowSender", facts),
};

export const SCENARIO_NAMES = Object.keys(SCENARIOS);

/** The scenarios for a company; walks once to page 1,000 of its contacts, or to the last full page. */
export async function planScenarios(
  company: MeasuredCompany,
  { gateway }: BenchStack,
): Promise<Scenario[]> {
  const headers = { Authorization: `Bearer ${company.apiKey}` };
  const deepPage = Math.min(DEEP_PAGE, Math.floor((company.contacts - 1) / PAGE));
  let cursor = "";
  for (let left = (deepPage - 1) * PAGE; left > 0; left -= MAX_LIMIT) {
    const query = `limit=${Math.min(left, MAX_LIMIT)}${cursor && `&cursor=${cursor}`}`;
    const answer = await fetch(`${gateway.url}/gateway/contacts?${query}`, { headers });
    ({ pagination: { next_cursor: cursor } } = await answer.json());
  }
  return Object.entries(SCENARIOS).map(([name, scenario]) => {
    const { title, function: server = "gateway", request, json, targets, expect, floors = [] } =
      scenario({ ...company, deepPage, cursor });
    const [method, path] = request.split(" ");
    const bodied = json &&
      { headers: { ...headers, "Content-Type": "application/json" }, body: JSON.stringify(json) };
    const planned = { method, path, headers, targets, expect, ...bodied };
    return { name, title, function: server, request: planned, floors };
  });
}

/** A scenario as it is measured: its function, unless another server gets the request or another one. */
export function subjectOf(
  scenario: Scenario,
  stack: BenchStack,
  target: ScenarioSubject["target"] = "function",
  server = stack[scenario.function],
  request = scenario.request,
): ScenarioSubject {
  const title = `${scenario.title}, ${target}`;
  return { title, scenario: scenario.name, target, stack, server, requests: [request] };
}
