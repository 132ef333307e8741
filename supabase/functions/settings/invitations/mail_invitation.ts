import * as z from "zod/mini";
import { Id } from "../../_shared/http/fields.ts";
import { reply } from "../../_shared/http/operation.ts";
import { logPersonEvent } from "../person_event.ts";
import { answered } from "../person.ts";
import { personOperation } from "../person_operation.ts";
import type { SettingsConfig } from "../settings_config.ts";
import { mailTo } from "./auth_mail.ts";

/**
 * The page that the link in the email opens. Supabase Auth accepts only its configured redirect
 * URLs.
 */
const Page = z.string().check(
  z.regex(/^https?:\/\/[\x21-\x7e]{1,490}$/, "must be the http or https address of the page"),
);

/**
 * Sends an invitation email. Only owners and admins of the company may send it. The database allows
 * one email for each invitation and each renewal. The response is the same whether or not the email
 * address has an account.
 */
export function mailInvitation(config: SettingsConfig) {
  return personOperation({
    id: "mailInvitation",
    method: "POST",
    path: "/invitations/:id/mail",
    scope: null,
    params: z.object({ id: Id }),
    body: z.strictObject({ page: z.optional(Page) }),
    answers: () => ({ 200: z.object({ data: z.object({ mailed: z.boolean() }) }) }),
  }, async ({ person: { db }, params, body, origin }) => {
    const invitation_id = params.id;
    const email = answered(await db.rpc("claim_invitation_mail", { invitation_id }));
    const outcome = await mailTo(config, email, body.page);
    logPersonEvent(origin, "invitation_mail", { invitation_id, outcome });
    const mailed = outcome === "sent";
    if (!mailed) answered(await db.rpc("note_invitation_mail_failed", { invitation_id }));
    return reply(200, { data: { mailed } });
  });
}
