import assert from "node:assert/strict";
import { type JobsStatus, statusText } from "../../admin/jobs_status.ts";
import { stack } from "../support/test_stack.ts";
import { admin, json, printed } from "./command.ts";

const SECRET = "s".repeat(40);

Deno.test("`jobs schedule` needs JOBS_SECRET, and names the extensions that a local database lacks", async () => {
  const schedule = ["jobs", "schedule"];
  const [without, short, local] = await Promise.all([
    admin(schedule),
    admin(schedule, { env: { JOBS_SECRET: "short" } }),
    admin(schedule, { env: { JOBS_SECRET: SECRET } }),
  ]);
  const failed = (stderr: string) => ({ code: 1, stdout: "", stderr });
  const unset =
    "JOBS_SECRET is not set: set it to the JOBS_SECRET of the functions, so that they accept the calls.\n";
  const wrong = "JOBS_SECRET must have 32 to 255 visible ASCII characters.\n";
  assert.deepEqual([without, short], [unset, wrong].map(failed));
  const missing = /^This database does not have what scheduled jobs need .*its own jobs\.\n$/;
  assert.match(local.stderr, missing);
  assert.ok(!local.stderr.includes(SECRET));
});

Deno.test("`jobs schedule` stores the URLs of the project's functions unless another URL is given", async () => {
  const calls: unknown[] = [];
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      calls.push([new URL(request.url).pathname, await request.json()]);
      return new Response(null, { status: 204 });
    },
  );
  const url = `http://127.0.0.1:${server.addr.port}`;
  const env = { SUPABASE_URL: `${url}/`, SUPABASE_SECRET_KEY: "sb_secret_x", JOBS_SECRET: SECRET };
  const other = "https://api.example.com/functions/v1";
  const addresses = (base: string) => ({
    url: `${base}/whatsapp`,
    webhooks_url: `${base}/webhooks`,
  });
  const own = await admin(["jobs", "schedule", "--json"], { env });
  const ownUrls = addresses(`${url}/functions/v1`);
  assert.deepEqual(JSON.parse(own.stdout), { scheduled: true, ...ownUrls });
  const named = await admin(["jobs", "schedule", "--functions-url", `${other}/`], { env });
  assert.ok(named.stdout.includes(other) && !named.stdout.includes(SECRET));
  const path = "/rest/v1/rpc/schedule_jobs";
  assert.deepEqual(
    calls,
    [ownUrls, addresses(other)].map((urls) => [path, { ...urls, secret: SECRET }]),
  );
  const one = await admin(["jobs", "schedule", "--functions-url", `${other}/whatsapp`], { env });
  assert.equal(one.code, 2);
  assert.match(one.stderr, /without the name of a function/);
});

Deno.test("`jobs schedule` refuses a URL to which JOBS_SECRET would travel without TLS", async () => {
  await using project = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response(null, { status: 204 }),
  );
  const env = {
    SUPABASE_URL: `http://127.0.0.1:${project.addr.port}`,
    SUPABASE_SECRET_KEY: "sb_secret_x",
    JOBS_SECRET: SECRET,
  };
  const codes = (hosts: string[]) =>
    Promise.all(hosts.map(async (host) => {
      const url = `http://${host}/functions/v1`;
      return (await admin(["jobs", "schedule", "--functions-url", url], { env })).code;
    }));
  assert.deepEqual(
    await codes(["[2001:db8::1]", "[::ffff:192.0.2.1]", "192.0.2.1", "api.example.com"]),
    [2, 2, 2, 2],
  );
  assert.deepEqual(await codes(["[::1]:54321", "crm.localhost", "kong:8000"]), [0, 0, 0]);
});

Deno.test("`jobs status` and `jobs unschedule` work when nothing is scheduled", async () => {
  const status = ["jobs", "status"];
  assert.match(
    await printed(status),
    /^Jobs are not scheduled: .*\n\nEvents of the channel: [^\n]+\.\n(The last run failed: .*\n)?(Messages in the last day: .*\n)?\nWebhooks: [^\n]+\n(A delivery run failed at .*\n)?\nCOMPANY +PHONE /,
  );
  const { scheduled, accounts, channel, messages, webhooks } = await json(status);
  assert.equal(scheduled, false);
  assert.deepEqual(Object.keys(channel).sort(), ["due", "last_run", "not_done", "oldest_due_at"]);
  assert.deepEqual(
    Object.keys(messages).sort(),
    ["double_sends", "expired", "expired_unreported", "failures", "waiting_facts"],
  );
  assert.deepEqual(
    Object.keys(webhooks).sort(),
    [
      ...["called_at", "due", "last_failure", "last_success_at", "oldest_due_at", "open"],
      ...["resting", "webhooks"],
    ],
  );
  assert.ok(accounts.length > 0);
  assert.equal(await printed(["jobs", "unschedule"]), "No jobs were scheduled.\n");
  assert.ok(stack.whatsapp_url);
});

const ACCOUNT = {
  account_id: "7d1f6f0e-2c4b-4a57-9a1e-5f2f3c1b8e90",
  company_id: "de300000-0000-4000-8000-000000000001",
  company_name: "Ondalva\u001b[2J",
  phone_number_id: "1",
  display_phone: "+15550100",
  business_account_id: "42",
  synced_at: "2026-11-22T06:10:30+00:00",
  sync_due_at: "2026-11-23T05:40:00+00:00",
  failures: 1,
  templates: 12,
  media_due: 2,
  last_runs: {
    "template-sync": {
      ...{ began_at: "2026-11-22T07:00:00+00:00", ended_at: "2026-11-22T07:00:01+00:00" },
      ...{ failure: "The channel is down", result: null },
    },
    "template-media": {
      ...{ began_at: "2026-11-22T06:10:31+00:00", ended_at: null, failure: null, result: null },
    },
  },
};

Deno.test("`jobs status` shows the schedule, each account, the reason for each failed run, and the failed calls", () => {
  const unknownFacts = { business_account_id: null, synced_at: null, sync_due_at: null };
  const status: JobsStatus = {
    scheduled: true,
    notices: [],
    messages: {
      ...{ expired: 3, expired_unreported: 1, double_sends: 2, waiting_facts: 9 },
      failures: [
        { outcome: "failed", reason: "recipient_unreachable", sends: 1200 },
        { outcome: "failed", reason: "outcome_unknown", sends: 1 },
        { outcome: "released", reason: "channel_account_error", sends: 40 },
      ],
    },
    url: "https://x.supabase.co/functions/v1/whatsapp",
    webhooks_url: "https://x.supabase.co/functions/v1/webhooks",
    webhooks: {
      called_at: "2026-11-22T07:01:00+00:00",
      last_failure: { failed_at: "2026-11-22T05:10:00+00:00", failure: "The job failed\u001b[2J" },
      webhooks: { on: 3, catching_up: 1, off: 2 },
      resting: 1,
      last_success_at: "2026-11-22T07:00:58+00:00",
      open: 1200,
      due: 4,
      oldest_due_at: "2026-11-22T06:59:00+00:00",
    },
    cron_jobs: [{
      name: "call-due-jobs",
      schedule: "* * * * *",
      active: true,
      last_run_at: "2026-11-22T07:01:00+00:00",
      last_status: "failed",
      last_message: "ERROR: no room",
    }],
    channel: {
      last_run: {
        began_at: "2026-11-22T07:01:00+00:00",
        ended_at: "2026-11-22T07:01:02+00:00",
        failure: "expired: 57014 statement timeout",
        result: null,
      },
      due: 7,
      oldest_due_at: "2026-11-22T06:55:00+00:00",
      not_done: { unroutable: 3, failed: 1 },
    },
    accounts: [ACCOUNT, { ...ACCOUNT, ...unknownFacts, media_due: 0, last_runs: {} }],
    failed_calls: [{
      job: "template-sync",
      account_id: ACCOUNT.account_id,
      called_at: "2026-11-22T07:01:00+00:00",
      status: null,
      error: "Couldn't resolve host name",
    }],
  };
  const [schedule, cron, channel, webhooks, accounts, failures, calls] = statusText(status)
    .split("\n\n");
  assert.equal(
    schedule,
    "Jobs are scheduled: the database calls https://x.supabase.co/functions/v1/whatsapp and " +
      "https://x.supabase.co/functions/v1/webhooks each minute.",
  );
  assert.equal(
    webhooks,
    "Webhooks: 1 catching up, 2 off, 3 on; 1 backing off after failures. Deliveries: 1200 open, 4 due since " +
      "2026-11-22 06:59 UTC. Last success: 2026-11-22 07:00 UTC.\n" +
      "The function webhooks was last called at 2026-11-22 07:01 UTC.\n" +
      "A delivery run failed at 2026-11-22 05:10 UTC: The job failed [2J",
  );
  const none = { ...status.webhooks, webhooks: {} };
  assert.match(statusText({ ...status, webhooks: none }), /\n\nWebhooks: none\.\n\n/);
  const due = "call-due-jobs  * * * * *  active  2026-11-22 07:01 UTC  failed: ERROR: no room";
  assert.equal(cron.split("\n")[1], due);
  assert.equal(
    channel,
    "Events of the channel: channel-events 2026-11-22 07:01 UTC failed. 7 are due, since 2026-11-22 06:55 UTC; " +
      "not done: 1 failed, 3 unroutable.\nThe last run failed: expired: 57014 statement timeout\n" +
      "Messages in the last day: 1201 failed (recipient_unreachable 1200, outcome_unknown 1); " +
      "40 released (channel_account_error 40); 3 expired, 1 of them without any report; 2 were sent twice.",
  );
  const quiet = {
    ...{ expired: 0, expired_unreported: 0, double_sends: 0, waiting_facts: 9, failures: [] },
  };
  assert.ok(!statusText({ ...status, messages: quiet }).includes("Messages in the last day"));
  const [, known, unknown] = accounts.split("\n").map((line) => line.split(/ {2,}/));
  assert.deepEqual(known, [
    ...["Ondalva [2J", "+15550100", "42", "12", "2026-11-22 06:10 UTC", "2026-11-23 05:40 UTC"],
    "2",
    "template-media 2026-11-22 06:10 UTC not ended, template-sync 2026-11-22 07:00 UTC failed",
  ]);
  assert.deepEqual(unknown, ["Ondalva [2J", "+15550100", "unknown"]);
  const down =
    `template-sync of +15550100 (account ${ACCOUNT.account_id}) failed: The channel is down`;
  assert.equal(failures, down);
  assert.match(calls, /no answer +Couldn't resolve host name$/);
});
