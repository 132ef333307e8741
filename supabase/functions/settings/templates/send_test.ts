import * as z from "zod/mini";
import { keepRunning } from "../../_shared/background.ts";
import { type CompanyDb, companyDb } from "../../_shared/database/company_db.ts";
import { FairShare } from "../../_shared/fair_share.ts";
import { Id, LanguageCode, Phone, PhoneNumberId, requiredText } from "../../_shared/http/fields.ts";
import { reply } from "../../_shared/http/operation.ts";
import { channelTokenSource } from "../../_shared/key/token.ts";
import type { Origin } from "../../_shared/log.ts";
import { callAndSettle } from "../../_shared/sending/call.ts";
import { claimSend } from "../../_shared/sending/claim.ts";
import { keyOfOtherMessage } from "../../_shared/sending/repeat.ts";
import { claimWhenReady } from "../../_shared/template_sends/ready_claim.ts";
import { noAccount } from "../../_shared/sending/no_account.ts";
import { refusedByCatalogue } from "../../_shared/template_sends/template_answers.ts";
import type { Claim } from "../../_shared/template_sends/template_claim.ts";
import { templateMessage } from "../../_shared/template_sends/template_message.ts";
import { Variables } from "../../_shared/template_sends/template_request.ts";
import { CompanyId } from "../company_id.ts";
import { answered, answeredOnBehalf } from "../person.ts";
import { personOperation } from "../person_operation.ts";
import type { SettingsConfig } from "../settings_config.ts";

const TestSend = z.strictObject({
  company_id: CompanyId,
  /**
   * The settings page creates a new id each time the user presses the button. Requests with the
   * same id are the same test, which is sent only once.
   */
  id: Id,
  phone: Phone,
  phone_number_id: PhoneNumberId,
  template_name: requiredText(512),
  language_code: LanguageCode,
  header_variables: Variables,
  body_variables: Variables,
  button_variables: Variables,
});
type TestSend = z.output<typeof TestSend>;

/**
 * The test message. If no message was sent, `reason` names the recipient's preference that
 * prevented the send.
 */
const Tested = z.object({
  message_id: z.nullable(Id),
  reason: z.nullable(z.enum(["do_not_contact", "marketing_opt_out"])),
});

/**
 * Sends a test of a template, with the same steps as any other template send. The database decides
 * from the user's own session whether the user may send the test. The response does not say whether
 * the channel accepted the message. The settings page reads this from the log of sends.
 */
export function sendTest(config: SettingsConfig) {
  const share = new FairShare(config.sendShare);
  const db = companyDb(config, channelTokenSource(config.signingKey));
  return personOperation({
    id: "sendTest",
    method: "POST",
    path: "/test-sends",
    scope: null,
    body: TestSend,
    answers: () => ({ 200: z.object({ data: Tested }) }),
  }, async ({ person, body, origin }) => {
    const { company_id, id } = body;
    answered(await person.db.rpc("begin_test_send", { company_id, id }));
    const ownDb = db.forRequest(origin.requestId);
    const sending = share.run(company_id, () => claimAndSend(ownDb, config, body, origin));
    // If the user leaves the page, the send continues, and its outcome is recorded.
    keepRunning(sending.catch(() => {}));
    return reply(200, { data: await sending });
  });
}

/**
 * Claims the send, calls the channel once, and settles the send.
 * @throws ApiError when nothing was claimed.
 */
async function claimAndSend(
  db: CompanyDb,
  config: SettingsConfig,
  test: TestSend,
  origin: Origin,
): Promise<z.output<typeof Tested>> {
  const began = performance.now();
  const claimId = crypto.randomUUID();
  const { id, ...asked } = test;
  const claim = await claimWhenReady(db, config, {
    templateName: test.template_name,
    claim: (preflight) =>
      claimSend({ db, wasJudged() {} }, config, { claimId, origin }, async () =>
        answeredOnBehalf(
          await db.rpc("claim_test_send", {
            ...asked,
            test_send_id: id,
            claim_id: claimId,
            preflight,
          }),
        ) as unknown as Claim), // the jsonb from claim_test_send()
    origin,
  });
  switch (claim.result) {
    case "no_account":
      throw noAccount(claim.connected, test.phone_number_id);
    case "template_refused":
      throw refusedByCatalogue(claim.faults, test.header_variables);
    case "reused":
      throw keyOfOtherMessage(claim, "another test");
    case "do_not_contact":
    case "marketing_opt_out":
      return { message_id: null, reason: claim.result };
    case "send":
    case "unfit":
      throw new Error("a test is never a dry run, and never has the caller's own media file");
    case "repeat":
      return { message_id: claim.message_id, reason: null };
  }
  const message = templateMessage(test, claim.template);
  await callAndSettle({ db }, config, {
    ...{ claimId, send: claim, message, began, origin },
    event: "test_send",
  });
  return { message_id: claim.message_id, reason: null };
}
