import type { MeasuredCompany } from "./data.ts";
import type { Floor } from "./floors.ts";
import type { PlannedRequest } from "./load.ts";
import { CHANNEL_DELAY_MS } from "./measured_stack.ts";

export const SCENARIO_NAMES = [
  "list",
  "list_deep",
  "list_filter",
  "list_conversations",
  "create_contact",
  "phone_taken",
  "update_contact",
  "update_deal",
  "send",
  "send_slow",
] as const;

/** One thing that integrations do, as they do it. */
export interface Scenario {
  name: typeof SCENARIO_NAMES[number];
  title: string;
  function: "gateway" | "sender" | "slowSender";
  request: PlannedRequest;
  /** What it is measured against; nothing where the function does more than to ask the REST layer once. */
  floors: Floor["name"][];
}

const PAGE = 50;
const MAX_LIMIT = 200;
const DEEP_PAGE = 1000;

const CONTACT = [
  ...["id", "company_id", "name", "email", "phone", "temperature", "tags", "source", "job_title"],
  ...["empresa", "custom_fields", "do_not_contact", "is_active", "created_at", "updated_at"],
];
const DEAL = [
  "id",
  "company_id",
  "title",
  "value",
  "status",
  "contact_id",
  "stage_id",
  "created_at",
];
const STAGE = ["id", "company_id", "pipeline_id", "name", "position", "created_at", "updated_at"];
const CONVERSATION = ["id", "company_id", "contact_id", "status", "last_message_at", "created_at"];
const SENT = ["success", "conversation_id", "message_id", "whatsapp_message_id"];

/** @param gatewayUrl where the gateway runs; page 1,000 is walked to once. */
export async function planScenarios(
  company: MeasuredCompany,
  gatewayUrl: string,
): Promise<Scenario[]> {
  const headers = { Authorization: `Bearer ${company.apiKey}` };
  const deep = Math.min(DEEP_PAGE, Math.floor((company.contacts - 1) / PAGE));
  const cursor = await walk(`${gatewayUrl}/gateway/contacts`, headers, (deep - 1) * PAGE);
  const list = (path: string, fields: string[], count = PAGE): PlannedRequest => ({
    method: "GET",
    path: `/gateway${path}`,
    headers,
    expect: { status: 200, at: "data", count, fields },
  });
  const write = (
    method: string,
    path: string,
    body: Record<string, unknown>,
    rest: Pick<PlannedRequest, "expect" | "targets">,
  ): PlannedRequest => ({
    method,
    path,
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify(body),
    ...rest,
  });
  const send = write("POST", "/send-external-template", {
    phone: "{{phone}}",
    template_name: "order_update",
    language_code: "pt_BR",
    display_text: "Your order {{n}} is on its way",
    body_variables: ["{{n}}"],
    idempotency_key: "bench-{{n}}",
  }, {
    targets: company.contactTargets,
    expect: { status: 200, fields: SENT, values: { success: true, idempotent_hit: false } },
  });
  return [
    {
      name: "list",
      title: `List contacts, first page of ${PAGE}`,
      function: "gateway",
      request: list("/contacts", CONTACT),
      floors: ["rest", "relay", "sql", "hono"],
    },
    {
      name: "list_deep",
      title: `List contacts, page ${deep.toLocaleString("en")} by cursor`,
      function: "gateway",
      request: list(`/contacts?limit=${PAGE}&cursor=${cursor}`, CONTACT),
      floors: ["rest"],
    },
    {
      name: "list_filter",
      title: "List the stages of a pipeline",
      function: "gateway",
      request: list(`/stages?pipeline_id=${company.pipelineId}`, STAGE, company.stages),
      floors: ["rest"],
    },
    {
      name: "list_conversations",
      title: `List conversations, first page of ${PAGE}`,
      function: "gateway",
      request: list("/conversations", CONVERSATION),
      floors: ["rest"],
    },
    {
      name: "create_contact",
      title: "Create a contact",
      function: "gateway",
      request: write("POST", "/gateway/contacts", {
        phone: "+79{{n}}",
        name: "Contact {{n}}",
        email: "contact.{{n}}@example.com",
        tags: ["lead"],
        custom_fields: { plan: "pro", seats: 12 },
      }, {
        expect: { status: 201, at: "data", fields: CONTACT, echo: ["phone", "name", "email"] },
      }),
      floors: ["rest", "relay"],
    },
    {
      name: "phone_taken",
      title: "Create a contact whose phone is taken",
      function: "gateway",
      request: write("POST", "/gateway/contacts", { phone: "{{phone}}", name: "Contact {{n}}" }, {
        targets: company.contactTargets,
        expect: { status: 409, fields: ["error", "existing_id"], values: { code: "conflict" } },
      }),
      floors: [],
    },
    {
      name: "update_contact",
      title: "Update a contact",
      function: "gateway",
      request: write("PATCH", "/gateway/contacts/{{id}}", {
        phone: "{{phone}}",
        name: "Renamed {{n}}",
      }, {
        targets: company.contactTargets,
        expect: { status: 200, at: "data", fields: CONTACT, echo: ["phone", "name"] },
      }),
      floors: ["rest"],
    },
    {
      name: "update_deal",
      title: "Update a deal",
      function: "gateway",
      request: write("PATCH", "/gateway/deals/{{id}}", { title: "Renamed {{n}}" }, {
        targets: company.dealTargets,
        expect: { status: 200, at: "data", fields: DEAL, echo: ["title"] },
      }),
      floors: ["rest"],
    },
    {
      name: "send",
      title: "Send a template, the channel answering at once",
      function: "sender",
      request: send,
      floors: [],
    },
    {
      name: "send_slow",
      title: `Send a template, the channel answering after ${CHANNEL_DELAY_MS} ms`,
      function: "slowSender",
      request: send,
      floors: [],
    },
  ];
}

/** The cursor behind so many contacts, by the pages that lead there. */
async function walk(url: string, headers: Record<string, string>, distance: number) {
  let cursor = "";
  for (let left = distance; left > 0;) {
    const limit = Math.min(left, MAX_LIMIT);
    const answer = await fetch(`${url}?limit=${limit}${cursor && `&cursor=${cursor}`}`, {
      headers,
    });
    const { pagination } = await answer.json();
    cursor = pagination.next_cursor;
    left -= limit;
  }
  return cursor;
}
