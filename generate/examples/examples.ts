import { contact, demoId, EXAMPLE_READS, type ExampleRequest } from "./example_reads.ts";
import type { OperationId } from "../openapi/functions.ts";

// The example requests. `npm run generate` makes these requests with the demo company's key and
// records the responses in examples.json. A test repeats the requests and compares the responses.

/** A request with its recorded response. */
export interface Example {
  name: string;
  summary: string;
  request: Omit<ExampleRequest, "name" | "summary" | "key">;
  status: number;
  answer: unknown;
}

/** The examples for each operation, by operation id. */
export type Examples = Partial<Record<string, Example[]>>;

const TEMPLATE = {
  phone: "+12025550101",
  template_name: "order_update",
  language_code: "en_US",
  display_text: "Hello Maya, your order A-1815 is on its way.",
  body_variables: ["Maya", "A-1815"],
};
/** When examples are recorded, the URL of the sandbox's own webhook receiver replaces this URL. */
export const HOOK_URL = "https://shop.example.com/webhooks/crm";
const ORDER_KEY = "order-A-1815-shipped";
const REPLY = "Sí, con transferencia está bien. Le envío los datos.";
/** Returns a send to a phone number for which the sandbox returns an error. */
const failingSend = (name: string, summary: string, phone: string): ExampleRequest => ({
  name,
  summary,
  body: { ...TEMPLATE, phone },
});

/**
 * The example requests for each operation. The read requests are made first, in this order, and
 * then the other requests. The code does not compile if an operation has no entry.
 */
export const EXAMPLE_REQUESTS = {
  ...EXAMPLE_READS,
  createContact: [
    {
      name: "created",
      summary: "A new contact",
      body: { phone: "+14155550123", name: "Ada Lovelace", tags: ["newsletter"] },
    },
    {
      name: "exists",
      summary: "The phone number already belongs to a contact",
      body: { phone: "+552190000001", name: "João Gonçalves" },
    },
  ],
  putContact: [
    {
      name: "put",
      summary: "No contact has this phone number, so the request creates a contact",
      body: { phone: "+14155550124", name: "Charles Babbage" },
    },
    {
      name: "putAgain",
      summary: "The phone number already belongs to a contact: the given fields are updated",
      body: { phone: "+14155550124", temperature: "hot" },
    },
    {
      name: "putMerged",
      summary: "Custom fields are merged, and the new tags are added",
      query: { on_conflict: "merge" },
      body: { phone: "+14155550124", tags: ["vip"], custom_fields: { plan: "gold" } },
    },
    {
      name: "kept",
      summary: "Only empty fields are filled",
      query: { on_conflict: "keep" },
      body: { phone: "+14155550124", name: "Mr Babbage", empresa: "Royal Society" },
    },
    {
      name: "putByOwnId",
      summary: "The contact with this `external_id` is updated, or created if there is none",
      query: { match: "external_id" },
      body: { external_id: "shop-1815", phone: "+14155550128", name: "Annabella Byron" },
    },
    {
      name: "putSince",
      summary: "The contact has changed since it was read",
      ifMatch: '"1"',
      body: { phone: "+14155550124", temperature: "cold" },
    },
  ],
  writeContacts: [
    {
      name: "written",
      summary: "One contact is created, and one is updated",
      query: { on_conflict: "update" },
      body: {
        items: [
          { phone: "+14155550125", name: "Mary Somerville" },
          { phone: "+14155550124", job_title: "Engineer" },
        ],
      },
    },
    {
      name: "writtenInPart",
      summary: "One contact is created, and one item fails because the contact already exists",
      body: {
        items: [
          { phone: "+14155550126", name: "Sophie Germain" },
          { phone: "+14155550124", job_title: "Engineer" },
        ],
      },
    },
    {
      name: "noneWritten",
      summary: "All or none: one contact already exists",
      query: { atomic: "true" },
      body: { items: [{ phone: "+14155550127" }, { phone: "+14155550124" }] },
    },
  ],
  updateContacts: [
    {
      name: "patched",
      summary: "One contact is updated; the other contact does not exist",
      contentType: "application/merge-patch+json",
      body: {
        items: [
          { id: contact(4), custom_fields: { plan: "platinum" } },
          { id: contact(9999), temperature: "cold" },
        ],
      },
    },
    {
      name: "tagged",
      summary: "Add a tag to one contact, and remove the tag from another contact",
      body: {
        items: [
          { id: contact(4), add_tags: ["vip"] },
          { id: contact(5), remove_tags: ["vip"] },
        ],
      },
    },
    {
      name: "nonePatched",
      summary: "All or none: another contact has one of the phone numbers",
      query: { atomic: "true" },
      body: {
        items: [
          { id: contact(4), temperature: "cold" },
          { id: contact(5), phone: "+14155550124" },
        ],
      },
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
      name: "merged",
      summary: "Set one custom field and remove another",
      params: { id: contact(4) },
      contentType: "application/merge-patch+json",
      body: { custom_fields: { plan: "gold", trial_ends: null } },
    },
    {
      name: "tagged",
      summary: "Add one tag and remove another",
      params: { id: contact(4) },
      contentType: "application/merge-patch+json",
      body: { add_tags: ["vip"], remove_tags: ["trial"] },
    },
    {
      name: "changedSince",
      summary: "The contact has changed since it was read",
      params: { id: contact(4) },
      ifMatch: '"1"',
      body: { phone: "+12025550101", temperature: "cold" },
    },
    {
      name: "unknown",
      summary: "Your company does not have this contact",
      params: { id: contact(9999) },
      body: { phone: "+12025550101" },
    },
  ],
  archiveContact: [
    { name: "archived", summary: "Archive a contact", params: { id: contact(31) } },
    {
      name: "changedSince",
      summary: "The contact has changed since it was read",
      params: { id: contact(32) },
      ifMatch: '"1"',
    },
    {
      name: "unknown",
      summary: "Your company does not have this contact",
      params: { id: contact(9999) },
    },
  ],
  restoreContact: [
    { name: "restored", summary: "Restore the contact", params: { id: contact(31) } },
    {
      name: "unknown",
      summary: "Your company does not have this contact",
      params: { id: contact(9999) },
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
  archiveDeal: [
    { name: "archived", summary: "Archive a deal", params: { id: demoId("07", 2) } },
  ],
  restoreDeal: [
    { name: "restored", summary: "Restore the deal", params: { id: demoId("07", 2) } },
  ],
  createDeals: [
    {
      name: "createdMany",
      summary: "One deal is created; the contact of the other deal does not exist",
      body: {
        items: [
          { title: "Difference engine", contact_id: contact(4), stage_id: demoId("05", 1) },
          { title: "Lost letter", contact_id: contact(9999), stage_id: demoId("05", 1) },
        ],
      },
    },
    {
      name: "writtenByOwnId",
      summary: "The deal with this `external_id` is updated, or created if there is none",
      query: { on_conflict: "update" },
      body: {
        items: [
          {
            external_id: "order-1815",
            title: "Order 1815",
            contact_id: contact(4),
            stage_id: demoId("05", 1),
          },
        ],
      },
    },
    {
      name: "noneCreated",
      summary: "All or none: one item cannot be created",
      query: { atomic: "true" },
      body: {
        items: [
          { title: "Difference engine", contact_id: contact(4), stage_id: demoId("05", 1) },
          { title: "Lost letter", contact_id: contact(9999), stage_id: demoId("05", 1) },
        ],
      },
    },
  ],
  updateDeals: [
    {
      name: "updatedMany",
      summary: "One deal moves to another stage; the other deal does not exist",
      body: {
        items: [
          { id: demoId("07", 2), stage_id: demoId("05", 2) },
          { id: demoId("07", 9999), status: "lost" },
        ],
      },
    },
    {
      name: "noneUpdated",
      summary: "All or none: one item is not a deal of the company",
      query: { atomic: "true" },
      body: {
        items: [
          { id: demoId("07", 2), stage_id: demoId("05", 2) },
          { id: demoId("07", 9999), status: "lost" },
        ],
      },
    },
  ],
  createPipeline: [
    { name: "created", summary: "A new pipeline", body: { name: "Partners" } },
  ],
  updatePipeline: [
    {
      name: "moved",
      summary: "Rename a pipeline and move it to the beginning",
      params: { id: demoId("04", 1) },
      body: { name: "Service", position: 0 },
    },
  ],
  archivePipeline: [
    {
      name: "hasDeals",
      summary: "The pipeline has deals",
      params: { id: demoId("04", 1) },
    },
  ],
  createStage: [
    {
      name: "created",
      summary: "A new stage before the last stage",
      body: { pipeline_id: demoId("04", 1), name: "Signed", position: 3 },
    },
  ],
  updateStage: [
    {
      name: "moved",
      summary: "Move a stage to the end",
      params: { id: demoId("05", 1) },
      body: { position: 99 },
    },
  ],
  archiveStage: [
    {
      name: "hasDeals",
      summary: "The stage has deals, but the request has no `move_deals_to`",
      params: { id: demoId("05", 2) },
    },
    {
      name: "archived",
      summary: "Move the deals of a stage and archive it",
      params: { id: demoId("05", 2) },
      query: { move_deals_to: demoId("05", 3) },
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
      summary: "A repeated request with the same idempotency key",
      body: { ...TEMPLATE, idempotency_key: ORDER_KEY },
    },
    {
      name: "repeatWithOtherWords",
      summary: "A repeated request with different variables, which are not sent",
      body: { ...TEMPLATE, body_variables: ["Maya", "A-1816"], idempotency_key: ORDER_KEY },
    },
    {
      name: "keyOfOtherMessage",
      summary: "The idempotency key belongs to a message to another recipient",
      body: { ...TEMPLATE, phone: "+12025550102", idempotency_key: ORDER_KEY },
    },
    {
      name: "doNotContact",
      summary: "The contact must not be contacted",
      body: { ...TEMPLATE, phone: "+5531900000002" },
    },
    {
      name: "wrongPhone",
      summary: "A phone number without the plus sign",
      body: { ...TEMPLATE, phone: "12025550101" },
    },
    failingSend("rejected", "The template does not exist or is not approved", "+15550132001"),
    failingSend("unreachable", "The recipient cannot be reached", "+15550131026"),
    failingSend("optedOut", "The recipient has opted out", "+15550131050"),
    failingSend("accountRefused", "The account's token has expired", "+15550000190"),
    failingSend("notSent", "The channel is down", "+15551000002"),
    failingSend("unknownOutcome", "The channel fails and gives no reason", "+15551000006"),
  ],
  sendReply: [
    {
      name: "dryRun",
      summary: "Check whether a reply is possible now",
      query: { dry_run: "true" },
      body: { conversation_id: demoId("08", 4), text: REPLY },
    },
    {
      name: "sent",
      summary: "A first send",
      body: { conversation_id: demoId("08", 4), text: REPLY, idempotency_key: "reply-1" },
    },
    {
      name: "repeat",
      summary: "A repeated request with the same idempotency key",
      body: { conversation_id: demoId("08", 4), text: REPLY, idempotency_key: "reply-1" },
    },
    {
      name: "keyOfOtherMessage",
      summary: "The idempotency key belongs to a template send",
      body: { conversation_id: demoId("08", 4), text: REPLY, idempotency_key: ORDER_KEY },
    },
    {
      name: "windowClosed",
      summary: "The contact last wrote more than 24 hours ago",
      body: { conversation_id: demoId("08", 3), text: REPLY },
    },
    {
      name: "closed",
      summary: "The conversation is closed",
      body: { conversation_id: demoId("08", 2), text: REPLY },
    },
    {
      name: "notConnected",
      summary: "The business number of the conversation is no longer connected",
      body: { conversation_id: demoId("08", 8), text: REPLY },
    },
    {
      name: "unknown",
      summary: "Your company does not have this conversation",
      body: { conversation_id: demoId("08", 9999), text: REPLY },
    },
  ],
  markMessageRead: [
    {
      name: "read",
      summary: "The contact sees that the message was read and that someone is typing",
      params: { id: demoId("10", 401) },
      body: { typing: true },
    },
    {
      name: "unknown",
      summary: "Your company does not have this message",
      params: { id: demoId("10", 99999) },
      body: {},
    },
  ],
  reactToMessage: [
    {
      name: "reacted",
      summary: "The contact sees the emoji on the message",
      params: { id: demoId("10", 401) },
      body: { emoji: "👍" },
    },
    {
      name: "notOneEmoji",
      summary: "The text is not one emoji",
      params: { id: demoId("10", 401) },
      body: { emoji: "ok" },
    },
    {
      name: "unknown",
      summary: "Your company does not have this message",
      params: { id: demoId("10", 99999) },
      body: { emoji: "👍" },
    },
  ],
  removeReaction: [
    {
      name: "removed",
      summary: "Your company's reaction is removed from the message",
      params: { id: demoId("10", 401) },
    },
    {
      name: "unknown",
      summary: "Your company does not have this message",
      params: { id: demoId("10", 99999) },
    },
  ],
  uploadMedia: [
    {
      name: "uploaded",
      summary: "An invoice as PDF",
      query: { phone_number_id: "900000000000011", filename: "invoice-A-1815.pdf" },
      file: "%PDF-1.7\n% An invoice\n",
      contentType: "application/pdf",
    },
    {
      name: "wrongBytes",
      summary: "The file is not what Content-Type says",
      query: { phone_number_id: "900000000000011" },
      file: "<html></html>",
      contentType: "image/png",
    },
  ],
  getMediaUpload: [
    { name: "found", summary: "An upload", params: { id: demoId("18", 1) } },
    {
      name: "unknown",
      summary: "Your company does not have this upload",
      params: { id: demoId("18", 9999) },
    },
  ],
  mergeContact: [
    {
      name: "itself",
      summary: "A contact cannot be merged with itself",
      params: { id: contact(37) },
      body: { from: contact(37) },
    },
    {
      name: "merged",
      summary: "Two contacts become one",
      params: { id: contact(37) },
      body: { from: contact(36) },
    },
    {
      name: "mergedAway",
      summary: "The contact in the path was merged into another contact",
      params: { id: contact(36) },
      body: { from: contact(35) },
    },
    {
      name: "unknown",
      summary: "Your company does not have this contact",
      params: { id: contact(9999) },
      body: { from: contact(37) },
    },
  ],
  createWebhook: [
    {
      name: "created",
      summary: "A webhook for deals that are won or lost",
      body: {
        url: HOOK_URL,
        types: ["deal.won", "deal.lost"],
        description: "Invoices of the shop",
      },
    },
    {
      name: "wrongAddress",
      summary: "The URL is not on the public internet",
      body: { url: "https://192.168.0.10/webhooks", types: ["*"] },
    },
    {
      name: "wrongType",
      summary: "The event type does not exist",
      body: { url: HOOK_URL, types: ["deal.moved"] },
    },
  ],
  listWebhooks: [{ name: "all", summary: "All webhooks" }],
  getWebhook: [
    { name: "oneWebhook", summary: "One webhook", params: { id: "{createWebhook.created}" } },
    {
      name: "unknownWebhook",
      summary: "Your company does not have this webhook",
      params: { id: contact(9999) },
    },
  ],
  updateWebhook: [
    {
      name: "moreTypes",
      summary: "All deal events",
      params: { id: "{createWebhook.created}" },
      body: { types: ["deal.*"] },
    },
  ],
  rotateWebhookSecret: [
    {
      name: "rotated",
      summary: "A new secret; the previous secret remains valid for 24 hours",
      params: { id: "{createWebhook.created}" },
      body: { overlap_hours: 24 },
    },
  ],
  listWebhookDeliveries: [
    {
      name: "failed",
      summary: "The deliveries that failed",
      params: { id: "{createWebhook.created}" },
      query: { state: "failed" },
    },
  ],
  testWebhook: [
    { name: "sent", summary: "A test event", params: { id: "{createWebhook.created}" } },
  ],
  redeliverEvent: [
    {
      name: "again",
      summary: "The test event is delivered again",
      params: { id: "{createWebhook.created}", event_id: "{testWebhook.sent}" },
    },
  ],
  replayWebhook: [
    {
      name: "replayed",
      summary: "All events since a given time",
      params: { id: "{createWebhook.created}" },
      body: { since: "{now}" },
    },
  ],
  deleteWebhook: [
    { name: "deleted", summary: "A webhook is deleted", params: { id: "{createWebhook.created}" } },
  ],
  eraseContact: [
    {
      name: "unconfirmed",
      summary: "The id in `confirm` is not the id in the path",
      params: { id: contact(39) },
      body: { confirm: contact(38) },
    },
    {
      name: "erased",
      summary: "A contact is erased",
      params: { id: contact(39) },
      body: { confirm: contact(39) },
    },
  ],
} satisfies
  & Record<Exclude<OperationId, "getOpenApi">, [ExampleRequest, ...ExampleRequest[]]>
  & Record<"getOpenApi", []>;

/** Returns every request with its operation id, in the order in which the requests are made. */
export function exampleRequests(): { id: OperationId; example: ExampleRequest }[] {
  return Object.entries<ExampleRequest[]>(EXAMPLE_REQUESTS).flatMap(([id, requests]) =>
    requests.map((example) => ({ id: id as OperationId, example }))
  );
}
