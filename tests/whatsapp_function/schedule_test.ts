// Tests the scheduled jobs of a hosted project. The test database does not have pg_cron, pg_net or
// Vault. Mocks with the same signatures replace these extensions in a transaction that is rolled
// back.
import assert from "node:assert/strict";
import type postgres from "postgres";
import {
  actAs,
  actAsSuperuser,
  refusal,
  rolledBack,
  type Sql,
  type Work,
} from "../support/acting_as.ts";
import { newCompany } from "../support/company.ts";
import { type CompanyWithCatalogue, companyWithCatalogue } from "./own_account.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const URL = "https://project.supabase.co/functions/v1/whatsapp";
const WEBHOOKS_URL = "https://project.supabase.co/functions/v1/webhooks";
const SECRET = "s".repeat(32);

/**
 * Creates mocks of the extensions' tables and functions that the schema uses, according to the
 * documentation of each extension.
 */
async function addExtensions(sql: Sql) {
  await sql.unsafe(`
    create schema cron;
    create table cron.job (
      jobid bigserial primary key, schedule text, command text, jobname text unique, active boolean default true,
      username text default current_user
    );
    create table cron.job_run_details (
      jobid bigint, runid bigserial, status text, return_message text, start_time timestamptz, end_time timestamptz
    );
    create function cron.schedule(job_name text, schedule text, command text) returns bigint language sql as $$
      insert into cron.job (jobname, schedule, command) values ($1, $2, $3)
      on conflict (jobname) do update set schedule = $2, command = $3 returning jobid
    $$;
    create function cron.unschedule(job_id bigint) returns boolean language sql as $$
      delete from cron.job where jobid = $1 returning true
    $$;
    create function cron.unschedule(job_name text) returns boolean language sql as $$
      delete from cron.job where jobname = $1 returning true
    $$;

    create schema net;
    -- Request ids that no other test uses.
    create sequence net.request_ids start 900000000000;
    create table net.requests (id bigint default nextval('net.request_ids'), url text, body jsonb, headers jsonb, timeout_milliseconds int);
    create table net._http_response (
      id bigint, status_code integer, content_type text, headers jsonb, content text, timed_out bool, error_msg text,
      created timestamptz not null default now()
    );
    create function net.http_post(
      url text, body jsonb default '{}', params jsonb default '{}',
      headers jsonb default '{"Content-Type": "application/json"}', timeout_milliseconds int default 5000
    ) returns bigint language sql as $$
      insert into net.requests (url, body, headers, timeout_milliseconds) values ($1, $2, $4, $5) returning id
    $$;

    create schema vault;
    create table vault.secrets (
      id uuid primary key default gen_random_uuid(), name text unique, description text not null default '', secret text
    );
    create view vault.decrypted_secrets as select id, name, description, secret as decrypted_secret from vault.secrets;
    create function vault.create_secret(
      new_secret text, new_name text default null, new_description text default '', new_key_id uuid default null
    ) returns uuid language sql as $$
      insert into vault.secrets (secret, name, description) values ($1, $2, $3) returning id
    $$;
    create function vault.update_secret(
      secret_id uuid, new_secret text default null, new_name text default null, new_description text default null,
      new_key_id uuid default null
    ) returns void language sql as $$
      update vault.secrets set secret = coalesce($2, secret), name = coalesce($3, name) where id = $1
    $$;

    grant usage on schema cron, net, vault to postgres;
    grant all on all tables in schema cron, net, vault to postgres;
    grant all on all sequences in schema cron, net, vault to postgres;
  `);
}

async function statusAs(sql: Sql) {
  await actAs(sql, "service_role");
  const [{ status }] = await sql`select public.jobs_status() as status`;
  await actAsSuperuser(sql);
  return status;
}

async function schedule(sql: Sql, url = URL, webhooksUrl = WEBHOOKS_URL, secret = SECRET) {
  await actAs(sql, "service_role");
  await sql`select public.schedule_jobs(${url}, ${webhooksUrl}, ${secret})`;
  await actAsSuperuser(sql);
}

test("without pg_cron and pg_net, scheduling fails with the names of the missing extensions, and the status shows no schedule", async (sql) => {
  await actAs(sql, "service_role");
  await assert.rejects(
    sql.savepoint((sql) => sql`select public.schedule_jobs(${URL}, ${WEBHOOKS_URL}, ${SECRET})`),
    (error: postgres.PostgresError) => {
      assert.equal(error.code, "PT501");
      const missing = /\(pg_cron, pg_net, supabase_vault\): enable it, .* \(npm start\) runs/;
      assert.match(error.message, missing);
      return true;
    },
  );
  const { scheduled, url, webhooks_url, cron_jobs, failed_calls } = await statusAs(sql);
  assert.deepEqual(
    { scheduled, url, webhooks_url, cron_jobs, failed_calls },
    { scheduled: false, url: null, webhooks_url: null, cron_jobs: [], failed_calls: [] },
  );
  await actAs(sql, "service_role");
  const [{ unschedule_jobs }] = await sql`select public.unschedule_jobs()`;
  assert.equal(unschedule_jobs, 0);
});

test("only the operator's role can schedule jobs, and only with a URL and a valid secret", async (sql) => {
  await addExtensions(sql);
  for (const role of ["anon", "authenticated", "api_client"] as const) {
    await actAs(sql, role);
    for (const call of ["schedule_jobs('x', 'y', 'z')", "unschedule_jobs()", "jobs_status()"]) {
      const calling = (sql: Sql) => sql.unsafe(`select public.${call}`);
      assert.equal(await refusal(sql, calling), "42501", role);
    }
  }
  await actAs(sql, "service_role");
  const wrong = [
    ["", WEBHOOKS_URL, SECRET],
    ["ftp://x/y", WEBHOOKS_URL, SECRET],
    [`${URL}?a=b`, WEBHOOKS_URL, SECRET],
    [`${URL} x`, WEBHOOKS_URL, SECRET],
    [URL, "", SECRET],
    [URL, null, SECRET],
    [URL, `${WEBHOOKS_URL}?a=b`, SECRET],
    [URL, WEBHOOKS_URL, "s".repeat(31)],
    [URL, WEBHOOKS_URL, `${SECRET} s`],
    [URL, WEBHOOKS_URL, ""],
  ];
  for (const [url, webhooksUrl, secret] of wrong) {
    const scheduling = (sql: Sql) =>
      sql`select public.schedule_jobs(${url}, ${webhooksUrl}, ${secret})`;
    assert.equal(await refusal(sql, scheduling), "PT422", `${url} ${webhooksUrl}`);
  }
});

test("scheduling stores the URLs and the secret in Vault, and unscheduling deletes them", async (sql) => {
  await addExtensions(sql);
  await schedule(sql, `${URL}/`, `${WEBHOOKS_URL}/`);
  await schedule(sql, URL, WEBHOOKS_URL, "t".repeat(40));
  const secrets =
    await sql`select name, decrypted_secret from vault.decrypted_secrets order by name`;
  assert.deepEqual(secrets.map((row) => ({ ...row })), [
    { name: "jobs_secret", decrypted_secret: "t".repeat(40) },
    { name: "webhooks_function_url", decrypted_secret: WEBHOOKS_URL },
    { name: "whatsapp_function_url", decrypted_secret: URL },
  ]);
  const jobs = await sql`select jobname, schedule, command, username from cron.job order by 1`;
  const minutely = { schedule: "* * * * *", username: "postgres" };
  assert.deepEqual(jobs.map((row) => ({ ...row })), [
    { jobname: "call-due-jobs", command: "select app.call_due_jobs()", ...minutely },
    { jobname: "fail-expired-sends", command: "select public.fail_expired_sends()", ...minutely },
    { jobname: "tidy-events", command: "select public.tidy_events()", ...minutely },
  ]);
  // Each scheduled command runs without an error.
  await sql.savepoint(async (sql) => {
    await sql`set local role postgres`;
    for (const { command } of jobs) await sql.unsafe(command);
  });
  await actAsSuperuser(sql);
  const { scheduled, url, webhooks_url } = await statusAs(sql);
  assert.deepEqual([scheduled, url, webhooks_url], [true, URL, WEBHOOKS_URL]);

  await actAs(sql, "service_role");
  const [{ unschedule_jobs }] = await sql`select public.unschedule_jobs()`;
  await actAsSuperuser(sql);
  assert.equal(unschedule_jobs, 3);
  assert.equal((await sql`select from vault.secrets`).count, 0);
  assert.equal((await statusAs(sql)).scheduled, false);
});

/** Calls the due jobs, as pg_cron does, and returns the requests for these companies. */
async function callDueJobs(sql: Sql, ...companies: CompanyWithCatalogue[]) {
  await sql`truncate net.requests`;
  await sql`set local role postgres`;
  await sql`select app.call_due_jobs()`;
  await actAsSuperuser(sql);
  const requests = await sql`select * from net.requests`;
  const ids = companies.map(({ account_id }) => account_id);
  return requests.filter(({ body }) => ids.includes(body.account_id));
}

/** Makes only these companies' jobs due, without locking the accounts of other tests. */
async function onlyDue(sql: Sql, ...companies: CompanyWithCatalogue[]) {
  const ids = companies.map(({ id }) => `'${id}'`).join();
  await sql.unsafe(`
    alter function public.due_jobs() rename to every_due_job;
    create function public.due_jobs() returns table (job text, account_id uuid) language sql as $$
      select due.job, due.account_id
      from public.every_due_job() as due
      join public.messaging_accounts as accounts on accounts.id = due.account_id
      where accounts.company_id in (${ids})
    $$;
  `);
}

Deno.test("the whatsapp function is called every minute for the due jobs, with the secret", async () => {
  const [one, other] = [await companyWithCatalogue(), await companyWithCatalogue()];
  await rolledBack(async (sql) => {
    await addExtensions(sql);
    await schedule(sql);
    await onlyDue(sql, one, other);
    const requests = await callDueJobs(sql, one, other);
    assert.equal(requests.length, 2);
    const { id: _, ...request } = requests.find(({ body }) => body.account_id === one.account_id)!;
    assert.deepEqual(request, {
      url: `${URL}/jobs/template-sync`,
      body: { account_id: one.account_id },
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${SECRET}` },
      timeout_milliseconds: 5_000,
    });
    const calls = await sql`select * from job_calls where company_id = ${one.id}`;
    assert.deepEqual(
      [calls.count, calls[0].job, calls[0].account_id],
      [1, "template-sync", one.account_id],
    );

    // A job whose run is in progress or has failed recently is not due.
    await sql`select begin_job('template-sync', ${one.account_id})`;
    const [{ run }] = await sql`select begin_job('template-sync', ${other.account_id}) as run`;
    await sql`select end_job(${run.run_id}, 'The channel is down')`;
    assert.equal((await callDueJobs(sql, one, other)).length, 0);

    await sql`update job_calls set called_at = now() - interval '25 hours'`;
    await callDueJobs(sql, one, other);
    const ids = [one.id, other.id];
    assert.equal((await sql`select from job_calls where company_id = any (${ids})`).count, 0);
  });
});

Deno.test("if many jobs are due, each call starts twenty jobs, and later calls start the others", async () => {
  const company = await companyWithCatalogue();
  await rolledBack(async (sql) => {
    await addExtensions(sql);
    await schedule(sql);
    await onlyDue(sql, company);
    await sql`
      insert into messaging_accounts
        (company_id, phone_number_id, business_account_id, display_phone, encrypted_token)
      select ${company.id}, '77' || n, '88' || n, '+15550100', 'h..iv.c.t' from generate_series(1, 120) as n
    `;
    const asked = new Set<string>();
    for (let minute = 0; minute < 2; minute++) {
      await sql`truncate net.requests`;
      await sql`set local role postgres`;
      const [{ call_due_jobs }] = await sql`select app.call_due_jobs()`;
      await actAsSuperuser(sql);
      // There is one more request for the channel events job. If any test's webhook is on, there is
      // also a request for the delivery job.
      assert.ok([21, 22].includes(call_due_jobs), call_due_jobs);
      const requests = await sql`select body from net.requests where body <> '{}'`;
      assert.equal(requests.count, 20);
      for (const { body } of requests) asked.add(body.account_id);
    }
    assert.ok(asked.size > 20, "each call started the same jobs");
  });
});

Deno.test("while a webhook is on, the webhooks function is called every minute with the secret", async () => {
  const company = await newCompany();
  await rolledBack(async (sql) => {
    await addExtensions(sql);
    await schedule(sql);
    await sql`
      insert into webhooks (company_id, url, types, sealed_secret)
      values (${company.id}, 'https://hooks.example.org/', '{deal.*}', 'h..iv.c.t')
    `;
    await sql`set local role postgres`;
    await sql`select app.call_due_jobs()`;
    await actAsSuperuser(sql);
    const [{ id, ...request }, ...others] = await sql`
      select * from net.requests where url like '%/deliver'
    `;
    assert.deepEqual([request, others], [{
      url: `${WEBHOOKS_URL}/jobs/deliver`,
      body: {},
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${SECRET}` },
      timeout_milliseconds: 5_000,
    }, []]);
    await sql`insert into net._http_response (id, status_code, content) values (${id}, 500, 'no')`;
    const { webhooks, failed_calls } = await statusAs(sql);
    assert.ok(webhooks.called_at);
    assert.ok(webhooks.webhooks.on >= 1);
    const { called_at: _, ...failed } = failed_calls.find(
      ({ job }: { job: string }) => job === "deliver",
    );
    assert.deepEqual(failed, { job: "deliver", account_id: null, status: 500, error: "no" });

    await sql`select public.fail_delivery_run('no memory')`;
    const { last_failure } = (await statusAs(sql)).webhooks;
    assert.equal(last_failure.failure, "no memory");
    assert.ok(last_failure.failed_at);
  });
});

test("the records of the runs in pg_cron are deleted after seven days, but only those of the service's own jobs", async (sql) => {
  await addExtensions(sql);
  await schedule(sql);
  await sql`select cron.schedule('of-another-service', '* * * * *', 'select 1')`;
  await sql`
    insert into cron.job_run_details (jobid, status, start_time, end_time)
    select jobid, 'succeeded', now() - days * interval '1 day', case when days = 8 then null else now() - days * interval '1 day' end
    from cron.job, unnest(array[6, 8, 9]) as days
  `;
  const removed = async () => {
    await actAs(sql, "channel_client");
    const [{ tended }] = await sql`select tend_channel(5) as tended`;
    await actAsSuperuser(sql);
    return tended.cron_runs_removed;
  };
  assert.deepEqual([await removed(), await removed(), await removed()], [5, 1, 0]);
  const left = await sql`
    select jobname, count(*)::int as runs from cron.job_run_details join cron.job using (jobid)
    group by jobname order by jobname
  `;
  assert.deepEqual(left.map(({ jobname, runs }) => [jobname, runs]), [
    ["call-due-jobs", 1],
    ["fail-expired-sends", 1],
    ["of-another-service", 3],
    ["tidy-events", 1],
  ]);
});

test("without a URL in Vault, calling the due jobs fails with an error that says what to do", async (sql) => {
  await addExtensions(sql);
  await sql`set local role postgres`;
  await assert.rejects(
    sql.savepoint((sql) => sql`select app.call_due_jobs()`),
    /run npm run admin -- jobs schedule/,
  );
});

Deno.test("the status shows the last run of each job, the template catalogue and the failed calls", async () => {
  const company = await companyWithCatalogue();
  await rolledBack(async (sql) => {
    await addExtensions(sql);
    await schedule(sql);
    await onlyDue(sql, company);
    await callDueJobs(sql, company);
    const [call] = await sql`select * from job_calls where account_id = ${company.account_id}`;
    await sql`
      insert into net._http_response (id, status_code, content, error_msg)
      values (${call.request_id}, 502, '{"error": "The channel is down"}', null)
    `;
    await sql`
      insert into cron.job_run_details (jobid, status, return_message, start_time)
      select jobid, 'failed', 'ERROR: no room', now() from cron.job where jobname = 'call-due-jobs'
    `;
    const [{ run }] = await sql`select begin_job('template-sync', ${company.account_id}) as run`;
    await sql`select end_job(${run.run_id}, 'The channel is down')`;

    const status = await statusAs(sql);
    const [job] = status.cron_jobs;
    assert.deepEqual(
      [job.name, job.last_status, job.last_message],
      ["call-due-jobs", "failed", "ERROR: no room"],
    );
    const { account_id } = company;
    const { last_runs, sync_due_at, ...facts } = status.accounts.find(
      (each: { account_id: string }) => each.account_id === account_id,
    );
    assert.deepEqual(facts, {
      account_id: company.account_id,
      company_id: company.id,
      company_name: "Test",
      phone_number_id: company.phone_number_id,
      display_phone: "+15550100",
      business_account_id: company.business_account_id,
      synced_at: null,
      failures: 1,
      templates: 0,
      media_due: 0,
    });
    assert.ok(Date.parse(sync_due_at) > Date.now());
    assert.deepEqual(Object.keys(last_runs), ["template-sync"]);
    assert.equal(last_runs["template-sync"].failure, "The channel is down");
    assert.deepEqual(status.failed_calls.length, 1);
    const [{ called_at, ...failed }] = status.failed_calls;
    assert.ok(called_at);
    assert.deepEqual(failed, {
      job: "template-sync",
      account_id: company.account_id,
      status: 502,
      error: '{"error": "The channel is down"}',
    });

    // A 202 (the run has begun) and a 409 (another run is in progress) do not count as failures.
    for (const code of [202, 409]) {
      await sql`update net._http_response set status_code = ${code}`;
      assert.deepEqual((await statusAs(sql)).failed_calls, []);
    }
    // A run continues after its call has timed out.
    const unanswered = async (error: string, timed_out: boolean) => {
      await sql`
        update net._http_response set status_code = null, timed_out = ${timed_out}, error_msg = ${error}
      `;
      return (await statusAs(sql)).failed_calls;
    };
    assert.deepEqual(await unanswered("Timeout of 5000 ms reached", true), []);
    const [{ error }] = await unanswered("Couldn't resolve host name", false);
    assert.equal(error, "Couldn't resolve host name");
  });
});
