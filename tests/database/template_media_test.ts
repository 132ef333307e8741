// Tests the media in template headers: which caller uploads it, how long it can be sent, and when
// it is uploaded again.

import assert from "node:assert/strict";
import { actAs, actAsSuperuser, rolledBack, type Sql, type Work } from "../support/acting_as.ts";
import {
  type Company,
  connectAccount,
  disconnectAccount,
  newCompany,
  sealedFor,
} from "../support/company.ts";
import { committed, overlapping } from "./connections.ts";
import { actAsSender, type Claim, claim, RELEASED, settle } from "./sends.ts";
import { apply, catalogued, entry, joinBusinessAccount, mediaEntry, SAMPLE } from "./templates.ts";

const test = (name: string, work: Work) => Deno.test(name, () => rolledBack(work));

const own = await newCompany();
const other = await newCompany();
const { id: company_id, account_id, keys } = own;

async function templateId(sql: Sql, name = "order_update", of = company_id): Promise<string> {
  const [{ id }] = await sql`select id from templates where company_id = ${of} and name = ${name}`;
  return id;
}

/** Calls a media function in the current role. */
async function call(sql: Sql, name: string, ...values: unknown[]): Promise<Claim> {
  const places = values.map((_, i) => `$${i + 1}`).join(", ");
  const [{ answer }] = await sql.unsafe(`select ${name}(${places}) as answer`, values as string[]);
  return answer;
}

const begin = async (sql: Sql, template?: string, account = account_id): Promise<Claim> =>
  await call(sql, "begin_media_upload", account, template ?? await templateId(sql));

/** Uploads a template's media, as the sender does. */
async function upload(sql: Sql, media_id: string | null = "77", filename: string | null = null) {
  const { upload_id } = await begin(sql);
  assert.equal(await call(sql, "finish_media_upload", upload_id, media_id, filename), true);
}

async function mediaOf(sql: Sql, of_account = account_id) {
  const [row] = await sql`
    select media_id, filename, upload_id, failure, failures from template_media
    where account_id = ${of_account}
  `;
  return { ...row };
}

/** Makes every upload of the company older by `time`. */
async function age(sql: Sql, time: string) {
  await sql`
    update template_media set
      uploaded_at = uploaded_at - ${time}::interval,
      lease_ends_at = lease_ends_at - ${time}::interval,
      failed_at = failed_at - ${time}::interval,
      job_failed_at = job_failed_at - ${time}::interval
    where company_id = ${company_id}
  `;
}

const due = async (sql: Sql, account = account_id, most = 10): Promise<string[]> =>
  ((await call(sql, "due_media", account, most)) as unknown as { name: string }[])
    .map(({ name }) => name);

const send = (sql: Sql, asked: Record<string, unknown> = {}) =>
  claim(sql, keys.messaging, {
    preflight: "first",
    phone_number_id: own.phone_number_id,
    ...asked,
  });

Deno.test("a send with a media header waits for its media to be uploaded, and then includes the media", async () => {
  for (const header_format of ["IMAGE", "VIDEO", "DOCUMENT"]) {
    await rolledBack(async (sql) => {
      const business_account_id = await catalogued(sql, own, [mediaEntry({ header_format })]);
      assert.deepEqual(await send(sql, { idempotency_key: "once" }), {
        result: "media_needed",
        account_id,
        phone_number_id: own.phone_number_id,
        business_account_id,
        encrypted_token: own.sealed_token,
        template_id: await templateId(sql),
      });
      await upload(sql, "77", "price list.pdf");
      const { result, template, send_id } = await send(sql, { idempotency_key: "once" });
      assert.equal(result, "claimed");
      assert.deepEqual([template.header_format, template.media], [
        header_format,
        { id: "77", filename: "price list.pdf" },
      ]);
      const [kept] = await sql`select media_id from sends where id = ${send_id}`;
      assert.equal(kept.media_id, "77");
    });
  }
});

test("only one caller uploads the media, and the other callers wait and use the same upload", async (sql) => {
  await catalogued(sql, own, [mediaEntry()]);
  const { upload_id, began_at, ...first } = await begin(sql);
  assert.match(upload_id, /^[0-9a-f-]{36}$/);
  assert.ok(Math.abs(Date.parse(began_at) - Date.now()) < 60_000, began_at);
  assert.deepEqual(first, {
    result: "upload",
    format: "IMAGE",
    sample_url: `${SAMPLE}?oe=6A&sig=secret`,
    template_name: "order_update",
    language: "pt_BR",
    channel_template_id: "1689556908129832",
  });
  assert.deepEqual(await begin(sql), { result: "wait" });
  assert.equal(await call(sql, "finish_media_upload", upload_id, "77", null), true);
  const ready = { result: "ready", media_id: "77", filename: null };
  assert.deepEqual(await begin(sql), ready);
  // The upload has already ended, so ending it again does nothing.
  assert.equal(await call(sql, "finish_media_upload", upload_id, "88", null), false);
  assert.equal(await call(sql, "fail_media_upload", upload_id, "Late"), false);
  assert.deepEqual(await begin(sql), ready);
});

test("after the lease of an unfinished upload expires, another upload begins, and the first upload no longer has an effect", async (sql) => {
  await catalogued(sql, own, [mediaEntry()]);
  const lost = await begin(sql);
  await age(sql, "29 seconds");
  assert.equal((await begin(sql)).result, "wait");
  await age(sql, "1 second");
  const second = await begin(sql);
  assert.equal(second.result, "upload");
  assert.equal(await call(sql, "finish_media_upload", lost.upload_id, "66", null), false);
  assert.equal(await call(sql, "fail_media_upload", lost.upload_id, "Late"), false);
  assert.equal((await begin(sql)).result, "wait");
  assert.equal(await call(sql, "finish_media_upload", second.upload_id, "77", null), true);

  const [lease, longest, shortest] = [60, 10_000, -1];
  const seconds = async () => {
    const [row] = await sql`
      select extract(epoch from lease_ends_at - now())::int as seconds from template_media
      where company_id = ${company_id}
    `;
    return row.seconds;
  };
  for (const [asked, given] of [[lease, 60], [longest, 150], [shortest, 1]]) {
    await sql`delete from template_media where company_id = ${company_id}`;
    await call(sql, "begin_media_upload", account_id, await templateId(sql), asked);
    assert.equal(await seconds(), given);
  }
});

test("a failed upload is reported to the waiting callers and is tried again ten seconds later", async (sql) => {
  await catalogued(sql, own, [mediaEntry()]);
  const problem = async () =>
    (await sql`select media_problem from templates where company_id = ${company_id}`)[0]
      .media_problem;
  const fail = async (reason: string) => {
    const { upload_id } = await begin(sql);
    assert.equal(await call(sql, "fail_media_upload", upload_id, reason), true);
  };
  await fail("The sample has expired");
  assert.deepEqual(
    await begin(sql),
    { result: "failed", reason: "The sample has expired", is_permanent: false },
  );
  assert.equal(await problem(), "The sample has expired");
  await age(sql, "9 seconds");
  assert.equal((await begin(sql)).result, "failed");
  await age(sql, "1 second");
  await fail("x".repeat(2000));
  assert.equal((await mediaOf(sql)).failure, "x".repeat(1000));
  // When the templates are read again, the problem remains.
  await apply(sql, account_id, [mediaEntry()]);
  assert.equal(await problem(), "x".repeat(1000));
  await age(sql, "10 seconds");
  await upload(sql);
  assert.deepEqual(
    await mediaOf(sql),
    { media_id: "77", filename: null, upload_id: null, failure: null, failures: 0 },
  );
  assert.equal(await problem(), null);
});

test("a header without a sample cannot be uploaded", async (sql) => {
  await catalogued(sql, own, [mediaEntry({ sample_url: null })]);
  const reason = "The channel lists no sample of the header's media";
  const faults = [{ field: "template_name", fault: "media", reason }];
  assert.deepEqual(await send(sql), { result: "template_refused", faults });
  await sql`update templates set read_at = now() - interval '11 minutes' where company_id = ${company_id}`;
  assert.equal((await send(sql)).result, "reread");
  // The template could not be read again, so its sample may exist by now.
  assert.deepEqual(await send(sql, { preflight: "last" }), { result: "no_sample", reason });
  assert.deepEqual(await begin(sql), { result: "failed", reason });
  assert.deepEqual(await due(sql), []);
});

test("an upload for a missing or deleted template, a template without media, or another company's template is reported as gone", async (sql) => {
  await catalogued(sql, own, [mediaEntry(), mediaEntry({ name: "old" }), entry({ name: "text" })]);
  await apply(sql, account_id, [mediaEntry(), entry({ name: "text" })]);
  await sql`update templates set status = 'DELETED' where company_id = ${company_id} and name = 'old'`;
  await catalogued(sql, other, [mediaEntry()]);
  const [mine, theirs] = [await templateId(sql), await templateId(sql, "order_update", other.id)];
  const elsewhere = await connectAccount(sql, company_id);
  await joinBusinessAccount(sql, elsewhere.id);
  const gone: [string, string][] = [
    [crypto.randomUUID(), account_id],
    [mine, crypto.randomUUID()],
    [mine, elsewhere.id],
    [theirs, account_id],
    [mine, other.account_id],
    [await templateId(sql, "old"), account_id],
    [await templateId(sql, "text"), account_id],
  ];
  for (const [template, account] of gone) {
    assert.deepEqual(await begin(sql, template, account), { result: "gone" });
  }
  await actAsSender(sql, keys.messaging);
  assert.deepEqual(await begin(sql, theirs, other.account_id), { result: "gone" });
  assert.equal((await begin(sql, mine)).result, "upload");
  await actAsSuperuser(sql);
  const { upload_id } = await begin(sql, theirs, other.account_id);
  await actAsSender(sql, keys.messaging);
  assert.equal(await call(sql, "finish_media_upload", upload_id, "1", null), false);
  assert.equal(await call(sql, "fail_media_upload", upload_id, "x"), false);
  await actAsSuperuser(sql);
  await disconnectAccount(sql, account_id);
  assert.deepEqual(await begin(sql, mine), { result: "gone" });
});

Deno.test("media is sent for at most 29 days, and is renewed from day 25 on", async () => {
  const ages: [string, renewed: boolean, result: string][] = [
    ["24 days 23 hours", false, "claimed"],
    ["25 days 1 minute", true, "claimed"],
    ["28 days 23 hours", true, "claimed"],
    ["29 days", true, "media_needed"],
    ["30 days", true, "media_needed"],
  ];
  for (const [time, isRenewed, result] of ages) {
    await rolledBack(async (sql) => {
      await catalogued(sql, own, [mediaEntry()]);
      await upload(sql);
      await age(sql, time);
      assert.deepEqual(await due(sql), isRenewed ? ["order_update"] : [], time);
      assert.equal((await send(sql)).result, result, time);
      assert.equal((await begin(sql)).result, isRenewed ? "upload" : "ready", time);
      // While the media is being renewed, the previous media is sent.
      assert.equal((await send(sql)).result, result, time);
    });
  }
});

Deno.test("a failed renewal is reported as a problem only when the media can no longer be sent", async () => {
  for (const [time, expected] of [["26 days", null], ["29 days", "Lost"]] as const) {
    await rolledBack(async (sql) => {
      await catalogued(sql, own, [mediaEntry()]);
      await upload(sql);
      await age(sql, time);
      const { upload_id } = await begin(sql);
      await call(sql, "fail_media_upload", upload_id, "Lost");
      const [{ media_problem }] =
        await sql`select media_problem from templates where company_id = ${company_id}`;
      assert.equal(media_problem, expected);
    });
  }
});

/** The problem that the company's template shows. */
async function problem(sql: Sql): Promise<string | null> {
  const [{ media_problem }] =
    await sql`select media_problem from templates where company_id = ${company_id}`;
  return media_problem;
}

test("a failed upload is a problem only while no connected account of the business account has the file", async (sql) => {
  const business_account_id = await catalogued(sql, own, [mediaEntry()]);
  const second = await connectAccount(sql, company_id, { business_account_id });
  const { upload_id } = await begin(sql, undefined, second.id);
  await call(sql, "fail_media_upload", upload_id, "Lost");
  assert.equal(await problem(sql), "Lost");
  await upload(sql);
  assert.equal(await problem(sql), null);
  await apply(sql, account_id, [mediaEntry()]);
  assert.equal(await problem(sql), null);
  await disconnectAccount(sql, account_id);
  assert.equal(await problem(sql), "Lost");
  await disconnectAccount(sql, second.id);
  assert.equal(await problem(sql), null);
});

/** Stores a new token of the company's account, as the operator's command does. */
async function storeToken(sql: Sql, { id, phone_number_id }: Company, sealed_token: string) {
  await actAs(sql, "service_role");
  await sql`
    select connect_messaging_account(
      company_id => ${id}, phone_number_id => ${phone_number_id},
      display_phone => '+15550100', encrypted_token => ${sealed_token}
    )
  `;
  await actAsSuperuser(sql);
}

/** The newly encrypted token of a company's account. */
const newToken = ({ id, phone_number_id }: Company) =>
  sealedFor({ company_id: id, phone_number_id });

const refusalsOf = async (sql: Sql, { id }: Company): Promise<string[]> =>
  (await sql`select event from account_notices where company_id = ${id}`).map(({ event }) => event);

test("an upload that WhatsApp refuses because of the previous token is neither a failure nor a refusal", async (sql) => {
  await catalogued(sql, own, [mediaEntry()]);
  const refuse = async (upload_id: string, sealed_token: string) =>
    await call(sql, "fail_media_upload", upload_id, "Expired", "190", sealed_token);
  const before = await begin(sql);
  const sealed_token = await newToken(own);
  await storeToken(sql, own, sealed_token);
  assert.equal(await refuse(before.upload_id, own.sealed_token), true);
  // A run of the job has read the previous token, and begins its next upload.
  const after = await begin(sql);
  assert.equal(after.result, "upload");
  assert.equal(await refuse(after.upload_id, own.sealed_token), true);
  assert.deepEqual(await due(sql), ["order_update"]);
  assert.equal(await problem(sql), null);
  assert.deepEqual(await refusalsOf(sql, own), []);

  const { upload_id } = await begin(sql);
  await refuse(upload_id, sealed_token);
  assert.deepEqual(await due(sql), []);
  assert.equal(await problem(sql), "Expired");
  assert.deepEqual(await refusalsOf(sql, own), ["190"]);
});

Deno.test("an upload that is refused while its account gets a new token is neither a failure nor a refusal", async () => {
  const company = await newCompany();
  const sealed_token = await newToken(company);
  await committed((sql) => catalogued(sql, company, [mediaEntry()]));
  const id = await committed((sql) => templateId(sql, "order_update", company.id));
  const refuse = (sql: Sql, upload_id: string) =>
    call(sql, "fail_media_upload", upload_id, "Expired", "190", company.sealed_token);
  await committed(async (sql) => {
    const { upload_id } = await begin(sql, id, company.account_id);
    await refuse(sql, upload_id);
    await sql`update template_media set job_failed_at = null where company_id = ${company.id}`;
  });
  const { upload_id } = await committed((sql) => begin(sql, id, company.account_id));
  await overlapping(
    // The new token has locked the account, but has not reset the failed uploads yet.
    (sql) => sql`select from messaging_accounts where id = ${company.account_id} for no key update`,
    (sql) => refuse(sql, upload_id),
    { afterwards: (sql) => storeToken(sql, company, sealed_token) },
  );
  const { failure, failures } = await committed((sql) => mediaOf(sql, company.account_id));
  assert.deepEqual([failure, failures], [null, 0]);
  assert.deepEqual(await committed((sql) => due(sql, company.account_id)), ["order_update"]);
  const [{ media_problem }] = await committed((sql) =>
    sql`select media_problem from templates where company_id = ${company.id}`
  );
  assert.equal(media_problem, null);
  assert.deepEqual(await committed((sql) => refusalsOf(sql, company)), []);
});

Deno.test("after an account gets a new token, its failed uploads are due and are no longer a problem", async () => {
  for (const wasDisconnected of [false, true]) {
    await rolledBack(async (sql) => {
      await catalogued(sql, own, [mediaEntry()]);
      for (let i = 0; i < 3; i++) {
        const { upload_id } = await begin(sql);
        await call(sql, "fail_media_upload", upload_id, "The token has expired", "190");
        await age(sql, "10 seconds");
      }
      assert.deepEqual(await due(sql), []);
      assert.equal(await problem(sql), "The token has expired");
      if (wasDisconnected) await disconnectAccount(sql, account_id);
      await storeToken(sql, own, own.sealed_token);
      assert.deepEqual(await due(sql), ["order_update"]);
      assert.equal(await problem(sql), null);
      assert.equal((await mediaOf(sql)).failures, 0);
    });
  }
});

test("each account has its own upload, and templates with the same sample share an upload", async (sql) => {
  const languages = ["pt_BR", "es", "en"].map((language) => mediaEntry({ language }));
  const business_account_id = await catalogued(sql, own, languages);
  const second = await connectAccount(sql, company_id);
  await joinBusinessAccount(sql, second.id, business_account_id);
  await upload(sql, "77");
  const [{ id }] = await sql`
    select id from templates where company_id = ${company_id} and language = 'es'
  `;
  assert.equal((await begin(sql, id)).media_id, "77");
  assert.equal((await begin(sql, id, second.id)).result, "upload");
  assert.deepEqual(await due(sql), []);
  const inSpanish = await send(sql, { language_code: "es" });
  assert.deepEqual(inSpanish.template.media, { id: "77", filename: null });
  const onSecond = await send(sql, { phone_number_id: second.phone_number_id });
  assert.equal(onSecond.result, "media_needed");
});

test("a new sample is uploaded, but a sample whose URL differs only in its signature is not uploaded again", async (sql) => {
  await catalogued(sql, own, [mediaEntry()], "2 minutes");
  await upload(sql);
  await apply(sql, account_id, [mediaEntry({ sample_url: `${SAMPLE}?oe=7B` })], {
    age: "1 minute",
  });
  assert.equal((await begin(sql)).result, "ready");
  await apply(sql, account_id, [mediaEntry({ sample_url: `${SAMPLE}.new?oe=7B` })]);
  assert.equal((await send(sql)).result, "media_needed");
  const again = await begin(sql);
  assert.deepEqual([again.result, again.sample_url], ["upload", `${SAMPLE}.new?oe=7B`]);
});

test("the media of a template that can be sent is due for upload, except during and after an upload and in the pause after a failed upload", async (sql) => {
  const sample = (name: string) => `https://scontent.whatsapp.net/${name}?sig=x`;
  const named = (name: string, changes = {}) =>
    mediaEntry({ name, sample_url: sample(name), ...changes });
  await catalogued(sql, own, [
    ...[named("a"), named("b"), named("c", { header_format: "VIDEO" })],
    ...[named("paused", { status: "PAUSED" }), named("carousel", { unsupported: ["CAROUSEL"] })],
    ...[named("place", { header_format: "LOCATION" }), entry({ name: "text" })],
  ]);
  assert.deepEqual(await due(sql), ["a", "b", "c"]);
  assert.deepEqual(await due(sql, account_id, 2), ["a", "b"]);
  assert.deepEqual(await due(sql, account_id, 0), []);
  const first = await begin(sql, await templateId(sql, "a"));
  const second = await begin(sql, await templateId(sql, "b"));
  assert.deepEqual(await due(sql), ["c"]);
  await call(sql, "finish_media_upload", first.upload_id, "1", null);
  await call(sql, "fail_media_upload", second.upload_id, "Lost");
  assert.deepEqual(await due(sql), ["c"]);
  const failedAgo = (time: string) =>
    sql`
      update template_media set job_failed_at = now() - ${time}::interval
      where company_id = ${company_id} and failure is not null
    `;
  // The pause doubles with each failure, up to one day.
  for (const [pause, before] of [["10 minutes", "9 minutes"], ["20 minutes", "19 minutes"]]) {
    await failedAgo(before);
    assert.deepEqual(await due(sql), ["c"]);
    await failedAgo(pause);
    assert.deepEqual(await due(sql), ["b", "c"]);
    const { upload_id } = await begin(sql, await templateId(sql, "b"));
    await call(sql, "fail_media_upload", upload_id, "Lost again");
  }
  await sql`update template_media set failures = 40 where company_id = ${company_id} and failure is not null`;
  await failedAgo("24 hours");
  assert.deepEqual(await due(sql), ["b", "c"]);
  await disconnectAccount(sql, account_id);
  assert.deepEqual(await due(sql), []);
  assert.deepEqual(await due(sql, crypto.randomUUID()), []);
});

test("failed uploads of sends do not delay the job's next upload", async (sql) => {
  await catalogued(sql, own, [mediaEntry()]);
  const id = await templateId(sql);
  /** Tries an upload for a send, and records its failure. */
  const failForSend = async () => {
    await actAsSender(sql, keys.messaging);
    const { upload_id } = await begin(sql, id);
    assert.equal(await call(sql, "fail_media_upload", upload_id, "Too slow"), true);
    await actAsSuperuser(sql);
  };
  for (let i = 0; i < 4; i++) {
    await failForSend();
    assert.deepEqual(await due(sql), ["order_update"]);
    await age(sql, "10 seconds");
  }
  await failForSend();
  // After a failed upload of a send, other sends wait for ten seconds, but the job does not.
  const { result, upload_id } = await begin(sql);
  assert.equal(result, "upload");
  await call(sql, "fail_media_upload", upload_id, "Lost");
  await age(sql, "9 minutes 50 seconds");
  assert.deepEqual(await due(sql), []);
  await failForSend();
  await age(sql, "10 seconds");
  assert.deepEqual(await due(sql), ["order_update"]);
});

test("a failed upload of a test send counts as a failed upload of a send", async (sql) => {
  await catalogued(sql, own, [mediaEntry()]);
  const id = await templateId(sql);
  // A test send has the same role as the job.
  await actAs(sql, "channel_client");
  const beginForSend = (): Promise<Claim> =>
    call(sql, "begin_media_upload", account_id, id, 30, true);
  const { upload_id } = await beginForSend();
  await sql`
    select fail_media_upload(upload_id => ${upload_id}, reason => 'Lost', refusal => '190', for_send => true)
  `;
  assert.deepEqual(await beginForSend(), { result: "failed", reason: "Lost", is_permanent: false });
  assert.deepEqual(await due(sql), ["order_update"]);
  assert.equal((await begin(sql, id)).result, "upload");
  await actAsSuperuser(sql);
  assert.equal((await mediaOf(sql)).failures, 0);
  const [{ stopped_sends }] = await sql`
    select stopped_sends from account_notices where company_id = ${company_id}
  `;
  assert.equal(stopped_sends, 1);
});

test("media that the channel refuses (131053) must be uploaded again, but only for the account that sent the media", async (sql) => {
  const business_account_id = await catalogued(sql, own, [mediaEntry()]);
  const second = await connectAccount(sql, company_id);
  await joinBusinessAccount(sql, second.id, business_account_id);
  await upload(sql, "77");
  const { upload_id } = await begin(sql, undefined, second.id);
  await call(sql, "finish_media_upload", upload_id, "77", null);
  const refused = async (channel_code: number | null, asked = {}) => {
    const claim_id = crypto.randomUUID();
    assert.equal((await send(sql, { claim_id, ...asked })).result, "claimed");
    const failed = { outcome: "failed", reason: "template_rejected", channel_code };
    assert.equal(await settle(sql, claim_id, failed), "failed");
  };
  for (const code of [null, 100, 131009, 131026, 131052, 131054, 132012]) await refused(code);
  assert.equal((await mediaOf(sql)).media_id, "77");

  const slow = crypto.randomUUID();
  await send(sql, { claim_id: slow });
  await refused(131053);
  assert.equal((await mediaOf(sql)).media_id, null);
  assert.equal((await mediaOf(sql, second.id)).media_id, "77");
  assert.equal((await send(sql)).result, "media_needed");
  assert.deepEqual(await due(sql), ["order_update"]);

  // The send failed with the previous media, so the new media may still be valid.
  await upload(sql, "88");
  const late = { outcome: "failed", reason: "template_rejected", channel_code: 131053 };
  await settle(sql, slow, late);
  assert.equal((await mediaOf(sql)).media_id, "88");
  // The send failed without media, so the new media may still be valid.
  await apply(sql, account_id, [entry({ variables: mediaEntry().variables })]);
  await refused(131053);
  assert.equal((await mediaOf(sql)).media_id, "88");
});

Deno.test("a parameter refusal (100, 131009) makes media due for upload again if the media was uploaded over an hour ago", async () => {
  for (const channel_code of [100, 131009]) {
    for (const [age, media_id] of [["59 minutes", "77"], ["61 minutes", null]]) {
      await rolledBack(async (sql) => {
        await catalogued(sql, own, [mediaEntry()]);
        await upload(sql, "77");
        await sql`update template_media set uploaded_at = now() - ${age}::interval where company_id = ${company_id}`;
        const claim_id = crypto.randomUUID();
        assert.equal((await send(sql, { claim_id })).result, "claimed");
        await settle(sql, claim_id, {
          outcome: "failed",
          reason: "template_rejected",
          channel_code,
        });
        assert.equal((await mediaOf(sql)).media_id, media_id, `${channel_code} ${age}`);
      });
    }
  }
});

test("a released send that is claimed again stores the media id of the new attempt, or null if that attempt has no media", async (sql) => {
  await catalogued(sql, own, [mediaEntry()]);
  await upload(sql, "77");
  const attempt = async (asked: Record<string, unknown> = {}) => {
    const claim_id = crypto.randomUUID();
    const { send_id } = await send(sql, { claim_id, idempotency_key: "once", ...asked });
    await settle(sql, claim_id, RELEASED);
    return (await sql`select media_id from sends where id = ${send_id}`)[0].media_id;
  };
  assert.equal(await attempt(), "77");
  await age(sql, "26 days");
  await upload(sql, "88");
  assert.equal(await attempt(), "88");
  assert.equal(await attempt({ preflight: "off" }), null);
  assert.equal(await attempt(), "88");
  await age(sql, "30 days");
  // A stopped claim does not change the send.
  assert.equal((await send(sql, { idempotency_key: "once" })).result, "media_needed");
  const [{ state, media_id }] =
    await sql`select state, media_id from sends where company_id = ${company_id}`;
  assert.deepEqual([state, media_id], ["released", "88"]);
});

Deno.test("an upload can end while a list of templates is being stored", async () => {
  const company = await newCompany();
  await committed((sql) => catalogued(sql, company, [mediaEntry()], "1 minute"));
  const id = await committed((sql) => templateId(sql, "order_update", company.id));
  for (const end of ["fail_media_upload", "finish_media_upload"]) {
    await committed((sql) =>
      sql`update template_media set job_failed_at = null where company_id = ${company.id}`
    );
    const { upload_id } = await committed((sql) => begin(sql, id, company.account_id));
    await committed(async (sql) => {
      await apply(sql, company.account_id, [mediaEntry()]);
      const ended = await committed(async (sql) => {
        await sql`set local lock_timeout = '1s'`;
        return await call(sql, end, upload_id, "77");
      });
      assert.equal(ended, true, end);
    });
  }
  // When the templates are read again, the problem is cleared.
  await committed((sql) =>
    sql`update templates set media_problem = 'x' where company_id = ${company.id}`
  );
  await committed((sql) => apply(sql, company.account_id, [mediaEntry()]));
  const [{ media_problem }] = await committed((sql) =>
    sql`select media_problem from templates where company_id = ${company.id}`
  );
  assert.equal(media_problem, null);
});

Deno.test("a finished upload and a simultaneous refusal of the same account cause no deadlock", async () => {
  const company = await newCompany();
  const refuse = (sql: Sql) =>
    sql`select app.note_refusal(${company.account_id}, 'refusal', '190', 1)`;
  await committed((sql) => catalogued(sql, company, [mediaEntry()]));
  await committed(refuse);
  const { upload_id } = await committed(async (sql) =>
    await begin(sql, await templateId(sql, "order_update", company.id), company.account_id)
  );
  const [, finished] = await overlapping<unknown, Claim>(
    // The refusal has locked the account, but not yet its notices.
    (sql) => sql`select from messaging_accounts where id = ${company.account_id} for no key update`,
    (sql) => call(sql, "finish_media_upload", upload_id, "77"),
    { afterwards: (sql) => refuse(sql) },
  );
  assert.equal(finished, true);
});

Deno.test("an upload that fails because of its account and a simultaneous disconnection of the account cause no deadlock", async () => {
  const company = await newCompany();
  await committed((sql) => catalogued(sql, company, [mediaEntry()]));
  const { upload_id } = await committed(async (sql) =>
    await begin(sql, await templateId(sql, "order_update", company.id), company.account_id)
  );
  const [, failed] = await overlapping<unknown, Claim>(
    // The disconnection has locked the account, but not yet its templates.
    (sql) => sql`select from messaging_accounts where id = ${company.account_id} for no key update`,
    (sql) => call(sql, "fail_media_upload", upload_id, "The token has expired", "190"),
    { afterwards: (sql) => disconnectAccount(sql, company.account_id) },
  );
  assert.equal(failed, true);
});

Deno.test("a send can be settled while its media or its catalogue is locked", async () => {
  const company = await newCompany();
  const failed = async (code: number, table: string) => {
    const claim_id = crypto.randomUUID();
    const asked = { preflight: "first", claim_id };
    const { result } = await committed((sql) => claim(sql, company.keys.messaging, asked));
    assert.equal(result, "claimed");
    const settlement = { outcome: "failed", reason: "template_rejected", channel_code: code };
    const [, state] = await overlapping(
      (sql) => sql`select from ${sql(table)} where company_id = ${company.id} for update`,
      async (sql) => {
        await sql`set local lock_timeout = '500ms'`;
        return await settle(sql, claim_id, settlement);
      },
    );
    assert.equal(state, "failed");
  };
  await committed(async (sql) => {
    await catalogued(sql, company, [mediaEntry()], "11 minutes");
    const { upload_id } = await begin(
      sql,
      await templateId(sql, "order_update", company.id),
      company.account_id,
    );
    await call(sql, "finish_media_upload", upload_id, "77", null);
  });
  await failed(131053, "template_media");
  await failed(132001, "template_catalogues");
  const [kept] = await committed((sql) =>
    sql`
      select media_id, sync_due_at > now() as later
      from template_media join template_catalogues using (company_id) where company_id = ${company.id}
    `
  );
  assert.deepEqual({ ...kept }, { media_id: "77", later: true });
});
