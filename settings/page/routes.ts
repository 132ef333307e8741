// The page's routes, its menu and its banner. A new view needs its line in ROUTES, its entry in
// MENU, its texts in texts.ts and its style in assets/views/.
import { isManager } from "./app.ts";
import { chooseCompany } from "./choose_company.ts";
import { choosePassword } from "./choose_password.ts";
import { keyList } from "./keys/key_list.ts";
import { later, type Needs } from "./later.ts";
import type { Company } from "./person.ts";
import type { Texts } from "./texts.ts";
import type { Part, View } from "./view.ts";

/** A pattern with at most one group, and the view for it, which receives the group's text. */
type Route = [RegExp, (part: string) => View];

/** The views of a company, by the path in `#/c/<company id>/<path>`, without the filters. */
const ROUTES: Route[] = [
  [/^keys$/, keyList],
  [
    /^keys\/new$/,
    laterView((t) => t.keys.create, async () => (await import("./keys/one_key.ts")).newKey()),
  ],
  [
    /^keys\/([0-9a-f-]{36})$/,
    laterView((t) => t.keys.one, async (id) => (await import("./keys/one_key.ts")).keyPage(id)),
  ],
  [
    /^sends$/,
    laterView(
      (t) => t.menu.sends,
      async () => (await import("./sends/send_list.ts")).sendList(),
      { texts: ["sends", "activity"], styles: ["sends", "activity"] },
    ),
  ],
  [
    /^sends\/([0-9a-f-]{36})$/,
    laterView(
      (t) => t.menu.sends,
      async (id) => (await import("./sends/send_page.ts")).sendPage(id),
      { texts: ["sends", "send"], styles: ["sends"] },
    ),
  ],
  [
    /^webhooks$/,
    laterView(
      (t) => t.menu.webhooks,
      async () => (await import("./webhooks/webhook_list.ts")).webhookList(),
      { texts: ["webhooks"], styles: ["webhooks"] },
    ),
  ],
  [
    /^webhooks\/new$/,
    laterView(
      (t) => t.menu.webhooks,
      async () => (await import("./webhooks/new_webhook.ts")).newWebhook(),
      { texts: ["webhooks", "webhookForm"], styles: ["webhooks"] },
    ),
  ],
  [
    /^webhooks\/([0-9a-f-]{36})$/,
    laterView(
      (t) => t.menu.webhooks,
      async (id) => (await import("./webhooks/webhook_page.ts")).webhookPage(id),
      { texts: ["webhooks", "webhook"], styles: ["webhooks"] },
    ),
  ],
  [
    /^webhooks\/([0-9a-f-]{36})\/change$/,
    laterView(
      (t) => t.menu.webhooks,
      async (id) => (await import("./webhooks/change_webhook.ts")).changeOf(id),
      { texts: ["webhooks", "webhookForm"], styles: ["webhooks"] },
    ),
  ],
  [
    /^requests$/,
    laterView(
      (t) => t.menu.requests,
      async () => (await import("./requests.ts")).requests(),
      { texts: ["requests"], styles: ["requests"] },
    ),
  ],
  [
    /^requests\/(.+)$/,
    laterView(
      (t) => t.menu.requests,
      async (id) => (await import("./request.ts")).request(id),
      { texts: ["requests"], styles: ["requests"] },
    ),
  ],
  [
    /^accounts$/,
    laterView(
      (t) => t.menu.accounts,
      async () => (await import("./accounts.ts")).accounts(),
      { texts: ["accounts"], styles: ["accounts"] },
    ),
  ],
  [
    /^accounts\/connect$/,
    laterView(
      (t) => t.menu.accounts,
      async () => (await import("./accounts/connect_view.ts")).connectView(),
      { texts: ["accounts"], styles: ["accounts"] },
    ),
  ],
  [
    /^templates$/,
    laterView(
      (t) => t.menu.templates,
      async () => (await import("./templates.ts")).templates(),
      { texts: ["templates"], styles: ["templates"] },
    ),
  ],
  [
    /^templates\/([0-9a-f-]{36})$/,
    laterView(
      (t) => t.menu.templates,
      async (id) => (await import("./template.ts")).template(id),
      { texts: ["templates"], styles: ["templates"] },
    ),
  ],
  [
    /^opt-outs$/,
    laterView(
      (t) => t.menu.optOuts,
      async () => (await import("./opt_outs/opt_out_list.ts")).optOutList(),
      { texts: ["optOuts"] },
    ),
  ],
  [
    /^history$/,
    laterView(
      (t) => t.menu.history,
      async () => (await import("./history.ts")).history(),
      { texts: ["history"], styles: ["history"] },
    ),
  ],
  [
    /^members$/,
    laterView(
      (t) => t.menu.members,
      async () => (await import("./members/members.ts")).members(),
      { texts: ["members"], styles: ["members"] },
    ),
  ],
];

/** The views that need no company: `#/<path>`. */
const ROUTES_OF_PERSON: Route[] = [
  [
    /^security$/,
    laterView(
      (t) => t.menu.security,
      async () => (await import("./security/security.ts")).security(),
      { texts: ["security"], styles: ["members"] },
    ),
  ],
  [
    /^invitations$/,
    laterView(
      (t) => t.menu.invitations,
      async () => (await import("./members/own_invitations.ts")).ownInvitations(),
      { texts: ["members"], styles: ["members"] },
    ),
  ],
  [/^password$/, choosePassword],
  [/^companies$/, () => chooseCompany("several", "")],
];

/** An entry of the menu. */
export interface MenuEntry {
  /** The path of the view. The entry is also current for the paths below it. */
  path: string;
  name(t: Texts): string;
  /** Who sees the entry. */
  isFor(company: Company): boolean;
}

const everyone = () => true;

/** The menu, in groups: what a developer needs, what happens with messages, and the company. */
export const MENU: MenuEntry[][] = [
  [
    { path: "keys", name: (t) => t.menu.keys, isFor: isManager },
    { path: "webhooks", name: (t) => t.menu.webhooks, isFor: isManager },
    { path: "requests", name: (t) => t.menu.requests, isFor: isManager },
  ],
  [
    { path: "sends", name: (t) => t.menu.sends, isFor: everyone },
    { path: "accounts", name: (t) => t.menu.accounts, isFor: everyone },
    { path: "templates", name: (t) => t.menu.templates, isFor: everyone },
    { path: "opt-outs", name: (t) => t.menu.optOuts, isFor: everyone },
  ],
  [
    { path: "members", name: (t) => t.menu.members, isFor: everyone },
    { path: "history", name: (t) => t.menu.history, isFor: isManager },
  ],
];

/** A banner that every view shows when something is wrong; null when there is no banner. */
export const BANNER: (() => Part) | null = () =>
  later(
    async () => (await import("./accounts/banner.ts")).troubleBanner(),
    { texts: ["banner"] },
  );

/** The path of the view that a user sees first: keys, or sends for an agent. */
export function firstPath(company: Company): string {
  return MENU.flat().find(({ isFor }) => isFor(company))!.path;
}

/** A new view for a path of a company; null when there is no view for it. */
export function viewAt(path: string): View | null {
  return viewOf(ROUTES, path);
}

/** A new view for a path without a company; null when there is no view for it. */
export function viewOfPerson(path: string): View | null {
  return viewOf(ROUTES_OF_PERSON, path);
}

function viewOf(routes: Route[], path: string): View | null {
  for (const [address, view] of routes) {
    const found = address.exec(path);
    if (found) return view(found[1] ?? "");
  }
  return null;
}

/**
 * A view whose script, texts and style are loaded when a user opens it.
 * @param script receives the text of the pattern's group.
 * @param title the title until the view is loaded. It must be one of the texts that are loaded
 *   before the first view. The loaded view may have a better title.
 */
function laterView(
  title: (t: Texts) => string,
  script: (part: string) => Promise<Part & Partial<View>>,
  needs: Needs = {},
): (part: string) => View {
  return (part) => {
    let view: (Part & Partial<View>) | null = null;
    return {
      ...later(async () => view = await script(part), needs),
      title: (t) => view?.title?.(t) ?? title(t),
      holds: {
        isThere: () => view?.holds?.isThere() ?? false,
        ask: (app, leave) => view?.holds?.ask(app, leave),
      },
    };
  };
}
