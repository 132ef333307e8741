import { readCredentialsKey } from "../../../supabase/functions/_shared/credentials/credentials_keys.ts";
import { sealAppSecret } from "../../../supabase/functions/_shared/credentials/app_secrets.ts";
import { delay } from "deno-std/async/delay.js";
import type { AttackedStack } from "../attacked_stack.ts";
import type { Context } from "../context.ts";
import { Findings, type Row } from "../findings.ts";
import { exchange } from "../wire.ts";

const PROMISES = {
  stored: "a signed event is answered with 200 and stored, whatever it contains",
  ownPlaces: "slow bodies on the path of one app do not delay the events of another app",
  givenUp:
    "a large body that does not arrive is answered with a 408, or with a 503 when its app has too many bodies",
};

/** An instance reads fewer large bodies than this at the same time. */
const SLOW_BODIES = 8;

const MIB = 1024 * 1024;
const encoder = new TextEncoder();

/**
 * Events that contain as many message ids as fit into a size, and an event with more messages than
 * the channel ever sends.
 */
const CROWDED: Record<string, (phoneNumberId: string) => string> = {
  "1 MiB with 42,000 ids of messages": (number) => event(number, { crowd: ids(MIB) }),
  "9,000 messages": (number) => event(number, { messages: messages(9_000) }),
  "3 MiB with 120,000 ids of messages": (number) => event(number, { crowd: ids(2.9 * MIB) }),
};

/** Sends events of a known app that contain very many message ids. */
export async function events({ ours, measured, quick, progress }: Context) {
  const findings = new Findings("events");
  const rows: Row[] = Object.keys(CROWDED).map((name) => ({ name, values: [] }));
  for (const side of quick ? [ours] : measured) {
    const process = await side.startFunction("whatsapp");
    const app = await newApp(side, process.url);
    await nameApp(side, app);
    for (const [at, [name, bodyOf]] of Object.entries(CROWDED).entries()) {
      if (quick && at > 0) break;
      progress(`events: ${name}`);
      const began = performance.now();
      const status = await app.post(bodyOf(side.companies.attacker.phoneNumberIds[0]));
      rows[at].values.push(performance.now() - began);
      if (side !== ours) continue;
      findings.attempts++;
      const stored = await app.stored();
      if (status === 200 && stored === at + 1) continue;
      findings.add(PROMISES.stored, `${status}, ${stored} of ${at + 1} events are stored`, name);
    }
    if (side === ours) await beginSlowly(side, process.url, findings, quick);
    await process.end();
  }
  if (!quick) findings.figures.push({ title: "until a signed event is answered, ms", rows });
  return findings.result;
}

/**
 * Starts requests with large bodies on the path of one app, and never finishes them. Meanwhile,
 * another app sends an event.
 */
async function beginSlowly(
  side: AttackedStack,
  url: string,
  findings: Findings,
  quick: boolean,
) {
  const [slow, other] = [await newApp(side, url), await newApp(side, url)];
  const body = event("0", { crowd: ids(MIB / 8) });
  const request = await slow.requestOf(body);
  const stalled = Array.from(
    { length: SLOW_BODIES },
    () => exchange(url, { ...request, cutAfter: 9, stalls: true }),
  );
  await delay(500); // until these requests have begun
  const status = await other.post(body);
  findings.attempts += SLOW_BODIES + 1;
  if (status !== 200) findings.add(PROMISES.ownPlaces, String(status), "a large event");
  if (quick) return; // the function waits some seconds for the rest of the bodies
  for (const answer of await Promise.all(stalled)) {
    if (answer?.status === 408 || answer?.status === 503) continue;
    findings.add(PROMISES.givenUp, String(answer?.status ?? "no answer"), "a body that stalls");
  }
}

/** Creates an app with a known secret. Its events go to the function with this URL. */
async function newApp({ stack: { owner, secrets } }: AttackedStack, url: string) {
  const app_key = crypto.randomUUID();
  const secret = crypto.randomUUID();
  const key = readCredentialsKey(secrets.credentials_key);
  const [{ id }] = await owner`
    insert into channel_apps ${
    owner({
      app_key,
      name: "Attacked",
      sealed_secret: await sealAppSecret(secret, { app_key, kind: "secret" }, key),
      sealed_verify_token: await sealAppSecret(secret, { app_key, kind: "verify_token" }, key),
    })
  } returning id
  `;
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const signing = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, [
    "sign",
  ]);
  const requestOf = async (text: string) => {
    const body = encoder.encode(text);
    const signature = new Uint8Array(await crypto.subtle.sign("HMAC", signing, body)).toHex();
    const headers: [string, string][] = [["X-Hub-Signature-256", `sha256=${signature}`]];
    return { method: "POST", target: `/whatsapp/webhook/${app_key}`, headers, body };
  };
  return {
    id,
    requestOf,
    /** Posts an event, and returns the status of the response. */
    async post(text: string): Promise<number> {
      const { target, ...request } = await requestOf(text);
      const answer = await fetch(`${url}${target}`, request);
      await answer.body?.cancel();
      return answer.status;
    },
    /** The number of stored events of the app. */
    async stored(): Promise<number> {
      const [{ events }] = await owner`
        select count(*)::int as events from channel_events where channel_app_id = ${id}
      `;
      return events;
    },
  };
}

/** Connects the attacker's account to an app. */
async function nameApp({ stack: { owner }, companies }: AttackedStack, { id }: { id: string }) {
  await owner`
    update messaging_accounts set channel_app_id = ${id}
    where phone_number_id = ${companies.attacker.phoneNumberIds[0]}
  `;
}

function event(phone_number_id: string, parts: Record<string, unknown>): string {
  const value = { metadata: { phone_number_id }, messages: messages(1), ...parts };
  return JSON.stringify({
    object: "whatsapp_business_account",
    entry: [{ id: "910000000000999", changes: [{ field: "messages", value }] }],
  });
}

/** As many message ids of the channel as fit into this many bytes. Each contains a phone number. */
function ids(bytes: number): string[] {
  return Array.from({ length: bytes / 25 }, (_, at) => idWith(551_180_000_000 + at));
}

function messages(count: number) {
  return Array.from({ length: count }, (_, at) => ({
    from: String(5_511_980_000_000 + at),
    id: idWith(5_511_980_000_000 + at),
    timestamp: String(Math.floor(Date.now() / 1000)),
    type: "text",
    text: { body: "In the crowd" },
  }));
}

const idWith = (phone: number) => `wamid.${btoa(String(phone))}`;
