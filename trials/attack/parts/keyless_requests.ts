import type { WireRequest } from "../wire.ts";

const MIB = 1024 * 1024;
const JSON_BODY: [string, string][] = [["Content-Type", "application/json"]];

/**
 * A string in the format of a key that belongs to no company. Only the database can know that it is
 * invalid.
 */
export const UNKNOWN_KEY = `sk_live_${"u".repeat(43)}`;
const KEY: [string, string][] = [["Authorization", `Bearer ${UNKNOWN_KEY}`]];

function posts(body: string | Uint8Array, more: Partial<WireRequest> = {}): WireRequest {
  return {
    method: "POST",
    target: "/gateway/contacts",
    headers: [...KEY, ...JSON_BODY],
    body,
    ...more,
  };
}

function gets(target: string, headers = KEY): WireRequest {
  return { method: "GET", target, headers };
}

/** A string of about this length: `begin`, then many times `piece`, then `end`. */
function filled(begin: string, piece: string, end: string, length: number): string {
  const times = Math.floor((length - begin.length - end.length) / piece.length);
  return begin + piece.repeat(times) + end;
}

function manyKeys(length: number): string {
  const members = Array.from(
    { length: length / 16 - 1 },
    (_, n) => `"key${String(n).padStart(8, "0")}":0`,
  );
  return `{${members.join(",")}}`;
}

/**
 * Bodies that would cost quadratic time if a regular expression looked for the end of a text or of
 * white space.
 */
export const endlessText = (length: number) => filled('{"\\u0061":0,"', '\\"', "", length);
export const endlessSpace = (length: number) => filled("", " ", "x", length);

/** The costliest requests that a caller without a valid key can make, and cheap ones to compare. */
export const COSTLIEST: Record<string, WireRequest> = {
  "the smallest request": gets("/gateway/contacts"),
  "1 MiB, an array of zeros": posts(filled('{"x":[0', ",0", "]}", MIB)),
  "1 MiB, many keys": posts(manyKeys(MIB)),
  "1 MiB, one text": posts(filled('{"x":"', "x", '"}', MIB)),
  "1 MiB, escapes": posts(filled('{"x":"', "\\u00e9", '"}', MIB)),
  "1 MiB, nested arrays": posts("[".repeat(MIB / 2) + "]".repeat(MIB / 2)),
  "1 MiB, a number of a million digits": posts(filled('{"x":1', "0", "}", MIB)),
  "1 MiB in chunks of 64 bytes": posts(filled('{"x":[0', ",0", "]}", MIB), { chunkBytes: 64 }),
  "1 MiB, not UTF-8": posts(new Uint8Array(MIB).fill(0xff)),
  "64 KiB, an array of zeros": posts(filled('{"x":[0', ",0", "]}", 65_536)),
  "64 KiB, many keys": posts(manyKeys(65_536)),
  "64 KiB, nested arrays": posts("[".repeat(32_768) + "]".repeat(32_768)),
  "64 KiB, numbers of 1,000 digits": posts(
    filled('{"x":[0', `,${"7".repeat(1_000)}`, "]}", 65_536),
  ),
  "64 KiB, fields of a send": {
    ...posts(filled('{"body_variables":[""', ',""', "]}", 65_536)),
    target: "/send-external-template",
  },
  "64 KiB, an escaped key and a text that does not end": posts(endlessText(65_536)),
  "64 KiB, the same body to a send": {
    ...posts(endlessText(65_536)),
    target: "/send-external-template",
  },
  "64 KiB, white space where no body is expected": {
    ...posts(endlessSpace(65_536)),
    target: "/gateway/contacts/00000000-0000-4000-8000-000000000000/restore",
  },
  "5,000 query parameters": gets(`/gateway/contacts?${"a=1&".repeat(5_000)}`),
  "a path of 60 kB": gets(`/gateway/${"a/".repeat(30_000)}`),
  "a cursor of 60 kB": gets(`/gateway/contacts?cursor=${"W".repeat(60_000)}`),
  "a key of 60 kB": gets("/gateway/contacts", [["X-Api-Key", `sk_live_${"k".repeat(60_000)}`]]),
  "80 headers": gets("/gateway/contacts", [
    ...KEY,
    ...Array.from({ length: 80 }, (_, n): [string, string] => [`X-${n}`, "x".repeat(200)]),
  ]),
  "GET /openapi.json": gets("/gateway/openapi.json", []),
  "GET /health": gets("/gateway/health", []),
};

/** The beginning of a request whose body never ends. */
export const TRICKLE: WireRequest = posts("");
