import type { Project } from "./project.ts";
import type { Language, Texts } from "./texts.ts";

/** The person who is signed in. */
export interface Person {
  id: string;
  email: string;
}

/** A company in which the person works. */
export interface Company {
  id: string;
  name: string;
  role: "owner" | "admin" | "agent";
}

/** What a view may use of the page around it. */
export interface App {
  readonly project: Project;
  readonly person: Person;
  /** The company that was chosen. */
  readonly company: Company;
  /** Every company in which the person works. */
  readonly companies: Company[];
  readonly language: Language;
  /** The language with its region, as the browser names it, for dates and numbers: `pt-BR`. */
  readonly locale: string;
  /** The texts in the language. */
  readonly t: Texts;
  /** Shows the page anew. Is called after each change of what a view shows. */
  render(): void;
  /** Tells that something was done: on the page, and to screen readers. */
  say(message: string): void;
  /** Goes to another view: `#/keys`. @param instead the way back leads past the view that is left. */
  go(route: string, instead?: boolean): void;
  /** Loads the view anew. */
  reload(): void;
  /** Chooses another company. */
  choose(company: Company): void;
}

/** Whether the person looks after the company's keys. The database decides it; the page only says so earlier. */
export function isManager({ role }: Company): boolean {
  return role !== "agent";
}
