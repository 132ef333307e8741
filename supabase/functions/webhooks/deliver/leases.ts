import type { CpuTime } from "./cpu_time.ts";
import type { DeliveryDatabase, TakenWebhooks } from "./database.ts";
import { LeasedWebhook } from "./leased_webhook.ts";

/** The maximum number of webhooks that a run leases. */
const MOST_WEBHOOKS = 50;
/** The lease of a webhook without due deliveries is ended after this time. */
const IDLE_MS = 1_000;

/** The webhooks that a run has leased. */
export class Leases {
  readonly #webhooks = new Map<string, LeasedWebhook>();
  readonly #seen = new Set<string>();

  /**
   * @param mostAtOnce how many requests to one webhook may be in flight.
   */
  constructor(
    readonly db: DeliveryDatabase,
    readonly cpu: CpuTime,
    readonly mostAtOnce: number,
  ) {}

  /** The leased webhooks, in the order in which their last requests began. */
  get webhooks(): LeasedWebhook[] {
    return [...this.#webhooks.values()];
  }

  /** How many webhooks the run has leased, including those whose leases have ended. */
  get seen(): number {
    return this.#seen.size;
  }

  /** Whether there may be due deliveries that the run has not sent. */
  get isDue(): boolean {
    return this.webhooks.some(({ waiting, isDrained, isStopped }) =>
      !isStopped && (waiting > 0 || !isDrained)
    );
  }

  /** Whether all leased webhooks are idle. */
  get isIdle(): boolean {
    return this.webhooks.every(isIdle);
  }

  /**
   * Leases webhooks that have due deliveries.
   *
   * @throws DatabaseError
   */
  async take(): Promise<TakenWebhooks> {
    const room = MOST_WEBHOOKS - this.#webhooks.size;
    this.cpu.statements++;
    const answer = await this.db.take(Math.max(room, 0));
    for (const id of answer.taken) {
      this.#webhooks.set(id, new LeasedWebhook(id, this.mostAtOnce));
      this.#seen.add(id);
    }
    return answer;
  }

  /** Notes that a request of this webhook has begun. */
  begun(webhook: LeasedWebhook) {
    this.#webhooks.delete(webhook.id);
    this.#webhooks.set(webhook.id, webhook);
  }

  /**
   * Ends the leases of webhooks that have been idle for this time.
   *
   * @throws DatabaseError
   */
  async giveBackIdle(idleMs = IDLE_MS): Promise<void> {
    const now = performance.now();
    await this.#release(
      this.webhooks.filter((webhook) => isIdle(webhook) && now - webhook.activeAt >= idleMs),
    );
  }

  /**
   * Ends the leases of the stopped webhooks whose outcomes are all stored.
   *
   * @throws DatabaseError
   */
  async giveBackStopped(): Promise<void> {
    await this.#release(
      this.webhooks.filter(({ isStopped, isEmpty }) => isStopped && isEmpty),
    );
  }

  async #release(webhooks: LeasedWebhook[]): Promise<void> {
    if (webhooks.length === 0) return;
    for (const { id } of webhooks) this.#webhooks.delete(id);
    this.cpu.statements++;
    await this.db.release(webhooks.map(({ id }) => id));
  }
}

/** Whether a webhook's outcomes are all stored, and it is stopped or has no due deliveries. */
function isIdle({ isEmpty, isDrained, isStopped }: LeasedWebhook): boolean {
  return isEmpty && (isDrained || isStopped);
}
