import type { AccountsTexts } from "./texts/en/accounts.ts";
import type { ActivityTexts } from "./texts/en/activity.ts";
import type { HandOverTexts } from "./texts/en/hand_over.ts";
import type { BannerTexts } from "./texts/en/banner.ts";
import type { HistoryTexts } from "./texts/en/history.ts";
import type { OptOutsTexts } from "./texts/en/opt_outs.ts";
import type { SendTexts } from "./texts/en/send.ts";
import type { SendsTexts } from "./texts/en/sends.ts";
import type { RequestsTexts } from "./texts/en/requests.ts";
import type { MembersTexts } from "./texts/en/members.ts";
import type { SecurityTexts } from "./texts/en/security.ts";
import type { TemplatesTexts } from "./texts/en/templates.ts";
import type { DeliveriesTexts } from "./texts/en/deliveries.ts";
import type { WebhookFormTexts } from "./texts/en/webhook_form.ts";
import type { WebhookTexts } from "./texts/en/webhook.ts";
import type { WebhooksTexts } from "./texts/en/webhooks.ts";
import type { UsualTexts } from "./texts/en.ts";

/**
 * The texts that are loaded with the view that needs them. English defines which texts exist, and
 * the other languages have the same texts. A new section needs a line here and a line in FILES.
 */
export interface Sections {
  accounts: AccountsTexts;
  activity: ActivityTexts;
  handOver: HandOverTexts;
  banner: BannerTexts;
  history: HistoryTexts;
  optOuts: OptOutsTexts;
  send: SendTexts;
  sends: SendsTexts;
  requests: RequestsTexts;
  members: MembersTexts;
  security: SecurityTexts;
  templates: TemplatesTexts;
  deliveries: DeliveriesTexts;
  webhook: WebhookTexts;
  webhookForm: WebhookFormTexts;
  webhooks: WebhooksTexts;
}

/** The files of the sections. */
const FILES: { [Name in Section]: (language: Language) => Promise<Pick<Sections, Name>> } = {
  accounts: (language) => import(`./texts/${language}/accounts.ts`),
  activity: (language) => import(`./texts/${language}/activity.ts`),
  handOver: (language) => import(`./texts/${language}/hand_over.ts`),
  banner: (language) => import(`./texts/${language}/banner.ts`),
  history: (language) => import(`./texts/${language}/history.ts`),
  optOuts: (language) => import(`./texts/${language}/opt_outs.ts`),
  send: (language) => import(`./texts/${language}/send.ts`),
  sends: (language) => import(`./texts/${language}/sends.ts`),
  requests: (language) => import(`./texts/${language}/requests.ts`),
  members: (language) => import(`./texts/${language}/members.ts`),
  security: (language) => import(`./texts/${language}/security.ts`),
  templates: (language) => import(`./texts/${language}/templates.ts`),
  deliveries: (language) => import(`./texts/${language}/deliveries.ts`),
  webhookForm: (language) => import(`./texts/${language}/webhook_form.ts`),
  webhook: (language) => import(`./texts/${language}/webhook.ts`),
  webhooks: (language) => import(`./texts/${language}/webhooks.ts`),
};

export type Section = keyof Sections;

/**
 * All texts of the page. A section is missing until a view that needs it is loaded; see later().
 */
export type Texts = UsualTexts & Sections;

/** The languages, with the name that each language has for itself. */
export const LANGUAGES = { en: "English", es: "Español", pt: "Português" };
export type Language = keyof typeof LANGUAGES;

const CHOICE = "settings.language";

/** Loads the usual texts and these sections in one language. No other language is loaded. */
export async function loadTexts(
  language: Language,
  sections: Iterable<Section> = [],
): Promise<Texts> {
  const [usual, ...loaded] = await Promise.all([
    usualTexts(language),
    ...Array.from(sections, (name) => FILES[name](language)),
  ]);
  return Object.assign({}, usual, ...loaded);
}

async function usualTexts(language: Language): Promise<UsualTexts> {
  if (language === "pt") return (await import("./texts/pt.ts")).pt;
  if (language === "es") return (await import("./texts/es.ts")).es;
  return (await import("./texts/en.ts")).en;
}

/**
 * The language that the person chose earlier. If there is none, the first of the browser's
 * languages that the page has, or English.
 */
export function usualLanguage(): Language {
  const wanted = [kept(CHOICE) ?? "", ...navigator.languages];
  return wanted.map((tag) => tag.slice(0, 2).toLowerCase()).find(isLanguage) ?? "en";
}

/** The language with its region, if the browser names one: `pt-BR`. */
export function localeOf(language: Language): string {
  return navigator.languages.find((tag) => tag.toLowerCase().startsWith(language)) ?? language;
}

/** Remembers the chosen language. */
export function chooseLanguage(language: Language) {
  keep(CHOICE, language);
}

function isLanguage(text: string): text is Language {
  return Object.hasOwn(LANGUAGES, text);
}

/** The value that the browser has stored under a name; null when it has stored none. */
export function kept(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null; // the user has disabled storage
  }
}

/** Stores a value under a name in the browser, if the browser allows it. */
export function keep(name: string, value: string) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // Nothing is stored. At the next visit, the page asks again or uses its default.
  }
}
