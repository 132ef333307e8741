import type { OperationId } from "../openapi/functions.ts";

// The requests of the Postman collection, in the order in which a run sends them. A request comes
// after the requests whose responses it needs. A run changes only records that it has created.

/** How the collection makes the request for an operation. */
export interface CollectedRequest {
  /** For each parameter in the path, the variable with its value. */
  path?: Record<string, string>;
  /** The values of the enabled query parameters. */
  query?: Record<string, string>;
  /** The name of the recorded example whose body is used. */
  body?: string;
  /** The content type of the file that is the body. A person chooses the file in Postman. */
  file?: string;
  /**
   * The fields of the body that differ from the example: each field's path, and the variable with
   * its value.
   */
  fill?: Record<string, string>;
  /**
   * The values that later requests need: each variable, and the path of its value in the response.
   */
  keep?: Record<string, string>;
  /**
   * A variable for a record that not every company has. If the variable has no value, the run skips
   * the request.
   */
  needs?: string;
  /** The name of the response's schema, if the operation has several response schemas. */
  answer?: string;
  /** The values that the request's script generates for the run. */
  makes?: "phones" | "send key";
}

/** The code does not compile if an operation has no request. */
export const REQUESTS = {
  getMe: {},
  getHealth: {},
  getOpenApi: {},

  listContacts: { query: { limit: "10" } },
  createContact: {
    makes: "phones",
    body: "created",
    fill: { phone: "phone" },
    keep: { contact_id: "data.id" },
  },
  getContact: { path: { id: "contact_id" } },
  updateContact: { path: { id: "contact_id" }, body: "updated", fill: { phone: "phone" } },
  putContact: {
    body: "put",
    fill: { phone: "second_phone" },
    keep: { second_contact_id: "data.id" },
  },
  writeContacts: {
    query: { on_conflict: "update" },
    body: "written",
    fill: { "items.0.phone": "third_phone", "items.1.phone": "second_phone" },
    keep: { third_contact_id: "data.0.data.id" },
  },
  updateContacts: {
    body: "tagged",
    fill: { "items.0.id": "contact_id", "items.1.id": "second_contact_id" },
  },
  mergeContact: {
    path: { id: "contact_id" },
    body: "merged",
    fill: { from: "second_contact_id" },
  },
  exportContact: { path: { id: "contact_id" } },
  archiveContact: { path: { id: "contact_id" } },
  restoreContact: { path: { id: "contact_id" } },
  eraseContact: {
    path: { id: "third_contact_id" },
    body: "erased",
    fill: { confirm: "third_contact_id" },
  },
  listContactChanges: { query: { start: "beginning", limit: "10" } },

  listPipelines: { query: { is_default: "true" }, keep: { pipeline_id: "data.0.id" } },
  listStages: {
    query: { pipeline_id: "{{pipeline_id}}" },
    keep: { stage_id: "data.0.id", next_stage_id: "data.1.id" },
  },
  createPipeline: { body: "created", keep: { new_pipeline_id: "data.id" } },
  getPipeline: { path: { id: "new_pipeline_id" }, query: { include: "stages" } },
  updatePipeline: { path: { id: "new_pipeline_id" }, body: "moved" },
  createStage: {
    body: "created",
    fill: { pipeline_id: "new_pipeline_id" },
    keep: { new_stage_id: "data.id" },
  },
  getStage: { path: { id: "new_stage_id" } },
  updateStage: { path: { id: "new_stage_id" }, body: "moved" },
  archiveStage: { path: { id: "new_stage_id" } },
  archivePipeline: { path: { id: "new_pipeline_id" } },

  listDeals: { query: { limit: "10", include: "contact,stage" } },
  createDeal: {
    body: "created",
    fill: { contact_id: "contact_id", stage_id: "stage_id" },
    keep: { deal_id: "data.id" },
  },
  getDeal: { path: { id: "deal_id" }, query: { include: "contact,stage" } },
  updateDeal: { path: { id: "deal_id" }, body: "moved", fill: { stage_id: "next_stage_id" } },
  createDeals: {
    body: "createdMany",
    fill: {
      ...{ "items.0.contact_id": "contact_id", "items.0.stage_id": "stage_id" },
      ...{ "items.1.contact_id": "contact_id", "items.1.stage_id": "stage_id" },
    },
    keep: { second_deal_id: "data.0.data.id", third_deal_id: "data.1.data.id" },
  },
  updateDeals: {
    body: "updatedMany",
    fill: {
      ...{ "items.0.id": "second_deal_id", "items.0.stage_id": "next_stage_id" },
      "items.1.id": "third_deal_id",
    },
  },
  listDealHistory: { path: { id: "deal_id" } },
  archiveDeal: { path: { id: "deal_id" } },
  restoreDeal: { path: { id: "deal_id" } },
  listDealChanges: { query: { start: "beginning", limit: "10" } },

  listTeams: { keep: { team_id: "data.0.id" } },
  getTeam: { path: { id: "team_id" }, needs: "team_id" },
  listMembers: { keep: { member_id: "data.0.id" } },
  getMember: { path: { id: "member_id" }, needs: "member_id" },

  listTemplates: {
    query: { status: "APPROVED", name: "order_update", language: "en_US" },
    keep: { template_id: "data.0.id" },
  },
  getTemplate: { path: { id: "template_id" }, needs: "template_id" },
  sendExternalTemplate: {
    makes: "send key",
    body: "sent",
    fill: { phone: "phone", idempotency_key: "send_key" },
    keep: { conversation_id: "conversation_id", message_id: "message_id" },
    answer: "Sent",
  },

  getConversation: {
    path: { id: "conversation_id" },
    query: { include: "contact" },
    keep: { phone_number_id: "data.phone_number_id" },
  },
  // Lists only conversations on the business number from the `getConversation` response, because
  // this number is connected. Other numbers may not be connected.
  listConversations: {
    query: {
      phone_number_id: "{{phone_number_id}}",
      status: "open",
      "window_expires_at[gt]": "{{$isoTimestamp}}",
      include: "contact",
    },
    keep: { open_conversation_id: "data.0.id" },
  },
  updateConversation: {
    path: { id: "conversation_id" },
    needs: "team_id",
    body: "assigned",
    fill: { team_id: "team_id" },
  },
  listMessages: { path: { id: "conversation_id" } },
  getMessage: { path: { id: "message_id" } },
  // Set this variable to the id of a message with a picture, a document or a voice message.
  getMessageMedia: { path: { id: "media_message_id" }, needs: "media_message_id" },
  // A reply would reach a real person, so the run only checks whether a reply is possible.
  sendReply: {
    needs: "open_conversation_id",
    query: { dry_run: "true" },
    body: "dryRun",
    fill: { conversation_id: "open_conversation_id" },
    answer: "DryRun",
  },
  markMessageRead: {
    needs: "inbound_message_id",
    path: { id: "inbound_message_id" },
    body: "read",
  },
  // A reaction would reach a real person, so the run reacts only if someone sets
  // `reaction_message_id`.
  reactToMessage: {
    needs: "reaction_message_id",
    path: { id: "reaction_message_id" },
    body: "reacted",
  },
  removeReaction: { needs: "reaction_message_id", path: { id: "reaction_message_id" } },
  uploadMedia: {
    file: "application/pdf",
    query: { filename: "invoice.pdf" },
    needs: "upload_file",
    keep: { upload_id: "data.id" },
  },
  getMediaUpload: { needs: "upload_id", path: { id: "upload_id" } },
  listConversationChanges: { query: { start: "now" } },
  listMessageChanges: { query: { start: "now" } },

  listSends: { query: { idempotency_key: "{{send_key}}" } },
  getSend: { path: { message_id: "message_id" } },

  listEvents: { query: { type: "deal.*", limit: "2" }, keep: { event_id: "data.0.id" } },
  getEvent: { path: { id: "event_id" } },

  search: { query: { q: "lovelace", limit: "3" } },

  listWebhooks: {},
  // The run creates a webhook only if someone sets `webhook_url` to the URL of a receiver.
  createWebhook: {
    needs: "webhook_url",
    body: "created",
    fill: { url: "webhook_url" },
    keep: { webhook_id: "data.id" },
  },
  getWebhook: { path: { id: "webhook_id" }, needs: "webhook_id" },
  updateWebhook: { path: { id: "webhook_id" }, needs: "webhook_id", body: "moreTypes" },
  rotateWebhookSecret: { path: { id: "webhook_id" }, needs: "webhook_id", body: "rotated" },
  testWebhook: {
    path: { id: "webhook_id" },
    needs: "webhook_id",
    keep: { test_event_id: "data.event_id" },
  },
  listWebhookDeliveries: { path: { id: "webhook_id" }, needs: "webhook_id" },
  redeliverEvent: { path: { id: "webhook_id", event_id: "test_event_id" }, needs: "test_event_id" },
  replayWebhook: {
    path: { id: "webhook_id" },
    needs: "webhook_id",
    body: "replayed",
    fill: { since: "$isoTimestamp" },
  },
  deleteWebhook: { path: { id: "webhook_id" }, needs: "webhook_id" },
} satisfies Record<OperationId, CollectedRequest>;
