import { render } from "lit-html";
import { addressOf, hashOf } from "./address.ts";
import { chooseCompany, locked, nothingHere } from "./choose_company.ts";
import { closeDialog, openDialog } from "./dialog.ts";
import { closeMenu, frame, type PageState, type Shown, titled } from "./frame.ts";
import type { Arrival, Link } from "./link.ts";
import type { LinkQuestion } from "./link_question.ts";
import type { Company, Invitation, Person } from "./person.ts";
import { companiesOf, invitationsTo, keptCompanies, type Project, signOut } from "./project.ts";
import { BANNER, firstPath, viewAt, viewOfPerson } from "./routes.ts";
import { type Audience, SignedIn } from "./session.ts";
import type { SignIn } from "./sign_in.ts";
import { Speech } from "./speech.ts";
import { keep, kept, type Language, localeOf, type Section, type Texts } from "./texts.ts";
import { Trail } from "./trail.ts";
import type { Part, View } from "./view.ts";

/** The name under which the browser stores the company that a user saw last. */
const chosenBy = (person: Person) => `settings.company.${person.id}`;

/** Times such as "in 3 hours" are updated this often. */
const TICK_MS = 30_000;

/** How long the page shows that an action has succeeded. */
const SAID_MS = 8_000;

/** The page. It shows the signed-in user the company and the view that the URL names. */
export class Page implements Shown, Audience {
  companies: Company[] = [];
  invitations: Invitation[] = [];
  said = "";
  state: PageState = "loading";
  failure: unknown = null;
  view: View | null = null;
  query = new URLSearchParams();
  isMenuOpen = false;
  banner: Part | null = null;
  private chosen: Company | null = null;
  /** The current URL's fragment, and the part of the fragment that selects the view. */
  private hash = "";
  private place = "";
  /** The company ids that were in a URL, but not in the list of the user's companies. */
  private readonly missed = new Set<string>();
  private readonly speech: Speech;
  private readonly trail = new Trail();
  private readonly session: SignedIn;

  constructor(
    private readonly root: HTMLElement,
    readonly project: Project,
    language: Language,
    t: Texts,
    link: Link,
  ) {
    this.speech = new Speech(language, t);
    this.session = new SignedIn(project, link, this.trail, this);
    root.replaceChildren();
  }

  /** An empty id and name mean that no company is chosen. */
  get company(): Company {
    return this.chosen ?? { id: "", name: "", role: "agent" };
  }

  get hasCompany(): boolean {
    return this.chosen !== null;
  }

  href(path: string): string {
    return hashOf(this.chosen?.id ?? null, path);
  }

  /**
   * Shows the view in the URL. From then on, the page follows the URL and the user's session.
   */
  async start(): Promise<void> {
    this.render();
    addEventListener("hashchange", () => this.follow());
    addEventListener("beforeunload", (event) => {
      // The browser then asks with its own message whether to leave.
      if (this.view?.holds?.isThere()) event.preventDefault();
    });
    addEventListener("click", (event) => closeMenu(event, this));
    addEventListener("keydown", (event) => closeMenu(event, this));
    setInterval(() => document.hidden || this.render(), TICK_MS);
    await this.session.start();
  }

  get person(): Person {
    return this.session.person;
  }

  get signIn(): SignIn {
    return this.session.signIn;
  }

  get hasExpired(): boolean {
    return this.session.hasExpired;
  }

  get question(): LinkQuestion | null {
    return this.session.question;
  }

  accept(arrival: Arrival): Promise<void> {
    return this.session.accept(arrival);
  }

  decline(): Promise<void> {
    return this.session.decline();
  }

  leave(): void {
    this.session.leave();
  }

  isShowing(): boolean {
    return this.state === "loaded";
  }

  isSignedOut(): boolean {
    return this.state === "signed_out";
  }

  async hasCome(): Promise<void> {
    this.forget();
    await this.recallCompanies();
  }

  isBack(): void {
    closeDialog();
    this.render();
    if (this.state === "failed") this.reload();
  }

  hasOtherRights(): Promise<void> {
    return this.readCompanies();
  }

  isGone(): void {
    this.forget();
    this.state = "signed_out";
    this.render();
  }

  isAsked(): void {
    this.state = "asking";
    this.render();
    this.focusHeading();
  }

  private forget(): void {
    this.companies = [];
    this.invitations = [];
    this.chosen = this.view = this.banner = null;
    this.missed.clear();
  }

  /**
   * Reads the user's companies. Waits for the invitations only if the user has no company, because
   * each response takes half a second on a slow connection.
   * @throws Failure
   */
  private async readCompanies(): Promise<void> {
    const { person, project } = this;
    const invited = invitationsTo(project).then((invitations) => {
      if (this.person !== person) return;
      this.invitations = invitations;
      if (invitations.length > 0) this.render();
    });
    // A user who has a company sees the company even if the invitations cannot be read. The next
    // visit reads the invitations again.
    invited.catch(() => {});
    const companies = await companiesOf(project, person, this.session.hasCode);
    if (companies.length === 0) await invited;
    if (this.person !== person) return;
    this.companies = companies;
    this.chosen = companies.find(({ id }) => id === this.chosen?.id) ?? null;
  }

  private async loadCompanies(): Promise<void> {
    const { person } = this;
    const mayShow = await this.attempt(() => this.readCompanies());
    if (!mayShow || this.person !== person) return;
    // A message such as "You now work in …" is still shown above the first view of the new company.
    const { said } = this;
    this.follow();
    this.said = said;
    this.render();
  }

  /**
   * Shows the view with the companies of the last visit, so that the user does not wait. Meanwhile,
   * reads the companies again.
   */
  private async recallCompanies(): Promise<void> {
    const { person } = this;
    const known = keptCompanies(person);
    if (known.length === 0) return await this.loadCompanies();
    this.companies = known;
    this.state = "loading";
    this.follow();
    const { rights } = this;
    // If this read fails, a request of the view fails too and reports the failure.
    await this.readCompanies().catch(() => {});
    if (this.person !== person) return;
    if (this.rights === rights || this.view?.holds?.isThere()) return this.render();
    this.view = null;
    this.follow();
  }

  /** The user's rights in the company, in a form that can be compared. */
  private get rights(): string {
    return JSON.stringify([this.chosen?.role, this.chosen?.isLocked]);
  }

  /**
   * Shows the view in the URL. If the current view has unsaved data, that view asks the user first.
   */
  private follow(): void {
    const { hash } = location;
    if (this.trail.isReturning) {
      this.trail.isReturning = hash !== this.hash;
      return;
    }
    if (this.state === "signed_out" || this.question) return;
    if (hash === this.hash && this.view) return this.trail.arrive();
    if (this.hasExpired) return this.leave();
    if (this.view?.holds?.isThere()) {
      const repeat = this.trail.undo(this.hash);
      return this.view.holds.ask(this, () => {
        this.view = null;
        repeat();
      });
    }
    this.trail.arrive();
    this.isMenuOpen = false;
    const { company, path, query } = addressOf(hash);
    const ofPerson = company === null ? viewOfPerson(path) : null;
    const mayBeNew = company !== null && !this.missed.has(company);
    if (this.companies.length === 0 && !ofPerson && !mayBeNew) {
      if (this.invitations.length > 0) return this.go("#/invitations", true);
      this.view = null;
      this.state = "no_company";
      return this.render();
    }
    if (!ofPerson || !this.chosen) this.enterCompany(company);
    if (ofPerson) return this.show(ofPerson, hash, hash);
    // The user may have been added to the company since the list was read.
    if (mayBeNew && !this.chosen) {
      this.missed.add(company);
      this.view = null;
      return void this.loadCompanies();
    }
    if (!this.chosen) {
      const why = company === null ? "several" : "foreign";
      return this.show(chooseCompany(why, company === null ? path : ""), hash, hash);
    }
    const whole = path === "" ? firstPath(this.chosen) : path;
    const filters = query.size === 0 ? "" : `?${query}`;
    const shown = this.href(whole + filters);
    if (shown !== hash) this.trail.replace(shown);
    const isSame = this.view !== null && this.place === this.href(whole);
    this.query = query;
    if (!isSame || this.chosen.isLocked) {
      const view = this.chosen.isLocked ? locked() : viewAt(whole) ?? nothingHere();
      return this.show(view, shown, this.href(whole));
    }
    this.hash = shown;
    this.refine(this.view!);
  }

  /**
   * Selects the company in the URL. If the URL contains no company, selects the user's only
   * company, or the company that was shown last.
   */
  private enterCompany(id: string | null): void {
    const wanted = id ??
      (this.companies.length === 1 ? this.companies[0].id : kept(chosenBy(this.person)));
    const found = this.companies.find((company) => company.id === wanted) ?? null;
    if (found?.id !== this.chosen?.id) this.banner = null;
    this.chosen = found;
    if (found) keep(chosenBy(this.person), found.id);
  }

  private show(view: View, hash: string, place: string): void {
    this.said = "";
    document.querySelector<HTMLDetailsElement>(".person")?.removeAttribute("open");
    this.hash = hash;
    this.place = place;
    this.view = view;
    scrollTo(0, 0);
    this.load(view);
  }

  reload(): void {
    const { view } = this;
    if (!this.person.id) return location.reload();
    if (!view) return void this.loadCompanies();
    if (this.state === "loaded") return void this.refresh(view);
    if (this.state === "failed") return void this.retry(view);
    this.load(view);
  }

  /**
   * Loads a view again after it failed. First reads the user's companies, because a change of the
   * user's rights may be the reason for the failure.
   */
  private async retry(view: View): Promise<void> {
    const { person, rights } = this;
    this.state = "loading";
    this.render();
    // If this read fails, a request of the view fails too and reports the failure.
    await this.readCompanies().catch(() => {});
    if (this.view !== view || this.person !== person) return;
    if (this.rights === rights || view.holds?.isThere()) return this.load(view);
    this.view = null;
    this.follow();
  }

  /** Loads a view that was not shown before. */
  private load(view: View): void {
    this.attempt(() => view.load(this), view).then((isShown) => {
      if (!isShown) return;
      this.focusHeading();
      this.showBanner();
    });
  }

  /** Loads the view again, for example after a change. Meanwhile, shows the earlier content. */
  private async refresh(view: View): Promise<void> {
    await this.refine(view);
    if (this.view !== view) return;
    // The element that had the focus may no longer exist.
    if (document.activeElement === document.body) this.focusHeading();
    this.showBanner();
  }

  /** Loads the view with other filters. Meanwhile, shows the earlier content. */
  private async refine(view: View): Promise<void> {
    const { hash } = this;
    try {
      this.render();
      await view.load(this);
      if (this.hash === hash) this.render();
    } catch (error) {
      if (this.view === view) this.fail(error);
    }
  }

  /** Loads the banner after the view, because the banner is rarely needed. */
  private showBanner(): void {
    if (!BANNER || !this.chosen) return;
    const banner = BANNER();
    const { id } = this.chosen;
    banner.load(this).then(() => {
      if (this.chosen?.id !== id) return;
      this.banner = banner;
      this.render();
    }, () => {}); // The next view tries to load the banner again.
  }

  /**
   * Loads content and shows the progress.
   * @returns whether the page still shows the content that was loaded.
   */
  private async attempt(work: () => Promise<void>, view: View | null = null): Promise<boolean> {
    this.state = "loading";
    this.failure = null;
    this.render();
    const { person } = this;
    const isShown = () => this.view === view && this.person === person;
    try {
      await work();
      if (!isShown()) return false;
      this.state = "loaded";
      this.render();
      return true;
    } catch (error) {
      if (isShown()) this.fail(error);
      return false;
    }
  }

  fail(error: unknown): void {
    this.failure = error;
    this.state = "failed";
    this.render();
  }

  /** Signs the user out. If the view has unsaved data, the view first asks the user. */
  signOut(): void {
    const leave = () => void signOut(this.project);
    if (this.view?.holds?.isThere()) this.view.holds.ask(this, leave);
    else leave();
  }

  /**
   * Moves the focus to the heading, where a user continues to read and a screen reader begins. A
   * hidden window keeps its focus.
   */
  private focusHeading(): void {
    if (document.hidden || document.querySelector("dialog[open]")) return;
    this.root.querySelector("h1")?.focus();
  }

  go(href: string, instead = false): void {
    // The user may just have joined one of the missed companies.
    this.missed.clear();
    if (location.hash !== href) {
      if (instead) this.trail.replace(href);
      else history.pushState(null, "", href);
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

  choose(company: Company, path = ""): void {
    // The browser's Back button returns to the list of companies only if the user had opened it.
    this.go(hashOf(company.id, path), location.hash !== "#/companies");
  }

  get t(): Texts {
    return this.speech.t;
  }

  get language(): Language {
    return this.speech.language;
  }

  get locale(): string {
    return localeOf(this.language);
  }

  speakOf(sections: readonly Section[]): Promise<void> {
    return this.speech.add(sections);
  }

  /** Switches to another language. The content of a form is kept. */
  async speak(language: Language): Promise<void> {
    try {
      await this.speech.choose(language);
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
