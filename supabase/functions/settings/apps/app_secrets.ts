import * as z from "zod/mini";
import { sealAppSecret } from "../../_shared/credentials/app_secrets.ts";
import { ApiError } from "../../_shared/errors.ts";
import { Id, text, Timestamp } from "../../_shared/http/fields.ts";
import { reply } from "../../_shared/http/operation.ts";
import { logPersonEvent } from "../person_event.ts";
import { CompanyId } from "../company_id.ts";
import { answeredOnBehalf } from "../person.ts";
import { personOperation } from "../person_operation.ts";
import type { SettingsConfig } from "../settings_config.ts";

/** An app secret. The operator's command accepts the same format. */
const Secret = z.string().check(
  z.trim(),
  z.regex(/^[!-~]{8,255}$/, "must have 8 to 255 visible ASCII characters and no spaces"),
);

const AppKey = z.string().check(
  z.regex(/^[A-Za-z0-9_-]{16,64}$/, "must be the key of an app of your company"),
);

const NewApp = z.strictObject({
  company_id: CompanyId,
  name: text(100).check(z.minLength(1)),
  app_secret: Secret,
  verify_token: Secret,
});

/** An app, without its secrets. */
const App = z.object({
  id: Id,
  app_key: z.string(),
  name: z.string(),
  rotation_began_at: z.nullable(Timestamp),
  /** The URL to enter as the app's callback URL at Meta. */
  callback_url: z.string(),
});

/**
 * Registers an app of a company. The app's events are then accepted for the company's numbers. The
 * secrets are sealed for this app. No response contains any part of a secret.
 */
export function createApp(config: SettingsConfig) {
  return personOperation({
    id: "createApp",
    method: "POST",
    path: "/apps",
    scope: null,
    body: NewApp,
    answers: () => ({ 201: z.object({ data: App }) }),
  }, async ({ person, body, origin, server }) => {
    const { company_id, name, app_secret, verify_token } = body;
    const manager = await person.managing(company_id);
    const [key] = config.credentialsKeys;
    const app_key = crypto.randomUUID().replaceAll("-", "");
    const made = answeredOnBehalf(
      await manager.db.rpc("create_channel_app", {
        company_id,
        app_key,
        name,
        sealed_secret: await sealAppSecret(app_secret, { app_key, kind: "secret" }, key),
        sealed_verify_token: await sealAppSecret(
          verify_token,
          { app_key, kind: "verify_token" },
          key,
        ),
      }),
    ) as unknown as Omit<z.infer<typeof App>, "callback_url">; // the jsonb from create_channel_app()
    logPersonEvent(origin, "app_created", { company_id, app_key, user_id: manager.id });
    const callback_url = `${server()}/whatsapp/webhook/${app_key}`;
    return reply(201, { data: { ...made, callback_url } });
  });
}

const NewSecret = z.strictObject({ company_id: CompanyId, app_key: AppKey, app_secret: Secret });

/**
 * Gives an app of the company a new secret. The previous secret is also accepted until the user
 * ends the rotation. An app of the operator or of another company is not found.
 */
export function rotateApp(config: SettingsConfig) {
  return personOperation({
    id: "rotateApp",
    method: "POST",
    path: "/apps/secret",
    scope: null,
    body: NewSecret,
    answers: () => ({ 200: z.object({ data: z.object({ rotation_began_at: Timestamp }) }) }),
  }, async ({ person, body, origin }) => {
    const { company_id, app_key, app_secret } = body;
    const manager = await person.managing(company_id);
    const [key] = config.credentialsKeys;
    const sealed_secret = await sealAppSecret(app_secret, { app_key, kind: "secret" }, key);
    const rotation_began_at: string | null = answeredOnBehalf(
      await manager.db.rpc("rotate_channel_app", { app_key, sealed_secret }),
    );
    if (rotation_began_at === null) {
      throw new ApiError("not_found", "Your company has no app with this key");
    }
    logPersonEvent(origin, "app_rotated", { company_id, app_key, user_id: manager.id });
    return reply(200, { data: { rotation_began_at } });
  });
}
