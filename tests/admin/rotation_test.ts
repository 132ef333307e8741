import assert from "node:assert/strict";
import { functionEnvironment } from "../../local/functions/environment.ts";
import { readSenderConfig } from "../../supabase/functions/_shared/template_sends/template_send_config.ts";
import { anyPhone, anyPhoneNumberId } from "../support/company.ts";
import { later, logged } from "../support/log_lines.ts";
import { backgroundWork, ownSender } from "../support/own_functions.ts";
import { accepted, ownChannel, template } from "../support/sending.ts";
import { anyCredentialsKey, keyId, startOwnProject } from "./own_project.ts";

const [OLD, NEW] = [anyCredentialsKey(), anyCredentialsKey()];
const FIRST = { CREDENTIALS_KEY: OLD, CREDENTIALS_KEY_PREVIOUS: NEW };
const BOTH = { CREDENTIALS_KEY: NEW, CREDENTIALS_KEY_PREVIOUS: OLD };

Deno.test("sends succeed at every step of a CREDENTIALS_KEY rotation", async () => {
  await using project = await startOwnProject();
  const { operate, stack, secrets } = project;
  const printed = async (args: string[], env: Record<string, string>) => {
    const { code, stdout, stderr } = await operate([...args, "--json"], env);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
    return JSON.parse(stdout);
  };
  await using channel = ownChannel(() => accepted());
  /** Starts the send function with these secrets. */
  const functions = async (env: Record<string, string>) => {
    const all = { ...functionEnvironment(stack.url, secrets, channel.url), ...env };
    return await ownSender(channel.url, await readSenderConfig(all));
  };
  const { id: company } = await printed(["company", "create", "Rotated"], {});
  const { api_key } = await printed(
    ["key", "create", "--company", company, "--name", "Shop", "--scopes", "messaging"],
    {},
  );
  const numbers = [anyPhoneNumberId(), anyPhoneNumberId()];
  const connect = (number: string, input: string, CREDENTIALS_KEY: string) => {
    const named = ["--phone-number-id", number, "--display-phone", "+15550100"];
    const args = ["account", "connect", "--company", company, ...named];
    return printed(args, { input, CREDENTIALS_KEY });
  };
  /** Sends a template from each number. */
  const send = async (sender: Awaited<ReturnType<typeof ownSender>>) => {
    for (const phone_number_id of numbers) {
      const answer = await sender(api_key, template(anyPhone(), { phone_number_id }));
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      const call = channel.calls.at(-1)!;
      assert.equal(call.headers.get("Authorization"), `Bearer token-of-${phone_number_id}`);
    }
  };

  const before = await functions({ CREDENTIALS_KEY: OLD });
  for (const number of numbers) await connect(number, `token-of-${number}`, OLD);
  await send(before);

  // At each step, instances with the keys of the previous step still run. They must be able to
  // decrypt the tokens that are stored in the current step. In the first step, the functions get
  // the new key, but still encrypt with the old key.
  const first = await functions(FIRST);
  await connect(numbers[0], `token-of-${numbers[0]}`, FIRST.CREDENTIALS_KEY);
  await send(first);
  await send(before);

  // In the second step, the functions encrypt with the new key.
  const during = await functions(BOTH);
  await connect(numbers[0], `token-of-${numbers[0]}`, BOTH.CREDENTIALS_KEY);
  await send(during);
  await send(first);

  let isOver = false;
  const resealing = async () => {
    const counted = await printed(["account", "reseal"], BOTH);
    assert.deepEqual(counted, {
      resealed: 1,
      already_current: 1,
      unopened: [],
      of_another_account: [],
      app_secrets: { resealed: 0, already_current: 0, unopened: [] },
      webhook_secrets: { resealed: 0, already_current: 0, unopened: [] },
    });
    await connect(numbers[0], `token-of-${numbers[0]}`, NEW);
  };
  const sending = async () => {
    let rounds = 0;
    for (; !isOver; rounds++) await send(during);
    assert.ok(rounds > 0);
  };
  await Promise.all([resealing().finally(() => isOver = true), sending()]);
  await send(during);

  const after = await functions({ CREDENTIALS_KEY: NEW });
  await send(after);
  await send(during);

  // From this point on, a function that has only the old key fails. Therefore all functions with
  // only the old key must end before the re-encryption.
  const lines = await later(20, () =>
    logged(async () => {
      const [phone_number_id] = numbers;
      const late = await before(api_key, template(anyPhone(), { phone_number_id }));
      assert.deepEqual([late.status, late.body.code], [500, "channel_account_error"]);
    }));
  const { event, key_id } = JSON.parse(lines[0]);
  assert.deepEqual([event, key_id], ["account_token_unusable", await keyId(NEW)]);
  await backgroundWork();
});
