import { keyList } from "./keys/key_list.ts";
import { keyPage } from "./keys/key_page.ts";
import { newKey } from "./keys/new_key.ts";
import { chooseCompany } from "./choose_company.ts";
import { choosePassword } from "./choose_password.ts";
import { later } from "./later.ts";
import type { Texts } from "./texts.ts";
import type { View } from "./view.ts";

/** The addresses of the page after its `#`, and the view for each. */
const ROUTES: [RegExp, (part: string) => View][] = [
  [/^#\/keys$/, keyList],
  [/^#\/keys\/new$/, newKey],
  [/^#\/keys\/([0-9a-f-]{36})$/, keyPage],
  [/^#\/accounts$/, laterAccounts],
  [/^#\/history$/, laterHistory],
  [/^#\/password$/, choosePassword],
  [/^#\/companies$/, chooseCompany],
];

/** The entries of the menu: an address, and the text for it. */
export const MENU: [string, (t: Texts) => string][] = [
  ["#/keys", (t) => t.menu.keys],
  ["#/accounts", (t) => t.menu.accounts],
  ["#/history", (t) => t.menu.history],
];

function laterAccounts(): View {
  const part = later(async () => (await import("./accounts.ts")).accounts());
  return { title: (t) => t.menu.accounts, ...part };
}

function laterHistory(): View {
  const part = later(async () => (await import("./history.ts")).history());
  return { title: (t) => t.menu.history, ...part };
}

/** A new view for an address; null when there is no view for it. */
export function viewAt(route: string): View | null {
  for (const [address, view] of ROUTES) {
    const found = address.exec(route);
    if (found) return view(found[1] ?? "");
  }
  return null;
}
