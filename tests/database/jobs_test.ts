// Tests the jobs for messaging accounts: which jobs are due, what is stored about a run, and that
// each job has at most one active run.

import assert from "node:assert/strict";
import { refusal, rolledBack, type Sql, type Work } from "../support/acting_as.ts";
import { connectAccount, disconnectAccount, newCompany } from "../support/company.ts";
import { atOnce, committed, overlapping } from "./connections.ts";
import { claim, settle } from "./sends.ts";
import { apply, catalogued, entry, FITTING, joinBusinessAccount, mediaEntry } from "./templates.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const own = await newCompany();
const { id: company_id, account_id, keys } = own;
const SYNC = "template-sync";
const MEDIA = "template-media";

/** The result of begin_job(): a run, or only `busy`, or null if no connected account has the id. */
// deno-lint-ignore no-explicit-any -- tests compare any field of a response
type Begun = Record<string, any> | null;

async function begin(sql: Sql, job = SYNC, account = account_id): Promise<Begun> {
  return (await sql`select begin_job(${job}, ${account}) as run`)[0].run;
}

async function end(sql: Sql, run_id: string, failure: string | null = null, result = {}) {
  await sql`select end_job(${run_id}, ${failure}, ${sql.json(result)})`;
}

/** The due jobs for a company's accounts, as `job account`. */
async function due(sql: Sql, of_company_id = company_id): Promise<string[]> {
  const rows = await sql`
    select job, account_id from due_jobs() as due
    where exists (
      select from messaging_accounts
      where company_id = ${of_company_id} and id = due.account_id
    )
    order by 1, 2
  `;
  return rows.map(({ job, account_id }) => `${job} ${account_id}`);
}

async function catalogue(sql: Sql) {
  const [row] = await sql`
    select failures, round(extract(epoch from sync_due_at - now()) / 60)::int as minutes
    from template_catalogues where company_id = ${company_id}
  `;
  return { ...row };
}

/** Makes every run of the company older by `time`. */
async function pass(sql: Sql, time: string) {
  await sql`
    update job_runs set began_at = began_at - ${time}::interval where company_id = ${company_id}
  `;
}

test("begin_job() returns the account data that the job needs", async (sql) => {
  const business_account_id = await joinBusinessAccount(sql, account_id);
  for (const job of [SYNC, MEDIA]) {
    const [{ now }] = await sql`select to_json(now()) as now`;
    const { run_id, ...rest } = (await begin(sql, job))!;
    assert.match(run_id, /^[0-9a-f-]{36}$/);
    assert.deepEqual(rest, {
      began_at: now,
      account_id,
      company_id,
      phone_number_id: own.phone_number_id,
      business_account_id,
      encrypted_token: own.sealed_token,
    });
  }
  assert.equal(await begin(sql, SYNC, crypto.randomUUID()), null);
  assert.equal(await refusal(sql, (sql) => begin(sql, "other")), "23514 job_runs_job_check");
  await disconnectAccount(sql, account_id);
  assert.equal(await begin(sql), null);
});

test("a job for an account cannot begin again until its run ends or three minutes have passed", async (sql) => {
  const another = await connectAccount(sql, company_id);
  const first = (await begin(sql))!;
  assert.deepEqual(await begin(sql), { busy: true });
  assert.ok((await begin(sql, MEDIA))!.run_id);
  assert.ok((await begin(sql, SYNC, another.id))!.run_id);
  await end(sql, first.run_id);
  const second = (await begin(sql))!;
  assert.notEqual(second.run_id, first.run_id);
  await pass(sql, "2 minutes 59 seconds");
  assert.deepEqual(await begin(sql), { busy: true });
  await pass(sql, "1 second");
  assert.ok((await begin(sql))!.run_id);
});

Deno.test("only one of several simultaneous attempts to begin a job succeeds", async () => {
  const company = await newCompany();
  await committed((sql) => joinBusinessAccount(sql, company.account_id));
  const runs = await atOnce(8, (sql) => begin(sql, SYNC, company.account_id));
  assert.deepEqual(runs.filter((run) => run?.busy !== true).length, 1);
});

test("a run can store its result only once", async (sql) => {
  await joinBusinessAccount(sql, account_id);
  const { run_id } = (await begin(sql))!;
  await end(sql, run_id, null, { templates: 12 });
  await end(sql, run_id, "Later");
  const rows = await sql`
    select job, ended_at = now() as ended, failure, result from job_runs where company_id = ${company_id}
  `;
  assert.deepEqual([...rows], [
    { job: SYNC, ended: true, failure: null, result: { templates: 12 } },
  ]);
  assert.deepEqual(await catalogue(sql), { failures: 0, minutes: 0 });
  await end(sql, crypto.randomUUID(), "Unknown");
  const failed = (await begin(sql, MEDIA))!;
  await end(sql, failed.run_id, "x".repeat(2000));
  const [{ failure }] = await sql`select failure from job_runs where id = ${failed.run_id}`;
  assert.equal(failure, "x".repeat(1000));
  assert.equal((await catalogue(sql)).failures, 0);
});

test("after a failure, a synchronisation is due again after a pause, which doubles each time up to six hours", async (sql) => {
  await joinBusinessAccount(sql, account_id);
  for (const [at, minutes] of [5, 10, 20, 40, 80, 160, 320, 360, 360, 360, 360, 360].entries()) {
    await end(sql, (await begin(sql))!.run_id, "The channel is down");
    assert.deepEqual(await catalogue(sql), { failures: at + 1, minutes });
    assert.deepEqual(await due(sql), []);
  }
  // After a success, the pauses start again from the shortest pause.
  await apply(sql, account_id, []);
  assert.equal((await catalogue(sql)).failures, 0);
  await sql`update template_catalogues set sync_due_at = now() where company_id = ${company_id}`;
  assert.deepEqual(await due(sql), [`${SYNC} ${account_id}`]);
});

Deno.test("a synchronisation that fails because of its account and a simultaneous disconnection of the account cause no deadlock", async () => {
  const company = await newCompany();
  await committed((sql) => catalogued(sql, company));
  const { run_id } = (await committed((sql) => begin(sql, SYNC, company.account_id)))!;
  await overlapping(
    // The disconnection has locked the account, but not yet its catalogue.
    (sql) => sql`select from messaging_accounts where id = ${company.account_id} for no key update`,
    (sql) => sql`select end_job(${run_id}, 'The token has expired', null, '190')`,
    { afterwards: (sql) => disconnectAccount(sql, company.account_id) },
  );
});

test("a failed synchronisation does not affect the company's other business accounts", async (sql) => {
  const elsewhere = await connectAccount(sql, company_id);
  const other = await joinBusinessAccount(sql, elsewhere.id);
  await begin(sql, SYNC, elsewhere.id);
  await joinBusinessAccount(sql, account_id);
  await end(sql, (await begin(sql))!.run_id, "The channel is down");
  const rows = await sql`
    select failures from template_catalogues
    where company_id = ${company_id} order by business_account_id = ${other}
  `;
  assert.deepEqual(rows.map(({ failures }) => failures), [1, 0]);
});

test("a synchronisation is due for a new account and then every day, except while a synchronisation is running", async (sql) => {
  assert.deepEqual(await due(sql), []);
  await joinBusinessAccount(sql, account_id);
  const job = [`${SYNC} ${account_id}`];
  assert.deepEqual(await due(sql), job);
  const { run_id } = (await begin(sql))!;
  assert.deepEqual(await due(sql), []);
  await pass(sql, "3 minutes");
  assert.deepEqual(await due(sql), job, "the run was cut off");
  await apply(sql, account_id, [], { age: "22 hours 59 minutes" });
  await end(sql, run_id);
  assert.deepEqual(await due(sql), []);
  await sql`delete from template_catalogues where company_id = ${company_id}`;
  await apply(sql, account_id, [], { age: "24 hours" });
  assert.deepEqual(await due(sql), job);
  await disconnectAccount(sql, account_id);
  assert.deepEqual(await due(sql), []);
});

test("any connected account can synchronise its business account, but only one account at a time", async (sql) => {
  const business_account_id = await joinBusinessAccount(sql, account_id);
  const others = [await connectAccount(sql, company_id), await connectAccount(sql, company_id)];
  for (const { id } of others) await joinBusinessAccount(sql, id, business_account_id);
  await disconnectAccount(sql, others[1].id);
  const met = new Set<string>();
  for (let tries = 0; tries < 200 && met.size < 2; tries++) {
    const jobs = await due(sql);
    assert.equal(jobs.length, 1);
    met.add(jobs[0]);
  }
  assert.deepEqual(
    [...met].sort(),
    [account_id, others[0].id].map((id) => `${SYNC} ${id}`).sort(),
  );
  await begin(sql, SYNC, others[0].id);
  for (let tries = 0; tries < 20; tries++) assert.deepEqual(await due(sql), []);
  // Another business account has different templates.
  const elsewhere = await connectAccount(sql, company_id);
  await joinBusinessAccount(sql, elsewhere.id);
  assert.deepEqual(await due(sql), [`${SYNC} ${elsewhere.id}`]);
});

test("the media job is due for each account with missing media, except during a run or during the pause after a failed upload", async (sql) => {
  const business_account_id = await catalogued(sql, own, [mediaEntry()]);
  const second = await connectAccount(sql, company_id);
  await joinBusinessAccount(sql, second.id, business_account_id);
  const both = [account_id, second.id].map((id) => `${MEDIA} ${id}`).sort();
  assert.deepEqual(await due(sql), both);
  const { run_id } = (await begin(sql, MEDIA))!;
  const onlySecond = [`${MEDIA} ${second.id}`];
  assert.deepEqual(await due(sql), onlySecond);
  await end(sql, run_id);
  assert.deepEqual(await due(sql), both);

  const [{ answer }] = await sql`
    select begin_media_upload(${account_id}, id) as answer from templates where company_id = ${company_id}
  `;
  assert.deepEqual(await due(sql), onlySecond);
  await sql`select fail_media_upload(${answer.upload_id}, 'Lost')`;
  assert.deepEqual(await due(sql), onlySecond);
  await sql`update template_media set job_failed_at = now() - interval '10 minutes' where company_id = ${company_id}`;
  assert.deepEqual(await due(sql), both);
  await disconnectAccount(sql, second.id);
  assert.deepEqual(await due(sql), [`${MEDIA} ${account_id}`]);
});

test("uploads wait while the templates of the business account are about to be read, or are being read", async (sql) => {
  const business_account_id = await catalogued(sql, own, [mediaEntry()]);
  const second = await connectAccount(sql, company_id);
  await joinBusinessAccount(sql, second.id, business_account_id);
  const uploads = async () => (await due(sql)).filter((job) => job.startsWith(MEDIA)).length;
  assert.equal(await uploads(), 2);
  const readAt = (moment: string) =>
    sql`update template_catalogues set sync_due_at = ${moment}::text::timestamptz where company_id = ${company_id}`;
  await readAt("now");
  assert.equal(await uploads(), 0);
  const { run_id } = (await begin(sql, SYNC, second.id))!;
  await readAt("tomorrow");
  assert.equal(await uploads(), 0);
  await end(sql, run_id);
  assert.equal(await uploads(), 2);
});

test("the media job is due again half an hour after a run that failed as a whole", async (sql) => {
  await catalogued(sql, own, [mediaEntry()]);
  const job = `${MEDIA} ${account_id}`;
  await end(sql, (await begin(sql, MEDIA))!.run_id, "The stored token cannot be used");
  assert.deepEqual(await due(sql), []);
  await pass(sql, "29 minutes");
  assert.deepEqual(await due(sql), []);
  await pass(sql, "2 minutes");
  assert.deepEqual(await due(sql), [job]);
  await end(sql, (await begin(sql, MEDIA))!.run_id);
  assert.deepEqual(await due(sql), [job]);
});

Deno.test("a template refusal (132000 to 132999) makes a synchronisation due, unless the templates were read in the last ten minutes", async () => {
  const refusals: [channel_code: number, age: string, isDue: boolean][] = [
    [132000, "11 minutes", true],
    [132001, "11 minutes", true],
    [132999, "11 minutes", true],
    [132001, "9 minutes", false],
    [131999, "11 minutes", false],
    [133000, "11 minutes", false],
    [131026, "11 minutes", false],
    [131053, "11 minutes", false],
    [100, "11 minutes", false],
  ];
  for (const [channel_code, age, isDue] of refusals) {
    await rolledBack(async (sql) => {
      await catalogued(sql, own, [entry()], age);
      const claim_id = crypto.randomUUID();
      await claim(sql, keys.messaging, { claim_id, preflight: "first", ...FITTING });
      await settle(sql, claim_id, { outcome: "failed", reason: "template_rejected", channel_code });
      assert.deepEqual(await due(sql), isDue ? [`${SYNC} ${account_id}`] : [], `${channel_code}`);
    });
  }
});

test("a template refusal makes a synchronisation due only if the refusal settles a send, and only for the account of that send", async (sql) => {
  const elsewhere = await connectAccount(sql, company_id);
  await catalogued(sql, { account_id: elsewhere.id }, [entry()], "11 minutes");
  await catalogued(sql, own, [entry()], "11 minutes");
  const claim_id = crypto.randomUUID();
  const { phone_number_id } = own;
  await claim(sql, keys.messaging, { claim_id, phone_number_id });
  const refused = { outcome: "failed", reason: "template_rejected", channel_code: 132001 };
  await settle(sql, crypto.randomUUID(), refused);
  assert.deepEqual(await due(sql), []);
  await settle(sql, claim_id, { outcome: "sent", whatsapp_message_id: "wamid.1" });
  await settle(sql, claim_id, refused);
  assert.deepEqual(await due(sql), [], "the outcome was already known");
  const second = crypto.randomUUID();
  await claim(sql, keys.messaging, { claim_id: second, phone_number_id });
  await settle(sql, second, refused);
  assert.deepEqual(await due(sql), [`${SYNC} ${account_id}`]);
});

test("the records of job runs are kept for 30 days", async (sql) => {
  const kept = await begin(sql, MEDIA);
  await pass(sql, "29 days");
  const { id } = await connectAccount(sql, company_id);
  const old = await begin(sql, MEDIA, id);
  await sql`update job_runs set began_at = now() - interval '31 days' where id = ${old!.run_id}`;
  await begin(sql);
  const runs =
    await sql`select id from job_runs where company_id = ${company_id} order by began_at`;
  assert.deepEqual([runs.length, runs[0].id], [2, kept!.run_id]);
});
