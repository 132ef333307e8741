// The problems of keys that the list of keys reports.
import { html, nothing, type TemplateResult } from "lit-html";
import type { App } from "../app.ts";
import { answered } from "../failure.ts";
import { figuresIn } from "../activity/figures.ts";
import { fromNow } from "../moments.ts";
import { badge, type Tone } from "../pieces/badge.ts";
import { type ApiKey, stateOf } from "./api_key.ts";

/** The number of requests made with a key in the last HOURS hours, and how many of them failed. */
export interface Answers {
  key_id: string;
  requests: number;
  refused: number;
}

/** The alarm `onlyErrors` considers the requests of this many hours. */
const HOURS = 72;
const DAY_MS = 86_400_000;
/** A key that expires within this time gets an alarm. */
const SOON_MS = 14 * DAY_MS;
/** A key that is older than this and was never used gets an alarm. */
const YOUNG_MS = DAY_MS;

/**
 * The number of requests made with each key in the last HOURS hours, and how many of them failed.
 */
export async function answersOf({ project, company }: App): Promise<Answers[]> {
  const asked = { company_id: company.id, hours: HOURS };
  return await answered(project.client.rpc("answers_of_api_keys", asked));
}

/** The reasons for an alarm, the most urgent first. */
export type Alarm = "onlyErrors" | "expiresSoon" | "neverUsed";

/**
 * The problem with a key; null when there is none. A key that was replaced or that does not work
 * now needs no alarm.
 */
export function alarmOf(
  key: ApiKey,
  successor: ApiKey | undefined,
  answers: Answers | undefined,
  now = Date.now(),
): Alarm | null {
  if (successor || stateOf(key, now) !== "active") return null;
  if (answers && answers.requests > 0 && answers.refused === answers.requests) return "onlyErrors";
  if (key.expires_at && Date.parse(key.expires_at) - now < SOON_MS) return "expiresSoon";
  if (!key.last_used_at && now - Date.parse(key.created_at) > YOUNG_MS) return "neverUsed";
  return null;
}

const TONES: Record<Alarm, Tone> = { onlyErrors: "bad", expiresSoon: "warn", neverUsed: "quiet" };

/** An alarm as a badge. */
export function alarmBadge(alarm: Alarm, key: ApiKey, { t, locale }: App): TemplateResult {
  const words = alarm === "expiresSoon"
    ? t.alarms.expiresSoon.badge(fromNow(key.expires_at!, locale))
    : t.alarms[alarm].badge;
  return badge(words, TONES[alarm]);
}

/** A sentence that says what to do about an alarm. */
export function alarmText(alarm: Alarm | null, answers: Answers | undefined, app: App) {
  if (!alarm) return nothing;
  const { alarms: t } = app.t;
  const text = alarm === "onlyErrors"
    ? t.onlyErrors.todo(answers!.requests, figuresIn(app.locale).whole(answers!.requests))
    : t[alarm].todo;
  return html`<p class="todo">${text}</p>`;
}
