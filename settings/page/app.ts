import type { Company, Invitation, Person } from "./person.ts";
import type { Project } from "./project.ts";
import type { Language, Section, Texts } from "./texts.ts";

/** The parts of the page that a view may use. */
export interface App {
  readonly project: Project;
  readonly person: Person;
  /** The company in the address. */
  readonly company: Company;
  /** Every company where the person works. */
  readonly companies: Company[];
  /** The invitations of other companies to the person. */
  invitations: Invitation[];
  readonly language: Language;
  /**
   * The language with its region, as the browser names it: `pt-BR`. Dates and numbers are written
   * in this language.
   */
  readonly locale: string;
  /**
   * The texts in the current language: those of the first view, and the sections that are loaded.
   */
  readonly t: Texts;
  /** The filters in the address, which come after its `?`. */
  readonly query: URLSearchParams;
  /**
   * Loads sections of the texts, now and after each change of the language.
   * @throws when offline.
   */
  speakOf(sections: readonly Section[]): Promise<void>;
  /**
   * The address of a view of the company: `app.href("sends?outcome=failed")`. The empty path is the
   * person's first view.
   */
  href(path: string): string;
  /** Renders the page again. It is called after each change of what a view shows. */
  render(): void;
  /**
   * Reports that an action has succeeded. The page shows this message, and screen readers read it
   * aloud.
   */
  say(message: string): void;
  /**
   * Goes to an address of href(). If only its filters differ, the view stays and loads again.
   * @param instead replaces the current address in the browser's history.
   */
  go(href: string, instead?: boolean): void;
  /** Loads the view again. */
  reload(): void;
  /** Goes to a view of another company. @param path of the view; by default the first view. */
  choose(company: Company, path?: string): void;
}

/**
 * Whether the person manages the company's keys. The database checks this too; the page only shows
 * the result earlier.
 */
export function isManager({ role }: Company): boolean {
  return role !== "agent";
}
