import { type CompanyDb, urgent } from "../../_shared/database/company_db.ts";
import { rows } from "../../_shared/database/rows.ts";
import type { Json } from "../../_shared/database/types.ts";
import type { NextDeliveries, Outcome, SettledWebhook, WebhookWithDeliveries } from "./delivery.ts";

/** A failed statement is repeated after this pause. */
export const DATABASE_PAUSE_MS = 1_000;

/** The result of leasing webhooks that have due deliveries. */
export interface TakenWebhooks {
  /** False when four other runs are in progress. */
  may_run: boolean;
  taken: string[];
  /**
   * The webhooks that were switched off because the API key that they depend on is no longer valid.
   */
  ended: string[];
}

/** The database statements of one run. */
export class DeliveryDatabase {
  constructor(
    readonly db: CompanyDb,
    /** The id of the run. The webhooks that the run leases are marked with this id. */
    readonly run: string,
    /** If set, the run is only for this company. */
    readonly companyId?: string,
  ) {}

  /**
   * Leases at most this many webhooks that have due deliveries.
   *
   * @throws DatabaseError
   */
  async take(most: number): Promise<TakenWebhooks> {
    const answer = await this.db.rpc("take_webhooks", {
      ...{ run: this.run, most, of_company: this.companyId },
    });
    return rows(answer) as unknown as TakenWebhooks; // the jsonb from take_webhooks()
  }

  /**
   * Reads due deliveries of leased webhooks. A webhook that is missing from the response is paused,
   * off, deleted or leased by another run, or its API key is no longer valid.
   *
   * @param wanted the number of deliveries to read, by webhook.
   * @param held the records whose deliveries are left out, by webhook.
   * @throws DatabaseError
   */
  async next(
    wanted: Record<string, number>,
    held: Record<string, string[]>,
  ): Promise<WebhookWithDeliveries[]> {
    const answer = await this.db.rpc("next_deliveries", { run: this.run, wanted, held });
    // The json from next_deliveries().
    const { webhooks, ended_at } = rows(answer) as unknown as NextDeliveries;
    // The database read the records some time before the statement ended. So the records are older
    // than this response.
    const now = performance.now();
    for (const { read_at, deliveries } of webhooks) {
      const readAt = now - 1_000 * (ended_at - read_at);
      for (const delivery of deliveries) delivery.readAt = readAt;
    }
    return webhooks;
  }

  /**
   * Stores outcomes. A webhook that is missing from the response is leased by another run, or was
   * deleted.
   * @throws DatabaseError
   */
  async settle(outcomes: Outcome[]): Promise<SettledWebhook[]> {
    const answer = await urgent(this.db.rpc("settle_deliveries", {
      ...{ run: this.run, outcomes: outcomes as unknown as Json },
    }));
    return rows(answer) as unknown as SettledWebhook[]; // the jsonb from settle_deliveries()
  }

  /**
   * Ends the leases of these webhooks. Without `ids`, ends all leases of the run, and the run
   * itself.
   *
   * @throws DatabaseError
   */
  async release(ids?: string[]): Promise<void> {
    rows(await this.db.rpc("release_webhooks", { run: this.run, ids }));
  }

  /**
   * Frees the run's slot, so that another run can begin. The run keeps its leases, and may still
   * store outcomes.
   *
   * @throws DatabaseError
   */
  async freeSlot(): Promise<void> {
    await this.release([]);
  }

  /**
   * Records that the run ended because of an unexpected error.
   *
   * @throws DatabaseError
   */
  async fail(failure: string): Promise<void> {
    rows(await this.db.rpc("fail_delivery_run", { failure }));
  }

  /**
   * Performs the regular maintenance of events and webhooks.
   *
   * @throws DatabaseError
   */
  async tidy(): Promise<unknown> {
    return rows(await this.db.rpc("tidy_events"));
  }
}
