import { cleanObject } from "./clean.ts";
import type { Item, ItemPlace, TemplateHint } from "./item.ts";
import { list, type Loose, member, objectIn, textIn, timeIn } from "./loose.ts";
import { unknown } from "./unknown.ts";

/**
 * The fields of an event that are about a template, and the kind of change that each field reports.
 */
const TEMPLATE_EVENTS = new Map<string, TemplateHint["event"]>([
  ["message_template_status_update", "status"],
  ["message_template_quality_update", "quality"],
  ["template_category_update", "category"],
  ["message_template_components_update", "components"],
]);

/** The fields of an event that are about a business account or one of its numbers. */
const ACCOUNT_FIELDS = new Set([
  "account_alerts",
  "account_review_update",
  "account_settings_update",
  "account_update",
  "business_capability_update",
  "business_status_update",
  "phone_number_name_update",
  "phone_number_quality_update",
  "security",
]);

/** After these events, the channel accepts no messages from the account, or only some. */
const STOPPING = ["DISABLED_UPDATE", "ACCOUNT_RESTRICTION", "ACCOUNT_DELETED"];

/**
 * The format of the channel's constants, such as `ACCOUNT_DELETED`. A value with another format is
 * not used, because the database could not store it.
 */
const WORD = /^[A-Za-z0-9_.-]+$/;

/**
 * Reads a change that is about a template or an account. Returns null when the field is unknown.
 * The time of such a change comes from the entry that contains the change.
 */
export function readBusinessNotice(field: string, value: Loose, place: ItemPlace): Item | null {
  const event = TEMPLATE_EVENTS.get(field);
  if (event) return templateHint(event, field, value, place);
  return ACCOUNT_FIELDS.has(field) ? accountNotice(field, value, place) : null;
}

function templateHint(
  event: TemplateHint["event"],
  field: string,
  value: Loose,
  place: ItemPlace,
): Item {
  const name = textIn(value, "message_template_name", 512);
  if (name === null) return unknown(place, field);
  const language = textIn(value, "message_template_language", 32)?.replaceAll("-", "_") ?? null;
  return { kind: "template", ...place, event, name, language, value: cleanObject(value) };
}

function accountNotice(field: string, value: Loose, place: ItemPlace): Item {
  const told = textIn(value, "event", 64);
  const event = told !== null && WORD.test(told) ? told : field.toUpperCase();
  const isLifted = member(objectIn(value, "ban_info"), "waba_ban_state") === "REINSTATE";
  const ends = list(member(value, "restriction_info"))
    .map((restriction) => timeIn(restriction, "expiration"))
    .filter((time) => time !== null).sort();
  return {
    kind: "account",
    ...place,
    event,
    value: cleanObject(value),
    stops_sending: STOPPING.includes(event) && !isLifted,
    until: ends.at(-1) ?? null,
  };
}
