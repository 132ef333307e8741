import type { ChannelError, SendOutcome } from "./outcome.ts";

// The channel's messages reach callers, the log and the database. This code shortens them, makes
// them readable, and removes the account's access token.

const MAX_TEXT = 1000;
const MAX_TRACE_ID = 128;
const MAX_CAUSE = 500;

/**
 * A part of the token is removed if it has at least this many characters. A shorter part does not
 * help anyone to guess a token of hundreds of characters.
 */
const PIECE = 8;

const INSTEAD = "[access token]";

/**
 * The outcome, with strings that are safe for callers and the log. Each string has at most 1,000
 * characters, no control characters, no unpaired surrogates, and no part of the access token. A
 * message id that contains the token is not usable, so the outcome is then unknown.
 */
export function passedOn(outcome: SendOutcome, token: string): SendOutcome {
  if (outcome.kind === "accepted") {
    return quotesToken(outcome.whatsappMessageId, token)
      ? { kind: "unknown", cause: "The channel's id of the message quotes the access token" }
      : outcome;
  }
  if (outcome.kind === "refused") {
    return { ...outcome, channel: errorInWords(outcome.channel, token) };
  }
  const { channel, cause } = outcome;
  return {
    ...outcome,
    channel: channel && errorInWords(channel, token),
    cause: causeInWords(cause, token),
  };
}

/**
 * The channel's error, with strings that are safe for callers and the log; see `passedOn()`.
 */
export function errorInWords<Error extends ChannelError>(channel: Error, token: string): Error {
  const { message, details, traceId } = channel;
  return {
    ...channel,
    message: words(message, token, MAX_TEXT),
    details: details && words(details, token, MAX_TEXT),
    traceId: traceId && words(traceId, token, MAX_TRACE_ID),
  };
}

/**
 * The cause, as a string of at most 500 characters that is safe for callers and the log; see
 * `passedOn()`.
 */
export function causeInWords(cause: string, token: string): string {
  return words(cause, token, MAX_CAUSE);
}

/** Whether a string contains the token, or eight consecutive characters of the token. */
export function quotesToken(text: string, token: string): boolean {
  return withoutToken(text, token) !== text;
}

/**
 * Cuts each URL in a string before its "?" or "#", because signatures and tokens come after that
 * character.
 */
export function withoutQueries(text: string): string {
  // The query is optional in the pattern. If the pattern required a query, it would backtrack
  // through every URL that has no query.
  return text.replace(/(https?:\/\/[^\s?#"'<>]*)(?:[?#][^\s"'<>]*)?/gi, "$1");
}

function words(text: string, token: string, max: number): string {
  // Tabs and line breaks are kept, because the channel uses them in longer explanations.
  const plain = text.toWellFormed().replace(/[^\P{Cc}\t\n]/gu, " ");
  return cut(withoutToken(plain, token), max);
}

/** Truncates a string to `max` code points. "…" replaces the rest. */
function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  // A code point has at most two UTF-16 units, so this slice is long enough. Its last unit may be
  // an unpaired surrogate.
  const characters = Array.from(text.slice(0, 2 * max + 2));
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join("")}…`;
}

/**
 * Replaces the token in a string, and each part of the token that has at least eight characters.
 */
function withoutToken(text: string, token: string): string {
  const length = Math.min(PIECE, token.length);
  const pieces = new Set<string>();
  for (let at = 0; at + length <= token.length; at++) pieces.add(token.slice(at, at + length));
  let told = "";
  let toldUntil = 0;
  for (let at = 0; at + length <= text.length; at++) {
    if (!pieces.has(text.slice(at, at + length))) continue;
    let end = at + length;
    while (end < text.length && pieces.has(text.slice(end + 1 - length, end + 1))) end++;
    told += text.slice(toldUntil, at) + INSTEAD;
    toldUntil = end;
    at = end - 1;
  }
  return told + text.slice(toldUntil);
}
