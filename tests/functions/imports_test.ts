// Tests which folders may import which other folders. Imports have one direction, so a reader of a
// file need not know the files that import it.
import assert from "node:assert/strict";
import { root } from "../../local/checkout.ts";

interface Module {
  specifier: string;
  dependencies?: { code?: { specifier?: string }; type?: { specifier?: string } }[];
}

/**
 * Finds all imports between files of this checkout, beginning at these modules. Each import is a
 * pair of the importing and the imported file.
 */
async function importsBelow(...entries: string[]): Promise<[string, string][]> {
  const found = await Promise.all(entries.map(async (entry) => {
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["info", "--json", entry],
      cwd: root,
    }).output();
    const { modules }: { modules: Module[] } = JSON.parse(new TextDecoder().decode(stdout));
    return modules;
  }));
  const own = (specifier?: string) =>
    specifier?.startsWith(`file://${root}`) && !specifier.includes("/node_modules/")
      ? specifier.slice(`file://${root}`.length)
      : null;
  const pairs = new Map<string, [string, string]>();
  for (const { specifier, dependencies = [] } of found.flat()) {
    const from = own(specifier);
    for (const { code, type } of from ? dependencies : []) {
      const to = own(code?.specifier ?? type?.specifier);
      if (to) pairs.set(`${from} ${to}`, [from!, to]);
    }
  }
  return [...pairs.values()];
}

const FUNCTIONS = "supabase/functions/";
const SHARED = `${FUNCTIONS}_shared/`;

/**
 * The folders that each folder in `_shared` may import. `ground` means the files directly in
 * `_shared`.
 */
const WINGS: Record<string, string[]> = {
  sending: ["sending", "http", "key", "credentials", "channel", "database", "ground"],
  template_sends: [
    ...["template_sends", "templates", "sending", "http", "key", "credentials", "channel"],
    ...["database", "ground"],
  ],
  http: ["http", "usage", "key", "database", "ground"],
  usage: ["usage", "key", "database", "ground"],
  key: ["key", "database", "ground"],
  templates: ["templates", "credentials", "channel", "database", "ground"],
  credentials: ["credentials", "ground"],
  media: ["media", "channel", "ground"],
  channel: ["channel", "ground"],
  database: ["database", "ground"],
  webhooks: ["webhooks", "http", "key", "credentials", "database", "ground"],
  jobs: ["jobs", "ground"],
  ground: ["ground"],
};

function wingOf(path: string): string {
  const [wing, file] = path.slice(SHARED.length).split("/");
  return file ? wing : "ground";
}

const functions = await importsBelow(
  `${FUNCTIONS}gateway/index.ts`,
  `${FUNCTIONS}send-external-template/index.ts`,
  `${FUNCTIONS}settings/index.ts`,
  `${FUNCTIONS}webhooks/index.ts`,
  `${FUNCTIONS}whatsapp/index.ts`,
);

Deno.test("a folder in `_shared` imports only the folders that this test allows", () => {
  const wrong = functions.filter(([from, to]) =>
    from.startsWith(SHARED) &&
    !(to.startsWith(SHARED) && WINGS[wingOf(from)].includes(wingOf(to)))
  );
  assert.deepEqual(wrong, []);
  const folders = [...Deno.readDirSync(`${root}${SHARED}`)].filter((entry) => entry.isDirectory);
  assert.deepEqual(
    [...folders.map(({ name }) => name), "ground"].sort(),
    Object.keys(WINGS).sort(),
  );
});

Deno.test("no function imports another function, or anything outside supabase/functions", () => {
  const functionOf = (path: string) => path.slice(FUNCTIONS.length).split("/")[0];
  const wrong = functions.filter(([from, to]) =>
    !to.startsWith(FUNCTIONS) || (!to.startsWith(SHARED) && functionOf(from) !== functionOf(to))
  );
  assert.deepEqual(wrong, []);
});

Deno.test("no function loads the text of the API description", () => {
  const loaded = functions.map(([, to]) => to).filter((to) => /\/(api_)?words\.ts$/.test(to));
  assert.deepEqual(loaded, []);
});

Deno.test("local/ imports nothing from tests/, trials/, admin/, generate/ or site/", async () => {
  const local = await importsBelow("local/start.ts", "sandbox/start.ts");
  const wrong = local.filter(([, to]) => /^(tests|trials|admin|generate|site)\//.test(to));
  assert.deepEqual(wrong, []);
});

Deno.test("imports are never circular, not even imports of types", async () => {
  const all = await importsBelow(
    ...[`${FUNCTIONS}gateway/index.ts`, `${FUNCTIONS}send-external-template/index.ts`],
    ...[`${FUNCTIONS}settings/index.ts`, `${FUNCTIONS}webhooks/index.ts`],
    ...[`${FUNCTIONS}whatsapp/index.ts`],
    ...["local/start.ts", "sandbox/start.ts", "admin/main.ts", "trials/bench/main.ts"],
    ...["generate/main.ts", "tests/run.ts", "tests/support/own_functions.ts"],
    ...["trials/attack/main.ts", "trials/attack/flood_worker.ts", "client/src/main.ts"],
    ...["client/src/webhooks.ts"],
    ...["site/main.ts", "settings/main.ts", "settings/page/main.ts"],
  );
  const below = Map.groupBy(all, ([from]) => from);
  const done = new Set<string>();
  const circleFrom = (path: string[]): string[] | null => {
    const file = path.at(-1)!;
    if (path.indexOf(file) < path.length - 1) return path;
    if (done.has(file)) return null;
    for (const [, to] of below.get(file) ?? []) {
      const circle = circleFrom([...path, to]);
      if (circle) return circle;
    }
    done.add(file);
    return null;
  };
  for (const file of below.keys()) assert.equal(circleFrom([file]), null);
});
