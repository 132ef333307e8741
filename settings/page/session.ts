import type { Session } from "@supabase/supabase-js";
import { authFailure } from "./auth_failure.ts";
import { Failure } from "./failure.ts";
import { type Arrival, arrivalOf, isOffline, type Link } from "./link.ts";
import { LinkQuestion } from "./link_question.ts";
import type { Person } from "./person.ts";
import { hasCome, hasLeft, type Project } from "./project.ts";
import { factorsOf, hasCode, needsCode } from "./second_factor.ts";
import { SignIn } from "./sign_in.ts";
import type { Trail } from "./trail.ts";

/** No one is signed in. */
const NOBODY: Person = { id: "", email: "" };

/** What the page does when the session changes. */
export interface Audience {
  /** Whether the current view may have a half-filled form. */
  isShowing(): boolean;
  isSignedOut(): boolean;
  /** Another user has signed in. */
  hasCome(): Promise<void>;
  /** The user whose session had ended has signed in again. */
  isBack(): void;
  /** The user has entered the code of a second factor, or the session has lost its factor. */
  hasOtherRights(): Promise<void>;
  /** No one is signed in, so all data of the earlier user must be removed. */
  isGone(): void;
  /** A user who opened a link is asked whether to continue. */
  isAsked(): void;
  fail(error: unknown): void;
  render(): void;
}

/**
 * Who is signed in, in all windows of the browser. A session begins with a password or a link, and
 * it ends when the user signs out, or by itself.
 */
export class SignedIn {
  person = NOBODY;
  /** Whether the session has ended while the view, with the user's input, is still shown. */
  hasExpired = false;
  /** The question to a user who opened a link; null when there is no question. */
  question: LinkQuestion | null = null;
  /** Whether the user signed in with a second factor. */
  hasCode = false;
  readonly signIn = new SignIn();

  constructor(
    private readonly project: Project,
    private readonly link: Link,
    private readonly trail: Trail,
    private readonly page: Audience,
  ) {
    project.refused = () => void this.end();
  }

  /** Finds out who is signed in. From then on, it follows the session. */
  async start(): Promise<void> {
    const { auth } = this.project.client;
    const arrival = await arrivalOf(this.project, this.link);
    const { data: { session }, error } = await auth.getSession();
    // The browser reports here that another window has changed the session. The channel of
    // supabase-js between windows may lose a message.
    addEventListener("storage", () => this.enterAgain());
    // supabase-js handles no other call during this callback, so the work is done after the
    // callback.
    auth.onAuthStateChange((event) => {
      if (event !== "INITIAL_SESSION") setTimeout(() => this.enterAgain());
    });
    // If the session cannot be renewed because there is no network, the user stays signed in.
    if (arrival === "offline" || isOffline(error)) return this.page.fail(new Failure("offline"));
    if (typeof arrival === "string") this.signIn.linkHasFailed(arrival);
    else if (arrival) return await this.receive(arrival, session);
    await this.enter(session);
  }

  /**
   * Signs in the user who opened a link. The page asks the user first, unless this browser
   * requested the link and no one else is signed in.
   */
  private async receive(arrival: Arrival, present: Session | null): Promise<void> {
    const isSame = present?.user.id === arrival.session.user.id;
    if (isSame || (arrival.isAskedFor && !present)) {
      return await this.accept(arrival).catch((error) => this.page.fail(error));
    }
    const { email, id } = present?.user ?? {};
    this.question = new LinkQuestion(arrival, email ?? id ?? null);
    this.page.isAsked();
  }

  /**
   * Signs in the user to whom the link was sent.
   * @throws Failure
   */
  async accept(
    { session: { access_token, refresh_token }, choosesPassword }: Arrival,
  ): Promise<void> {
    const { auth } = this.project.client;
    // The URL is set first, because supabase-js reports the session before the call returns.
    if (choosesPassword) this.trail.replace("#/password");
    const { data: { session }, error } = await auth.setSession({ access_token, refresh_token });
    if (error) throw authFailure(error);
    this.question = null;
    await this.enter(session);
  }

  /**
   * Ends the session that the link started. A user who was signed in before stays signed in.
   */
  async decline(): Promise<void> {
    void this.project.links.auth.signOut({ scope: "local" });
    this.question = null;
    const { data: { session }, error } = await this.project.client.auth.getSession();
    if (isOffline(error)) return this.page.fail(new Failure("offline"));
    await this.enter(session);
  }

  /**
   * Shows the page to the user who is currently signed in. The session in an event is not used,
   * because another user may have signed in meanwhile in another window.
   */
  private async enterAgain(): Promise<void> {
    // The user has not answered the question about the link yet.
    if (this.question) return;
    const { data: { session }, error } = await this.project.client.auth.getSession();
    if (!error) await this.enter(session);
  }

  /** Shows the page to a session's user. Null means that no one is signed in. */
  private async enter(session: Session | null): Promise<void> {
    if (!session) return this.lose();
    if (needsCode(session)) return this.askCode(session);
    const hadCode = this.hasCode;
    this.hasCode = hasCode(session);
    const wasExpired = this.hasExpired;
    this.hasExpired = false;
    // A session is renewed every hour, and every window then gets an event for the same user.
    if (session.user.id === this.person.id) {
      // A company may require the second factor, so the user's rights may have changed.
      if (hadCode !== this.hasCode) await this.page.hasOtherRights();
      if (!wasExpired) return;
      hasCome();
      return this.page.isBack();
    }
    hasCome();
    // In another window, another user may have signed in. So everything about the previous user is
    // removed.
    if (this.person.id) this.trail.replace("#/");
    this.person = { id: session.user.id, email: session.user.email ?? "" };
    await this.page.hasCome();
  }

  /** Asks for the code of the user's app. Until then, the database refuses the session. */
  private askCode(session: Session): void {
    this.signIn.askCode(factorsOf(session.user));
    if (this.hasExpired) return this.page.render();
    this.leave();
    document.querySelector<HTMLElement>("#code")?.focus();
  }

  /**
   * Shows that no one is signed in. If the session ended by itself, the user signs in above the
   * view, so that a half-filled form is still there. If the user signed out, no data remains.
   */
  private lose(): void {
    const wasSignedIn = this.person.id !== "";
    if (wasSignedIn && this.page.isShowing() && !hasLeft()) {
      if (this.hasExpired) return;
      this.hasExpired = true;
      this.signIn.begin("expired", this.person.email);
      return this.page.render();
    }
    if (!this.page.isSignedOut()) {
      this.signIn.begin(!wasSignedIn ? null : hasLeft() ? "ended" : "expired");
      // The next user may work in another company.
      if (wasSignedIn && hasLeft()) this.trail.replace("#/");
    }
    this.leave();
  }

  /** Discards the view, if the user does not sign in again in the dialog above the view. */
  leave(): void {
    this.hasExpired = false;
    this.person = NOBODY;
    this.page.isGone();
  }

  /** Ends a session that the project does not accept. */
  private async end(): Promise<void> {
    await this.project.client.auth.signOut({ scope: "local" });
  }
}
