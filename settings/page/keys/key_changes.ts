// The questions before a key is changed.
import { html, type TemplateResult } from "lit-html";
import type { Action } from "../action.ts";
import type { App } from "../app.ts";
import { closeDialog, dialog } from "../dialog.ts";
import { Failure } from "../failure.ts";
import {
  type ApiKey,
  deleteKey,
  faultOfName,
  nameIn,
  rotateKey,
  typable,
  updateKey,
} from "./api_key.ts";
import { hintOf, lastUseOf } from "./key_words.ts";
import { keepMade } from "./made_key.ts";

/** A change that is made only after the person has confirmed it. */
export type AskedChange = "rename" | "switchOff" | "rotate" | "delete";

/** The choices for how many hours the old key still works. */
const OVERLAPS = [0, 1, 24, 168] as const;
const USUAL_OVERLAP = 24;

/** The question about a change, with its fields. @param closed is called after the question was closed. */
export function questionOf(
  key: ApiKey,
  asked: { change: AskedChange; action: Action },
  app: App,
  closed: () => void,
): TemplateResult {
  const { t } = app;
  const { change, action } = asked;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const fields = new FormData(event.target as HTMLFormElement);
    return action.run(app, () => DOES[change](key, fields, app));
  };
  return dialog(
    asked,
    t.change[change].title,
    html`<form novalidate @submit=${submit}>
      ${CONTENTS[change](key, app)}
      ${action.html(t)}
      <p class="buttons"><button class=${
      change === "delete" ? "main danger" : "main"
    } ?disabled=${action.isBusy}>${t.change[change].submit}</button>
        <button type="button" @click=${closeDialog}>${t.frame.cancel}</button></p>
    </form>`,
    closed,
  );
}

const CONTENTS: Record<AskedChange, (key: ApiKey, app: App) => TemplateResult> = {
  rename: ({ name }, { t }) =>
    html`
      <label for="new-name">${t.keys.name}</label>
      <input id="new-name" name="name" value=${name} maxlength="100" autocomplete="off" dir="auto"
        required>
    `,

  switchOff: (key, app) => html`<p>${app.t.change.switchOff.text}</p>${used(key, app)}`,

  rotate: (_key, { t }) =>
    html`
      <p>${t.change.rotate.text}</p>
      <fieldset><legend>${t.change.rotate.overlap}</legend>${OVERLAPS.map((hours) =>
        html`<label class="choice"><input type="radio" name="overlap" value=${hours} ?checked=${
          hours === USUAL_OVERLAP
        }>
        <span><b>${t.overlaps[hours].name}</b> <span>${
          t.overlaps[hours].hint
        }</span></span></label>`
      )}</fieldset>
    `,

  delete: (key, app) => {
    const { t } = app;
    return html`
      <p>${t.change.delete.text}</p>${used(key, app)}
            <label for="typed">${t.change.delete.typeName(typable(key.name))}</label>
            <input id="typed" name="typed" autocomplete="off" autocapitalize="off" spellcheck="false"
        dir="auto" required>
    `;
  },
};

/** When the key was last used. A person should know this before they switch off or delete a key. */
const used = (key: ApiKey, app: App) =>
  html`<p>${hintOf(key)} · ${app.t.keys.lastUse}: ${lastUseOf(key, app)}</p>`;

const DOES: Record<AskedChange, (key: ApiKey, fields: FormData, app: App) => Promise<void>> = {
  async rename(key, fields, app) {
    const name = nameIn(String(fields.get("name")));
    const fault = faultOfName(name, app.t);
    if (fault) throw new Failure("invalid", "", () => fault);
    await updateKey(app, key, { name });
    done(app, app.t.change.rename.done);
  },

  async switchOff(key, _fields, app) {
    await updateKey(app, key, { is_active: false });
    done(app, app.t.change.switchOff.done);
  },

  async rotate(key, fields, app) {
    const made = await rotateKey(app, key, Number(fields.get("overlap"))).catch((error) => {
      if (!(error instanceof Failure)) throw error;
      if (error.kind === "conflict") {
        throw new Failure("conflict", "", (t) => t.keys.replacedBefore);
      }
      if (error.kind === "unanswered") throw new Failure("unanswered", "", (t) => t.keys.maybeMade);
      throw error;
    });
    closeDialog();
    keepMade(made);
    app.go(`#/keys/${made.id}`);
  },

  async delete(key, fields, app) {
    if (typable(String(fields.get("typed"))) !== typable(key.name)) {
      throw new Failure("invalid", "", (t) => t.change.delete.otherName);
    }
    await deleteKey(app, key);
    closeDialog();
    app.go("#/keys", true);
    app.say(app.t.change.delete.done);
  },
};

/** Shows the key in its new state. */
function done(app: App, message: string) {
  closeDialog();
  app.reload();
  app.say(message);
}
