// The client has a method for every operation.
import assert from "node:assert/strict";
import type { CRM } from "../../client/src/main.ts";
import { operationsOf } from "../../generate/client_types.ts";
import openApi from "../../supabase/functions/gateway/openapi.json" with { type: "json" };
import { EMPTY, json, scripted } from "./scripted.ts";

const ID = "5f0e0f0a-52f5-4f2c-9a3e-6d1f7b0f7c11";
const PHONE = "+14155550178";

/** For each operation, a call of the client's method. */
const CALLS: Record<string, (crm: CRM) => PromiseLike<unknown>> = {
  listContacts: (crm) => crm.contacts.list(),
  createContact: (crm) => crm.contacts.create({ phone: PHONE }),
  putContact: (crm) => crm.contacts.put({ phone: PHONE }, { on_conflict: "keep" }),
  listContactChanges: (crm) => crm.contacts.changes({ start: "now" }),
  getContact: (crm) => crm.contacts.get(ID),
  archiveContact: (crm) => crm.contacts.archive(ID),
  updateContact: (crm) => crm.contacts.update(ID, { name: "Ada" }),
  restoreContact: (crm) => crm.contacts.restore(ID),
  writeContacts: (crm) => crm.contacts.createMany([{ phone: PHONE }], { atomic: true }),
  updateContacts: (crm) => crm.contacts.updateMany([{ id: ID, name: null }]),
  mergeContact: (crm) => crm.contacts.merge(ID, { from: ID }),
  exportContact: (crm) => crm.contacts.export(ID),
  eraseContact: (crm) => crm.contacts.erase(ID, { confirm: ID }),
  listDeals: (crm) => crm.deals.list({ include: "contact", pipeline_id: ID }),
  createDeal: (crm) => crm.deals.create({ title: "One", contact_id: ID, stage_id: ID }),
  listDealChanges: (crm) => crm.deals.changes(),
  getDeal: (crm) => crm.deals.get(ID, { include: ["contact", "stage"] }),
  updateDeal: (crm) => crm.deals.update(ID, { status: "won" }),
  archiveDeal: (crm) => crm.deals.archive(ID),
  listDealHistory: (crm) => crm.deals.history(ID),
  createDeals: (crm) => crm.deals.createMany([{ title: "One", contact_id: ID, stage_id: ID }]),
  updateDeals: (crm) => crm.deals.updateMany([{ id: ID, stage_id: ID }]),
  restoreDeal: (crm) => crm.deals.restore(ID),
  listPipelines: (crm) => crm.pipelines.list({ include: "stages" }),
  createPipeline: (crm) => crm.pipelines.create({ name: "Sales" }),
  getPipeline: (crm) => crm.pipelines.get(ID),
  updatePipeline: (crm) => crm.pipelines.update(ID, { is_default: true }),
  archivePipeline: (crm) => crm.pipelines.archive(ID),
  listStages: (crm) => crm.stages.list({ pipeline_id: ID }),
  createStage: (crm) => crm.stages.create({ pipeline_id: ID, name: "New" }),
  getStage: (crm) => crm.stages.get(ID),
  updateStage: (crm) => crm.stages.update(ID, { position: 2 }),
  archiveStage: (crm) => crm.stages.archive(ID, { move_deals_to: ID }),
  listConversations: (crm) => crm.conversations.list({ include: "contact" }),
  listConversationChanges: (crm) => crm.conversations.changes(),
  getConversation: (crm) => crm.conversations.get(ID),
  updateConversation: (crm) => crm.conversations.update(ID, { status: "closed" }),
  listMessages: (crm) => crm.conversations.messages(ID, { direction: "inbound" }),
  listMessageChanges: (crm) => crm.messages.changes(),
  getMessage: (crm) => crm.messages.get(ID),
  getMessageMedia: (crm) => crm.messages.media(ID),
  listTeams: (crm) => crm.teams.list(),
  getTeam: (crm) => crm.teams.get(ID),
  listMembers: (crm) => crm.members.list({ role: "agent" }),
  getMember: (crm) => crm.members.get(ID),
  listTemplates: (crm) => crm.templates.list({ status: "APPROVED" }),
  getTemplate: (crm) => crm.templates.get(ID),
  listSends: (crm) => crm.sends.list({ state: "failed" }),
  getSend: (crm) => crm.sends.get(ID),
  listEvents: (crm) => crm.events.list({ type: "deal.*" }),
  getEvent: (crm) => crm.events.get(ID),
  listWebhooks: (crm) => crm.webhooks.list(),
  createWebhook: (crm) => crm.webhooks.create({ url: "https://hooks.example.com", types: ["*"] }),
  getWebhook: (crm) => crm.webhooks.get(ID),
  updateWebhook: (crm) => crm.webhooks.update(ID, { state: "paused" }),
  deleteWebhook: (crm) => crm.webhooks.delete(ID),
  rotateWebhookSecret: (crm) => crm.webhooks.rotateSecret(ID, { overlap_hours: 24 }),
  testWebhook: (crm) => crm.webhooks.test(ID),
  listWebhookDeliveries: (crm) => crm.webhooks.deliveries(ID, { state: "failed" }),
  redeliverEvent: (crm) => crm.webhooks.redeliver(ID, ID),
  replayWebhook: (crm) => crm.webhooks.replay(ID, { since: "2026-11-20T08:00:00Z" }),
  search: (crm) => crm.search("ada", { limit: 5 }),
  getMe: (crm) => crm.me(),
  getHealth: (crm) => crm.health(),
  getOpenApi: (crm) => crm.openApi(),
  sendExternalTemplate: (crm) =>
    crm.templates.send({
      phone: PHONE,
      template_name: "order_update",
      language_code: "pt_BR",
      display_text: "Hello",
    }),
  markMessageRead: (crm) => crm.messages.markRead(ID, { typing: true }),
  reactToMessage: (crm) => crm.messages.react(ID, "👍"),
  removeReaction: (crm) => crm.messages.unreact(ID),
  uploadMedia: (crm) => crm.media.upload(new Uint8Array([1]), { type: "audio/x-m4a" }),
  getMediaUpload: (crm) => crm.media.get(ID),
  sendReply: (crm) => crm.conversations.reply(ID, { text: "Hello" }),
};

/** A response that is valid for every operation with a response body. */
const ANSWER = json(200, {
  ...await EMPTY.clone().json(),
  summary: {},
  openapi: "3.1.0",
  success: true,
});

const FILE = new Response("a", {
  headers: { "Content-Disposition": "attachment; filename=\"a\"; filename*=UTF-8''a" },
});

Deno.test("for every operation in openapi.json, the client has a method that makes that operation's request", async () => {
  const described = operationsOf(openApi).map(({ operationId }) => operationId);
  assert.deepEqual(Object.keys(CALLS).sort(), described.sort());
  for (const [path, item] of Object.entries(openApi.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      const { operationId, parameters = [], requestBody } = operation as {
        operationId: string;
        parameters?: { $ref?: string; name?: string }[];
        requestBody?: { content: Record<string, unknown> };
      };
      const answer = operationId === "getMessageMedia" ? FILE : ANSWER;
      const { crm, made } = scripted([
        method === "delete" ? new Response(null, { status: 204 }) : answer,
      ]);
      await CALLS[operationId](crm);
      const [{ url, headers, body }] = made;
      assert.equal(made.length, 1, operationId);
      assert.equal(made[0].method, method.toUpperCase(), operationId);
      const parts = path.replaceAll(/\{\w+\}/g, ID);
      assert.equal(url.pathname, `/functions/v1${parts}`, operationId);
      const names = parameters.map(({ $ref, name }) => name ?? $ref!.split("/").at(-1)!);
      assert.equal(body !== undefined, requestBody !== undefined, operationId);
      if (requestBody) {
        const types = Object.keys(requestBody.content);
        // If an operation accepts two content types, the client uses merge patch, which leaves
        // omitted fields unchanged.
        assert.equal(headers.get("Content-Type"), types.at(-1), operationId);
      }
      const isGatewayPost = method === "post" && path.startsWith("/gateway/");
      assert.equal(names.includes("IdempotencyKey"), isGatewayPost, operationId);
      assert.equal(headers.has("Idempotency-Key"), isGatewayPost, operationId);
      // If the client followed a redirect after a POST, the POST would become a GET.
      assert.equal(made[0].redirect, "manual");
      assert.equal(headers.get("Authorization"), "Bearer sk_live_scripted");
    }
  }
});

Deno.test("every client method belongs to an operation", () => {
  const { crm } = scripted([EMPTY]);
  const methods = Object.entries(crm).flatMap(([name, part]) =>
    typeof part === "function" ? [name] : Object.keys(part).map((each) => `${name}.${each}`)
  );
  const shortcuts = [(crm: CRM) => crm.sends.find("order-1")];
  const called = [...Object.values(CALLS), ...shortcuts].map((call) =>
    /crm\.([\w.]+)\(/.exec(String(call))![1]
  );
  assert.deepEqual(methods.sort(), called.sort());
});
