import { delay } from "deno-std/async/delay.js";
import { type AttackedCompany, VICTIM_MARK } from "../companies.ts";
import type { Context } from "../context.ts";
import { Findings } from "../findings.ts";
import { newPhone } from "../requests.ts";
import { HOSTILE_NAME, type HostileMedia, hostileMedia } from "./hostile_media.ts";

const PROMISES = {
  foreign: "no file is fetched from a foreign host, and no foreign host gets the token",
  whole: "a file with wrong bytes is never returned as a complete response",
  harmless: "a file from people cannot run in a browser, and the file's name adds no header",
  upload: "a file whose bytes do not match its type is refused, and never reaches the channel",
  other: "a file, an upload or a message of another company or conversation is not found",
  slow: "files that arrive slowly do not delay other companies",
  hungUp: "the function stops reading from the channel when the caller has hung up",
  told: "a read that waits too long for earlier reads gets a 429 with Retry-After",
};

/**
 * The number of simultaneous reads. Three reads of one company may run. The others wait for five
 * seconds.
 */
const AT_ONCE = 10;
const PATIENCE_MS = 10_000;

interface Read {
  status: number;
  headers: Headers;
  /** Whether all announced bytes of the response arrived. */
  isWhole: boolean;
  text: string;
}

/** Tests hostile files and hosts of the channel, and files of other companies. */
export async function media({ ours, measured, quick, progress, resources }: Context) {
  const findings = new Findings("media");
  const channel = hostileMedia(resources);
  const [gateway, whatsapp, sender] = await Promise.all(
    (["gateway", "whatsapp", "send-external-template"] as const).map((name) =>
      ours.startFunction(name, { channelUrl: channel.url })
    ),
  );
  const { heavy, victim } = ours.companies;
  const rows = await writeRows(ours.stack.owner, channel, heavy, victim);
  const request = async (url: string, key: string, init: RequestInit = {}): Promise<Read> => {
    findings.attempts++;
    const response = await fetch(url, {
      ...init,
      headers: { Authorization: `Bearer ${key}`, ...init.headers as Record<string, string> },
    });
    const bytes = await response.bytes().catch(() => null);
    const text = new TextDecoder().decode(bytes ?? new Uint8Array());
    return { status: response.status, headers: response.headers, isWhole: bytes !== null, text };
  };
  const read = (company: AttackedCompany, id: string, init?: RequestInit) =>
    request(`${gateway.url}/gateway/messages/${id}/media`, company.key, init);

  progress("media: hostile files");
  for (const [name, id] of Object.entries(rows.own)) {
    if (name === "slow") continue;
    judgeFile(findings, name, await read(heavy, id));
  }
  if (channel.strays.length > 0) findings.add(PROMISES.foreign, channel.strays.join(), "GET media");

  progress("media: uploads and sends");
  const send = (url: string, json: unknown) =>
    request(url, heavy.key, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ idempotency_key: crypto.randomUUID(), ...json as object }),
    });
  const reply = (json: object) =>
    send(`${whatsapp.url}/whatsapp/messages`, {
      conversation_id: heavy.ids.conversation[0],
      ...json,
    });
  const template = (header_media: object) =>
    send(`${sender.url}/send-external-template`, {
      ...{ phone: newPhone(), template_name: "unknown", language_code: "en_US" },
      ...{ display_text: "Invoice", template_header_type: "document", header_media },
    });
  const { upload, message } = rows.foreign;
  const refused: Record<string, Promise<Read>> = {
    "media.id of another company": reply({ media: { id: upload } }),
    "header_media.id of another company": template({ id: upload }),
    "header_media.url of a foreign host": template({ url: channel.elsewhere }),
    "reply_to_id of another company": reply({ text: "x", reply_to_id: message }),
    "reply_to_id of another conversation": reply({ text: "x", reply_to_id: rows.elsewhere }),
  };
  for (const [what, answer] of Object.entries(refused)) {
    const { status, text } = await answer;
    if (status !== 422) findings.add(PROMISES.other, `${status}: ${text}`, what);
  }
  for (
    const url of [
      `${gateway.url}/gateway/messages/${message}/media`,
      `${whatsapp.url}/whatsapp/media/${upload}`,
    ]
  ) {
    const { status, text } = await request(url, heavy.key);
    const isFound = status !== 404 || text.includes(VICTIM_MARK);
    if (isFound) findings.add(PROMISES.other, `${status}: ${text}`, url);
  }
  if (channel.messages.length > 0) {
    findings.add(PROMISES.other, channel.messages.join(), "a message reached the channel");
  }
  if (channel.strays.length > 0) {
    findings.add(PROMISES.foreign, channel.strays.join(), "header_media");
  }
  await attackUploads(
    findings,
    channel,
    (type, query, body) =>
      request(`${whatsapp.url}/whatsapp/media?${new URLSearchParams(query)}`, heavy.key, {
        ...{ method: "POST", headers: { "Content-Type": type }, body },
      }),
  );

  progress("media: ten slow reads at once");
  const hangUp = new AbortController();
  const reads = Array.from(
    { length: AT_ONCE },
    () => read(heavy, rows.own.slow, { signal: hangUp.signal }).catch(() => null),
  );
  await until(() => channel.slow.opened >= 3);
  const began = performance.now();
  const beside = await read(victim, rows.foreign.picture);
  const waited = performance.now() - began;
  if (beside.status !== 200) {
    findings.add(PROMISES.slow, `${beside.status}: ${beside.text}`, "a read of another company");
  }
  if (!quick) await judgePlaces(findings, reads.slice());
  hangUp.abort();
  const end = performance.now();
  await Promise.all(reads);
  const isEnded = await until(() => channel.slow.ended >= channel.slow.opened);
  if (!isEnded) {
    const { opened, ended } = channel.slow;
    findings.add(PROMISES.hungUp, `${ended} of ${opened} have ended`, "10 aborted reads");
  }
  const ended = performance.now() - end;
  if (!quick) {
    const row = (name: string, value: number) => ({
      ...{ name, values: measured.map((side) => side === ours ? value : NaN) },
    });
    findings.figures.push({
      title: "ten reads of 100 MB at 1 KB/s, ms",
      rows: [
        row("another company's read", waited),
        row("until the read from the channel ends", ended),
      ],
    });
  }
  await Promise.all([gateway, whatsapp, sender].map((each) => each.end()));
  return findings.result;
}

/**
 * Writes messages with the channel's files, and rows that no request of the heavy company may use.
 */
async function writeRows(
  owner: Context["ours"]["stack"]["owner"],
  { files }: HostileMedia,
  heavy: AttackedCompany,
  victim: AttackedCompany,
) {
  const add = async (company: AttackedCompany, name: string, conversation = 0) => {
    const { type, mime_type, sha256, filename = null } = files[name];
    const media = { id: name, mime_type, sha256, filename, voice: null, animated: null };
    const [{ id }] = await owner`insert into messages ${
      owner({
        ...{ company_id: company.id, conversation_id: company.ids.conversation[conversation] },
        ...{
          direction: "inbound",
          content: "",
          type,
          media: owner.json(media),
          sent_at: new Date(),
        },
        whatsapp_message_id: `wamid.${crypto.randomUUID()}`,
      })
    } returning id`;
    return id as string;
  };
  const own: Record<string, string> = {};
  for (const name of Object.keys(files)) own[name] = await add(heavy, name);
  const [account] = await owner`select id from messaging_accounts where company_id = ${victim.id}`;
  const [upload] = await owner`insert into media_uploads ${
    owner({
      ...{ company_id: victim.id, account_id: account.id, media_id: "1", type: "document" },
      ...{ mime_type: "application/pdf", bytes: 1, sha256: "0".repeat(64), filename: VICTIM_MARK },
    })
  } returning id`;
  const picture = await add(victim, "good");
  return {
    own,
    elsewhere: await add(heavy, "good", 1),
    foreign: { upload: upload.id as string, message: picture, picture },
  };
}

function judgeFile(findings: Findings, name: string, { status, headers, isWhole, text }: Read) {
  const found = `${status}, ${isWhole ? "whole" : "broken off"}: ${text.slice(0, 200)}`;
  const isGood = ["good", "html", "name"].includes(name);
  const isServed = status === 200 && isWhole;
  if (isServed !== isGood || status >= 500 && status !== 502) {
    findings.add(PROMISES.whole, found, `the file "${name}"`);
  }
  if (status !== 200) return;
  const disposition = headers.get("Content-Disposition") ?? "";
  const isHarmless =
    /^attachment; filename="[^"]*"; filename\*=UTF-8''[^"\s]*$/.test(disposition) &&
    headers.get("X-Content-Type-Options") === "nosniff" && !headers.has("X-Injected") &&
    (name !== "html" || headers.get("Content-Type") === "application/octet-stream");
  if (!isHarmless) {
    findings.add(PROMISES.harmless, JSON.stringify([...headers]), `the file "${name}"`);
  }
}

async function attackUploads(
  findings: Findings,
  { uploads }: HostileMedia,
  upload: (type: string, query: Record<string, string>, body: string) => Promise<Read>,
) {
  const wrong = {
    "image/png": "<html>",
    "audio/ogg": "\x1aE\u00df\u00a3 WebM",
    "text/html": "<html>",
  };
  for (const [type, body] of Object.entries(wrong)) {
    const { status, text } = await upload(type, {}, body);
    if (status !== 422) findings.add(PROMISES.upload, `${status}: ${text}`, type);
  }
  if (uploads.length > 0) findings.add(PROMISES.upload, uploads.join(), "wrong types");
  const { status, text } = await upload(
    "application/pdf",
    { filename: HOSTILE_NAME },
    "%PDF-1.7\n",
  );
  const isInjected = /^X-Injected/mi.test(uploads[0] ?? "");
  if (status >= 500 || isInjected) {
    findings.add(PROMISES.harmless, `${status}: ${text} ${uploads[0]}`, "a hostile file name");
  }
}

/** Waits for the responses to the reads beyond the limit of three, and checks them. */
async function judgePlaces(findings: Findings, reads: Promise<Read | null>[]) {
  const refused: Read[] = [];
  for (const read of reads) read.then((answer) => void (answer && refused.push(answer)));
  await until(() => refused.length >= AT_ONCE - 3);
  const isTold = refused.length === AT_ONCE - 3 &&
    refused.every(({ status, headers }) => status === 429 && headers.has("Retry-After"));
  if (!isTold) findings.add(PROMISES.told, refused.map(({ status }) => status).join(), "10 reads");
}

async function until(holds: () => boolean): Promise<boolean> {
  const end = performance.now() + PATIENCE_MS;
  while (!holds() && performance.now() < end) await delay(10);
  return holds();
}
