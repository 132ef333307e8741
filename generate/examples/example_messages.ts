import type { OperationId } from "../openapi/functions.ts";
import { demoId } from "./demo_ids.ts";
import type { ExampleRequest } from "./example_request.ts";

const TEMPLATE = {
  phone: "+12025550101",
  template_name: "order_update",
  language_code: "en_US",
  display_text: "Hello Maya, your order A-1815 is on its way.",
  body_variables: ["Maya", "A-1815"],
};
const ORDER_KEY = "order-A-1815-shipped";
const REPLY = "Sí, con transferencia está bien. Le envío los datos.";

/** Returns a send to a phone number for which the sandbox returns an error. */
const failingSend = (name: string, summary: string, phone: string): ExampleRequest => ({
  name,
  summary,
  body: { ...TEMPLATE, phone },
});

/**
 * The example requests for conversations and their messages: sends, replies, reactions and media.
 */
export const MESSAGE_REQUESTS = {
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
} satisfies Partial<Record<OperationId, [ExampleRequest, ...ExampleRequest[]]>>;
