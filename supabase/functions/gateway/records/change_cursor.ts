import { base64url } from "jose";
import * as z from "zod";
import { Id } from "../../_shared/http/fields.ts";

/**
 * A place in the changes of a resource: after the change with this version and id, in a generation of the
 * database's clock. Generations differ when the database was restored or moved in between.
 */
export interface Place {
  generation: number;
  version: number;
  id: string;
}

/** Greater than every id. The place after it is behind all changes of its version. */
const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** The place behind all changes below this horizon. */
export function placeAt(clock: { generation: number; horizon: number }): Place {
  return { generation: clock.generation, version: clock.horizon - 1, id: LAST_ID };
}

/** The cursor of a place. @param feed names the changes of one resource. */
export function writePlace(feed: string, { generation, version, id }: Place): string {
  return base64url.encode(JSON.stringify([feed, generation, version, id]));
}

/** More than any cursor has: a name, two numbers and an id. */
const MAX_CURSOR_LENGTH = 200;

const Numeral = z.int().min(0);

/** The place of a cursor; null for what is not a cursor of these changes. */
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
