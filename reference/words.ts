import type * as z from "zod";
import type { Health } from "../supabase/functions/gateway/health.ts";
import type { OpenApi } from "../supabase/functions/gateway/openapi.ts";
import type { Contact } from "../supabase/functions/gateway/resources/contacts.ts";
import type { Conversation } from "../supabase/functions/gateway/resources/conversations.ts";
import type { Deal } from "../supabase/functions/gateway/resources/deals.ts";
import type { Member } from "../supabase/functions/gateway/resources/members.ts";
import type { Pipeline } from "../supabase/functions/gateway/resources/pipelines.ts";
import type { Stage } from "../supabase/functions/gateway/resources/stages.ts";
import type { Team } from "../supabase/functions/gateway/resources/teams.ts";
import type {
  DoNotContact,
  Repeat,
  Sent,
} from "../supabase/functions/send-external-template/answers.ts";
import type { SendRequest } from "../supabase/functions/send-external-template/request.ts";
import type { OperationId } from "./functions.ts";

// The prose of the API's description. It compiles only when it is complete: every operation has its words,
// and so has every field of a record.

/** What the description says of the API as a whole; the rules follow it. */
export const INTRODUCTION =
  `An integration holds an **API key of one company** and reaches that company's data, and no other's.

- The **gateway** lists and writes contacts, deals, pipelines, stages and conversations.
- **send-external-template** sends an approved WhatsApp template to a phone and records conversation and message, so
  that the platform's AI agent can answer in context.

Send the key as \`Authorization: Bearer sk_live_…\` or as \`X-Api-Key: sk_live_…\`. Keys belong on servers, never in a
browser: no answer has CORS headers.

A success of the gateway is \`{ "data": … }\`. A list adds \`pagination\`; send its \`next_cursor\` as \`cursor\` to get the
next page. An error is \`{ "error", "code", "request_id" }\`, with \`details\` where fields do not hold. Every answer
carries \`X-Request-Id\` and \`Cache-Control: no-store\`. HEAD answers as GET does, without the body.

A request is judged in this order: method (template endpoint only), key, scope, parameters and body, then existence and
conflicts. Bodies and parameters are strict: an unknown field is refused by name, so nothing is dropped in silence.

These rules hold beside the schemas:
`;

/** The groups of operations. */
export const TAGS = {
  Contacts:
    "People with whom the company speaks. One person is one contact: spellings of a phone that " +
    "WhatsApp treats as one number meet the same contact.",
  Deals: "Sales opportunities, each with a contact and in a stage of a pipeline.",
  Pipelines: "Sales pipelines and their stages.",
  Conversations: "Conversations with contacts. They begin with a message, so none is created here.",
  People: "Teams and members of your company, to whom conversations are assigned.",
  Templates: "Approved WhatsApp templates, sent to a phone.",
  Service: "For monitors and tools; no key is needed.",
} as const;

interface Words {
  tag: keyof typeof TAGS;
  summary: string;
  description: string;
}

/** What the description says of each operation. */
export const OPERATIONS = {
  listContacts: {
    tag: "Contacts",
    summary: "List contacts",
    description: "The contacts of your company, newest first.",
  },
  createContact: {
    tag: "Contacts",
    summary: "Create a contact",
    description:
      "Adds a contact. When the person is a contact already, the answer is 409 with that " +
      "contact's id.",
  },
  updateContact: {
    tag: "Contacts",
    summary: "Update a contact",
    description:
      "`phone` is required. A field that is left out keeps its value; `null` clears a field " +
      "that may be empty.",
  },
  listDeals: {
    tag: "Deals",
    summary: "List deals",
    description: "The deals of your company, newest first.",
  },
  createDeal: {
    tag: "Deals",
    summary: "Create a deal",
    description: "Adds a deal for a contact, in a stage. A new deal is open.",
  },
  updateDeal: {
    tag: "Deals",
    summary: "Update a deal",
    description: "Changes at least one field. A new `stage_id` moves the deal to that stage.",
  },
  listPipelines: {
    tag: "Pipelines",
    summary: "List pipelines",
    description: "The pipelines of your company, by position.",
  },
  listStages: {
    tag: "Pipelines",
    summary: "List stages",
    description:
      "The stages of all pipelines, or of one, grouped by pipeline and by position within it.",
  },
  listConversations: {
    tag: "Conversations",
    summary: "List conversations",
    description: "The conversations of your company, newest first.",
  },
  updateConversation: {
    tag: "Conversations",
    summary: "Assign a conversation or change its status",
    description:
      "Changes at least one field. `null` takes the assignee or the team away. A closed " +
      "conversation is not opened beside another one that is not closed: that is a 409.",
  },
  listTeams: {
    tag: "People",
    summary: "List teams",
    description:
      "The teams of your company, newest first: what `team_id` of a conversation may be.",
  },
  listMembers: {
    tag: "People",
    summary: "List members",
    description:
      "The members of your company, newest first: what `assigned_to` of a conversation may be.",
  },
  getHealth: {
    tag: "Service",
    summary: "Ask whether the service works",
    description:
      "Says which release answers and that the database does. Answers within two seconds.",
  },
  getOpenApi: {
    tag: "Service",
    summary: "Read this description",
    description:
      "The description of the API in OpenAPI 3.1, for tools that make clients, tests or pages " +
      "from it.",
  },
  sendExternalTemplate: {
    tag: "Templates",
    summary: "Send a template",
    description:
      "Finds or creates the contact, uses its open conversation or opens one, stores the " +
      "message, and sends the template. **Look at `success`:** the status 200 also says that nothing " +
      "was sent, because the contact must not be contacted or because the request repeats an " +
      "idempotency key. Give every message an `idempotency_key`: then a request may be repeated " +
      "blindly, and nothing is sent twice.",
  },
} satisfies Record<OperationId, Words>;

/** What the description says of each parameter. */
export const PARAMETERS: Record<string, string> = {
  id: "The id of the record.",
  limit: "How many rows a page has at most.",
  cursor: "Continues after the page whose `next_cursor` this is.",
  pipeline_id: "Only the stages of this pipeline.",
};

type FieldsOf<Schema extends z.ZodType> = Record<keyof z.output<Schema> & string, string>;

const ROW = {
  id: "The id of the record.",
  company_id: "The company that it belongs to: the key's.",
  created_at: "When it was created.",
  updated_at: "When it was changed last.",
};

const contact: FieldsOf<typeof Contact> = {
  ...ROW,
  name: "The person's name.",
  email: "An email address.",
  phone: "In E.164 format with a leading plus sign; kept as sent.",
  temperature: "How warm the lead is.",
  tags: "Words to group contacts by.",
  source: "Where the contact comes from.",
  job_title: "What the person does.",
  empresa: "The company that the person works for.",
  custom_fields: "Fields of your own: any JSON object.",
  do_not_contact: "Whether template sends to this contact are blocked.",
  is_active: "Whether the contact is in use.",
};

const deal: FieldsOf<typeof Deal> = {
  ...ROW,
  title: "What the deal is about.",
  value: "What the deal is worth, with at most two decimals.",
  status: "A new deal is open.",
  contact_id: "The contact that the deal is with.",
  stage_id: "The stage that the deal is in.",
};

const conversation: FieldsOf<typeof Conversation> = {
  ...ROW,
  contact_id: "The contact that the conversation is with.",
  status: "Whether somebody works on it.",
  assigned_to: "The member of your company who looks after it.",
  team_id: "The team of your company that looks after it.",
  last_message_at: "When the last message was sent or received.",
  window_expires_at:
    "Until when a free reply is allowed: 24 hours after the contact's last message.",
};

/** What the description says of each field, by the id of its schema. */
export const FIELDS = {
  Contact: contact,
  NewContact: contact,
  ContactChanges: contact,
  Deal: deal,
  NewDeal: deal,
  DealChanges: deal,
  Pipeline: {
    ...ROW,
    name: "The pipeline's name.",
    position: "Its place among the pipelines.",
    is_default: "Whether it is the pipeline that a company begins with.",
  } satisfies FieldsOf<typeof Pipeline>,
  Stage: {
    ...ROW,
    pipeline_id: "The pipeline that the stage belongs to.",
    name: "The stage's name.",
    position: "Its place in the pipeline.",
  } satisfies FieldsOf<typeof Stage>,
  Conversation: conversation,
  ConversationChanges: conversation,
  Team: {
    ...ROW,
    name: "The team's name.",
  } satisfies FieldsOf<typeof Team>,
  Member: {
    ...ROW,
    id: "The id of the person.",
    name: "What the person is called; `null` until it is given.",
    role: "What the person may do in the company.",
  } satisfies FieldsOf<typeof Member>,
  Pagination: {
    limit: "How many rows a page has at most.",
    has_more: "Whether another page follows.",
    next_cursor: "What to send as `cursor` for the next page; `null` on the last one.",
  },
  Health: {
    status: "Always `ok`: anything else is an error.",
    version: "The release of the functions.",
  } satisfies FieldsOf<typeof Health>,
  OpenApi: {
    openapi: "The version of OpenAPI.",
    info: "What the API is called, and the version of the interface.",
    paths: "The operations, by path and method.",
    components: "What the operations share.",
  } satisfies Record<keyof typeof OpenApi.shape, string>,
  SendRequest: {
    phone: "The recipient, in E.164 format with a leading plus sign.",
    template_name: "The name of the approved template.",
    language_code: "The template's language, such as `pt_BR` or `en`.",
    display_text: "What the history shows and the agent reads. Kept to the byte.",
    body_variables: "What fills `{{1}}`, `{{2}}`, … of the body.",
    header_variables: "What fills the variables of a text header.",
    phone_number_id:
      "Which connected messaging account sends; required when there is more than one.",
    contact_name: "The name of a contact that does not exist yet.",
    idempotency_key: "Names this one send in your company, for ever: `<purpose>-<contact>-<date>`.",
    template_header_type:
      "The media header of the approved template. Then `header_variables` must be " +
      "left out or empty.",
  } satisfies FieldsOf<typeof SendRequest>,
  Sent: {
    success: "The channel took the message.",
    conversation_id: "The conversation that the message is in.",
    message_id: "The stored message.",
    whatsapp_message_id: "The channel's id of the message.",
    created_conversation: "Whether the conversation was opened for this message.",
    idempotent_hit: "This request was the first with its key.",
  } satisfies FieldsOf<typeof Sent>,
  Repeat: {
    success: "Whether the first send reached the channel.",
    status:
      "`sent`: it reached the channel. `pending`: it is under way; ask again shortly. `failed`: it " +
      "failed, for good.",
    conversation_id: "The conversation that the message is in.",
    message_id: "The stored message.",
    idempotent_hit: "This request repeats an idempotency key and sent nothing.",
  } satisfies FieldsOf<typeof Repeat>,
  DoNotContact: {
    success: "Nothing was sent.",
    reason: "The contact has `do_not_contact` set.",
  } satisfies FieldsOf<typeof DoNotContact>,
} as const;

/** What the description says of a schema as a whole, by its id. */
export const SCHEMAS: Record<string, string> = {
  Contact: "A person with whom the company speaks.",
  NewContact: "A contact to create. A field that is left out takes its default.",
  ContactChanges: "Changes of a contact.",
  Deal: "A sales opportunity.",
  NewDeal: "A deal to create.",
  DealChanges: "Changes of a deal.",
  Pipeline: "A sales pipeline.",
  Stage: "A step of a pipeline.",
  Conversation: "A conversation with a contact.",
  ConversationChanges: "Changes of a conversation.",
  Team: "A team of your company.",
  Member: "A person who works in your company.",
  Pagination: "Where this page stands in the list.",
  Health: "The state of the service.",
  OpenApi: "A description of an API in OpenAPI 3.1.",
  SendRequest: "A template to send.",
  SendAnswer: "What became of the request.",
  Sent: "A first send that the channel took.",
  Repeat: "How the send stands that was made with this idempotency key.",
  DoNotContact: "A send that was not made, because the contact must not be contacted.",
};
