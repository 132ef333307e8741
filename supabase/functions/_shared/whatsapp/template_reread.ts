import { keepRunning } from "../background.ts";
import type { CompanyDb } from "../database/company_db.ts";
import { inTime } from "../in_time.ts";
import { pause } from "../pause.ts";
import type { ChannelConfig } from "./channel_config.ts";
import { ChannelTrouble } from "./channel_list.ts";
import { readByName, type TemplateSource } from "./template_reading.ts";

/** A reading of one name that this instance has begun. */
interface Reading {
  /** On the clock of `performance.now()`. */
  began: number;
  /** Whether it was stored. Never rejects. */
  isStored: Promise<boolean>;
}

/** The readings of the last seconds, by account and name, the oldest first. */
const readings = new Map<string, Reading>();

/** As long as the database says of a reading that it is under way. */
const KEPT_MS = 15_000;
/** A send waits no longer for a reading of another instance; the channel decides then. */
const ELSEWHERE_MS = 1_500;
const LOOK_EVERY_MS = 50;
/**
 * Nor for its own reading, which may take many pages: the channel also lists names that resemble the one asked
 * for. That reading goes on, for the sends that follow.
 */
const PATIENCE_MS = 5_000;

/**
 * Reads the templates of one name again, for a send that does not fit what is stored. Of several sends of one
 * instance, one reads and the others wait for it; a send waits a moment for the reading of another instance.
 *
 * @param source with `isElsewhere`, whether the database has left the reading to another request.
 * @returns whether the templates of this name were read and stored since.
 * @throws ChannelTrouble when that takes too long, and what readByName() does, for the one that reads.
 */
export async function rereadTemplate(
  db: CompanyDb,
  channel: ChannelConfig,
  source: TemplateSource & { isElsewhere?: boolean },
  name: string,
  patienceMs = PATIENCE_MS,
): Promise<boolean> {
  const key = `${source.accountId} ${name}`;
  if (source.isElsewhere) return await readElsewhere(key);
  const late = () =>
    new ChannelTrouble(`The channel took more than ${patienceMs / 1000} s to list a template`);
  const whole = readByName(db, channel, source, name);
  keepRunning(whole.catch(() => {})); // it is stored although nobody waits for it any more
  const reading = inTime(whole, AbortSignal.timeout(patienceMs), late);
  keep(key, reading.then(() => true, () => false));
  await reading;
  return true;
}

/** Whether a reading that another request makes was stored, if that is known soon. */
async function readElsewhere(key: string): Promise<boolean> {
  // The other request may be one of this instance that has not heard from the database yet.
  for (let waited = 0; waited < ELSEWHERE_MS; waited += LOOK_EVERY_MS) {
    const reading = readings.get(key);
    if (reading && performance.now() - reading.began < KEPT_MS) return await reading.isStored;
    await pause(LOOK_EVERY_MS);
  }
  return false;
}

function keep(key: string, isStored: Promise<boolean>) {
  const now = performance.now();
  for (const [other, { began }] of readings) {
    if (now - began < KEPT_MS) break;
    readings.delete(other);
  }
  readings.delete(key);
  readings.set(key, { began: now, isStored });
}
