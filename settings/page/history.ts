import { html, nothing, type TemplateResult } from "lit-html";
import { type App, isManager } from "./app.ts";
import { answered } from "./failure.ts";
import { type CompanyEvent, entryOf } from "./history/entry.ts";
import { emptyState } from "./pieces/empty_state.ts";
import { type Filter, filterBar } from "./pieces/filter_bar.ts";
import { Older } from "./pieces/older.ts";
import { expectManager, type Member, membersOf } from "./project.ts";
import type { View } from "./view.ts";

/** The choices of a filter: the id and the label of each. */
type Choices = [value: string, words: string][];

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Shows what was done to the keys, people and accounts of the company, who did it, and when. The
 * newest entry is first. The filters are in the URL.
 */
export function history(): View {
  const events = new Older<CompanyEvent>(read);
  let members: Member[] = [];
  let keys: { id: string; name: string; hint: string }[] = [];
  let accounts: { id: string; display_phone: string }[] = [];

  async function load(app: App): Promise<void> {
    if (!isManager(app.company)) return;
    const { project, company, person } = app;
    const { client } = project;
    const choices = Promise.all([
      membersOf(app.project, app.company),
      answered<typeof keys>(
        client.from("api_keys").select("id,name,hint").eq("company_id", app.company.id)
          .order("name"),
      ),
      answered<typeof accounts>(
        client.from("messaging_accounts").select("id,display_phone")
          .eq("company_id", app.company.id).order("display_phone"),
      ),
    ]);
    [, [members, keys, accounts]] = await Promise.all([events.load(app), choices]);
    if (events.rows.length === 0) await expectManager({ project, company, person });
  }

  /** The filters. A deleted key or removed member remains a choice if the URL contains its id. */
  function filters({ t: { history: t, roles, people }, query }: App): Filter[] {
    const withAsked = (name: string, known: Choices): Choices => {
      const asked = query.get(name) ?? "";
      const isKnown = asked === "" || known.some(([value]) => value === asked);
      const all: Choices = isKnown ? known : [...known, [asked, nameIn(name, asked)]];
      return [["", t.all], ...all];
    };
    const nameIn = (kind: string, id: string) => {
      const found = events.rows.find((event) =>
        [event.key_id, event.member_id, event.account_id, event.actor_id].includes(id)
      );
      const name = kind === "key"
        ? found?.key_name
        : kind === "account"
        ? found?.account_name
        : found?.member_id === id
        ? found.member_name
        : found?.actor_name;
      return name ?? id.slice(0, 8);
    };
    return [
      {
        kind: "choice",
        name: "person",
        label: t.filters.person,
        choices: withAsked(
          "person",
          members.map(({ user_id, name, role }) => [
            user_id,
            name ?? `${people.nameless(roles[role])} (${user_id.slice(0, 8)})`,
          ]),
        ),
      },
      {
        kind: "choice",
        name: "key",
        label: t.filters.key,
        choices: withAsked("key", keys.map(({ id, name, hint }) => [id, `${name} …${hint}`])),
      },
      {
        kind: "choice",
        name: "account",
        label: t.filters.account,
        choices: withAsked("account", accounts.map(({ id, display_phone }) => [id, display_phone])),
      },
    ];
  }

  function view(app: App): TemplateResult {
    const { t: { history: t }, query } = app;
    if (!isManager(app.company)) return html`<p>${t.onlyManagers}</p>`;
    const { rows } = events;
    const isFiltered = query.size > 0;
    return html`
      <p class="lead">${t.intro}</p>
      ${filterBar("history", filters(app), app)}
      ${rows.length === 0
        ? emptyState({
          title: isFiltered ? t.noneFound : t.none,
          why: isFiltered ? t.noneFoundWhy : t.noneWhy,
          next: isFiltered
            ? html`<a class="button" href=${app.href("history")}>${app.t.frame.clearFilters}</a>`
            : nothing,
        })
        : html`
          <div class="card">
            <ol class="history">
            ${rows.map((event) => html`<li tabindex="-1">${entryOf(event, members, app)}</li>`)}
            </ol>
          </div>
          ${events.html(".history > li", app)}
        `}
    `;
  }

  return { title: (t) => t.menu.history, load, html: view };
}

/** Reads the entries that are older than `last`. Without `last`, reads the newest entries. */
async function read(
  last: CompanyEvent | undefined,
  limit: number,
  { project: { client }, company, query }: App,
): Promise<CompanyEvent[]> {
  let wanted = client.from("company_events").select(
    "id,key_id,key_name,key_hint,member_id,member_name,account_id,account_name,invited_email," +
      "webhook_address,action,details,actor_kind,actor_id,actor_name,client_address,created_at",
  ).eq("company_id", company.id);
  // A string that is not an id comes from a URL that someone typed. It matches nothing.
  const asked = (name: string) => {
    const id = query.get(name);
    return id === null ? null : UUID.test(id) ? id : "00000000-0000-0000-0000-000000000000";
  };
  const [person, key, account] = ["person", "key", "account"].map(asked);
  if (person) wanted = wanted.or(`actor_id.eq.${person},member_id.eq.${person}`);
  if (key) wanted = wanted.eq("key_id", key);
  if (account) wanted = wanted.eq("account_id", account);
  if (last) {
    // Entries with the same time are sorted by id, so that no entry is read twice or skipped.
    const { created_at, id } = last;
    wanted = wanted.or(
      `created_at.lt."${created_at}",and(created_at.eq."${created_at}",id.lt.${id})`,
    );
  }
  return await answered<CompanyEvent[]>(
    wanted.order("created_at", { ascending: false }).order("id", { ascending: false })
      .limit(limit),
  );
}
