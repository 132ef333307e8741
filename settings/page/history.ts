import { html, nothing, type TemplateResult } from "lit-html";
import { Action } from "./action.ts";
import { type App, isManager } from "./app.ts";
import { answered } from "./failure.ts";
import { entryOf, type KeyEvent } from "./history/entry.ts";
import { zoneOfPerson } from "./moments.ts";
import type { View } from "./view.ts";

/** So many entries are read at once. */
const PAGE = 50;

/** Who did what to which key, and when: the newest first. */
export function history(): View {
  const reading = new Action();
  let events: KeyEvent[] = [];
  let hasOlder = false;

  /** Reads the entries that are older than the last one; the newest, when there is none. */
  async function read({ project: { client }, company }: App): Promise<void> {
    let wanted = client.from("api_key_events").select(
      "id,key_id,key_name,key_hint,action,details,actor_kind,actor_name,client_address,created_at",
    ).eq("company_id", company.id);
    const last = events.at(-1);
    if (last) {
      // Entries of one moment have an order too, so that none is read twice and none is left out.
      const { created_at, id } = last;
      wanted = wanted.or(
        `created_at.lt."${created_at}",and(created_at.eq."${created_at}",id.lt.${id})`,
      );
    }
    const found = await answered<KeyEvent[]>(
      wanted.order("created_at", { ascending: false }).order("id", { ascending: false })
        .limit(PAGE + 1),
    );
    hasOlder = found.length > PAGE;
    events = [...events, ...found.slice(0, PAGE)];
  }

  async function load(app: App): Promise<void> {
    events = [];
    hasOlder = false;
    if (isManager(app.company)) await read(app);
  }

  function readOlder(app: App) {
    return reading.run(app, async () => {
      const known = events.length;
      await read(app);
      app.say(app.t.history.olderShown(events.length - known));
      // The button may be gone, and a person goes on reading where the new entries begin.
      document.querySelectorAll<HTMLElement>(".history > li")[known]?.focus();
    });
  }

  function view(app: App): TemplateResult {
    const { t: { history: t } } = app;
    if (!isManager(app.company)) return html`<p>${t.onlyManagers}</p>`;
    return html`
      <p class="lead">${t.intro(zoneOfPerson())}</p>
      ${events.length === 0 ? html`<p>${t.none}</p>` : html`
        <div class="card">
          <ol class="history">
          ${events.map((event) => html`<li tabindex="-1">${entryOf(event, app)}</li>`)}
          </ol>
        </div>
        ${reading.html(app.t)}
        ${hasOlder
          ? html`
            <p class="buttons">
              <button type="button" ?disabled=${reading.isBusy}
                @click=${() => readOlder(app)}>${t.older}</button>
            </p>
          `
          : nothing}
      `}
    `;
  }

  return { title: (t) => t.menu.history, load, html: view };
}
