import { html, nothing, type TemplateResult } from "lit-html";
import { Action } from "./action.ts";
import type { App } from "./app.ts";
import { authFailure } from "./auth_failure.ts";
import { dialog } from "./dialog.ts";
import type { LinkFault } from "./link.ts";
import type { Project } from "./project.ts";
import { digitsOf, type Factor } from "./second_factor.ts";
import type { Texts } from "./texts.ts";

/**
 * Sign-in with a password, with an e-mailed link, or with a link to choose a new password. A user
 * with a second factor then enters a code.
 */
type Way = "password" | "link" | "reset" | "code";

/** The view for a user who is not signed in. */
export class SignIn {
  private way: Way = "password";
  /** The note above the form. */
  private note: "ended" | "expired" | Exclude<LinkFault, "offline"> | null = null;
  /** The e-mail address of the user whose session has ended. */
  private known = "";
  /** The address to which the link was e-mailed; null when no e-mail was requested. */
  private sentTo: string | null = null;
  private action = new Action();
  /** The user's authenticator apps, one of which shows the code. */
  private factors: Factor[] = [];
  /** Identifies the sign-in dialog above a view. A new object opens the dialog again. */
  private asked = {};

  /** Shows in the form why the opened link does not sign anyone in. */
  linkHasFailed(fault: Exclude<LinkFault, "offline">) {
    this.note = fault;
  }

  /**
   * Shows the form again.
   * @param note why a user who was signed in sees the form.
   * @param known the user's e-mail address.
   */
  begin(note: "ended" | "expired" | null, known = "") {
    this.way = "password";
    this.sentTo = null;
    this.action = new Action();
    this.known = known;
    this.asked = {};
    if (note) this.note = note;
  }

  /** Asks for a code from the user who has just signed in. */
  askCode(factors: Factor[]) {
    if (this.way !== "code") this.action = new Action();
    this.way = "code";
    this.note = null;
    this.factors = factors;
  }

  title(t: Texts): string {
    return t.signIn.titles[this.way];
  }

  html(page: App): TemplateResult {
    const { t } = page;
    return html`<div class="narrow card">
      <h1 tabindex="-1">${this.title(t)}</h1>
      ${this.note ? html`<p class="note">${t.signIn.notes[this.note]}</p>` : nothing}
      ${this.sentTo === null ? this.form(page) : this.sent(page, this.sentTo)}
    </div>`;
  }

  /**
   * The dialog that asks for the password above a view whose session has ended. What the user typed
   * into the view is kept.
   */
  inPlace(page: App & { leave(): void }): TemplateResult {
    const { t } = page;
    const leave = html`
      <button type="button" @click=${() => page.leave()}>${t.signIn.asAnother}</button>
    `;
    return dialog(
      this.asked,
      t.signIn.titles.expired,
      html`
        <p>${t.signIn.expired}</p>
        ${this.fields(page, leave)}
      `,
      // Escape must not lose what the user typed, so the dialog opens again.
      () => {
        this.asked = {};
        page.render();
      },
    );
  }

  private fields(page: App, more: TemplateResult | typeof nothing = nothing): TemplateResult {
    const { t } = page;
    const { way, action } = this;
    if (way === "code") return this.codeForm(page);
    return html`
      <form @submit=${(event: SubmitEvent) => this.submit(page, event)}>
        <label for="email">${t.signIn.email}</label>
        <input id="email" name="email" type="email" required autocomplete="username" maxlength="255"
          value=${this.known} ?readonly=${this.known !== ""}>
        ${way === "password" ? passwordField(this.known !== "", t) : nothing}
        ${action.html(t)}
        <p class="buttons"><button class="main" ?disabled=${action.isBusy}>${t.signIn
          .buttons[way]}</button>${more}</p>
      </form>
    `;
  }

  private codeForm(page: App): TemplateResult {
    const { t: { signIn: t }, project: { client } } = page;
    const { action, factors } = this;
    const submit = (event: SubmitEvent) => {
      event.preventDefault();
      const fields = new FormData(event.target as HTMLFormElement);
      const factorId = String(fields.get("factor") ?? factors[0].id);
      return action.run(page, async () => {
        const code = digitsOf(String(fields.get("code")));
        const { error } = await client.auth.mfa.challengeAndVerify({ factorId, code });
        if (error) throw authFailure(error);
      });
    };
    const leave = async () => {
      this.begin(null);
      await client.auth.signOut({ scope: "local" });
      page.render();
    };
    return html`
      <form @submit=${submit}>
        ${factors.length < 2 ? nothing : html`
          <label for="factor">${t.app}</label>
          <select id="factor" name="factor">${factors.map(({ id, name }) =>
            html`<option value=${id}>${name || id.slice(0, 8)}</option>`
          )}</select>
        `}
        <label for="code">${t.code}</label>
        <input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required
          maxlength="9" size="9" autofocus aria-describedby="code-hint">
        <p class="hint" id="code-hint">${t.codeHint}</p>
        ${action.html(page.t)}
        <p class="buttons"><button class="main" ?disabled=${action.isBusy}>${t.buttons
          .code}</button>
          <button type="button" @click=${leave}>${page.t.frame.signOut}</button></p>
      </form>
    `;
  }

  private form(page: App): TemplateResult {
    const { t } = page;
    const { way } = this;
    if (way === "code") {
      return html`<p class="lead">${t.signIn.leads.code}</p>${this.codeForm(page)}`;
    }
    return html`
      <p class="lead">${t.signIn.leads[way]}</p>
      ${this.fields(page)}
      <ul class="ways">${(["password", "link", "reset"] as const).filter((other) => other !== way)
        .map((other) =>
          html`<li><button type="button" class="link" @click=${() => this.take(page, other)}>${
            t.signIn.others[other]
          }</button></li>`
        )}</ul>
    `;
  }

  private sent(page: App, email: string): TemplateResult {
    const { t, project: { mailUrl } } = page;
    return html`<p role="status">${t.signIn.sent(email)}</p>
      ${
      mailUrl
        ? html`<p class="note">${t.signIn.localMail} <a href=${mailUrl}>${mailUrl}</a></p>`
        : nothing
    }
      <p class="buttons"><button type="button" @click=${() =>
      this.take(page, "password")}>${t.signIn.back}</button></p>`;
  }

  private take(page: App, way: Way) {
    this.way = way;
    this.sentTo = null;
    this.note = null;
    this.action = new Action();
    page.render();
    document.querySelector<HTMLElement>("main h1")?.focus();
  }

  private submit(page: App, event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const fields = new FormData(event.target as HTMLFormElement);
    const [email, password] = ["email", "password"].map((name) => String(fields.get(name) ?? ""));
    return this.action.run(page, async () => {
      if (this.way === "password") {
        const { error } = await page.project.client.auth.signInWithPassword({ email, password });
        if (error) throw authFailure(error, { hasAddress: true });
        this.note = null;
      } else {
        await sendMail(page.project, this.way === "reset" ? "reset" : "link", email);
        this.sentTo = email;
      }
    });
  }
}

function passwordField(hasFocus: boolean, t: Texts): TemplateResult {
  return html`
    <label for="password">${t.signIn.password}</label>
    <input id="password" name="password" type="password" required autocomplete="current-password"
      ?autofocus=${hasFocus}>
  `;
}

/**
 * Requests an e-mail with a link. The response does not reveal whether the address has an account.
 */
async function sendMail({ links: { auth } }: Project, way: "link" | "reset", email: string) {
  const redirectTo = location.origin + location.pathname;
  const { error } = way === "reset"
    ? await auth.resetPasswordForEmail(email, { redirectTo })
    : await auth.signInWithOtp({
      email,
      options: { shouldCreateUser: false, emailRedirectTo: redirectTo },
    });
  // Supabase Auth returns one of these errors if no account has the address.
  if (error && !["otp_disabled", "user_not_found", "signup_disabled"].includes(error.code ?? "")) {
    throw authFailure(error, { hasAddress: true });
  }
}
