import type { Texts } from "./texts/en.ts";

export type { Texts };

/** The languages, each by its own name. */
export const LANGUAGES = { en: "English", es: "Español", pt: "Português" };
export type Language = keyof typeof LANGUAGES;

const CHOICE = "settings.language";

/** Loads the texts of one language. The page loads no other. */
export async function loadTexts(language: Language): Promise<Texts> {
  if (language === "pt") return (await import("./texts/pt.ts")).pt;
  if (language === "es") return (await import("./texts/es.ts")).es;
  return (await import("./texts/en.ts")).en;
}

/** The language that the person chose before, else the first one of the browser's that there is, else English. */
export function usualLanguage(): Language {
  const wanted = [kept(CHOICE) ?? "", ...navigator.languages];
  return wanted.map((tag) => tag.slice(0, 2).toLowerCase()).find(isLanguage) ?? "en";
}

/** The language with its region, if the browser names one: `pt-BR`. */
export function localeOf(language: Language): string {
  return navigator.languages.find((tag) => tag.toLowerCase().startsWith(language)) ?? language;
}

/** Remembers a choice of the language. */
export function chooseLanguage(language: Language) {
  keep(CHOICE, language);
}

function isLanguage(text: string): text is Language {
  return Object.hasOwn(LANGUAGES, text);
}

/** What the browser keeps under a name; null where it keeps nothing. */
export function kept(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null; // the person has forbidden it
  }
}

/** Has the browser keep something under a name, if it may. */
export function keep(name: string, value: string) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // It is chosen again at the next visit.
  }
}
