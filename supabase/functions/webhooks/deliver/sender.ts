import { openWebhookSecret } from "../../_shared/credentials/webhook_secrets.ts";
import type { Origin } from "../../_shared/log.ts";
import { exactTimeText } from "../../_shared/time_text.ts";
import { checkAddress } from "../../_shared/webhooks/address.ts";
import type { WebhooksConfig } from "../webhooks_config.ts";
import type { Attempt, Delivery, Failure, Result } from "./delivery.ts";
import type { LeasedWebhook } from "./leased_webhook.ts";
import { post } from "./post.ts";
import { bodyOf, headersOf } from "./request.ts";
import { logUnreadableSecret } from "./webhook_lines.ts";

/**
 * If the operator's keys cannot decrypt a webhook's current secret, the next attempt follows after
 * this time.
 */
const SECRET_WAIT_S = 300;

/**
 * How long a failed DNS lookup is cached. Further deliveries to the URL would fail too, so this
 * time is short: a DNS server that works again must not cost them more attempts.
 */
const FAILED_LOOK_UP_MS = 2_000;

/** Sends the deliveries of one run. It caches DNS lookups and decrypted secrets. */
export class Sender {
  readonly #hosts = new Map<string, { until: number; problem: Promise<Failure | null> }>();
  readonly #secrets = new Map<string, Promise<string>>();
  /** The webhooks with a secret that cannot be decrypted. Each of them is logged only once. */
  readonly #unreadable = new Set<string>();
  /** How many host names were looked up. */
  lookUps = 0;

  constructor(readonly config: WebhooksConfig, readonly origin: Origin) {}

  /**
   * Sends one delivery and returns the outcome, with the URL of the attempt. If the DNS lookup took
   * so long that the delivery must be read again, sends nothing and returns null. Never throws.
   */
  async send(
    webhook: LeasedWebhook,
    delivery: Delivery,
  ): Promise<Attempt | null> {
    const at = new Date();
    const { url } = webhook; // another read of deliveries may change the URL at any time
    const without = (failure: Failure, result: Result = { kind: "failed" }) => ({
      url,
      result,
      try: { at: exactTimeText(+at), status: null, failure, ms: 0, answer: null },
    });
    const problem = await this.#problemOf(url);
    if (problem) return without(problem);
    if (!webhook.isFresh(delivery)) return null;
    let headers: Record<string, string>;
    const body = bodyOf(delivery);
    try {
      const secrets = await this.#secretsOf(webhook);
      headers = await headersOf(delivery.event.id, body, secrets, Math.floor(+at / 1000));
    } catch (error) {
      this.#noteUnreadable(webhook, error);
      return without("secret", { kind: "later", waitSeconds: SECRET_WAIT_S });
    }
    return { url, ...await post(url, headers, body, this.config.postTimeoutMs) };
  }

  /**
   * The current secret, and the previous secrets that can be decrypted.
   *
   * @throws the errors of `openWebhookSecret` when the current secret cannot be decrypted.
   */
  async #secretsOf(webhook: LeasedWebhook): Promise<string[]> {
    const [current, ...previous] = webhook.secrets.map((each) => this.#open(webhook, each));
    const noted = (error: unknown) => this.#noteUnreadable(webhook, error);
    const opened = await Promise.all([current, ...previous.map((each) => each.catch(noted))]);
    return opened.filter((secret) => secret !== undefined);
  }

  #noteUnreadable({ id, companyId }: LeasedWebhook, error: unknown) {
    if (this.#unreadable.has(id)) return;
    this.#unreadable.add(id);
    logUnreadableSecret(this.origin, error, { webhook_id: id, company_id: companyId });
  }

  #open({ id, companyId }: LeasedWebhook, sealed: string): Promise<string> {
    let secret = this.#secrets.get(sealed);
    if (!secret) {
      const webhook = { company_id: companyId, webhook_id: id };
      secret = openWebhookSecret(sealed, webhook, this.config.credentialsKeys);
      this.#secrets.set(sealed, secret);
    }
    return secret;
  }

  /** Why nothing may be sent to a URL now; null when requests may be sent. */
  #problemOf(url: string): Promise<Failure | null> {
    const now = performance.now();
    const known = this.#hosts.get(url);
    if (known && known.until > now) return known.problem;
    this.lookUps++;
    const problem = checkAddress(url, this.config.addresses).then(
      (found): Failure | null => {
        if (!found) return null;
        const isUnknown = found.name === "no_address" || found.name === "name_server";
        return isUnknown ? "dns" : "refused_address";
      },
      (): Failure => "dns",
    );
    const host = { until: now + this.config.addressMs, problem };
    this.#hosts.set(url, host);
    problem.then((found) => {
      if (found === "dns") host.until = performance.now() + FAILED_LOOK_UP_MS;
    });
    return problem;
  }
}
