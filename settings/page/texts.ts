import type { Texts } from "./texts/en.ts";

export type { Texts };

/** The languages, with the name that each language has for itself. */
export const LANGUAGES = { en: "English", es: "Español", pt: "Português" };
export type Language = keyof typeof LANGUAGES;

const CHOICE = "settings.language";

/** Loads the texts of one language. No other language is loaded. */
export async function loadTexts(language: Language): Promise<Texts> {
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
    return null; // the person has forbidden storing
  }
}

/** Lets the browser store a value under a name, if it may. */
export function keep(name: string, value: string) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // The person can choose it again at the next visit.
  }
}
