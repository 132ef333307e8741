// Receives CRM webhooks with Node: verifies each delivery and stores its event. See docs/webhooks.md.
// WEBHOOK_SECRET=whsec_… node receive.mjs 8000
import { appendFileSync, readFileSync, truncateSync } from "node:fs";
import { createServer } from "node:http";
import { verifyWebhook, WebhookVerificationError } from "@crm-messaging/client/webhooks";

const secret = process.env.WEBHOOK_SECRET;
if (!secret) throw new Error("Set WEBHOOK_SECRET to the secret of the webhook, whsec_…");
const FILE = "events.jsonl";
/** An event has at most 256 KiB of data. */
const MAX_BYTES = 1_000_000;

/** Reads the stored events. Removes an incomplete last line, which a failed write leaves. */
function readWhole() {
  const text = readFileSync(FILE, "utf8");
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (whole !== text) truncateSync(FILE, Buffer.byteLength(whole));
  return whole;
}

appendFileSync(FILE, "", { mode: 0o600 }); // creates the file
// The same event may arrive more than once, with the same id.
const seen = new Set(readWhole().split("\n").filter(Boolean).map((line) => JSON.parse(line).id));

/**
 * Returns the raw body as it was received, or null if the body is too large. In Express, use
 * express.raw({ type: "application/json" }), so that the body is not parsed.
 */
async function bodyOf(request) {
  const parts = [];
  let length = 0;
  for await (const part of request) {
    length += part.length;
    if (length > MAX_BYTES) return null;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Returns the response's status and text. */
async function receive(request) {
  if (request.method !== "POST") return [405, "Send a POST\n"];
  const body = await bodyOf(request);
  if (!body) return [413, "The body is too large\n"];
  try {
    const event = await verifyWebhook(request.headers, body, secret);
    if (seen.has(event.id)) return [204];
    // The event is stored before the response is sent. After a 2xx response, the service does not
    // send the event again. No other code runs between the check and the write, so two requests
    // at the same time never both store the event.
    try {
      appendFileSync(FILE, JSON.stringify(event) + "\n", { mode: 0o600 });
    } catch (error) {
      readWhole();
      throw error;
    }
    seen.add(event.id);
    if (event.type === "deal.won") console.log(`won: ${event.data?.title}`);
    else console.log(`${event.type} ${event.record_id}`);
    return [204];
  } catch (error) {
    if (error instanceof WebhookVerificationError) return [400, `${error.message}\n`];
    console.error(error);
    return [500, "Try again\n"];
  }
}

// Run this server behind a TLS proxy, because the service sends events only to https URLs.
createServer(async (request, response) => {
  const [status, text] = await receive(request).catch(() => [400, "The body broke off\n"]);
  response.writeHead(status).end(text);
}).listen(Number(process.argv[2] ?? 8000), "127.0.0.1");
