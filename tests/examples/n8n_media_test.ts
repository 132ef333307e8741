// Tests the n8n workflows that send and download files, by replaying them against the stack.
import assert from "node:assert/strict";
import { digestOf, FIXED_IDS } from "../../sandbox/people_media.ts";
import { addMessage, newCompany } from "../support/company.ts";
import { knowTemplates } from "../support/known_templates.ts";
import { addMedium, hex } from "../support/media.ts";
import { takenFrom } from "../support/sending.ts";
import { withDatabase } from "../support/test_stack.ts";
import { fileOfType } from "../support/uploading.ts";
import { runnerOf } from "./n8n_replays.ts";

Deno.test("n8n: an invoice is uploaded and sent once, even if the workflow runs again", async () => {
  const company = await newCompany();
  await knowTemplates(company);
  const pdf = fileOfType("application/pdf", 700);
  let status = 200;
  await using host = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => status === 200 ? new Response(pdf) : Response.json("gone", { status }),
  );
  const settings = { order: "A-1815", pdf_url: `http://127.0.0.1:${host.addr.port}/a.pdf` };
  const runner = await runnerOf("send-the-invoice", company, settings);
  const { "Upload it": [upload], "The message": [sent] } = await runner.run();
  const { sha256, filename } = upload.json.data;
  assert.deepEqual([sha256, filename], [hex(pdf), "invoice-A-1815.pdf"]);
  const { "The message": [repeated] } = await runner.run();
  assert.equal(repeated.json.message_id, sent.json.message_id);
  const [taken, ...others] = await takenFrom(company);
  assert.deepEqual(others, []);
  assert.match(JSON.stringify(taken), /"document":\{"id":"[^"]+","filename":"invoice-A-1815.pdf"/);

  const corrected = await runnerOf("send-the-invoice", company, {
    ...settings,
    amount: "USD 149",
  });
  await assert.rejects(
    corrected.run(),
    /Not sent: .* earlier message [0-9a-f-]{36}, in which these fields differ: body_variables,header_media\. A corrected invoice/,
  );
  assert.equal((await takenFrom(company)).length, 1);

  status = 404;
  await assert.rejects(runner.run(), /Get the PDF: 404/);
  status = 200;
  const html = await runnerOf("send-the-invoice", company, { ...settings, order: "A-1816" });
  pdf.fill(0x20);
  await assert.rejects(html.run(), /Upload it: 422 .*Content-Type/);
  assert.equal((await takenFrom(company)).length, 1);
});

Deno.test("n8n: the file of a message is downloaded, and a message without a file ends the workflow", async () => {
  const company = await newCompany();
  const [[id]] = [...FIXED_IDS].filter(([, name]) => name === "voice");
  const message_id = await addMedium(company, new Uint8Array(), {
    ...{ type: "audio", id, mime_type: "audio/ogg", sha256: digestOf("voice") },
  });
  const runner = await runnerOf("get-what-people-send", company, { message_id });
  const { "The file": [file] } = await runner.run();
  assert.equal(hex(file.body!), digestOf("voice"));
  const text = await withDatabase((sql) => addMessage(sql, company));
  const other = await runnerOf("get-what-people-send", company, { message_id: text });
  assert.equal((await other.run())["Get the file"], undefined);
});
