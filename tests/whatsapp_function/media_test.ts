// Tests that the service uploads a template's header media once, and tries again if the sample's
// URL has expired.
import assert from "node:assert/strict";
import { readConfig } from "../../supabase/functions/_shared/config.ts";
import { companyDb } from "../../supabase/functions/_shared/database/company_db.ts";
import { channelTokenSource } from "../../supabase/functions/_shared/key/token.ts";
import { readChannelConfig } from "../../supabase/functions/_shared/channel/channel_config.ts";
import { MediaTrouble } from "../../supabase/functions/_shared/templates/media_trouble.ts";
import { uploadMedia } from "../../supabase/functions/_shared/templates/template_media.ts";
import { ownWhatsapp, watchedStack } from "../support/own_functions.ts";
import {
  imageTemplate,
  type TemplateChannel,
  templateChannel,
} from "../support/template_channel.ts";
import { setToken } from "../support/sending.ts";
import { environment, statement } from "../support/test_stack.ts";
import {
  type CompanyWithCatalogue,
  companyWithCatalogue,
  lastRunOf,
  mediaOf,
  templatesOf,
} from "./own_account.ts";

const config = await readConfig(environment());
/** Each call creates a new database client, as a second function instance would. */
const newDb = () => companyDb(config, channelTokenSource(config.signingKey));
const db = newDb();

/** A company with one template whose image has not been uploaded yet. */
async function withTemplate(channel: TemplateChannel, file = "offer.png", signature = "good") {
  const company = await companyWithCatalogue();
  channel.templates = [imageTemplate("offer", channel.sample(file, signature))];
  const run = await ownWhatsapp(channel.url, { jobMs: 0 }); // leaves no time for uploads
  await run("template-sync", company.account_id);
  const { result } = await lastRunOf(company, "template-media");
  assert.deepEqual(result, { uploaded: 0, failed: [] });
  const [{ id }] = await templatesOf(company);
  return { company, templateId: id as string, run: await ownWhatsapp(channel.url) };
}

const PATIENCE = { timeoutMs: 20_000, leaseSeconds: 30 };

function upload(
  channel: TemplateChannel,
  company: CompanyWithCatalogue,
  templateId: string,
  { patience = PATIENCE, from = db } = {},
) {
  return uploadMedia(from, readChannelConfig({ WHATSAPP_API_URL: channel.url }), {
    accountId: company.account_id,
    phoneNumberId: company.phone_number_id,
    businessAccountId: company.business_account_id,
    templateId,
    token: "EAAB",
    encryptedToken: company.sealed_token,
    forSend: false,
  }, patience);
}

Deno.test("fifty simultaneous calls cause one upload, and each call returns the media id", async () => {
  await using channel = templateChannel();
  const { company, templateId } = await withTemplate(channel);
  const all = await Promise.all(
    Array.from({ length: 50 }, () => upload(channel, company, templateId)),
  );
  assert.deepEqual(all, Array(50).fill({ mediaId: "media1", filename: null }));
  assert.equal(channel.uploads.length, 1);
  // After the upload, the media id is in the database, so no further call to the channel follows.
  const before = channel.calls.length;
  assert.deepEqual(await upload(channel, company, templateId), all[0]);
  assert.equal(channel.calls.length, before);
});

Deno.test("another function instance waits for the upload in progress", async () => {
  const [asked, mayAnswer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await using channel = templateChannel({
    async answer({ url }) {
      if (!url.includes("/media")) return null;
      asked.resolve();
      await mayAnswer.promise;
      return null;
    },
  });
  const { company, templateId } = await withTemplate(channel);
  const first = upload(channel, company, templateId);
  await asked.promise;
  // The other instance cannot see the first instance's promise, so the other instance checks the
  // database.
  const begun = await newDb().rpc("begin_media_upload", {
    account_id: company.account_id,
    template_id: templateId,
  });
  assert.deepEqual(begun.data, { result: "wait" });
  const impatient = upload(channel, company, templateId, {
    patience: { timeoutMs: 50, leaseSeconds: 1 },
  });
  await assert.rejects(impatient, /^MediaTrouble: The media is being uploaded, which takes longer/);
  mayAnswer.resolve();
  assert.equal((await first).mediaId, "media1");
  assert.equal(channel.uploads.length, 1);
});

Deno.test("a call waits for another instance's upload, and starts its own upload after the lease has expired", async () => {
  await using channel = templateChannel();
  const { company, templateId } = await withTemplate(channel);
  const { data } = await db.rpc("begin_media_upload", {
    account_id: company.account_id,
    template_id: templateId,
    lease_seconds: 1, // as if the instance of this upload was killed
  });
  assert.equal((data as { result: string }).result, "upload");
  assert.equal((await upload(channel, company, templateId)).mediaId, "media1");
});

Deno.test("if the sample's URL has expired, the service reads the template again to get a new URL", async () => {
  await using channel = templateChannel();
  const { company, templateId } = await withTemplate(channel, "offer.png", "old");
  channel.templates = [imageTemplate("offer", channel.sample("offer.png", "good"))];
  assert.equal((await upload(channel, company, templateId)).mediaId, "media1");
  const [template] = await templatesOf(company);
  assert.equal(template.sample_url, channel.sample("offer.png", "good"));
  assert.equal((await mediaOf(company)).length, 1);
});

Deno.test("if a new sample has replaced the expired sample, the new sample is uploaded", async () => {
  await using channel = templateChannel();
  const { company, templateId } = await withTemplate(channel, "offer.png", "old");
  channel.templates = [imageTemplate("offer", channel.sample("other.png", "good"))];
  assert.equal((await upload(channel, company, templateId)).mediaId, "media1");
  const uploaded = (await mediaOf(company)).filter(({ media_id }) => media_id !== null);
  assert.deepEqual(uploaded.map(({ sample_source }) => sample_source.split("/").at(-1)), [
    "other.png",
  ]);
});

Deno.test("a template with an expired sample is read again only once, and the upload fails if the new sample has also expired", async () => {
  await using channel = templateChannel();
  const { company, templateId } = await withTemplate(channel, "offer.png", "old");
  const before = channel.calls.length;
  await assert.rejects(upload(channel, company, templateId), (error: MediaTrouble) => {
    assert.ok(error instanceof MediaTrouble);
    assert.match(error.message, /has expired/);
    return true;
  });
  assert.deepEqual(channel.calls.slice(before), [
    "GET /samples/offer.png",
    `GET /${company.business_account_id}/message_templates`,
    "GET /samples/offer.png",
  ]);
  // The next calls do not retry the upload immediately.
  await assert.rejects(upload(channel, company, templateId), /has expired/);
  assert.equal(channel.calls.length, before + 3);
  const [{ media_problem }] = await templatesOf(company);
  assert.match(media_problem, /has expired/);
});

Deno.test("if the sample has expired and the channel cannot be read, the upload error contains both reasons", async () => {
  let isDown = false;
  await using channel = templateChannel({
    answer: ({ url }) =>
      isDown && url.includes("message_templates") ? new Response("", { status: 503 }) : null,
  });
  const { company, templateId } = await withTemplate(channel, "offer.png", "old");
  isDown = true;
  await assert.rejects(
    upload(channel, company, templateId),
    /^MediaTrouble: The address of the sample has expired\. The channel did not list .*\(HTTP 503\)$/,
  );
});

Deno.test("one bad sample does not stop the job from uploading the other samples", async () => {
  await using channel = templateChannel();
  const { company, run } = await withTemplate(channel);
  channel.templates = [
    imageTemplate("a_bad", channel.sample("a.exe")),
    imageTemplate("b_good", channel.sample("b.png")),
    imageTemplate("c_same", channel.sample("b.png")),
  ];
  await run("template-sync", company.account_id);
  const { result } = await lastRunOf(company, "template-media");
  assert.equal(result.uploaded, 1);
  const [{ reason, ...failed }, ...others] = result.failed;
  assert.deepEqual([failed, others.length], [{ name: "a_bad", language: "pt_BR" }, 0]);
  assert.match(reason, /text\/html/);
  // The upload is due again only after a pause.
  await run("template-media", company.account_id);
  const again = await lastRunOf(company, "template-media");
  assert.deepEqual(again.result, { uploaded: 0, failed: [] });
});

Deno.test("an account that gets a new token during a run is not refused, and its media is due", async () => {
  await using channel = templateChannel({
    async answer({ url }) {
      if (!url.includes("/media")) return null;
      await setToken(company, "new");
      return Response.json({ error: { code: 190, message: "Expired" } }, { status: 401 });
    },
  });
  const { company, run } = await withTemplate(channel);
  channel.templates = ["a", "b"].map((name) => imageTemplate(name, channel.sample(`${name}.png`)));
  await run("template-sync", company.account_id);
  const { result } = await lastRunOf(company, "template-media");
  assert.deepEqual(result.failed.map(({ name }: { name: string }) => name), ["a", "b"]);
  const kept = (await mediaOf(company)).map(({ failure, failures }) => [failure, failures]);
  assert.deepEqual(kept, [[null, 0], [null, 0]]);
  const refusals = await statement`
    select event from account_notices where account_id = ${company.account_id}
  `;
  assert.deepEqual([...refusals], []);
});

Deno.test("if the database cannot record a failed upload, the run of the job fails after the other uploads", async () => {
  await using channel = templateChannel();
  await using db = watchedStack(({ url }) =>
    url.endsWith("/rpc/fail_media_upload") ? new Response("", { status: 503 }) : null
  );
  const { company } = await withTemplate(channel, "a.exe");
  const run = await ownWhatsapp(channel.url, { supabaseUrl: db.url });
  channel.templates = [
    imageTemplate("a_bad", channel.sample("a.exe")),
    imageTemplate("b_good", channel.sample("b.png")),
  ];
  await run("template-sync", company.account_id);
  const { failure } = await lastRunOf(company, "template-media");
  assert.match(String(failure), /^The database failed \(503/);
  const uploaded = await statement`
    select media_id from template_media where company_id = ${company.id} and media_id is not null
  `;
  assert.equal(uploaded.length, 1);
});

Deno.test("a run with many bad samples names the first twenty samples and counts the others", async () => {
  await using channel = templateChannel();
  const { company, run } = await withTemplate(channel);
  channel.templates = Array.from(
    { length: 23 },
    (_, n) => imageTemplate(`bad_${n}`, channel.sample(`${n}.exe`)),
  );
  await run("template-sync", company.account_id);
  const { result } = await lastRunOf(company, "template-media");
  assert.deepEqual([result.uploaded, result.failed.length, result.more_failed], [0, 20, 3]);
});

Deno.test("the service reads a template again only once, even if each read returns a new, expired sample", async () => {
  let readings = 0;
  await using channel: TemplateChannel = templateChannel({
    answer({ url }) {
      if (!url.includes("message_templates")) return null;
      const template = imageTemplate("offer", channel.sample(`${++readings}.png`, "old"));
      return Response.json({ data: [template] });
    },
  });
  const { company, templateId } = await withTemplate(channel);
  const before = readings;
  await assert.rejects(upload(channel, company, templateId), /has expired/);
  assert.equal(readings - before, 1);
});
