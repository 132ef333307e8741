// The page frame around every view: the header with the menu, and the content that is shown when
// there is no view.
import { html, nothing, type TemplateResult } from "lit-html";
import { keyed } from "lit-html/directives/keyed.js";
import { addressOf } from "./address.ts";
import { ConfigFault } from "./page_config.ts";
import { sentenceOf } from "./failure.ts";
import { zoneOfPerson } from "./moments.ts";
import { loading } from "./pieces/loading.ts";
import type { LinkAnswers, LinkQuestion } from "./link_question.ts";
import { MENU, type MenuEntry } from "./routes.ts";
import type { SignIn } from "./sign_in.ts";
import { type Language, LANGUAGES, type Texts } from "./texts.ts";
import type { Part, View } from "./view.ts";

/** Whether the view is loading or shown, or the reason why there is no view. */
export type PageState =
  | "signed_out"
  | "loading"
  | "failed"
  | "asking"
  | "no_company"
  | "loaded";

/** The page state that the frame shows, and the user's actions in the frame. */
export interface Shown extends LinkAnswers {
  readonly state: PageState;
  readonly view: View | null;
  readonly failure: unknown;
  /** The text of the page's live region, which screen readers read aloud. */
  readonly said: string;
  readonly signIn: SignIn;
  /** The question for a user who opened a link; null when there is no question. */
  readonly question: LinkQuestion | null;
  readonly hasCompany: boolean;
  /** Whether the session ended while the view was shown. */
  readonly hasExpired: boolean;
  /** Whether the user has opened the menu, on a narrow screen. */
  isMenuOpen: boolean;
  /** The banner at the end of every view; null when it is not loaded. */
  readonly banner: Part | null;
  /** Signs the user out. If the view has unsaved data, the user may choose to stay. */
  signOut(): void;
  /** Discards the view after the user's session has ended. */
  leave(): void;
  /** Switches to another language. */
  speak(language: Language): Promise<void>;
}

/** The title of the document. */
export function titled(page: Shown): string {
  const { t } = page;
  return [headingOf(page), page.company.name, t.product].filter(Boolean).join(" · ");
}

/** The icon of assets/favicon.svg, inline, so that it needs no request. */
const icon = html`
  <svg width="28" height="28" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8" fill="#0b6b63"></rect>
    <g fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round">
      <circle cx="11.5" cy="20.5" r="4.5"></circle>
      <path d="M15 17 24 8m-4 4 3.5 3.5"></path>
    </g>
  </svg>
`;

/** The whole page. */
export function frame(page: Shown): TemplateResult {
  const hasMenu = page.state !== "signed_out" && page.hasCompany;
  return html`
    <a class="skip" href="#main" @click=${skip}>${page.t.frame.skip}</a>
    <header class="top">
      <p class="brand">${icon}
        <span><b>${page.t.product}</b>${companyOf(page)}</span></p>
      <div class="choices">
        ${hasMenu ? menuButton(page) : nothing}
        ${page.person.id ? personMenu(page) : chooserOfLanguage(page)}
      </div>
    </header>
    ${keyed(
      // With a menu, the content is at another place in the page. The key makes lit render the
      // content again instead of moving it.
      hasMenu,
      html`
        <div class=${hasMenu ? "layout" : "layout alone"}>
          ${hasMenu ? menu(page) : nothing}
          <main id="main" tabindex="-1">
            ${page.state === "signed_out" ? page.signIn.html(page) : inside(page)}
          </main>
        </div>
      `,
    )}
    ${page.banner && hasMenu ? html`<div class="strip">${page.banner.html(page)}</div>` : nothing}
    <p class="said" role="status">${page.said}</p>
    ${page.hasExpired ? page.signIn.inPlace(page) : nothing}
  `;
}

/**
 * The content of the page when it cannot start.
 * @param t null when the texts could not be loaded either.
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
  // The view and its heading are not known before the company is loaded.
  if (state === "loading" && !view) return loading(t);
  return html`
    ${page.invitations.length > 0 && page.hasCompany
      ? html`<p class="note"><a href="#/invitations">${
        t.companies.invited(
          page.invitations[0].company_name,
        )
      }</a></p>`
      : nothing}
    <h1 tabindex="-1" dir="auto">${headingOf(page)}</h1>
    ${state === "loading" ? loading(t) : state === "failed"
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
    ${state === "loaded" && page.hasCompany
      ? html`<p class="zone">${t.frame.zone(zoneOfPerson())}</p>`
      : nothing}
  `;
}

function companyOf({ hasCompany, company, companies, t }: Shown) {
  if (!hasCompany) return nothing;
  return html`<span class="company" dir="auto">${company.name}</span>${
    companies.length > 1 ? html`<a href="#/companies">${t.companies.change}</a>` : nothing
  }`;
}

/** The button of the menu on a narrow screen. On a wide screen, the menu is always visible. */
function menuButton(page: Shown): TemplateResult {
  const toggle = () => {
    page.isMenuOpen = !page.isMenuOpen;
    page.render();
  };
  return html`
    <button type="button" class="opener" aria-expanded=${page.isMenuOpen ? "true" : "false"}
      aria-controls="menu" @click=${toggle}>${page.t.frame.menuButton}</button>
  `;
}

function menu(page: Shown): TemplateResult {
  const { path } = addressOf(location.hash);
  const entry = ({ path: own, name }: MenuEntry) => {
    const isCurrent = path === own || path.startsWith(`${own}/`);
    return html`
      <li><a href=${page.href(own)} aria-current=${isCurrent ? "page" : nothing}>${name(
        page.t,
      )}</a></li>
    `;
  };
  const groups = MENU.map((group) => group.filter(({ isFor }) => isFor(page.company)))
    .filter((group) => group.length > 0);
  return html`
    <nav id="menu" class=${page.isMenuOpen ? "open" : nothing} aria-label=${page.t.frame.menu}>
      ${groups.map((group) => html`<ul>${group.map(entry)}</ul>`)}
    </nav>
  `;
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
          <a href="#/security" @click=${close}>${t.menu.security}</a>
          ${project.docsUrl ? html`<a href=${project.docsUrl}>${t.frame.docs}</a>` : nothing}
          ${chooserOfLanguage(page)}
          <button type="button" class="link" @click=${() => page.signOut()}>${t.frame
            .signOut}</button>
        </div>
    </details>
  `;
}

/**
 * Closes the open menus when the user clicks elsewhere or presses Escape. Escape returns the focus
 * to the element that opened the menu.
 */
export function closeMenu(event: Event, page: { isMenuOpen: boolean; render(): void }) {
  if (event instanceof KeyboardEvent && event.key !== "Escape") return;
  const isElsewhere = (menu: string) => !(event.target as Element).closest?.(menu);
  const ofPerson = document.querySelector<HTMLDetailsElement>(".person[open]");
  if (ofPerson && (event.type === "keydown" || isElsewhere(".person"))) {
    ofPerson.open = false;
    if (event.type === "keydown") ofPerson.querySelector("summary")!.focus();
  }
  if (page.isMenuOpen && (event.type === "keydown" || isElsewhere(".opener"))) {
    page.isMenuOpen = false;
    page.render();
    if (event.type === "keydown") document.querySelector<HTMLElement>(".opener")!.focus();
  }
}

/**
 * Moves the focus to the content. The link is not followed, because the URL must keep its route.
 */
function skip(event: Event) {
  event.preventDefault();
  document.getElementById("main")!.focus();
}
