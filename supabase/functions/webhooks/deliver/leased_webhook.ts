import type { Delivery } from "./delivery.ts";

/**
 * How many requests to a webhook may be in flight at first. Each success raises the limit by one,
 * and each failure halves the limit.
 */
const FIRST_AT_ONCE = 4;
/** After this many failures in a row, the webhook's outcomes are stored before the next request. */
const FAILURES_IN_A_ROW = 5;
/**
 * If the database read a delivery's record longer ago than this, the delivery is dropped from
 * memory and read again. Otherwise a request could contain the record of a person who was erased in
 * the meantime.
 */
const FRESH_MS = 500;
/**
 * In addition to the deliveries that can begin now, a run reads the deliveries that can probably
 * begin within this time.
 */
const AHEAD_MS = 250;
/** The maximum number of deliveries of one webhook that a run has in memory. */
const MOST_IN_HAND = 100;

/** A webhook that a run has leased, with the deliveries that the run has in memory. */
export class LeasedWebhook {
  url = "";
  companyId = "";
  secrets: string[] = [];
  /** The deliveries that are not sent yet, by record, in their order. */
  readonly #waiting = new Map<string, Delivery[]>();
  /** The records whose requests have no response yet, each with the time when its request began. */
  readonly #inFlight = new Map<string, number>();
  /** For each record, the number of outcomes that are not stored yet. */
  readonly #unsettled = new Map<string, number>();
  #waitingCount = 0;
  #waitingCharacters = 0;
  #unsettledCount = 0;
  #failuresInARow = 0;
  #atOnce = FIRST_AT_ONCE;
  /**
   * The maximum number of deliveries to read in one statement. Each read that takes too long halves
   * the number, and each other read doubles it.
   */
  #mostRead = MOST_IN_HAND;
  /**
   * The average response time, with more weight for recent responses; null before the first
   * response.
   */
  #responseMs: number | null = null;
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

  /**
   * Whether the run has no unsent delivery, no open request and no unstored outcome of this
   * webhook.
   */
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

  /** How many more requests may begin now, including requests whose deliveries are not read yet. */
  get free(): number {
    if (this.isStopped || !this.#mayBegin) return 0;
    const free = this.#atOnce - this.#inFlight.size;
    return this.isDrained ? Math.min(free, this.#ready) : free;
  }

  get #mayBegin(): boolean {
    if (this.#inFlight.size >= this.#atOnce) return false;
    return this.#failuresInARow < FAILURES_IN_A_ROW || this.#unsettledCount === 0;
  }

  /** How many records have a delivery that can begin now. */
  get #ready(): number {
    let ready = this.#waiting.size;
    for (const record of this.#inFlight.keys()) if (this.#waiting.has(record)) ready--;
    return ready;
  }

  /**
   * How many deliveries the run should read; 0 while it has enough.
   *
   * @param places how many requests may begin now.
   * @param mostAhead how many deliveries that cannot begin yet may be read.
   */
  wanted(places: number, mostAhead: number): number {
    if (this.isStopped || this.isDrained) return 0;
    const atOnce = this.#inFlight.size + places;
    const ahead = this.#responseMs === null
      ? 0
      : Math.min(Math.floor(atOnce * AHEAD_MS / this.#responseMs), mostAhead);
    const spare = this.#ready - places;
    const room = MOST_IN_HAND - this.#waitingCount - this.#inFlight.size;
    if (spare >= 0 && spare >= ahead / 2) return 0;
    return Math.max(0, Math.min(ahead - spare, room, this.#mostRead));
  }

  /** The records with an unsent delivery, an open request or an unstored outcome in this run. */
  held(): string[] {
    return [
      ...new Set([...this.#waiting.keys(), ...this.#inFlight.keys(), ...this.#unsettled.keys()]),
    ];
  }

  add(deliveries: Delivery[]) {
    if (deliveries.length === 0) return;
    const now = this.activeAt = performance.now();
    // If the database is slow, each statement reads fewer deliveries. Otherwise all deliveries
    // might be too old when they arrive.
    this.#mostRead = now - deliveries[0].readAt > FRESH_MS
      ? Math.max(1, Math.floor(deliveries.length / 2))
      : Math.min(2 * this.#mostRead, MOST_IN_HAND);
    for (const delivery of deliveries) {
      this.#waitingCharacters += delivery.data?.length ?? 0;
      const ofRecord = this.#waiting.get(delivery.record_id);
      if (ofRecord) ofRecord.push(delivery);
      else this.#waiting.set(delivery.record_id, [delivery]);
    }
    this.#waitingCount += deliveries.length;
  }

  /**
   * The next delivery to send; null when none may be sent now. Each record has only one delivery in
   * flight at a time.
   */
  begin(now = performance.now()): Delivery | null {
    if (this.isStopped || !this.#mayBegin) return null;
    this.forgetStale(now);
    for (const [record, deliveries] of this.#waiting) {
      if (this.#inFlight.has(record)) continue;
      const delivery = deliveries.shift()!;
      // A record with more deliveries moves to the end of the queue, so that every record gets its
      // turn.
      this.#waiting.delete(record);
      if (deliveries.length > 0) this.#waiting.set(record, deliveries);
      this.#waitingCount--;
      this.#waitingCharacters -= delivery.data?.length ?? 0;
      this.#inFlight.set(record, now);
      return delivery;
    }
    return null;
  }

  /** Drops the deliveries that have waited too long, so that they are read again. */
  forgetStale(now = performance.now()) {
    for (const [record, [{ readAt }]] of this.#waiting) {
      if (now - readAt <= FRESH_MS) continue;
      this.#forget(record);
      this.isDrained = false;
    }
  }

  /** Whether a delivery that `begin` returned was read so recently that it may still be sent. */
  isFresh({ readAt }: Delivery, now = performance.now()): boolean {
    return now - readAt <= FRESH_MS;
  }

  /**
   * Notes that a delivery that `begin` returned was not sent. This delivery and the later
   * deliveries of its record are read again.
   */
  putBack({ record_id }: Delivery) {
    this.#inFlight.delete(record_id);
    this.#forget(record_id);
    this.isDrained = false;
  }

  #forget(record: string) {
    for (const { data } of this.#waiting.get(record) ?? []) {
      this.#waitingCount--;
      this.#waitingCharacters -= data?.length ?? 0;
    }
    this.#waiting.delete(record);
  }

  /**
   * Records the outcome of a request. After a failure, later deliveries of the record are dropped
   * from memory.
   */
  end({ record_id }: Delivery, isDelivered: boolean, now = performance.now()) {
    const ms = Math.max(now - this.#inFlight.get(record_id)!, 1);
    this.#responseMs = this.#responseMs === null ? ms : 0.8 * this.#responseMs + 0.2 * ms;
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
