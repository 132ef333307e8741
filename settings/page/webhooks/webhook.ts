// A company's webhooks, as the Data API returns them to an owner or admin.
import { askSettings } from "../accounts/ask_settings.ts";
import type { App } from "../app.ts";
import { answered, changed, Failure } from "../failure.ts";
import type { Tone } from "../pieces/badge.ts";
import { shortAddress } from "../short_address.ts";
import type { Texts } from "../texts.ts";
import type { WebhooksTexts } from "../texts/en/webhooks.ts";

/** A webhook, without its secret. */
export interface Webhook {
  id: string;
  url: string;
  types: string[];
  payload: "full" | "ids";
  description: string | null;
  state: "on" | "catching_up" | "paused" | "off";
  why: string | null;
  /** The key whose end switches the webhook off; null when the webhook belongs to the company. */
  created_by_key_id: string | null;
  created_by: string | null;
  failing_since: string | null;
  /** When the next delivery is tried, after several failures. */
  paused_until: string | null;
  switched_off_at: string | null;
  previous_secret_ends_at: string | null;
  last_success_at: string | null;
  /** How many deliveries wait, up to 10,000. */
  open_deliveries: number;
  created_at: string;
}

/** The fields that the user enters. */
export type WebhookFields = Pick<Webhook, "url" | "types" | "payload" | "description">;

/** The event types of each resource, as the API names them. */
export const HAPPENINGS: Record<Resource, readonly string[]> = {
  contact: [
    ...["created", "updated", "archived", "restored", "merged", "erased", "deleted"],
    ...["opted_out", "opted_in"],
  ],
  deal: [
    ...["created", "updated", "stage_changed", "won", "lost", "reopened"],
    ...["archived", "restored", "deleted"],
  ],
  conversation: ["opened", "assigned", "updated", "closed", "window_closing", "deleted"],
  message: ["received", "status_changed", "updated"],
  send: ["settled", "failed"],
  template: ["status_changed"],
  account: ["restricted", "restored"],
  webhook: ["test", "switched_off"],
};

export type Resource =
  | "contact"
  | "deal"
  | "conversation"
  | "message"
  | "send"
  | "template"
  | "account"
  | "webhook";

export const RESOURCES = Object.keys(HAPPENINGS) as Resource[];

/**
 * A receiver that fails for longer than this is shown as a problem. A shorter failure is shown as a
 * warning, because it may be a restart of the receiver.
 */
const FAILING_MS = 60 * 60_000;

/** The host and the path, shortened. A query may have a secret, so lists do not show it. */
export function addressOf({ url }: Pick<Webhook, "url">): string {
  return shortAddress(url.split("?", 1)[0].replace(/^https?:\/\//, ""));
}

/** The webhook's description, or else its URL. */
export function nameOf(webhook: Webhook): string {
  return webhook.description ?? addressOf(webhook);
}

/** Whether the webhook is not off, and its receiver has accepted nothing since a failure. */
export function isFailing({ state, failing_since }: Webhook): boolean {
  return state !== "off" && failing_since !== null;
}

/** The state in a word or two. */
export function stateOf(
  webhook: Webhook,
  { states }: WebhooksTexts,
): { tone: Tone; words: string } {
  const { state, failing_since } = webhook;
  if (state === "off") return { tone: "bad", words: states.off };
  if (state === "paused") return { tone: "quiet", words: states.paused };
  if (isFailing(webhook)) {
    const isLong = Date.parse(failing_since!) < Date.now() - FAILING_MS;
    return { tone: isLong ? "bad" : "warn", words: states.failing };
  }
  return state === "on"
    ? { tone: "good", words: states.on }
    : { tone: "warn", words: states.catching_up };
}

/** A type of event in words: `deal.*` is "Deals: everything". */
export function typeName(
  type: string,
  { everything, resources, happenings }: WebhooksTexts,
): string {
  if (type === "*") return everything;
  const [resource, happened] = type.split(".");
  if (!Object.hasOwn(resources, resource)) return type;
  const words = happened === "*"
    ? everything.toLowerCase()
    : (happenings as Record<string, string>)[type] ?? happened;
  return `${resources[resource as Resource]}: ${words}`;
}

/** The webhooks of the company, the newest first. */
export async function webhooksOf({ project: { client }, company }: App): Promise<Webhook[]> {
  return await answered(client.rpc("list_webhooks", { company_id: company.id }));
}

export async function webhookOf({ project: { client } }: App, id: string): Promise<Webhook> {
  return await answered(client.rpc("get_webhook", { webhook_id: id }));
}

/**
 * Creates a webhook. Only this response contains the webhook's secret.
 * @throws Failure
 */
export async function createWebhook(app: App, fields: WebhookFields) {
  const body = { company_id: app.company.id, ...fields };
  return await ask<Webhook & { secret: string }>(app, "webhooks", body);
}

/** @throws Failure */
export async function changeWebhook(
  app: App,
  { id }: Webhook,
  changes: Partial<WebhookFields> | { state: "on" | "paused" },
): Promise<Webhook> {
  return await ask<Webhook>(app, `webhooks/${id}`, changes, "PATCH");
}

/**
 * Gives the webhook another secret. Only this response contains the new secret.
 * @throws Failure
 */
export async function rotateSecret(app: App, { id }: Webhook, overlap_hours: number) {
  return await ask<Webhook & { secret: string }>(app, `webhooks/${id}/rotate-secret`, {
    overlap_hours,
  });
}

/**
 * Calls a function of the database about a webhook.
 * @throws Failure
 */
export async function call<T>(
  { project: { client }, t }: App,
  name: "delete_webhook" | "redeliver_event" | "replay_webhook" | "test_webhook",
  values: { webhook_id: string } & Record<string, unknown>,
): Promise<T> {
  return await changed<T>(client.rpc(name, values)).catch((error) => {
    if (!(error instanceof Failure) || error.kind !== "conflict") throw error;
    const says = (t: Texts) => conflictInOwnWords(error.message, t);
    throw says(t) === undefined ? error : new Failure("conflict", "", (t) => says(t)!);
  });
}

async function ask<Answer>(
  app: App,
  path: string,
  body: object,
  method: "POST" | "PATCH" = "POST",
) {
  return await askSettings<Answer>(app, path, body, inOwnWords, method);
}

/** The parts of the service's error messages that describe an invalid URL. */
const ADDRESS_FAULTS = [
  ["does not begin with https", "notHttps"],
  ["a port other", "port"],
  ["a user or a password", "user"],
  ["fragment", "fragment"],
  ["numeric address", "numeric"],
  ["not a full domain name", "hostName"],
  ["without an address", "noDns"],
  ["name server did not answer", "nameServer"],
  ["not on the public internet", "notPublic"],
  ["address of this service", "ownHost"],
] as const;

/** The parts of the service's error messages that describe a conflict. */
const CONFLICTS = [
  ["at most 10 webhooks", "tooMany"],
  ["previous secrets", "tooManySecrets"],
  ["switch it on first", "notDelivering"],
  ["still being ended", "stillEnding"],
  ["replay", "replayRuns"],
  ["test events", "testsWait"],
] as const;

function conflictInOwnWords(message: string, { webhooks: t }: Texts): string | undefined {
  const known = CONFLICTS.find(([words]) => message.includes(words));
  return known && t.conflicts[known[1]];
}

/** The page's own message for a refusal. */
export function inOwnWords(
  { error = "", code, details }: {
    error?: string;
    code?: string;
    details?: { field: string; message: string }[];
  },
  texts: Texts,
): string | undefined {
  if (code === "conflict") return conflictInOwnWords(error, texts);
  const { webhookForm: t } = texts;
  const address = details?.find(({ field }) => field === "url");
  if (!address) return undefined;
  const known = ADDRESS_FAULTS.find(([words]) => address.message.includes(words));
  return known ? t.addressFaults[known[1]] : t.addressFault(address.message);
}
