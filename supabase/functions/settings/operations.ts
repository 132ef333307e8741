import type { Operation } from "../_shared/http/operation.ts";
import { connectAccount } from "./accounts/connect_account.ts";
import { createApp, rotateApp } from "./apps/app_secrets.ts";
import { mailInvitation } from "./invitations/mail_invitation.ts";
import type { SettingsConfig } from "./settings_config.ts";
import { sendTest } from "./templates/send_test.ts";
import { changeWebhook, createWebhook, rotateWebhookSecret } from "./webhooks/webhook_secrets.ts";

/**
 * The operations that a browser cannot perform itself, because each operation needs a secret of the
 * functions. The settings page reads and changes everything else directly through the Data API.
 */
export function settingsOperations(config: SettingsConfig): Operation[] {
  return [
    ...[connectAccount(config), createApp(config), rotateApp(config)],
    ...[createWebhook(config), changeWebhook(config), rotateWebhookSecret(config)],
    ...[mailInvitation(config), sendTest(config)],
  ];
}
