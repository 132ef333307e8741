import { keepRunning } from "../background.ts";
import type { CompanyDb } from "../database/company_db.ts";
import { inTime } from "../in_time.ts";
import { pause } from "../pause.ts";
import type { ChannelConfig } from "../channel/channel_config.ts";
import { ChannelTrouble } from "../channel/channel_list.ts";
import { readByName, type TemplateSource } from "./template_reading.ts";

/** A request of this instance to read the templates of one name. */
interface Reading {
  /** The start time, on the clock of `performance.now()`. */
  began: number;
  /** Whether the result was stored. Never rejects. */
  isStored: Promise<boolean>;
}

/**
 * The requests of the last few seconds to read templates, by account and name, the oldest first.
 */
const readings = new Map<string, Reading>();

/**
 * How long a request is kept in `readings`. For the same time, the database reports that the
 * templates are being read.
 */
const KEPT_MS = 15_000;
/**
 * How long a send waits while another instance reads the templates. After this time, the service
 * tries the send with the stored templates.
 */
const ELSEWHERE_MS = 1_500;
const LOOK_EVERY_MS = 50;
/**
 * How long a send waits while it reads the templates itself. There may be many pages to read,
 * because the channel also lists names that resemble the requested name. After this time, the
 * service continues to read, for later sends.
 */
const PATIENCE_MS = 5_000;

/**
 * Reads the templates of one name again, for a send that does not match the stored templates. If
 * several sends of one instance need these templates, one send reads them and the others wait. If
 * another instance reads the templates, the send waits up to 1.5 s.
 *
 * @param source `isElsewhere` says whether another request already reads the templates, as the
 *   database reports.
 * @returns whether the templates of this name have now been read again and stored.
 * @throws ChannelTrouble when reading takes too long; the errors of `readByName()` for the send
 *   that reads.
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
  keepRunning(whole.catch(() => {})); // the result is stored even if no one waits for it any longer
  const reading = inTime(whole, AbortSignal.timeout(patienceMs), late);
  keep(key, reading.then(() => true, () => false));
  await reading;
  return true;
}

/**
 * Waits for another request that reads the templates. Returns whether the templates are known to be
 * stored.
 */
async function readElsewhere(key: string): Promise<boolean> {
  // The other request may belong to this instance, and may still be waiting for the database's
  // response.
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
