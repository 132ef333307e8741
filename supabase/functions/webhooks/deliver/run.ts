import { pauseUntilEnd } from "../../_shared/background.ts";
import { DatabaseError } from "../../_shared/database/rows.ts";
import { ApiError } from "../../_shared/errors.ts";
import type { WebhooksConfig } from "../webhooks_config.ts";
import { CpuTime, type InstanceCpu } from "./cpu_time.ts";
import { DATABASE_PAUSE_MS, type DeliveryDatabase } from "./database.ts";
import type { Delivery, Outcome, SettledWebhook } from "./delivery.ts";
import type { LeasedWebhook } from "./leased_webhook.ts";
import { Leases } from "./leases.ts";
import { nextRead } from "./next_read.ts";
import { outcomeOf, storeOutcomes } from "./outcomes.ts";
import { givePlaces } from "./places.ts";
import type { Sender } from "./sender.ts";
import { Signal } from "./signal.ts";

/** For this time after its last work, a run asks the database for work more often. */
const BUSY_MS = 5_000;
/**
 * Outcomes are collected for `GATHER_MS`, and then stored together, at most `MOST_SETTLED` in one
 * statement.
 */
const GATHER_MS = 20;
const MOST_SETTLED = 500;

/** What a run has done. */
export interface RunResult {
  /** How many attempts succeeded, failed, or were postponed by the receiver. */
  delivered: number;
  failed: number;
  postponed: number;
  /** How many webhooks had due deliveries. */
  webhooks: number;
}

/** How a run ended. */
export type RunEnd =
  /** Four other runs are in progress. */
  | "busy"
  /** Nothing was due. */
  | "idle"
  /** The run reached its time limit. */
  | "time"
  /** The CPU time of the run or of the instance is used up. */
  | "budget";

/**
 * A run of the job. It sends the due deliveries, and asks the database for more until its time
 * limit.
 */
export class Run {
  readonly #leases: Leases;
  readonly #cpu = new CpuTime();
  readonly #outcomes: { outcome: Outcome; webhook: LeasedWebhook }[] = [];
  /** Rings when an outcome waits to be stored. */
  readonly #hasOutcome = new Signal();
  /** Rings when more deliveries may be read. */
  readonly #progress = new Signal();
  readonly result: RunResult = { delivered: 0, failed: 0, postponed: 0, webhooks: 0 };
  #inFlight = 0;
  #isEnding = false;
  #isFed = false;
  #lastWorkAt = -Infinity;
  /** False if the run has done work since it last leased webhooks, because more may now be due. */
  #isQuiet = false;

  constructor(
    readonly config: WebhooksConfig,
    readonly db: DeliveryDatabase,
    readonly sender: Sender,
    readonly notes: {
      /** A webhook was paused, resumed or switched off. */
      told(webhook: SettledWebhook): void;
      /** A webhook was switched off because the API key that it depends on is no longer valid. */
      ended(webhookId: string): void;
      /**
       * The CPU time is used up. Another run can deliver the next events while this run waits for
       * its last responses.
       */
      spent(): void;
      /** The database failed. */
      failed(error: DatabaseError): void;
    },
    readonly instance: InstanceCpu,
  ) {
    this.#leases = new Leases(db, this.#cpu, config.atOnce.ofOne);
  }

  /** Runs until a reason in `RunEnd` applies. Without `untilIdle`, the reason `idle` is ignored. */
  async run({ untilMs, untilIdle }: { untilMs: number; untilIdle: boolean }): Promise<RunEnd> {
    const noteEnd = this.instance.begin(() => this.#cpuMs);
    try {
      return await this.#run(untilMs, untilIdle);
    } finally {
      noteEnd();
    }
  }

  async #run(untilMs: number, untilIdle: boolean): Promise<RunEnd> {
    const settling = this.#settleUntilEnd();
    settling.catch(() => this.#isEnding = true); // awaited below
    const end = await this.#feed(untilMs, untilIdle);
    const { isDue } = this.#leases;
    for (const webhook of this.#leases.webhooks) webhook.stop();
    this.#isFed = true;
    this.#hasOutcome.ring();
    const isOver = end !== "budget" || (untilIdle && !isDue);
    if (!isOver) {
      await this.#leases.giveBackStopped().catch((error) => this.#note(error));
      // The next run needs a slot, and this run no longer needs one.
      await this.db.freeSlot().catch((error) => this.#note(error));
      this.notes.spent();
    }
    await settling;
    await this.db.release().catch(() => {});
    return isOver && end === "budget" ? "idle" : end;
  }

  get #cpuMs(): number {
    return this.#cpu.estimatedMs(this.sender.lookUps);
  }

  get #isOverBudget(): boolean {
    return this.#cpuMs > this.config.cpuMs || this.instance.isSpent;
  }

  /** Leases webhooks, reads their due deliveries, and begins requests. */
  async #feed(untilMs: number, untilIdle: boolean): Promise<RunEnd> {
    const { busy, idle } = this.config.pollMs;
    let pollAt = 0;
    for (;;) {
      if (this.#isEnding || performance.now() >= untilMs) return "time";
      if (this.#isOverBudget) return "budget";
      try {
        if (performance.now() >= pollAt) {
          await this.#leases.giveBackIdle();
          if (!await this.#take()) return "busy";
          for (const webhook of this.#leases.webhooks) webhook.isDrained = false;
          const isBusy = performance.now() - this.#lastWorkAt < BUSY_MS;
          pollAt = performance.now() + (isBusy ? busy : idle);
        }
        while (!this.#isOverBudget && await this.#next());
      } catch (error) {
        this.#note(error);
        if (await pauseUntilEnd(DATABASE_PAUSE_MS)) return "time";
        pollAt = 0;
        continue;
      }
      if (untilIdle && this.#leases.isIdle) {
        if (this.#isQuiet) return "idle";
        await this.#leases.giveBackIdle(0).catch((error) => this.#note(error));
        pollAt = 0;
        continue;
      }
      const restMs = Math.min(pollAt, untilMs) - performance.now();
      if (restMs > 0 && await this.#progress.orEnd(restMs)) this.#isEnding = true;
    }
  }

  /** Leases webhooks that have due deliveries. Returns false when too many runs are in progress. */
  async #take(): Promise<boolean> {
    const { may_run, taken, ended } = await this.#leases.take();
    this.#isQuiet = ended.length === 0;
    for (const id of ended) this.notes.ended(id);
    this.result.webhooks = this.#leases.seen;
    if (taken.length > 0) this.#lastWorkAt = performance.now();
    return may_run;
  }

  /** Reads due deliveries and begins requests. Returns whether there may be more to read. */
  async #next(): Promise<boolean> {
    const { webhooks } = this.#leases;
    for (const webhook of webhooks) webhook.forgetStale();
    const read = nextRead(webhooks, this.config.atOnce.inAll);
    if (!read) return false;
    this.#cpu.statements++;
    const answer = await this.db.next(read.wanted, read.held);
    const found = new Map(answer.map((webhook) => [webhook.id, webhook]));
    for (const webhook of read.webhooks) {
      const due = found.get(webhook.id);
      if (!due) {
        webhook.stop();
        continue;
      }
      webhook.url = due.url;
      webhook.companyId = due.company_id;
      webhook.secrets = due.sealed_secrets;
      webhook.isDrained = due.deliveries.length === 0;
      webhook.add(due.deliveries);
      for (const { data } of due.deliveries) this.#cpu.readCharacters += data?.length ?? 0;
      if (webhook.isDrained) continue;
      this.#lastWorkAt = performance.now();
      this.#isQuiet = false;
    }
    this.#begin();
    return true;
  }

  /** Begins as many requests as may be in flight. */
  #begin() {
    givePlaces(this.#leases.webhooks, this.config.atOnce.inAll, (webhook) => {
      const delivery = webhook.begin();
      if (!delivery) return false;
      // Among webhooks with the same number of requests, the webhook that has waited longest for a
      // request is next.
      this.#leases.begun(webhook);
      this.#inFlight++;
      this.#cpu.deliveries++;
      this.#send(webhook, delivery);
      return true;
    });
  }

  async #send(webhook: LeasedWebhook, delivery: Delivery): Promise<void> {
    const sent = await this.sender.send(webhook, delivery);
    this.#inFlight--;
    if (!sent) {
      webhook.putBack(delivery);
      this.#cpu.deliveries--;
      // A statement that is reading deliveries now may have left out this record, so another read
      // must follow.
      this.#isQuiet = false;
      this.#hasOutcome.ring();
      this.#progress.ring();
      return;
    }
    const { result } = sent;
    const isDelivered = result.kind === "delivered";
    if (isDelivered) this.result.delivered++;
    else if (result.kind === "later") this.result.postponed++;
    else this.result.failed++;
    webhook.end(delivery, isDelivered);
    this.#outcomes.push({ webhook, outcome: outcomeOf(delivery, sent) });
    this.#hasOutcome.ring();
    if (!this.#isFed) this.#begin();
    this.#progress.ring();
  }

  /** Stores outcomes until the run begins no new requests and all its requests have ended. */
  async #settleUntilEnd(): Promise<void> {
    for (;;) {
      if (this.#outcomes.length === 0) {
        if (this.#isFed && this.#inFlight === 0) return;
        await this.#hasOutcome.heard();
        continue;
      }
      if (!this.#isFed) await this.#hasOutcome.after(GATHER_MS);
      await this.#settle(this.#outcomes.splice(0, MOST_SETTLED));
      this.#progress.ring();
    }
  }

  async #settle(batch: { outcome: Outcome; webhook: LeasedWebhook }[]): Promise<void> {
    const outcomes = batch.map(({ outcome }) => outcome);
    const failed = (error: unknown) => this.#note(error);
    const states = await storeOutcomes(outcomes, this.db, this.#cpu, failed);
    // Until these outcomes were stored, the next deliveries of their records were not read. Some of
    // these deliveries may be due now.
    this.#isQuiet = false;
    for (const { outcome, webhook } of batch) {
      webhook.settled(outcome.record_id);
      const state = states.get(webhook.id);
      // A webhook that is missing from the response is leased by another run, or was deleted.
      if (state?.state !== "on") webhook.stop();
    }
    for (const each of states.values()) if (each.told) this.notes.told(each);
    await this.#leases.giveBackStopped().catch((error) => this.#note(error));
    if (!this.#isFed) this.#begin();
  }

  /**
   * Reports a database failure, and ignores an `ApiError`. Any other error is a bug, so it is
   * rethrown.
   */
  #note(error: unknown) {
    if (error instanceof DatabaseError) this.notes.failed(error);
    else if (!(error instanceof ApiError)) throw error;
  }
}
