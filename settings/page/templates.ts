import { html, nothing, type TemplateResult } from "lit-html";
import type { App } from "./app.ts";
import { isManager } from "./app.ts";
import { answered } from "./failure.ts";
import { badge } from "./pieces/badge.ts";
import { emptyState } from "./pieces/empty_state.ts";
import { type Filter, filterBar } from "./pieces/filter_bar.ts";
import { Older } from "./pieces/older.ts";
import { type Column, tableOf } from "./pieces/table.ts";
import {
  languageName,
  LISTED,
  type ListedTemplate,
  type Sender,
  sendersOf,
  toneOf,
  wordFor,
} from "./templates/template.ts";
import type { View } from "./view.ts";

/** The templates of the company, sorted by name, with filters. */
export function templates(): View {
  let senders: Sender[] = [];
  const list: Older<ListedTemplate> = new Older(
    async (last, limit, { project, company, query }) => {
      let wanted = project.client.from("templates").select(LISTED).eq("company_id", company.id);
      const [q, status, sender] = ["q", "status", "account"].map((name) => query.get(name));
      // In a pattern, these characters have a special meaning.
      if (q) wanted = wanted.ilike("name", `%${q.replace(/[\\%*]/g, "_")}%`);
      wanted = status ? wanted.eq("status", status) : wanted.neq("status", "DELETED");
      if (sender) wanted = wanted.contains("phone_number_ids", [sender]);
      const from: number = last ? list.rows.length : 0;
      return await answered<ListedTemplate[]>(
        wanted.order("name").order("language").order("id").range(from, from + limit - 1),
      );
    },
  );

  async function load(app: App): Promise<void> {
    [senders] = await Promise.all([sendersOf(app), list.load(app)]);
  }

  function view(app: App): TemplateResult {
    const { t: { templates: t }, query } = app;
    const isFiltered = ["q", "status", "account"].some((name) => query.has(name));
    if (list.rows.length === 0 && !isFiltered) return noTemplates(senders, app);
    return html`
      <p class="lead">${t.lead}</p>
      ${filterBar("templates", filtersOf(senders, app), app)}
      ${list.rows.length > 0 ? tableOf(t.title, columnsOf(senders, app), list.rows) : emptyState({
        title: t.noneFound,
        why: t.noneFoundWhy,
        next: html`<a class="button" href=${app.href("templates")}>${app.t.frame.clearFilters}</a>`,
      })}
      ${list.html(".rows tbody tr", app)}
    `;
  }

  return { title: (t) => t.menu.templates, load, html: view };
}

function filtersOf(senders: Sender[], { t: { templates: t } }: App): Filter[] {
  return [
    { kind: "search", name: "q", label: t.search },
    {
      ...{ kind: "choice", name: "status", label: t.status },
      choices: [["", t.anyStatus], ...Object.entries(t.statuses)],
    },
    ...(senders.length > 1
      ? [{
        ...{ kind: "choice" as const, name: "account", label: t.account },
        choices: [
          ["", t.anyAccount],
          ...senders.map((each) => [each.phone_number_id, each.display_phone]),
        ] as [string, string][],
      }]
      : []),
  ];
}

function columnsOf(senders: Sender[], app: App): Column<ListedTemplate>[] {
  const { t: { templates: t }, locale } = app;
  const phone = (id: string) =>
    senders.find((sender) => sender.phone_number_id === id)?.display_phone ?? id;
  const columns: Column<ListedTemplate>[] = [
    {
      name: t.name,
      kind: "main",
      value: ({ id, name, language }) =>
        html`
          <a href=${app.href(`templates/${id}`)}><bdi>${name}</bdi></a>
          <small>${languageName(language, locale)}</small>
        `,
    },
    {
      name: t.status,
      value: ({ status }) => badge(wordFor(status, t.statuses), toneOf(status)),
    },
    { name: t.category, value: ({ category }) => category && wordFor(category, t.categories) },
    { name: t.quality, value: ({ quality }) => wordFor(quality ?? "UNKNOWN", t.qualities) },
  ];
  if (senders.length > 1) {
    columns.push({
      name: t.account,
      value: ({ phone_number_ids }) => phone_number_ids.map(phone).join(", ") || t.noAccount,
    });
  }
  return columns;
}

/** Explains why there are no templates, and what the user can do. */
function noTemplates(senders: Sender[], app: App): TemplateResult {
  const { t: { templates: t } } = app;
  const isRead = senders.some(({ templates_synced_at }) => templates_synced_at !== null);
  const [title, why] = senders.length === 0
    ? [t.none, t.noneWithoutAccount]
    : isRead
    ? [t.none, t.noneAtWhatsApp]
    : [t.notRead, t.notReadWhy];
  return emptyState({
    ...{ title, why },
    next: senders.length === 0 && isManager(app.company)
      ? html`<a class="button main" href=${app.href("accounts")}>${t.toAccounts}</a>`
      : nothing,
    example: html`
      <h3>${t.exampleTitle}</h3>
      <p class="example"><code>order_update</code> ${t.exampleText}</p>
    `,
  });
}
