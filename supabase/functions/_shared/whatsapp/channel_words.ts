import type { ChannelError, SendOutcome } from "./outcome.ts";

// What the channel says goes on to callers, to the log and to the database. So it is made short and readable
// here, and whatever it quotes of the account's access token is taken out.

const MAX_TEXT = 1000;
const MAX_TRACE_ID = 128;
const MAX_CAUSE = 500;

/** Longer pieces of a token are taken out. Eight characters help nobody to guess the hundreds of a token. */
const PIECE = 8;

const INSTEAD = "[access token]";

/**
 * The same outcome in words that may be passed on: no text is longer than 1,000 characters, none has control
 * characters or half a surrogate pair, and none quotes the access token. A message id that quotes the token
 * is no id, so that the outcome is unknown.
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

/** The same error of the channel in words that may be passed on; see passedOn(). */
export function errorInWords<Error extends ChannelError>(channel: Error, token: string): Error {
  const { message, details, traceId } = channel;
  return {
    ...channel,
    message: words(message, token, MAX_TEXT),
    details: details && words(details, token, MAX_TEXT),
    traceId: traceId && words(traceId, token, MAX_TRACE_ID),
  };
}

/** An obstacle in words that may be passed on: at most 500 characters; see passedOn(). */
export function causeInWords(cause: string, token: string): string {
  return words(cause, token, MAX_CAUSE);
}

/** Whether a text quotes the token, or eight characters of it. */
export function quotesToken(text: string, token: string): boolean {
  return withoutToken(text, token) !== text;
}

/** A text whose addresses have lost what follows a "?" or "#": signatures and tokens stand there. */
export function withoutQueries(text: string): string {
  return text.replace(/(https?:\/\/[^\s?#"'<>]*)[?#][^\s"'<>]*/gi, "$1");
}

function words(text: string, token: string, max: number): string {
  // Tabs and line breaks stay, because the channel lays out longer explanations with them.
  const plain = text.toWellFormed().replace(/[^\P{Cc}\t\n]/gu, " ");
  return cut(withoutToken(plain, token), max);
}

/** At most so many characters, counted in code points as everywhere; "…" as the last one stands for the rest. */
function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  // A code point takes at most two units, and the last one here may be half of a pair.
  const characters = Array.from(text.slice(0, 2 * max + 2));
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join("")}…`;
}

/** A text in which a word stands for each quotation of the token: the whole of it, or a piece of eight characters. */
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
