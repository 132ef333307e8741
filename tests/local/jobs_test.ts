// `npm start` also runs the jobs for messaging accounts.
import assert from "node:assert/strict";
import postgres from "postgres";
import { runDueJobs } from "../../local/jobs.ts";
import type { Sql } from "../../local/postgres/database.ts";
import { loadSecrets } from "../../local/secrets.ts";
import { addSend, endLease, standing } from "../database/sends.ts";
import { rolledBack } from "../support/acting_as.ts";
import { newCompany } from "../support/company.ts";
import { startOn, until, withFolder } from "../support/started.ts";

/**
 * The stack begins a round of jobs each minute. If a call in the first round fails on a busy
 * machine, the second round does the rest.
 */
const TWO_ROUNDS_MS = 150_000;

Deno.test("the job reads the demo company's templates soon after the start, and again when the sandbox's URL changes", async () => {
  await withFolder(async (folder) => {
    /** Waits until every job has run and every template's sample is uploaded. */
    const untilUploaded = async (sql: postgres.Sql) => {
      await until(async () => {
        const [{ is_done }] = await sql`
          select count(*) > 0 and count(*) = count(media_id) and not exists (
            select from job_runs where ended_at is null
          ) and not exists (select from due_jobs()) as is_done
          from template_media
        `;
        return is_done;
      }, TWO_ROUNDS_MS).catch(async (error) => {
        const media = await sql`select media_id, failures, failure from template_media`;
        const runs = await sql`select job, began_at, ended_at, failure, result from job_runs`;
        throw new Error(JSON.stringify({ media, runs }), { cause: error });
      });
    };
    const first = await startOn(folder);
    const sql = postgres(first.stack.database_url, { max: 1 });
    await untilUploaded(sql);
    const [{ templates }] = await sql`select count(*)::int as templates from templates`;
    assert.ok(templates >= 12, `${templates} templates`);
    await sql.end();
    assert.deepEqual(await first.started.end(), [0, ""]);

    // This data folder comes from an earlier version, which had no jobs.
    const { jobs_secret: _, ...older } = JSON.parse(
      await Deno.readTextFile(`${folder}/secrets.json`),
    );
    await Deno.writeTextFile(`${folder}/secrets.json`, JSON.stringify(older));
    const again = await startOn(folder);
    const later = postgres(again.stack.database_url, { max: 1 });
    // The new sandbox has another URL.
    const { origin } = new URL(again.stack.url);
    await until(async () => {
      const strange = await later`
        select name from templates where sample_url is not null and sample_url not like ${`${origin}/%`}
      `;
      return strange.length === 0;
    }, TWO_ROUNDS_MS);
    await untilUploaded(later);
    await later.end();
    assert.deepEqual(await again.started.end(), [0, ""]);
    const { jobs_secret, ...others } = JSON.parse(
      await Deno.readTextFile(`${folder}/secrets.json`),
    );
    assert.match(jobs_secret, /^[\w-]{43}$/);
    assert.deepEqual(others, older);
  });
});

Deno.test("npm start creates the secrets once, and adds secrets that are missing in an older file", async () => {
  await withFolder(async (folder) => {
    const file = `${folder}/secrets.json`;
    const made = await loadSecrets(file);
    assert.deepEqual(await loadSecrets(file), made);
    const { jobs_secret: _, ...older } = made;
    await Deno.writeTextFile(file, JSON.stringify(older));
    const added = await loadSecrets(file);
    assert.deepEqual({ ...added, jobs_secret: "" }, { ...older, jobs_secret: "" });
    assert.deepEqual(await loadSecrets(file), added);
  });
});

/** A database that responds to every statement with the result of this function. */
function databaseWith(statement: () => Promise<unknown[]>): Sql {
  const begin = (work: (sql: unknown) => Promise<unknown>) => work(statement);
  return Object.assign(statement, { begin }) as unknown as Sql;
}

/**
 * A replacement for the `whatsapp` function with responses chosen by the test, and a database in
 * which these jobs are due.
 */
function ownFunction(due: { job: string; account_id: string }[], answer: () => Promise<Response>) {
  const calls: { path: string; authorization: string | null; body: unknown }[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      calls.push({
        path: new URL(request.url).pathname,
        authorization: request.headers.get("Authorization"),
        body: await request.json(),
      });
      return await answer();
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    calls,
    sql: databaseWith(() => Promise.resolve(due)),
    [Symbol.asyncDispose]: async () => await server.shutdown(),
  };
}

const DUE = ["1", "2"].map((account_id) => ({ job: "template-sync", account_id }));

Deno.test("the due jobs are called one after the other, even if one of the calls fails", async () => {
  await using own = ownFunction(DUE, () => Promise.resolve(new Response("no", { status: 502 })));
  const jobs = runDueJobs(own.sql, own.url, "the-secret");
  await until(() => own.calls.length === 2);
  await jobs.stop();
  assert.deepEqual(
    own.calls,
    ["1", "2"].map((account_id) => ({
      path: "/jobs/template-sync",
      authorization: "Bearer the-secret",
      body: { account_id },
    })),
  );
});

Deno.test("the jobs mark a send and its message as failed when the send's lease has ended", async () => {
  const company = await newCompany();
  await rolledBack(async (sql) => {
    const { send_id } = await addSend(sql, company);
    await endLease(sql, send_id);
    // The other jobs would lock rows of other tests until the transaction ends.
    const onlySends = (words: TemplateStringsArray) =>
      words.join("").includes("fail_expired_sends") ? sql(words) : Promise.resolve([]);
    const jobs = runDueJobs(onlySends as unknown as Sql, "http://127.0.0.1:9", "the-secret");
    await until(async () => (await standing(sql, send_id)).state !== "pending");
    await jobs.stop();
    const { state, reason, message_status } = await standing(sql, send_id);
    assert.deepEqual([state, reason, message_status], ["failed", "outcome_unknown", "failed"]);
  });
});

Deno.test("the jobs continue after a database failure, and can be stopped without waiting for the next minute", async () => {
  const sql = databaseWith(() => Promise.reject(new Error("down")));
  const jobs = runDueJobs(sql, "http://127.0.0.1:9", "the-secret");
  await jobs.stop();
});

Deno.test("stopping the jobs aborts a call that hangs and prevents further calls", async () => {
  const over = Promise.withResolvers<Response>();
  const own = ownFunction(DUE, () => over.promise);
  const jobs = runDueJobs(own.sql, own.url, "the-secret");
  await until(() => own.calls.length === 1);
  await jobs.stop();
  assert.equal(own.calls.length, 1);
  over.resolve(new Response());
  await own[Symbol.asyncDispose]();
});
