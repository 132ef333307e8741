import type { Delivery } from "./delivery.ts";

/**
 * How many requests to a webhook may be in flight at first. Each success raises the limit by one,
 * and each failure halves the limit.
 */
const FIRST_AT_ONCE = 4;
/** After this many failures in a row, nothing is sent until their outcomes are stored. */
const FAILURES_IN_A_ROW = 5;
/**
 * A delivery that has waited longer than this is dropped from memory and read again. Otherwise a
 * request could contain the record of a person who was erased in the meantime.
 */
const FRESH_MS = 5_000;
/** The maximum number of deliveries of one webhook that a run has in memory. */
const MOST_IN_HAND = 100;

/** A webhook that a run has leased, with the deliveries that the run has in memory. */
export class LeasedWebhook {
  url = "";
  companyId = "";
  secrets: string[] = [];
  /** The deliveries that are not sent yet, by record, in their order. */
  readonly #waiting = new Map<string, { readAt: number; deliveries: Delivery[] }>();
  /** The records whose requests have no response yet. */
  readonly #inFlight = new Set<string>();
  /** For each record, the number of outcomes that are not stored yet. */
  readonly #unsettled = new Map<string, number>();
  #waitingCount = 0;
  #waitingCharacters = 0;
  #unsettledCount = 0;
  #failuresInARow = 0;
  #atOnce = FIRST_AT_ONCE;
  /** Whether a request has succeeded in this run. */
  hasSucceeded = false;
  /**
   * Whether the database has no more due deliveries of this webhook. The run asks the database
   * again later.
   */
  isDrained = false;
  /**
   * Whether sending has stopped because the webhook is paused, switched off, deleted, or leased by
   * another run.
   */
  isStopped = false;
  /** When the run last read deliveries or stored outcomes of this webhook. */
  activeAt = performance.now();

  constructor(readonly id: string, readonly mostAtOnce: number) {}

  /** Whether the run has nothing left for this webhook: no delivery, no request and no outcome. */
  get isEmpty(): boolean {
    return this.#waitingCount === 0 && this.#inFlight.size === 0 && this.#unsettledCount === 0;
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  get waiting(): number {
    return this.#waitingCount;
  }

  /** The total length of the records that wait to be sent. */
  get waitingCharacters(): number {
    return this.#waitingCharacters;
  }

  /** How many more deliveries the run should read; 0 while it has enough. */
  get room(): number {
    const inHand = this.#waitingCount + this.#inFlight.size;
    return this.isStopped || this.isDrained || inHand > MOST_IN_HAND / 2
      ? 0
      : MOST_IN_HAND - inHand;
  }

  /** The records with an unsent delivery, an open request or an unstored outcome in this run. */
  held(): string[] {
    return [
      ...new Set([...this.#waiting.keys(), ...this.#inFlight, ...this.#unsettled.keys()]),
    ];
  }

  add(deliveries: Delivery[]) {
    if (deliveries.length === 0) return;
    const readAt = this.activeAt = performance.now();
    for (const delivery of deliveries) {
      this.#waitingCharacters += delivery.data?.length ?? 0;
      const ofRecord = this.#waiting.get(delivery.record_id);
      if (ofRecord) ofRecord.deliveries.push(delivery);
      else this.#waiting.set(delivery.record_id, { readAt, deliveries: [delivery] });
    }
    this.#waitingCount += deliveries.length;
  }

  /**
   * The next delivery to send; null when none may be sent now. Each record has only one delivery in
   * flight at a time.
   */
  begin(now = performance.now()): Delivery | null {
    if (this.isStopped || this.#inFlight.size >= this.#atOnce) return null;
    if (this.#failuresInARow >= FAILURES_IN_A_ROW && this.#unsettledCount > 0) return null;
    for (const [record, { readAt, deliveries }] of this.#waiting) {
      if (now - readAt > FRESH_MS) {
        this.#forget(record);
        this.isDrained = false;
        continue;
      }
      if (this.#inFlight.has(record)) continue;
      const delivery = deliveries.shift()!;
      // A record with more deliveries moves to the end of the queue, so that every record gets its
      // turn.
      this.#waiting.delete(record);
      if (deliveries.length > 0) this.#waiting.set(record, { readAt, deliveries });
      this.#waitingCount--;
      this.#waitingCharacters -= delivery.data?.length ?? 0;
      this.#inFlight.add(record);
      return delivery;
    }
    return null;
  }

  #forget(record: string) {
    for (const { data } of this.#waiting.get(record)?.deliveries ?? []) {
      this.#waitingCount--;
      this.#waitingCharacters -= data?.length ?? 0;
    }
    this.#waiting.delete(record);
  }

  /**
   * Records the outcome of a request. After a failure, later deliveries of the record are dropped
   * from memory.
   */
  end({ record_id }: Delivery, isDelivered: boolean) {
    this.#inFlight.delete(record_id);
    this.#unsettled.set(record_id, (this.#unsettled.get(record_id) ?? 0) + 1);
    this.#unsettledCount++;
    if (isDelivered) {
      this.hasSucceeded = true;
      this.#failuresInARow = 0;
      this.#atOnce = Math.min(this.#atOnce + 1, this.mostAtOnce);
      return;
    }
    this.#failuresInARow++;
    this.#atOnce = Math.max(1, Math.floor(this.#atOnce / 2));
    // The dropped deliveries are read again, in their order.
    this.#forget(record_id);
  }

  /** Notes that an outcome for this record has been stored. */
  settled(recordId: string) {
    this.activeAt = performance.now();
    const left = this.#unsettled.get(recordId)! - 1;
    this.#unsettledCount--;
    if (left > 0) this.#unsettled.set(recordId, left);
    else this.#unsettled.delete(recordId);
  }

  /**
   * Drops the deliveries that are not sent yet. This run or another run reads them again later.
   */
  stop() {
    this.isStopped = true;
    this.#waiting.clear();
    this.#waitingCount = this.#waitingCharacters = 0;
  }
}
