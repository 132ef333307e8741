// The media of template headers: uploaded once, by one, and again when its sample's address has expired.
import assert from "node:assert/strict";
import { readConfig } from "../../supabase/functions/_shared/config.ts";
import { companyDb } from "../../supabase/functions/_shared/database/company_db.ts";
import { channelTokenSource } from "../../supabase/functions/_shared/key/token.ts";
import { readChannelConfig } from "../../supabase/functions/_shared/whatsapp/channel_config.ts";
import { MediaTrouble } from "../../supabase/functions/_shared/whatsapp/media_trouble.ts";
import { uploadMedia } from "../../supabase/functions/_shared/whatsapp/template_media.ts";
import { ownWhatsapp } from "../support/own_functions.ts";
import {
  imageTemplate,
  type TemplateChannel,
  templateChannel,
} from "../support/template_channel.ts";
import { environment, withDatabase } from "../support/test_stack.ts";
import {
  type CompanyWithCatalogue,
  companyWithCatalogue,
  mediaOf,
  runsOf,
  templatesOf,
} from "./own_account.ts";

const config = await readConfig(environment());
/** Like a second instance, each has a client of its own. */
const newDb = () => companyDb(config, channelTokenSource(config.signingKey));
const db = newDb();

/** A company whose catalogue has one template with an image, which is not uploaded yet. */
async function withTemplate(channel: TemplateChannel, file = "offer.png", signature = "good") {
  const company = await companyWithCatalogue();
  channel.templates = [imageTemplate("offer", channel.sample(file, signature))];
  const run = await ownWhatsapp(channel.url, { jobMs: 0 }); // no time for uploads
  assert.deepEqual((await run("template-sync", company.account_id)).body.data.media, {
    uploaded: 0,
    failed: [],
  });
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
  }, patience);
}

Deno.test("fifty at once upload once, and each gets the media", async () => {
  await using channel = templateChannel();
  const { company, templateId } = await withTemplate(channel);
  const all = await Promise.all(
    Array.from({ length: 50 }, () => upload(channel, company, templateId)),
  );
  assert.deepEqual(all, Array(50).fill({ mediaId: "media1", filename: null }));
  assert.equal(channel.uploads.length, 1);
  // Later, the database tells it, and the channel is not asked.
  const before = channel.calls.length;
  assert.deepEqual(await upload(channel, company, templateId), all[0]);
  assert.equal(channel.calls.length, before);
});

Deno.test("another instance waits for the upload that is under way", async () => {
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
  // As another instance, which does not know the first one's promise: by the database alone.
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

Deno.test("an upload that another instance has under lease is waited for, and taken over after the lease", async () => {
  await using channel = templateChannel();
  const { company, templateId } = await withTemplate(channel);
  const { data } = await db.rpc("begin_media_upload", {
    account_id: company.account_id,
    template_id: templateId,
    lease_seconds: 1, // whose instance was killed
  });
  assert.equal((data as { result: string }).result, "upload");
  assert.equal((await upload(channel, company, templateId)).mediaId, "media1");
});

Deno.test("when the sample's address has expired, the template is read again, and the fresh address is used", async () => {
  await using channel = templateChannel();
  const { company, templateId } = await withTemplate(channel, "offer.png", "old");
  channel.templates = [imageTemplate("offer", channel.sample("offer.png", "good"))];
  assert.equal((await upload(channel, company, templateId)).mediaId, "media1");
  const [template] = await templatesOf(company);
  assert.equal(template.sample_url, channel.sample("offer.png", "good"));
  assert.equal((await mediaOf(company)).length, 1);
});

Deno.test("a sample that was replaced since is uploaded in place of the one that has expired", async () => {
  await using channel = templateChannel();
  const { company, templateId } = await withTemplate(channel, "offer.png", "old");
  channel.templates = [imageTemplate("offer", channel.sample("other.png", "good"))];
  assert.equal((await upload(channel, company, templateId)).mediaId, "media1");
  const uploaded = (await mediaOf(company)).filter(({ media_id }) => media_id !== null);
  assert.deepEqual(uploaded.map(({ sample_source }) => sample_source.split("/").at(-1)), [
    "other.png",
  ]);
});

Deno.test("a sample that stays expired is read again once, and then fails", async () => {
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
  // The next ones do not try again at once.
  await assert.rejects(upload(channel, company, templateId), /has expired/);
  assert.equal(channel.calls.length, before + 3);
  const [{ media_problem }] = await templatesOf(company);
  assert.match(media_problem, /has expired/);
});

Deno.test("a channel that cannot be read again fails the upload, with both reasons", async () => {
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

Deno.test("one bad sample does not keep the job from uploading the others", async () => {
  await using channel = templateChannel();
  const { company, run } = await withTemplate(channel);
  channel.templates = [
    imageTemplate("a_bad", channel.sample("a.exe")),
    imageTemplate("b_good", channel.sample("b.png")),
    imageTemplate("c_same", channel.sample("b.png")),
  ];
  const { status, body } = await run("template-sync", company.account_id);
  assert.equal(status, 200);
  assert.equal(body.data.media.uploaded, 1);
  const [{ reason, ...failed }, ...others] = body.data.media.failed;
  assert.deepEqual([failed, others.length], [{ name: "a_bad", language: "pt_BR" }, 0]);
  assert.match(reason, /text\/html/);
  // It is due again after a pause only.
  const again = await run("template-media", company.account_id);
  assert.deepEqual(again.body.data, {
    job: "template-media",
    account_id: company.account_id,
    uploaded: 0,
    failed: [],
  });
});

Deno.test("of many bad samples a run tells the first twenty and counts the others", async () => {
  await using channel = templateChannel();
  const { company, run } = await withTemplate(channel);
  channel.templates = Array.from(
    { length: 23 },
    (_, n) => imageTemplate(`bad_${n}`, channel.sample(`${n}.exe`)),
  );
  const { body } = await run("template-sync", company.account_id);
  const { uploaded, failed, more_failed } = body.data.media;
  assert.deepEqual([uploaded, failed.length, more_failed], [0, 20, 3]);
  const runs = await runsOf(company);
  assert.deepEqual(runs.at(-1)!.result, { uploaded, failed, more_failed });
});

Deno.test("media that is about to expire is uploaded again", async () => {
  await using channel = templateChannel();
  const { company, run } = await withTemplate(channel);
  assert.equal((await run("template-media", company.account_id)).body.data.uploaded, 1);
  assert.equal((await run("template-media", company.account_id)).body.data.uploaded, 0);
  await withDatabase((sql) =>
    sql`update template_media set uploaded_at = now() - interval '26 days' where company_id = ${company.id}`
  );
  assert.equal((await run("template-media", company.account_id)).body.data.uploaded, 1);
  assert.equal((await mediaOf(company))[0].media_id, "media2");
});

Deno.test("a template that is gone has no media", async () => {
  await using channel = templateChannel();
  const { company } = await withTemplate(channel);
  await assert.rejects(
    upload(channel, company, crypto.randomUUID()),
    /^MediaTrouble: The template is no longer in the catalogue/,
  );
});

Deno.test("a sample that is another one at every reading, and always expired, is read again once", async () => {
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
