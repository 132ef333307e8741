import { withoutSignatures } from "./media_hosts.ts";

/** Values nested deeper than this become null. The channel's templates have six levels. */
const MAX_DEPTH = 16;

/**
 * A string that Postgres, JSON and a terminal accept: no control characters except tabs and line
 * breaks, and no unpaired surrogates.
 */
export function harmlessText(text: string): string {
  return text.toWellFormed().replace(/[^\P{Cc}\t\n\r]/gu, " ");
}

/**
 * A copy of a parsed JSON value that may be stored and shown. Every string and key is harmless, and
 * no URL has a signature. Sample URLs (`header_handle`) are left out.
 */
export function harmlessJson(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return withoutSignatures(harmlessText(value));
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((item) => harmlessJson(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== "header_handle")
      .map(([key, item]) => [harmlessText(key), harmlessJson(item, depth + 1)]),
  );
}
