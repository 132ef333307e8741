import { html, nothing, type TemplateResult } from "lit-html";
import { Action } from "./action.ts";
import type { App } from "./app.ts";
import { authFailure } from "./auth_failure.ts";
import type { LinkFault } from "./link.ts";
import type { Project } from "./project.ts";
import type { Texts } from "./texts.ts";

/**
 * How a person signs in: with the password, with a mailed link, or with a link to choose a new
 * password.
 */
type Way = "password" | "link" | "reset";

/** The view for a person who is not signed in. */
export class SignIn {
  private way: Way = "password";
  /** The note above the form. */
  private note: "ended" | Exclude<LinkFault, "offline"> | null = null;
  /** The address of the person who gets the mail. */
  private sentTo: string | null = null;
  private action = new Action();

  /** Makes the form say why the opened link does not sign anyone in. */
  linkHasFailed(fault: Exclude<LinkFault, "offline">) {
    this.note = fault;
  }

  /** @param hasEnded whether a person was signed in until now. */
  begin(hasEnded: boolean) {
    this.way = "password";
    this.sentTo = null;
    this.action = new Action();
    if (hasEnded) this.note = "ended";
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

  private form(page: App): TemplateResult {
    const { t } = page;
    const { way, action } = this;
    return html`
      <p class="lead">${t.signIn.leads[way]}</p>
      <form @submit=${(event: SubmitEvent) => this.submit(page, event)}>
        <label for="email">${t.signIn.email}</label>
        <input id="email" name="email" type="email" required autocomplete="username" maxlength="255">
        ${way === "password" ? passwordField(t) : nothing}
        ${action.html(t)}
        <p class="buttons"><button class="main" ?disabled=${action.isBusy}>${t.signIn
          .buttons[way]}</button></p>
      </form>
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
        if (error) throw authFailure(error);
        this.note = null;
      } else {
        await sendMail(page.project, this.way, email);
        this.sentTo = email;
      }
    });
  }
}

function passwordField(t: Texts): TemplateResult {
  return html`
    <label for="password">${t.signIn.password}</label>
    <input id="password" name="password" type="password" required autocomplete="current-password">
  `;
}

/** Requests a mail with a link. The answer does not reveal whether the address has an account. */
async function sendMail({ links: { auth } }: Project, way: "link" | "reset", email: string) {
  const redirectTo = location.origin + location.pathname;
  const { error } = way === "reset"
    ? await auth.resetPasswordForEmail(email, { redirectTo })
    : await auth.signInWithOtp({
      email,
      options: { shouldCreateUser: false, emailRedirectTo: redirectTo },
    });
  // Supabase Auth answers this if no account has the address.
  if (error && !["otp_disabled", "user_not_found", "signup_disabled"].includes(error.code ?? "")) {
    throw authFailure(error);
  }
}
