import * as z from "zod/mini";
import { IdParams } from "../../_shared/http/fields.ts";
import { reply } from "../../_shared/http/operation.ts";
import {
  newWebhook,
  SecretRotation,
  Webhook,
  WebhookChanges,
  WebhookWithSecret,
} from "../../_shared/webhooks/webhook.ts";
import type { Json } from "../../_shared/database/types.ts";
import { ApiError } from "../../_shared/errors.ts";
import { logPersonEvent } from "../person_event.ts";
import { CompanyId } from "../company_id.ts";
import { answered, answeredOnBehalf, type Manager, type Person } from "../person.ts";
import { personOperation } from "../person_operation.ts";
import type { SettingsConfig } from "../settings_config.ts";

/** Loads the code that checks URLs and seals secrets. Few requests need this code. */
const storing = () => import("../../_shared/webhooks/stored_webhook.ts");

const NewWebhookOfCompany = z.strictObject({ company_id: CompanyId, ...newWebhook() });

/**
 * Creates a webhook of a company, and returns its secret, which is never shown again. The webhook
 * belongs to the company, so it remains active when an API key is deleted or expires.
 */
export function createWebhook(config: SettingsConfig) {
  return personOperation({
    id: "createCompanyWebhook",
    method: "POST",
    path: "/webhooks",
    scope: null,
    body: NewWebhookOfCompany,
    answers: () => ({ 201: z.object({ data: WebhookWithSecret }) }),
  }, async ({ person, body, origin }) => {
    const { company_id, types, payload, description } = body;
    // The DNS lookup happens only after the database has confirmed that the user may create a
    // webhook.
    const manager = await person.managing(company_id);
    const { checkedAddress, newSealedSecret, withSecret } = await storing();
    const url = await checkedAddress(body.url, config);
    const webhook_id = crypto.randomUUID();
    const made = answeredOnBehalf(
      await manager.db.rpc("create_webhook", {
        ...{ company_id, webhook_id, url, types, payload },
        description: (description ?? null) as string,
        sealed_secret: await newSealedSecret({ company_id, webhook_id }, config),
      }),
    );
    logPersonEvent(origin, "webhook_created", { company_id, webhook_id, user_id: manager.id });
    return reply(201, { data: (await withSecret(made, config)).data! });
  });
}

/** Changes a webhook. A new URL is checked first. */
export function changeWebhook(config: SettingsConfig) {
  return personOperation({
    id: "changeCompanyWebhook",
    method: "PATCH",
    path: "/webhooks/:id",
    scope: null,
    params: IdParams,
    body: WebhookChanges,
    answers: () => ({ 200: z.object({ data: Webhook }) }),
  }, async ({ person, params: { id }, body, origin }) => {
    const { manager, company_id } = await managerOf(person, id);
    const changes: Record<string, Json | undefined> = { ...body };
    if (body.url !== undefined) {
      const { checkedAddress } = await storing();
      changes.url = await checkedAddress(body.url, config);
    }
    const changed = answeredOnBehalf(
      await manager.db.rpc("change_webhook", { webhook_id: id, changes }),
    );
    logPersonEvent(origin, "webhook_changed", { company_id, webhook_id: id, user_id: manager.id });
    return reply(200, { data: changed as unknown as Webhook });
  });
}

/**
 * Gives a webhook a new secret, and returns that secret. During the next `overlap_hours` hours,
 * requests are also signed with the previous secret.
 */
export function rotateWebhookSecret(config: SettingsConfig) {
  return personOperation({
    id: "rotateCompanyWebhookSecret",
    method: "POST",
    path: "/webhooks/:id/rotate-secret",
    scope: null,
    params: IdParams,
    body: SecretRotation,
    answers: () => ({ 200: z.object({ data: WebhookWithSecret }) }),
  }, async ({ person, params: { id }, body: { overlap_hours }, origin }) => {
    const { manager, company_id } = await managerOf(person, id);
    const webhook_id = id.toLowerCase();
    const { newSealedSecret, withSecret } = await storing();
    const rotated = answeredOnBehalf(
      await manager.db.rpc("rotate_webhook_secret", {
        webhook_id,
        overlap_hours,
        sealed_secret: await newSealedSecret({ company_id, webhook_id }, config),
      }),
    );
    logPersonEvent(origin, "webhook_secret_rotated", {
      ...{ company_id, webhook_id, user_id: manager.id },
    });
    const { data } = await withSecret(rotated, config);
    if (!data) throw new ApiError("not_found", "Webhook not found");
    return reply(200, { data });
  });
}

/**
 * The user, confirmed as an owner or admin of the webhook's company.
 *
 * @throws ApiError not_found for a webhook of another company; not_allowed for agents.
 */
async function managerOf(
  person: Person,
  webhook_id: string,
): Promise<{ manager: Manager; company_id: string }> {
  const found = answered(await person.db.rpc("get_webhook", { webhook_id }, { get: true }));
  const { company_id } = found as unknown as Webhook;
  return { manager: await person.managing(company_id), company_id };
}
