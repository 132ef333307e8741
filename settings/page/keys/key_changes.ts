// The dialogs that ask for confirmation before a key is changed.
import { html, nothing, type TemplateResult } from "lit-html";
import { Action } from "../action.ts";
import { hashOf } from "../address.ts";
import type { App } from "../app.ts";
import { closeDialog, dialog } from "../dialog.ts";
import { Failure } from "../failure.ts";
import { HeldPart } from "../held_part.ts";
import { moment } from "../moments.ts";
import { askedWebhooks } from "../webhooks/asked_webhooks.ts";
import {
  type ApiKey,
  deleteKey,
  faultOfName,
  nameIn,
  predecessorOf,
  rotateKey,
  setExpiry,
  stateOf,
  successorOf,
  typable,
  updateKey,
} from "./api_key.ts";
import { EXPIRIES } from "./expiry.ts";
import { ExpiryFields } from "./expiry_fields.ts";
import { hintOf, lastUseOf } from "./key_words.ts";
import { keepMade } from "./made_key.ts";

/** A change that is made only after the user has confirmed it. */
export type AskedChange = "rename" | "switchOff" | "rotate" | "expiry" | "delete";

/** An open question. */
export interface Asked {
  change: AskedChange;
  action: Action;
  expiry: ExpiryFields;
  /** The webhooks that a replacement without an overlap switches off. */
  webhooks: HeldPart | null;
}

/** The choices for how many hours the old key still works. */
const OVERLAPS = [0, 1, 24, 168] as const;
const USUAL_OVERLAP = 24;

/** Creates the question that asks about a change to a key. */
export function newQuestion(change: AskedChange, key: ApiKey, keys: ApiKey[]): Asked {
  // A key that was replaced must have an expiry.
  const choices = EXPIRIES.filter((each) => each !== "never" || !successorOf(key, keys));
  const webhooks = change === "rotate" && key.scopes.includes("webhooks")
    ? new HeldPart(
      askedWebhooks(
        ({ created_by_key_id }) => created_by_key_id === key.id,
        (t) => t.change.rotate.stopsWebhooks,
      ),
    )
    : null;
  return { change, action: new Action(), expiry: new ExpiryFields("date", choices), webhooks };
}

/**
 * The dialog that asks about a change, with its fields. @param closed is called after the dialog
 * was closed.
 */
export function questionOf(
  key: ApiKey,
  keys: ApiKey[],
  asked: Asked,
  app: App,
  closed: () => void,
): TemplateResult {
  const { t } = app;
  const { change, action, expiry } = asked;
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const fields = new FormData(form);
    if (change !== "expiry") return await action.run(app, () => DOES[change](key, fields, app));
    const until = expiry.read(fields, app);
    if (until !== undefined) return await action.run(app, () => changeExpiry(key, until, app));
    app.render();
    form.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  };
  const isEnd = change === "switchOff" || change === "delete";
  // The dialog that switches a key off has no fields, so the Cancel button gets the focus.
  return dialog(
    asked,
    t.change[change].title,
    html`<form novalidate @submit=${submit}>
      ${isEnd ? pairWarning(key, keys, app) : nothing}
      ${change === "expiry" ? expiryContent(key, expiry, app) : CONTENTS[change](key, app)}
      ${asked.webhooks?.html(app) ?? nothing}
      ${action.html(t)}
      <p class="buttons"><button class=${
      change === "delete" ? "main danger" : "main"
    } ?disabled=${action.isBusy}>${t.change[change].submit}</button>
        <button type="button" ?autofocus=${change === "switchOff"}
          @click=${closeDialog}>${t.frame.cancel}</button></p>
    </form>`,
    closed,
  );
}

/**
 * The warning before the user switches off or deletes a key that has a successor or a predecessor.
 * The warning says whether that other key still works. If it works, the warning also says when the
 * older of the two keys expires.
 */
function pairWarning(key: ApiKey, keys: ApiKey[], app: App): TemplateResult | typeof nothing {
  const { t: { change: t }, locale } = app;
  const ends = ({ expires_at }: ApiKey) => expires_at ? moment(expires_at, locale) : null;
  const successor = successorOf(key, keys);
  if (successor) {
    const says = stateOf(successor) === "active" ? t.hasSuccessor : t.hasDeadSuccessor;
    return html`<p class="note warn">${says(`…${successor.hint}`, ends(key))}</p>`;
  }
  const old = predecessorOf(key, keys);
  if (!old) return nothing;
  const says = stateOf(old) === "active" ? t.isSuccessor : t.isOnlyKey;
  return html`<p class="note warn">${says(`…${old.hint}`, ends(old))}</p>`;
}

function expiryContent(key: ApiKey, expiry: ExpiryFields, app: App): TemplateResult {
  const { t: { change: { expiry: t } }, locale } = app;
  return html`
    <p>${t.text}</p>
    <p class="hint">${t.now(key.expires_at ? moment(key.expires_at, locale) : null)}</p>
    ${expiry.html(app)}
  `;
}

async function changeExpiry(key: ApiKey, until: string | null, app: App): Promise<void> {
  await setExpiry(app, key, until);
  done(app, app.t.change.expiry.done);
}

const CONTENTS: Record<Exclude<AskedChange, "expiry">, (key: ApiKey, app: App) => TemplateResult> =
  {
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
          html`<label class="choice"><input type="radio" name="overlap" value=${hours}
          ?checked=${hours === USUAL_OVERLAP} ?autofocus=${hours === USUAL_OVERLAP}>
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

/**
 * When the key was last used. The user should know this time before switching off or deleting a
 * key.
 */
const used = (key: ApiKey, app: App) =>
  html`<p>${hintOf(key)} · ${app.t.keys.lastUse}: ${lastUseOf(key, app)}</p>`;

const DOES: Record<
  Exclude<AskedChange, "expiry">,
  (key: ApiKey, fields: FormData, app: App) => Promise<void>
> = {
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
    const { company } = app;
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
    app.go(hashOf(company.id, `keys/${made.id}`));
  },

  async delete(key, fields, app) {
    if (typable(String(fields.get("typed"))) !== typable(key.name)) {
      throw new Failure("invalid", "", (t) => t.change.delete.otherName);
    }
    const list = app.href("keys");
    await deleteKey(app, key);
    closeDialog();
    app.go(list, true);
    app.say(app.t.change.delete.done);
  },
};

/** Closes the dialog and reloads the view, which then shows the key in its new state. */
function done(app: App, message: string) {
  closeDialog();
  app.reload();
  app.say(message);
}
