import { pauseUntilEnd } from "../../_shared/background.ts";
import { DatabaseError } from "../../_shared/database/rows.ts";
import { ApiError } from "../../_shared/errors.ts";
import type { WebhooksConfig } from "../webhooks_config.ts";
import type { DeliveryDatabase } from "./database.ts";
import type { Delivery, Outcome, SettledWebhook } from "./delivery.ts";
import { LeasedWebhook } from "./leased_webhook.ts";
import { givePlaces } from "./places.ts";
import type { Sender } from "./sender.ts";
import { Signal } from "./signal.ts";

// The estimated CPU time of one statement, one delivery, one DNS lookup, and 1,000 characters of a
// record, in milliseconds. The platform has no call that returns the CPU time used.
const CPU_MS = { statement: 2, delivery: 0.35, host: 1.2, thousand: 0.02 };

/**
 * The maximum number of webhooks that a run leases, and of unsent deliveries that it has in memory.
 */
const MOST_WEBHOOKS = 50;
const MOST_IN_HAND = 600;
/**
 * If the unsent records have this length, the run reads only deliveries that can begin now. One
 * statement returns at most four megabytes, and each webhook's last record may exceed them.
 */
const MANY_CHARACTERS = 2_000_000;
/** The lease of a webhook without due deliveries is ended after this time. */
const IDLE_MS = 1_000;
/** For this time after its last work, a run asks the database for work more often. */
const BUSY_MS = 5_000;
/**
 * Outcomes are collected for `GATHER_MS`, and then stored together, at most `MOST_SETTLED` in one
 * statement.
 */
const GATHER_MS = 20;
const MOST_SETTLED = 500;
/** A failed statement is repeated after this pause. */
const DATABASE_PAUSE_MS = 1_000;
/**
 * If outcomes cannot be stored for this long, the run discards them, because another run has the
 * leases by then.
 */
const SETTLE_MS = 40_000;

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
  /** The CPU time is used up. */
  | "budget";

/**
 * A run of the job. It sends the due deliveries, and asks the database for more until its time
 * limit.
 */
export class Run {
  readonly #webhooks = new Map<string, LeasedWebhook>();
  readonly #seen = new Set<string>();
  readonly #outcomes: { outcome: Outcome; webhook: LeasedWebhook }[] = [];
  /** Rings when an outcome waits to be stored. */
  readonly #hasOutcome = new Signal();
  /** Rings when more deliveries may be read. */
  readonly #progress = new Signal();
  readonly result: RunResult = { delivered: 0, failed: 0, postponed: 0, webhooks: 0 };
  #inFlight = 0;
  #statements = 0;
  /** The total length of the records that were read. */
  #readCharacters = 0;
  #isEnding = false;
  #isFed = false;
  #lastWorkAt = -Infinity;
  /** Whether nothing was read, stored or switched off since webhooks were last leased. */
  #isQuiet = false;

  constructor(
    readonly config: WebhooksConfig,
    readonly db: DeliveryDatabase,
    readonly sender: Sender,
    readonly notes: {
      /** A webhook was paused, resumed or switched off. */
      told(webhook: SettledWebhook): void;
      /** A webhook was switched off because the key that it depends on is no longer valid. */
      ended(webhookId: string): void;
      /**
       * The CPU time is used up. Another run can deliver the next events while this run waits for
       * its last responses.
       */
      spent(): void;
      /** The database failed. */
      failed(error: DatabaseError): void;
    },
  ) {}

  /** Runs until its time or its CPU time is used up, or until nothing is due. */
  async run({ untilMs, untilIdle }: { untilMs: number; untilIdle: boolean }): Promise<RunEnd> {
    const settling = this.#settleUntilEnd();
    settling.catch(() => this.#isEnding = true); // awaited below
    const end = await this.#feed(untilMs, untilIdle);
    const isDue = [...this.#webhooks.values()].some(({ waiting, isDrained, isStopped }) =>
      !isStopped && (waiting > 0 || !isDrained)
    );
    for (const webhook of this.#webhooks.values()) webhook.stop();
    this.#isFed = true;
    this.#hasOutcome.ring();
    const isOver = end !== "budget" || (untilIdle && !isDue);
    if (!isOver) {
      await this.#giveBackStopped();
      this.notes.spent();
    }
    await settling;
    await this.#statement(() => this.db.release()).catch(() => {});
    return isOver && end === "budget" ? "idle" : end;
  }

  get #isOverBudget(): boolean {
    const { delivered, failed, postponed } = this.result;
    const attempts = delivered + failed + postponed + this.#inFlight;
    return attempts * CPU_MS.delivery + this.#statements * CPU_MS.statement +
        this.sender.lookUps * CPU_MS.host +
        this.#readCharacters / 1000 * CPU_MS.thousand > this.config.cpuMs;
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
          await this.#giveBack();
          if (!await this.#take()) return "busy";
          for (const webhook of this.#webhooks.values()) webhook.isDrained = false;
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
      const isIdle = [...this.#webhooks.values()].every(({ isEmpty, isDrained, isStopped }) =>
        isEmpty && (isDrained || isStopped)
      );
      if (untilIdle && isIdle) {
        if (this.#isQuiet) return "idle";
        await this.#giveBack(0).catch((error) => this.#note(error));
        pollAt = 0;
        continue;
      }
      const restMs = Math.min(pollAt, untilMs) - performance.now();
      if (restMs > 0 && await this.#progress.orEnd(restMs)) this.#isEnding = true;
    }
  }

  /** Leases webhooks that have due deliveries. Returns false when too many runs are in progress. */
  async #take(): Promise<boolean> {
    const room = MOST_WEBHOOKS - this.#webhooks.size;
    const { may_run, taken, ended } = await this.#statement(() => this.db.take(Math.max(room, 0)));
    this.#isQuiet = ended.length === 0;
    for (const id of ended) this.notes.ended(id);
    for (const id of taken) {
      this.#webhooks.set(id, new LeasedWebhook(id, this.config.atOnce.ofOne));
      this.#seen.add(id);
    }
    this.result.webhooks = this.#seen.size;
    if (taken.length > 0) this.#lastWorkAt = performance.now();
    return may_run;
  }

  /** Reads due deliveries and begins requests. Returns whether there may be more. */
  async #next(): Promise<boolean> {
    const webhooks = [...this.#webhooks.values()];
    for (const webhook of webhooks) webhook.forgetStale();
    const inHand = webhooks.reduce((sum, { waiting }) => sum + waiting, 0);
    const length = webhooks.reduce((sum, { waitingCharacters }) => sum + waitingCharacters, 0);
    const most = length < MANY_CHARACTERS ? Math.max(MOST_IN_HAND - inHand, 0) : 0;
    const undrained = webhooks.filter(({ isDrained, isStopped }) => !isDrained && !isStopped);
    if (undrained.length === 0) return false;
    const mostAhead = Math.floor(most / undrained.length);
    const places = this.#freePlaces();
    const [wanted, held]: [Record<string, number>, Record<string, string[]>] = [{}, {}];
    const hungry = undrained.filter((webhook) => {
      const count = webhook.wanted(places.get(webhook) ?? 0, mostAhead);
      if (count === 0) return false;
      wanted[webhook.id] = count;
      held[webhook.id] = webhook.held();
      return true;
    });
    if (hungry.length === 0) return false;
    const answer = await this.#statement(() => this.db.next(wanted, held));
    const found = new Map(answer.map((webhook) => [webhook.id, webhook]));
    for (const webhook of hungry) {
      const read = found.get(webhook.id);
      if (!read) {
        webhook.stop();
        continue;
      }
      webhook.url = read.url;
      webhook.companyId = read.company_id;
      webhook.secrets = read.sealed_secrets;
      webhook.isDrained = read.deliveries.length === 0;
      webhook.add(read.deliveries);
      for (const { data } of read.deliveries) this.#readCharacters += data?.length ?? 0;
      if (webhook.isDrained) continue;
      this.#lastWorkAt = performance.now();
      this.#isQuiet = false;
    }
    this.#begin();
    return true;
  }

  /** How many requests of each webhook could begin now if all their deliveries were read. */
  #freePlaces(): Map<LeasedWebhook, number> {
    const places = new Map<LeasedWebhook, number>();
    givePlaces([...this.#webhooks.values()], this.config.atOnce.inAll, (webhook) => {
      const count = (places.get(webhook) ?? 0) + 1;
      if (count > webhook.free) return false;
      places.set(webhook, count);
      return true;
    });
    return places;
  }

  /** Begins as many requests as may be in flight. */
  #begin() {
    givePlaces([...this.#webhooks.values()], this.config.atOnce.inAll, (webhook) => {
      const delivery = webhook.begin();
      if (!delivery) return false;
      // With equal numbers of requests, the webhook whose last request began first is next.
      this.#webhooks.delete(webhook.id);
      this.#webhooks.set(webhook.id, webhook);
      this.#inFlight++;
      this.#send(webhook, delivery);
      return true;
    });
  }

  async #send(webhook: LeasedWebhook, delivery: Delivery): Promise<void> {
    const sent = await this.sender.send(webhook, delivery);
    this.#inFlight--;
    if (!sent) {
      webhook.putBack(delivery);
      // A statement that is reading deliveries now may have left out this record.
      this.#isQuiet = false;
      this.#hasOutcome.ring();
      this.#progress.ring();
      return;
    }
    const { result, try: attempt } = sent;
    const { webhook_id, record_id, seq, attempts } = delivery;
    const isDelivered = result.kind === "delivered";
    if (isDelivered) this.result.delivered++;
    else if (result.kind === "later") this.result.postponed++;
    else this.result.failed++;
    webhook.end(delivery, isDelivered);
    this.#outcomes.push({
      webhook,
      outcome: {
        ...{ webhook_id, record_id, seq, attempts },
        ended_at: new Date().toISOString(),
        result: result.kind,
        wait_seconds: result.kind === "later" ? result.waitSeconds : null,
        try: attempt,
      },
    });
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
    const untilMs = performance.now() + SETTLE_MS;
    let settled: SettledWebhook[] | null = null;
    while (settled === null && performance.now() < untilMs) {
      try {
        settled = await this.#statement(() => this.db.settle(outcomes));
      } catch (error) {
        this.#note(error);
        await pauseUntilEnd(DATABASE_PAUSE_MS);
      }
    }
    // Until these outcomes were stored, the next deliveries of their records were not read. Some of
    // these deliveries may be due now.
    this.#isQuiet = false;
    const states = new Map(settled?.map((each) => [each.id, each]));
    for (const { outcome, webhook } of batch) {
      webhook.settled(outcome.record_id);
      const state = states.get(webhook.id);
      // A webhook that is missing from the response is leased by another run, or was deleted.
      if (state?.state !== "on") webhook.stop();
    }
    for (const each of states.values()) if (each.told) this.notes.told(each);
    await this.#giveBackStopped();
    if (!this.#isFed) this.#begin();
  }

  /**
   * Ends the leases of webhooks that have no due deliveries, or are stopped, and have been idle for
   * a while.
   */
  async #giveBack(idleMs = IDLE_MS): Promise<void> {
    const now = performance.now();
    await this.#release(
      [...this.#webhooks.values()].filter(({ isEmpty, isDrained, isStopped, activeAt }) =>
        isEmpty && (isDrained || isStopped) && now - activeAt >= idleMs
      ),
    );
  }

  /** Ends the leases of the stopped webhooks whose outcomes are all stored. */
  async #giveBackStopped(): Promise<void> {
    const stopped = [...this.#webhooks.values()].filter(({ isStopped, isEmpty }) =>
      isStopped && isEmpty
    );
    await this.#release(stopped).catch((error) => this.#note(error));
  }

  async #release(webhooks: LeasedWebhook[]): Promise<void> {
    if (webhooks.length === 0) return;
    for (const { id } of webhooks) this.#webhooks.delete(id);
    await this.#statement(() => this.db.release(webhooks.map(({ id }) => id)));
  }

  async #statement<Answer>(statement: () => Promise<Answer>): Promise<Answer> {
    this.#statements++;
    return await statement();
  }

  /**
   * Records a database failure. Any other error except an `ApiError` is a bug, and is rethrown.
   */
  #note(error: unknown) {
    if (error instanceof DatabaseError) this.notes.failed(error);
    else if (!(error instanceof ApiError)) throw error;
  }
}
