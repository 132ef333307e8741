import { html, type TemplateResult } from "lit-html";
import { Action } from "./action.ts";
import type { App } from "./app.ts";
import { authFailure } from "./auth_failure.ts";
import { Failure } from "./failure.ts";
import type { View } from "./view.ts";

const SHORTEST = 8;

/** The maximum number of bytes. Supabase Auth refuses a longer password. */
const LONGEST = 72;

/**
 * The view in which a user chooses a new password, for example after opening a reset or invitation
 * link.
 */
export function choosePassword(): View {
  const action = new Action();
  let isShown = false;

  const submit = (app: App) => (event: SubmitEvent) => {
    event.preventDefault();
    const fields = new FormData(event.target as HTMLFormElement);
    return action.run(app, async () => {
      const password = String(fields.get("password"));
      if (new TextEncoder().encode(password).length > LONGEST) {
        throw new Failure("invalid", "", (t) => t.signIn.refused.longPassword);
      }
      const { error } = await app.project.client.auth.updateUser({ password });
      if (error) throw authFailure(error);
      app.go(app.href(""));
      app.say(app.t.password.done);
    });
  };

  const view = (app: App): TemplateResult => {
    const { t, person } = app;
    return html`<form class="narrow" @submit=${submit(app)}>
      <p class="lead">${t.password.lead(person.email)}</p>
      <input type="email" name="email" autocomplete="username" .value=${person.email} hidden>
      <label for="password">${t.password.password}</label>
      <input id="password" name="password" type=${isShown ? "text" : "password"} required
        minlength=${SHORTEST} maxlength=${LONGEST} autocomplete="new-password" aria-describedby="password-hint">
      <p class="hint" id="password-hint">${t.password.hint(SHORTEST)}</p>
      <label class="check"><input type="checkbox" @change=${() => {
      isShown = !isShown;
      app.render();
    }}> ${t.password.show}</label>
      ${action.html(t)}
      <p class="buttons"><button class="main" ?disabled=${action.isBusy}>${t.password.save}</button>
        <a href=${app.href("")}>${t.frame.cancel}</a></p>
    </form>`;
  };
  return { title: (t) => t.password.title, load: async () => {}, html: view };
}
