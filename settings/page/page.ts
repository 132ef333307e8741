import type { Session } from "@supabase/supabase-js";
import { render } from "lit-html";
import { type App, type Company, FIRST_ROUTE, type Person } from "./app.ts";
import { openDialog } from "./dialog.ts";
import { Failure } from "./failure.ts";
import { closeMenu, frame, titled } from "./frame.ts";
import { type Link, sessionOf } from "./link.ts";
import { companiesOf, type Project, signOut } from "./project.ts";
import { viewAt } from "./routes.ts";
import { SignIn } from "./sign_in.ts";
import {
  chooseLanguage,
  keep,
  kept,
  type Language,
  loadTexts,
  localeOf,
  type Texts,
} from "./texts.ts";
import type { View } from "./view.ts";

/** Under what the browser keeps which company a person chose. */
const chosenBy = (person: Person) => `settings.company.${person.id}`;

/** Times such as "in 3 hours" are written anew this often. */
const TICK_MS = 30_000;

/** So long the page says that something was done. */
const SAID_MS = 8_000;

/** Everything that is on the page: who is signed in, for which company, and the view. */
export class Page implements App {
  person: Person = { id: "", email: "" };
  companies: Company[] = [];
  /** What the page says in one polite live region. */
  said = "";
  /** How far the view is. */
  state: "signed_out" | "loading" | "failed" | "no_company" | "loaded" = "loading";
  failure: unknown = null;
  view: View | null = null;
  readonly signIn = new SignIn();
  private chosen: Company | null = null;
  private route = "";

  constructor(
    private readonly root: HTMLElement,
    readonly project: Project,
    public language: Language,
    public t: Texts,
    private readonly link: Link,
  ) {}

  get locale(): string {
    return localeOf(this.language);
  }

  /** Without a name while none is chosen: no view is shown then but the one that chooses, and the password's. */
  get company(): Company {
    return this.chosen ?? { id: "", name: "", role: "agent" };
  }

  get hasCompany(): boolean {
    return this.chosen !== null;
  }

  /** Shows what the address asks for, and follows it and the person's session from now on. */
  async start(): Promise<void> {
    const { auth } = this.project.client;
    this.render();
    const { session, error } = await sessionOf(this.project.client, this.link);
    if (this.link.hasFailed) this.signIn.linkHasFailed();
    addEventListener("hashchange", () => this.follow());
    addEventListener("beforeunload", (event) => {
      // The browser asks, in its own words.
      if (this.view?.holds?.isThere()) event.preventDefault();
    });
    // What another window keeps; the channel between windows may lose its word.
    addEventListener("storage", () => this.enterAgain());
    addEventListener("click", closeMenu);
    addEventListener("keydown", closeMenu);
    setInterval(() => document.hidden || this.render(), TICK_MS);
    // Within this call, supabase-js answers no other.
    auth.onAuthStateChange((event) => {
      if (event !== "INITIAL_SESSION") setTimeout(() => this.enterAgain());
    });
    // Whose session is to be made anew without a network stays signed in.
    if (error) return this.fail(new Failure("offline"));
    if (session && this.link.choosesPassword) this.address("#/password");
    await this.enter(session);
  }

  /**
   * Shows the page to whoever is signed in now. The session of an event may be older than what the browser keeps: another
   * window may have signed somebody else in meanwhile.
   */
  private async enterAgain(): Promise<void> {
    const { data: { session }, error } = await this.project.client.auth.getSession();
    if (!error) await this.enter(session);
  }

  /** Shows the page to the person of a session; null: to nobody. */
  private async enter(session: Session | null): Promise<void> {
    if (!session) {
      if (this.state !== "signed_out") this.signIn.begin(this.person.id !== "");
      this.person = { id: "", email: "" };
      this.companies = [];
      this.chosen = this.view = null;
      this.state = "signed_out";
      return this.render();
    }
    // Sessions are made anew every hour, and told in every window.
    if (session.user.id === this.person.id) return;
    this.person = { id: session.user.id, email: session.user.email ?? "" };
    // Of whoever was here before, nothing stays: somebody else may have signed in in another window.
    this.companies = [];
    this.chosen = this.view = null;
    await this.loadCompanies();
  }

  private async loadCompanies(): Promise<void> {
    const { id } = this.person;
    const mayShow = await this.attempt(async () => {
      const companies = await companiesOf(this.project, this.person);
      if (this.person.id === id) this.companies = companies;
    });
    if (!mayShow || this.person.id !== id) return;
    const remembered = kept(chosenBy(this.person));
    this.chosen = this.companies.length === 1
      ? this.companies[0]
      : this.companies.find((company) => company.id === remembered) ?? null;
    if (this.companies.length === 0 && location.hash !== "#/password") {
      this.state = "no_company";
      return this.render();
    }
    this.follow();
  }

  /** Shows the view of the address, unless the one that is shown keeps the person. */
  private follow(): void {
    if (this.state === "signed_out") return;
    const wanted = location.hash;
    if (wanted === this.route && this.view) return;
    const leave = () => {
      this.view = null;
      this.address(wanted);
      this.follow();
    };
    if (this.view?.holds?.isThere()) {
      this.address(this.route);
      return this.view.holds.ask(this, leave);
    }
    if (this.companies.length === 0 && wanted !== "#/password") {
      this.view = null;
      this.state = "no_company";
      return this.render();
    }
    const needsCompany = !this.chosen && wanted !== "#/password";
    const asked = needsCompany ? null : viewAt(wanted);
    const route = asked ? wanted : needsCompany ? "#/companies" : FIRST_ROUTE;
    if (route !== wanted) history.replaceState(null, "", route);
    this.said = "";
    document.querySelector<HTMLDetailsElement>(".person")?.removeAttribute("open");
    this.route = route;
    this.view = asked ?? viewAt(route);
    this.reload();
  }

  reload(): void {
    const { view } = this;
    if (!this.person.id) return location.reload();
    if (!view) return void this.loadCompanies();
    this.attempt(() => view.load(this), view).then((isShown) => {
      if (isShown) this.focusHeading();
    });
  }

  /** Loads something, and shows how that goes. @returns whether it is what the page now shows. */
  private async attempt(work: () => Promise<void>, view: View | null = null): Promise<boolean> {
    this.state = "loading";
    this.failure = null;
    this.render();
    try {
      await work();
      if (this.view !== view) return false;
      this.state = "loaded";
      this.render();
      return true;
    } catch (error) {
      if (this.view !== view) return false;
      this.fail(error);
      if (error instanceof Failure && error.kind === "signed_out") await this.end();
      return false;
    }
  }

  private fail(error: unknown): void {
    this.failure = error;
    this.state = "failed";
    this.render();
  }

  /** Signs the person out, unless the view has something to lose and they stay. */
  signOut(): void {
    const leave = () => void signOut(this.project);
    if (this.view?.holds?.isThere()) this.view.holds.ask(this, leave);
    else leave();
  }

  /** Ends a session that the project does not accept. */
  private async end(): Promise<void> {
    await this.project.client.auth.signOut({ scope: "local" });
  }

  /** Where a person reads on, and what a screen reader reads first. */
  private focusHeading(): void {
    if (!document.querySelector("dialog[open]")) this.root.querySelector("h1")?.focus();
  }

  /** Puts an address into the bar, and loads nothing. */
  address(route: string): void {
    history.pushState(null, "", route || location.pathname);
  }

  go(route: string, instead = false): void {
    if (location.hash !== route) {
      if (instead) history.replaceState(null, "", route);
      else history.pushState(null, "", route);
    }
    this.follow();
  }

  say(message: string): void {
    this.said = message;
    this.render();
    setTimeout(() => {
      if (this.said !== message) return;
      this.said = "";
      this.render();
    }, SAID_MS);
  }

  choose(company: Company): void {
    keep(chosenBy(this.person), company.id);
    this.chosen = company;
    this.view = null;
    this.go(FIRST_ROUTE);
  }

  /** Speaks another language from now on. What a form has stays in it. */
  async speak(language: Language): Promise<void> {
    try {
      this.t = await loadTexts(language);
      this.language = language;
      chooseLanguage(language);
      this.render();
    } catch {
      this.say(this.t.failure.offline);
    }
  }

  render(): void {
    document.documentElement.lang = this.locale;
    document.title = titled(this);
    render(frame(this), this.root);
    openDialog(this.root);
  }
}
