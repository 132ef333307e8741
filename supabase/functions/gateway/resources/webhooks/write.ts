import { unlessRefused } from "../../../_shared/database/refusals.ts";
import { rows } from "../../../_shared/database/rows.ts";
import type { Json } from "../../../_shared/database/types.ts";
import { NOTHING, one } from "../../../_shared/http/answers.ts";
import { IdParams } from "../../../_shared/http/fields.ts";
import { operation, reply } from "../../../_shared/http/operation.ts";
import type { Caller } from "../../../_shared/key/caller.ts";
import { logEvent } from "../../../_shared/log.ts";
import type { WebhookConfig } from "../../../_shared/webhooks/stored_webhook.ts";
import {
  NewWebhook,
  SecretRotation,
  Webhook,
  WebhookChanges,
  WebhookWithSecret,
} from "../../../_shared/webhooks/webhook.ts";
import { addedRecord } from "../../records/settled_write.ts";

/**
 * Loads the code that checks a URL and encrypts a secret. This code is a quarter of the function's
 * code, and few requests need it.
 */
const storing = () => import("../../../_shared/webhooks/stored_webhook.ts");

/** See docs/webhooks.md. */
export function webhookWrites(config: WebhookConfig) {
  return [
    operation({
      id: "createWebhook",
      method: "POST",
      path: "/webhooks",
      scope: "webhooks",
      body: NewWebhook,
      answers: () => ({ 201: one(WebhookWithSecret) }),
      idempotent: true,
      errors: ["not_found", "conflict"],
    }, async ({ caller, body, idempotency, origin }) => {
      const company_id = await companyOf(caller);
      const { newSealedSecret, withCheckedAddress, withSecret } = await storing();
      const webhook_id = crypto.randomUUID();
      const sealed_secret = await newSealedSecret({ company_id, webhook_id }, config);
      const stored = await withCheckedAddress(
        body.url,
        config,
        async (url) =>
          await caller.db.rpc("create_webhook", {
            ...{ webhook_id, url, types: body.types, payload: body.payload, sealed_secret },
            description: (body.description ?? null) as string,
            ...(idempotency && { idempotency }),
          }),
        { mayBeRepeat: idempotency !== null },
      );
      const made = unlessRefused(stored);
      const { data, headers } = addedRecord("Webhook", await withSecret(made, config));
      if (!headers) logEvent(origin, "webhook_created", { company_id, webhook_id });
      return reply(201, { data: data as never }, { headers });
    }),

    operation({
      id: "updateWebhook",
      method: "PATCH",
      path: "/webhooks/:id",
      scope: "webhooks",
      params: IdParams,
      body: WebhookChanges,
      mergePatch: WebhookChanges,
      answers: () => ({ 200: one(Webhook) }),
      errors: ["not_found", "conflict"],
    }, async ({ caller, params: { id }, body }) => {
      const changes: Record<string, Json | undefined> = { ...body };
      if (body.url !== undefined) {
        await companyOf(caller);
        const { checkedAddress } = await storing();
        changes.url = await checkedAddress(body.url, config);
      }
      const changed = unlessRefused(
        await caller.db.rpc("change_webhook", { webhook_id: id, changes }),
      );
      return reply(200, { data: changed as unknown as Webhook });
    }),

    operation({
      id: "deleteWebhook",
      method: "DELETE",
      path: "/webhooks/:id",
      scope: "webhooks",
      params: IdParams,
      answers: () => ({ 204: NOTHING }),
      errors: ["not_found"],
    }, async ({ caller: { db }, params: { id } }) => {
      rows(await db.rpc("delete_webhook", { webhook_id: id }));
      return reply(204, null);
    }),

    operation({
      id: "rotateWebhookSecret",
      method: "POST",
      path: "/webhooks/:id/rotate-secret",
      scope: "webhooks",
      params: IdParams,
      body: SecretRotation,
      answers: () => ({ 200: one(WebhookWithSecret) }),
      idempotent: true,
      errors: ["not_found", "conflict"],
    }, async ({ caller, params: { id }, body: { overlap_hours }, idempotency, origin }) => {
      const company_id = await companyOf(caller);
      const { newSealedSecret, withSecret } = await storing();
      const rotated = unlessRefused(
        await caller.db.rpc("rotate_webhook_secret", {
          webhook_id: id,
          sealed_secret: await newSealedSecret(
            { company_id, webhook_id: id.toLowerCase() },
            config,
          ),
          overlap_hours,
          ...(idempotency && { idempotency }),
        }),
      );
      const { data, headers } = addedRecord("Webhook", await withSecret(rotated, config));
      if (!headers) logEvent(origin, "webhook_secret_rotated", { company_id, webhook_id: id });
      return reply(200, { data: data as never }, { headers });
    }),
  ];
}

/**
 * Returns the API key's company. If this instance does not know the key yet, the database checks
 * the key now, before the service resolves a host name or encrypts a secret.
 */
async function companyOf(caller: Caller): Promise<string> {
  await caller.judgeUnlessKnown();
  return caller.companyId!;
}
