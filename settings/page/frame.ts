// The parts around every view: the header with the menu, and the content that is shown when there
// is no view.
import { html, nothing, type TemplateResult } from "lit-html";
import { ConfigFault } from "./page_config.ts";
import { sentenceOf } from "./failure.ts";
import type { LinkAnswers, LinkQuestion } from "./link_question.ts";
import { MENU } from "./routes.ts";
import type { SignIn } from "./sign_in.ts";
import { type Language, LANGUAGES, type Texts } from "./texts.ts";
import type { View } from "./view.ts";

/** Whether the view is loading or shown, or the reason why there is no view. */
export type PageState =
  | "signed_out"
  | "loading"
  | "failed"
  | "asking"
  | "no_company"
  | "loaded";

/** The part of the page that the frame shows, and what a person can do there. */
export interface Shown extends LinkAnswers {
  readonly state: PageState;
  readonly view: View | null;
  readonly failure: unknown;
  /** The text of the page's live region, which screen readers read aloud. */
  readonly said: string;
  readonly signIn: SignIn;
  /** The question to a person who opened a link; null when there is no question. */
  readonly question: LinkQuestion | null;
  readonly hasCompany: boolean;
  /** Signs the person out. If the view has something to lose, the person may choose to stay. */
  signOut(): void;
  /** Switches to another language. */
  speak(language: Language): Promise<void>;
}

/** The title of the document. */
export function titled(page: Shown): string {
  const { t } = page;
  return [headingOf(page), page.company.name, t.product].filter(Boolean).join(" · ");
}

/** The whole page. */
export function frame(page: Shown): TemplateResult {
  return html`
    <a class="skip" href="#main" @click=${skip}>${page.t.frame.skip}</a>
    <header class="top">
      <p class="brand"><img src="favicon.svg" alt="" width="28" height="28">
        <span><b>${page.t.product}</b>${companyOf(page)}</span></p>
      <div class="choices">${page.person.id ? personMenu(page) : chooserOfLanguage(page)}</div>
      ${page.state !== "signed_out" && page.hasCompany ? menu(page) : nothing}
    </header>
    <main id="main" tabindex="-1">
      ${page.state === "signed_out" ? page.signIn.html(page) : inside(page)}
    </main>
    <p class="said" role="status">${page.said}</p>
  `;
}

/**
 * The content of the page when it cannot start. @param t null when the texts could not be loaded
 * either.
 */
export function startFault(error: unknown, t: Texts | null): TemplateResult {
  const says = !t
    ? "This page could not be loaded. Check the connection and load it again."
    : error instanceof ConfigFault
    ? t.frame.wrongConfig(error.member)
    : t.failure.offline;
  return html`
    <main class="alone" role="alert">
      <p class="failure">${says}</p>
      <p class="buttons"><button type="button" @click=${() =>
        location.reload()}>${t?.frame.tryAgain ?? "Try again"}</button></p>
    </main>
  `;
}

function headingOf({ state, view, signIn, question, t }: Shown): string {
  if (state === "signed_out") return signIn.title(t);
  if (state === "asking" && question) return question.title(t);
  return state === "no_company" ? t.companies.none : view?.title(t) ?? t.product;
}

function inside(page: Shown): TemplateResult {
  const { t, state, view } = page;
  return html`
    <h1 tabindex="-1" dir="auto">${headingOf(page)}</h1>
    ${state === "loading"
      ? html`<p class="loading">${t.frame.loading}</p>`
      : state === "failed"
      ? html`
        <div role="alert">
          <p class="failure">${sentenceOf(page.failure, t)}</p>
        </div>
        <p class="buttons"><button type="button" @click=${() => page.reload()}>${t.frame
          .tryAgain}</button></p>
      `
      : state === "asking"
      ? page.question?.html(page) ?? nothing
      : state === "no_company"
      ? html`
        <p>${t.companies.noneText(page.person.email)}</p>
        <p class="buttons"><button type="button" @click=${() => page.reload()}>${t.frame
          .tryAgain}</button></p>
      `
      : view?.html(page) ?? nothing}
  `;
}

function companyOf({ hasCompany, company, companies, t }: Shown) {
  if (!hasCompany) return nothing;
  return html`<span class="company" dir="auto">${company.name}</span>${
    companies.length > 1 ? html`<a href="#/companies">${t.companies.change}</a>` : nothing
  }`;
}

function menu(page: Shown): TemplateResult {
  const isCurrent = (route: string) => location.hash.startsWith(route) ? "page" : nothing;
  return html`<nav aria-label=${page.t.frame.menu}>${
    MENU.map(([route, words]) =>
      html`<a href=${route} aria-current=${isCurrent(route)}>${words(page.t)}</a>`
    )
  }</nav>`;
}

function chooserOfLanguage(page: Shown): TemplateResult {
  const choose = ({ target }: Event) => page.speak((target as HTMLSelectElement).value as Language);
  return html`<label class="language"><span class="unseen">${page.t.frame.language}</span>
    <select @change=${choose}>${
    Object.entries(LANGUAGES).map(([language, name]) =>
      html`<option value=${language} lang=${language} ?selected=${
        language === page.language
      }>${name}</option>`
    )
  }</select></label>`;
}

function personMenu(page: Shown): TemplateResult {
  const { t, person, project } = page;
  const close = ({ currentTarget }: Event) =>
    (currentTarget as Element).closest("details")!.open = false;
  return html`
    <details class="person">
      <summary>${t.frame.person}</summary>
      <div>
          <p>${t.frame.signedInAs}<b>${person.email}</b></p>
          <a href="#/password" @click=${close}>${t.password.title}</a>
          ${project.docsUrl ? html`<a href=${project.docsUrl}>${t.frame.docs}</a>` : nothing}
          ${chooserOfLanguage(page)}
          <button type="button" class="link" @click=${() => page.signOut()}>${t.frame
            .signOut}</button>
        </div>
    </details>
  `;
}

/** Closes the person's menu when the person clicks elsewhere or presses Escape. */
export function closeMenu(event: Event) {
  const menu = document.querySelector<HTMLDetailsElement>(".person[open]");
  if (!menu || (event.type === "click" && menu.contains(event.target as Node))) return;
  if (event instanceof KeyboardEvent && event.key !== "Escape") return;
  menu.open = false;
  if (event.type === "keydown") menu.querySelector("summary")!.focus();
}

/** The default action is prevented, because the address must still name the view. */
function skip(event: Event) {
  event.preventDefault();
  document.getElementById("main")!.focus();
}
