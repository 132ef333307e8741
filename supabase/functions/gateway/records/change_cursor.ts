import * as base64url from "jose/base64url";
import * as z from "zod/mini";
import { Id } from "../../_shared/http/fields.ts";

/**
 * A position in a resource's changes, after the change with this version and id. The generation
 * shows whether the cursor was created before the database was restored or moved.
 */
export interface Place {
  generation: number;
  version: number;
  id: string;
}

/**
 * This id is greater than every other id. A position with this id is therefore after all changes
 * with the same version.
 */
const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/**
 * Returns the position after all changes that can be read now, which are the changes with versions
 * below the horizon.
 */
export function placeAt(clock: { generation: number; horizon: number }): Place {
  return { generation: clock.generation, version: clock.horizon - 1, id: LAST_ID };
}

/**
 * Returns the cursor for a position.
 * @param feed the name of the resource's list of changes.
 */
export function writePlace(feed: string, { generation, version, id }: Place): string {
  return base64url.encode(JSON.stringify([feed, generation, version, id]));
}

/** Every cursor is shorter than this limit. A cursor contains a name, two numbers and an id. */
const MAX_CURSOR_LENGTH = 200;

const Numeral = z.int().check(z.gte(0));

/** Returns a cursor's position. Returns null if the string is not a cursor for these changes. */
export function readPlace(feed: string, cursor: string): Place | null {
  if (cursor.length > MAX_CURSOR_LENGTH) return null;
  try {
    const json = new TextDecoder("utf-8", { fatal: true }).decode(base64url.decode(cursor));
    const shape = z.tuple([z.literal(feed), Numeral, Numeral, Id]);
    const [, generation, version, id] = shape.parse(JSON.parse(json));
    return { generation, version, id };
  } catch {
    return null;
  }
}
