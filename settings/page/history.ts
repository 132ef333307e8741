import { html, nothing, type TemplateResult } from "lit-html";
import { Action } from "./action.ts";
import { type App, isManager } from "./app.ts";
import { answered } from "./failure.ts";
import { type CompanyEvent, entryOf } from "./history/entry.ts";
import { zoneOfPerson } from "./moments.ts";
import { type Member, membersOf } from "./project.ts";
import type { View } from "./view.ts";

/** This many entries are read at a time. */
const PAGE = 50;

/** Shows what was done to the keys and members, who did it, and when. The newest entry is first. */
export function history(): View {
  const reading = new Action();
  let events: CompanyEvent[] = [];
  let members: Member[] = [];
  let hasOlder = false;

  /**
   * Reads the entries that are older than the last one that was read. If there is none, reads the
   * newest.
   */
  async function read({ project: { client }, company }: App): Promise<void> {
    let wanted = client.from("company_events").select(
      "id,key_name,key_hint,member_id,member_name,action,details,actor_kind,actor_id,actor_name," +
        "client_address,created_at",
    ).eq("company_id", company.id);
    const last = events.at(-1);
    if (last) {
      // Entries with the same time are sorted by id, so that none is read twice or left out.
      const { created_at, id } = last;
      wanted = wanted.or(
        `created_at.lt."${created_at}",and(created_at.eq."${created_at}",id.lt.${id})`,
      );
    }
    const found = await answered<CompanyEvent[]>(
      wanted.order("created_at", { ascending: false }).order("id", { ascending: false })
        .limit(PAGE + 1),
    );
    hasOlder = found.length > PAGE;
    events = [...events, ...found.slice(0, PAGE)];
  }

  async function load(app: App): Promise<void> {
    events = [];
    hasOlder = false;
    if (!isManager(app.company)) return;
    [members] = await Promise.all([membersOf(app.project, app.company), read(app)]);
  }

  function readOlder(app: App) {
    return reading.run(app, async () => {
      const known = events.length;
      await read(app);
      app.say(app.t.history.olderShown(events.length - known));
      // The button may have disappeared. So the focus moves to the first new entry, where the
      // person continues to read.
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
          ${events.map((event) => html`<li tabindex="-1">${entryOf(event, members, app)}</li>`)}
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
