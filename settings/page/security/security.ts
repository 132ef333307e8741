import { html, nothing, type TemplateResult } from "lit-html";
import { Action } from "../action.ts";
import type { App } from "../app.ts";
import { authFailure } from "../auth_failure.ts";
import { closeDialog, dialog } from "../dialog.ts";
import { moment } from "../moments.ts";
import { badge } from "../pieces/badge.ts";
import { digitsOf, type Factor, factorsOf } from "../second_factor.ts";
import type { View } from "../view.ts";
import { deviceOf, endOthers, endSession, type OwnSession, sessionsOf } from "./sessions.ts";

/** An authenticator app that the user is setting up. */
interface Enrolment {
  id: string;
  /** An SVG document as a data URI, which Supabase Auth makes. */
  picture: string;
  secret: string;
}

/** The user's password, authenticator apps and sessions. */
export function security(): View {
  const enrolling = new Action();
  const ending = new Action();
  let removal: { factor: Factor; action: Action } | null = null;
  let enrolment: Enrolment | null = null;
  let factors: Factor[] = [];
  let sessions: OwnSession[] = [];

  async function load(app: App): Promise<void> {
    [factors, sessions] = await Promise.all([readFactors(app), sessionsOf(app)]);
  }

  async function readFactors({ project: { client } }: App): Promise<Factor[]> {
    const { data: { user }, error } = await client.auth.getUser();
    if (error) throw authFailure(error);
    return factorsOf(user!);
  }

  /** Begins to set up an authenticator app, and removes an earlier unfinished attempt. */
  const begin = (event: SubmitEvent, app: App) => {
    event.preventDefault();
    const { mfa } = app.project.client.auth;
    const typed = String(new FormData(event.target as HTMLFormElement).get("name") ?? "").trim();
    return enrolling.run(app, async () => {
      const { data: known } = await mfa.listFactors();
      for (const { id, status } of known?.all ?? []) {
        if (status === "unverified") await mfa.unenroll({ factorId: id });
      }
      const { data, error } = await mfa.enroll({
        factorType: "totp",
        friendlyName: typed,
        issuer: app.t.product,
      });
      if (error) throw authFailure(error);
      enrolment = { id: data.id, picture: data.totp.qr_code, secret: data.totp.secret };
      app.render();
      document.querySelector<HTMLElement>("#set-up h3")?.focus();
    });
  };

  const finish = (event: SubmitEvent, app: App) => {
    event.preventDefault();
    const code = String(new FormData(event.target as HTMLFormElement).get("code"));
    return enrolling.run(app, async () => {
      const { error } = await app.project.client.auth.mfa.challengeAndVerify({
        factorId: enrolment!.id,
        code: digitsOf(code),
      });
      if (error) throw authFailure(error);
      enrolment = null;
      await load(app);
      app.say(app.t.security.factors.added);
      document.querySelector<HTMLElement>("#factors")?.focus();
    });
  };

  const remove = (app: App) =>
    removal!.action.run(app, async () => {
      const { auth } = app.project.client;
      const { error } = await auth.mfa.unenroll({ factorId: removal!.factor.id });
      if (error) throw authFailure(error);
      await auth.refreshSession();
      closeDialog();
      await load(app);
      app.say(app.t.security.factors.removed);
    });

  const end = (app: App, work: () => Promise<void>, said: string) =>
    ending.run(app, async () => {
      await work();
      sessions = await sessionsOf(app);
      app.say(said);
    });

  function view(app: App): TemplateResult {
    const { t: { security: t, password }, person } = app;
    return html`
      <p class="lead">${t.lead(person.email)}</p>
      <section class="card">
        <h2>${t.password.title}</h2>
        <p>${t.password.text}</p>
        <p class="buttons"><a class="button" href="#/password">${password.title}</a></p>
      </section>
      <section class="card">
        <h2 id="factors" tabindex="-1">${t.factors.title} ${factors.length > 0
          ? badge(t.factors.on, "good")
          : badge(t.factors.off, "quiet")}</h2>
        <p>${factors.length > 0 ? t.factors.textOn : t.factors.textOff}</p>
        ${factors.length > 0
          ? html`<ul class="plain">${factors.map((factor) => factorOf(factor, app))}</ul>`
          : nothing}
        ${enrolment ? setUp(enrolment, app) : startOf(app)}
      </section>
      <section class="card">
        <h2>${t.sessions.title}</h2>
        <p>${t.sessions.text}</p>
        ${ending.html(app.t)}
        <ul class="plain">${sessions.map((session) => sessionOf(session, app))}</ul>
        ${sessions.length > 1
          ? html`
            <p
              class="buttons"><button type="button" ?disabled=${ending.isBusy} @click=${() =>
                end(app, () => endOthers(app), t.sessions.othersEnded)}>${t.sessions
                .endOthers}</button></p>
          `
          : nothing}
      </section>
      ${removal ? question(app) : nothing}
    `;
  }

  function factorOf(factor: Factor, app: App): TemplateResult {
    const { t: { security: { factors: t } }, locale } = app;
    const ask = () => {
      removal = { factor, action: new Action() };
      app.render();
    };
    return html`
      <li>
        <span class="who"><bdi>${factor.name || t.nameless}</bdi><small>${t.since} ${moment(
          factor.created_at,
          locale,
        )}</small></span>
        <button type="button" aria-label=${t.removeOf(factor.name)} @click=${ask}>${t
          .remove}</button>
      </li>
    `;
  }

  /** The first form, which asks for the name of the app. */
  function startOf(app: App): TemplateResult {
    const { t: { security: { factors: t } } } = app;
    const name = factors.length === 0 ? t.usualName : "";
    return html`
      <form class="start" @submit=${(event: SubmitEvent) => begin(event, app)}>
        <label for="factor-name">${t.name}</label>
        <input id="factor-name" name="name" required maxlength="60" autocomplete="off" dir="auto"
          value=${name} aria-describedby="factor-name-hint">
        <p class="hint" id="factor-name-hint">${t.nameHint}</p>
        ${enrolling.html(app.t)}
        <p class="buttons"><button class=${factors.length === 0 ? "main" : nothing}
          ?disabled=${enrolling.isBusy}>${factors.length === 0
            ? t.setUp
            : t.setUpAnother}</button></p>
      </form>
    `;
  }

  /** The QR code to scan, and the field for the first code. */
  function setUp({ picture, secret }: Enrolment, app: App): TemplateResult {
    const { t: { security: { factors: t }, frame, signIn } } = app;
    const leave = () => {
      enrolment = null;
      enrolling.failure = null;
      app.render();
    };
    return html`
      <div id="set-up">
        <h3 tabindex="-1">${t.scan}</h3>
        <p>${t.scanText}</p>
        <p class="code-picture"><img src=${picture} alt=${t.picture} width="200" height="200"></p>
        <details>
          <summary>${t.cannotScan}</summary>
          <p>${t.typeSecret}</p>
          <p><code class="secret">${secret.match(/.{1,4}/g)!.join(" ")}</code></p>
        </details>
        <form @submit=${(event: SubmitEvent) => finish(event, app)}>
          <label for="code">${signIn.code}</label>
          <input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required
            maxlength="9" size="9">
          ${enrolling.html(app.t)}
          <p class="buttons"><button class="main" ?disabled=${enrolling.isBusy}>${t
            .finish}</button> <button type="button" @click=${leave}>${frame.cancel}</button></p>
        </form>
      </div>
    `;
  }

  function sessionOf(session: OwnSession, app: App): TemplateResult {
    const { t: { security: { sessions: t } }, locale } = app;
    const { id, user_agent, client_address, last_used_at, created_at, is_current } = session;
    const device = deviceOf(user_agent ?? "", t);
    return html`
      <li>
        <span class="who"><b>${device}</b>${is_current
          ? html`
            ${badge(t.current, "good")}
          `
          : nothing}<small>${client_address
          ? html`
            ${t.from(client_address)} ·
          `
          : nothing}${is_current
          ? t.begun
          : t.lastUsed} <time datetime=${last_used_at} title=${moment(created_at, locale)}>${moment(
            is_current ? created_at : last_used_at,
            locale,
          )}</time></small></span>
        ${is_current ? nothing : html`
          <button type="button" ?disabled=${ending.isBusy} aria-label=${t.endOf(device)}
            @click=${() => end(app, () => endSession(app, id), t.ended)}>${t.end}</button>
        `}
      </li>
    `;
  }

  function question(app: App): TemplateResult {
    const { t: { security: { factors: t }, frame } } = app;
    const { factor, action } = removal!;
    return dialog(
      removal!,
      t.removeTitle(factor.name),
      html`
        <p>${factors.length > 1 ? t.removeText : t.removeLastText}</p>
        ${action.html(app.t)}
        <p class="buttons">
          <button type="button" class="main danger" ?disabled=${action.isBusy}
            @click=${() => remove(app)}>${t.remove}</button>
          <button type="button" @click=${closeDialog}>${frame.cancel}</button>
        </p>
      `,
      () => {
        removal = null;
        app.render();
      },
    );
  }

  return { title: (t) => t.menu.security, load, html: view };
}
