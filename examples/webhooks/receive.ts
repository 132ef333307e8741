// Receives CRM webhooks with Deno: verifies each delivery and stores its event. See docs/webhooks.md.
// deno run --allow-net=127.0.0.1:8000 --allow-read=. --allow-write=. --allow-env=WEBHOOK_SECRET receive.ts 8000
import { verifyWebhook, WebhookVerificationError } from "../../client/src/webhooks.ts"; // jsr:@crm-messaging/client/webhooks

const secret = Deno.env.get("WEBHOOK_SECRET");
if (!secret) throw new Error("Set WEBHOOK_SECRET to the secret of the webhook, whsec_…");
const FILE = "events.jsonl";
/** An event has at most 256 KiB of data. */
const MAX_BYTES = 1_000_000;

/** Reads the stored events. Removes an incomplete last line, which a failed write leaves. */
const readWhole = (): string => {
  const text = Deno.readTextFileSync(FILE);
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (whole !== text) Deno.truncateSync(FILE, new TextEncoder().encode(whole).length);
  return whole;
};

Deno.writeTextFileSync(FILE, "", { append: true, mode: 0o600 }); // creates the file
// The same event may arrive more than once, with the same id.
const seen = new Set(readWhole().split("\n").filter(Boolean).map((line) => JSON.parse(line).id));

/** Returns the raw body as it was received, or null if the body is too large. */
const bodyOf = async (request: Request): Promise<Uint8Array<ArrayBuffer> | null> => {
  const parts = [];
  let length = 0;
  for await (const part of request.body ?? []) {
    length += part.length;
    if (length > MAX_BYTES) return null;
    parts.push(part);
  }
  return await new Blob(parts).bytes();
};

const receive = async (request: Request): Promise<Response> => {
  if (request.method !== "POST") return new Response("Send a POST\n", { status: 405 });
  const body = await bodyOf(request);
  if (!body) return new Response("The body is too large\n", { status: 413 });
  try {
    const event = await verifyWebhook(request.headers, body, secret);
    if (seen.has(event.id)) return new Response(null, { status: 204 });
    // The event is stored before the response is sent. After a 2xx response, the service does not
    // send the event again. No other code runs between the check and the write, so two requests
    // at the same time never both store the event.
    try {
      Deno.writeTextFileSync(FILE, JSON.stringify(event) + "\n", { append: true, mode: 0o600 });
    } catch (error) {
      readWhole();
      throw error;
    }
    seen.add(event.id);
    if (event.type === "deal.won") console.log(`won: ${event.data?.title}`);
    else console.log(`${event.type} ${event.record_id}`);
    return new Response(null, { status: 204 });
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return new Response(`${error.message}\n`, { status: 400 });
  }
};

// Run this server behind a TLS proxy, because the service sends events only to https URLs.
Deno.serve({ hostname: "127.0.0.1", port: Number(Deno.args[0] ?? 8000) }, receive);
