import type { Company, Person } from "./person.ts";
import type { Project } from "./project.ts";
import type { Language, Texts } from "./texts.ts";

/** The view that a person sees first. */
export const FIRST_ROUTE = "#/keys";

/** The parts of the page that a view may use. */
export interface App {
  readonly project: Project;
  readonly person: Person;
  /** The chosen company. */
  readonly company: Company;
  /** Every company where the person works. */
  readonly companies: Company[];
  readonly language: Language;
  /**
   * The language with its region, as the browser names it: `pt-BR`. Dates and numbers are written
   * in this language.
   */
  readonly locale: string;
  /** The texts in the language. */
  readonly t: Texts;
  /** Renders the page again. It is called after each change of what a view shows. */
  render(): void;
  /** Says that an action has succeeded. The page shows it, and screen readers read it. */
  say(message: string): void;
  /**
   * Goes to another view: `#/keys`. @param instead replaces the current view in the browser's
   * history.
   */
  go(route: string, instead?: boolean): void;
  /** Loads the view again. */
  reload(): void;
  /** Chooses another company. */
  choose(company: Company): void;
}

/**
 * Whether the person manages the company's keys. The database decides this too; the page only shows
 * it earlier.
 */
export function isManager({ role }: Company): boolean {
  return role !== "agent";
}
