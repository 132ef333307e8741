import type { Company, Invitation, Person } from "./person.ts";
import type { Project } from "./project.ts";
import type { Language, Section, Texts } from "./texts.ts";

/** The parts of the page that a view may use. */
export interface App {
  readonly project: Project;
  readonly person: Person;
  /** The company in the page's URL. */
  readonly company: Company;
  /** Every company of which the user is a member. */
  readonly companies: Company[];
  /** The user's invitations from other companies. */
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
  /** The filters in the page's URL, after the `?`. */
  readonly query: URLSearchParams;
  /**
   * Loads sections of the texts, now and after each change of the language.
   * @throws when offline.
   */
  speakOf(sections: readonly Section[]): Promise<void>;
  /**
   * The URL of a view of the company: `app.href("sends?outcome=failed")`. The empty path is the
   * user's first view.
   */
  href(path: string): string;
  /** Renders the page again. A view calls this after each change of what it shows. */
  render(): void;
  /**
   * Reports that an action has succeeded. The page shows this message, and screen readers read it
   * aloud.
   */
  say(message: string): void;
  /**
   * Navigates to a URL from href(). If only the filters differ, the view remains and loads again.
   * @param instead replaces the current entry in the browser's history.
   */
  go(href: string, instead?: boolean): void;
  /** Loads the view again. */
  reload(): void;
  /** Goes to a view of another company. @param path the view's path; by default the first view. */
  choose(company: Company, path?: string): void;
}

/**
 * Whether the user may manage the company's keys. The database checks this permission. The page
 * also checks it, so that it shows no button for an action that the database would refuse.
 */
export function isManager({ role }: Company): boolean {
  return role !== "agent";
}
