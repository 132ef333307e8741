import type { Session } from "@supabase/supabase-js";
import { render } from "lit-html";
import { FIRST_ROUTE } from "./app.ts";
import { openDialog } from "./dialog.ts";
import { Failure } from "./failure.ts";
import { closeMenu, frame, type PageState, type Shown, titled } from "./frame.ts";
import { authFailure } from "./auth_failure.ts";
import { type Arrival, arrivalOf, isOffline, type Link } from "./link.ts";
import { LinkQuestion } from "./link_question.ts";
import type { Company, Person } from "./person.ts";
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

/** The browser stores the company that a person chose under this name. */
const chosenBy = (person: Person) => `settings.company.${person.id}`;

/** Times such as "in 3 hours" are updated this often. */
const TICK_MS = 30_000;

/** How long the page shows that an action has succeeded. */
const SAID_MS = 8_000;

/** The state of the page: who is signed in, for which company, and the view. */
export class Page implements Shown {
  person: Person = { id: "", email: "" };
  companies: Company[] = [];
  said = "";
  state: PageState = "loading";
  failure: unknown = null;
  view: View | null = null;
  readonly signIn = new SignIn();
  question: LinkQuestion | null = null;
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

  /**
   * The company without a name means that no company is chosen. Then only two views are shown: the
   * one that chooses a company, and the one that chooses a password.
   */
  get company(): Company {
    return this.chosen ?? { id: "", name: "", role: "agent" };
  }

  get hasCompany(): boolean {
    return this.chosen !== null;
  }

  /**
   * Shows the view of the address. From then on, the page follows the address and the person's
   * session.
   */
  async start(): Promise<void> {
    const { auth } = this.project.client;
    this.render();
    const arrival = await arrivalOf(this.project, this.link);
    const { data: { session }, error } = await auth.getSession();
    addEventListener("hashchange", () => this.follow());
    addEventListener("beforeunload", (event) => {
      // The browser then asks whether to leave, in its own words.
      if (this.view?.holds?.isThere()) event.preventDefault();
    });
    // The browser reports here that another window has changed the session. The channel of
    // supabase-js between windows may lose a message.
    addEventListener("storage", () => this.enterAgain());
    addEventListener("click", closeMenu);
    addEventListener("keydown", closeMenu);
    setInterval(() => document.hidden || this.render(), TICK_MS);
    // supabase-js answers no other call during this callback, so the work is done after it.
    auth.onAuthStateChange((event) => {
      if (event !== "INITIAL_SESSION") setTimeout(() => this.enterAgain());
    });
    // If the session cannot be renewed because there is no network, the person stays signed in.
    if (arrival === "offline" || isOffline(error)) return this.fail(new Failure("offline"));
    if (typeof arrival === "string") this.signIn.linkHasFailed(arrival);
    else if (arrival) return await this.receive(arrival, session);
    await this.enter(session);
  }

  /**
   * Signs in the person who opened a link. The person is asked first, unless this browser requested
   * the link and no one else is signed in.
   */
  private async receive(arrival: Arrival, present: Session | null): Promise<void> {
    const isSame = present?.user.id === arrival.session.user.id;
    if (isSame || (arrival.isAskedFor && !present)) {
      return await this.accept(arrival).catch((error) => this.fail(error));
    }
    const { email, id } = present?.user ?? {};
    this.question = new LinkQuestion(arrival, email ?? id ?? null);
    this.state = "asking";
    this.render();
    this.focusHeading();
  }

  /**
   * Signs in the person who opened the link.
   * @throws Failure
   */
  async accept(
    { session: { access_token, refresh_token }, choosesPassword }: Arrival,
  ): Promise<void> {
    const { auth } = this.project.client;
    // The address is set first, because supabase-js reports the session before it answers.
    if (choosesPassword) this.address("#/password");
    const { data: { session }, error } = await auth.setSession({ access_token, refresh_token });
    if (error) throw authFailure(error);
    this.question = null;
    await this.enter(session);
  }

  /**
   * Ends the session of the person who opened the link. The person who was signed in before stays
   * signed in.
   */
  async decline(): Promise<void> {
    void this.project.links.auth.signOut({ scope: "local" });
    this.question = null;
    const { data: { session }, error } = await this.project.client.auth.getSession();
    if (isOffline(error)) return this.fail(new Failure("offline"));
    await this.enter(session);
  }

  /**
   * Shows the page to the person who is currently signed in. The session of an event is not used:
   * another person may have signed in by then, in another window.
   */
  private async enterAgain(): Promise<void> {
    // The person has not answered the question about the link yet.
    if (this.question) return;
    const { data: { session }, error } = await this.project.client.auth.getSession();
    if (!error) await this.enter(session);
  }

  /** Shows the page to the person of a session. Null means that no one is signed in. */
  private async enter(session: Session | null): Promise<void> {
    if (!session) {
      if (this.state !== "signed_out") this.signIn.begin(this.person.id !== "");
      this.person = { id: "", email: "" };
      this.companies = [];
      this.chosen = this.view = null;
      this.state = "signed_out";
      return this.render();
    }
    // Sessions are renewed every hour, and every window gets that event.
    if (session.user.id === this.person.id) return;
    this.person = { id: session.user.id, email: session.user.email ?? "" };
    // Everything about the previous person is removed, because another person may have signed in in
    // another window.
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

  /**
   * Shows the view of the address. If the current view has something to lose, it asks the person
   * first.
   */
  private follow(): void {
    if (this.state === "signed_out" || this.question) return;
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

  /** Loads content, and shows the progress. @returns whether the page still shows that content. */
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

  /** Signs the person out. If the view has something to lose, it asks first. */
  signOut(): void {
    const leave = () => void signOut(this.project);
    if (this.view?.holds?.isThere()) this.view.holds.ask(this, leave);
    else leave();
  }

  /** Ends a session that the project does not accept. */
  private async end(): Promise<void> {
    await this.project.client.auth.signOut({ scope: "local" });
  }

  /**
   * Moves the focus to the heading, where a person continues to read and a screen reader begins.
   */
  private focusHeading(): void {
    if (!document.querySelector("dialog[open]")) this.root.querySelector("h1")?.focus();
  }

  /** Puts an address into the browser's address bar, without loading it. */
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

  /** Switches to another language. The content of a form is kept. */
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
