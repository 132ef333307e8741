// Tests `npm run settings` and the page that it builds.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { root } from "../../local/checkout.ts";
import { filesBelow } from "../../local/site_sources.ts";
import { buildSettings } from "../../settings/build.ts";
import { faultOfKey } from "../../settings/page/publishable_key.ts";
import { withFolder } from "../support/started.ts";

function digestOfStyle(html: string): string {
  const styles = Array.from(html.matchAll(/<style>(.*?)<\/style>/gs), ([, style]) => style);
  assert.equal(styles.length, 1);
  return createHash("sha256").update(styles[0]).digest("base64");
}

/**
 * The maximum download size in compressed kilobytes: for the first view without supabase-js, and
 * for each other view.
 */
const MOST = { first: 30, other: 12 };

async function settings(...args: string[]) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--no-prompt", `${root}settings/main.ts`, ...args],
    env: { NO_COLOR: "1" },
  }).output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { code, out, err };
}

const PROJECT = ["--project-url", "https://ref.supabase.co/", "--publishable-key"];

Deno.test("the settings page is built for a project", async () => {
  await withFolder(async (folder) => {
    const out = `${folder}/page`;
    const { code, err } = await settings("--out", out, ...PROJECT, "sb_publishable_abc");
    assert.deepEqual([code, err], [0, ""]);
    assert.deepEqual(JSON.parse(await Deno.readTextFile(`${out}/config.json`)), {
      project_url: "https://ref.supabase.co",
      publishable_key: "sb_publishable_abc",
      docs_url: null,
      mail_url: null,
    });

    const html = await Deno.readTextFile(`${out}/index.html`);
    assert.match(
      html,
      /default-src 'self'; style-src 'self' '[^']+'; connect-src 'self' https:; img-src 'self' data:; object-src 'none'/,
    );
    const policy = `style-src 'self' 'sha256-${digestOfStyle(html)}'`;
    assert.ok(
      html.includes(policy),
      "the page's only inline style is the one that its content security policy allows",
    );
    assert.doesNotMatch(
      html,
      /<script>|style=|https?:\/\//,
      "the page has no inline script or style, and no URL of another host",
    );
    const named = Array.from(html.matchAll(/(?:href|src)="([^"]+)"/g), ([, name]) => name);
    const files = Array.from(Deno.readDirSync(out), ({ name }) => name);
    assert.deepEqual(named.filter((name) => !files.includes(name)), []);

    // A folder with other content is not changed.
    const other = await settings("--out", folder);
    assert.equal(other.code, 1);
    assert.match(
      other.err,
      /contains something other than the settings page\. Choose a new folder/,
    );
  });
});

Deno.test("each view of the settings page is smaller than its maximum size", async () => {
  await withFolder(async (folder) => {
    const made = await buildSettings({ out: `${folder}/page`, config: null });
    const source = (path: string) => path.replace(/^settings\/(page|assets)\//, "");
    const files = new Map(
      Object.entries(made).flatMap(([path, { entryPoint }]) =>
        entryPoint ? [[source(entryPoint), path] as const] : []
      ),
    );
    const kilobytes = (paths: Iterable<string>) =>
      Array.from(new Set(paths)).reduce((sum, path) => {
        const bytes = Deno.readFileSync(`${folder}/page/${path.split("/").at(-1)}`);
        return sum + gzipSync(bytes).length / 1000;
      }, 0);
    /** A file, and all files that the file imports. */
    const withNeeds = (path: string): string[] => [
      path,
      ...made[path].imports.filter(({ kind }) => kind === "import-statement")
        .flatMap((each) => withNeeds(each.path)),
    ];
    const longest = (sources: (language: string) => string) =>
      ["en", "es", "pt"].map((language) => withNeeds(files.get(sources(language))!))
        .sort((one, other) => kilobytes(other) - kilobytes(one))[0];

    const supabase = withNeeds(files.get("supabase.ts")!);
    assert.match(
      supabase.map((path) => Deno.readTextFileSync(`${folder}/page/${path.split("/").at(-1)}`))
        .join(),
      /X-Supabase-Api-Version/,
    );
    const first = [
      ...withNeeds(files.get("start.ts")!),
      ...withNeeds(files.get("main.ts")!),
      files.get("style.css")!,
      ...longest((language) => `texts/${language}.ts`),
    ].filter((path) => !supabase.includes(path));
    const weight = kilobytes(first);
    assert.ok(weight > 10 && weight < MOST.first, `${weight} kB without supabase-js`);

    const scripts = Array.from(files.keys()).filter((name) =>
      name.endsWith(".ts") && !name.startsWith("texts/") &&
      !["start.ts", "main.ts", "supabase.ts"].includes(name)
    );
    assert.ok(scripts.length > 2, scripts.join());
    for (const script of scripts) {
      const needs = needsOf(script);
      const paths = [
        ...withNeeds(files.get(script)!),
        ...needs.texts.flatMap((name) =>
          longest((language) => `texts/${language}/${inSnakeCase(name)}.ts`)
        ),
        ...needs.styles.map((name) => files.get(`views/${name}.css`)!),
      ].filter((path) => ![...first, ...supabase].includes(path));
      assert.ok(kilobytes(paths) < MOST.other, `${script}: ${kilobytes(paths)} kB`);
    }
  });
});

const inSnakeCase = (name: string) =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Reads from the source code which texts and styles `later()` loads together with a script. */
function needsOf(script: string): { texts: string[]; styles: string[] } {
  const name = script.split("/").at(-1)!;
  const words = (text: string, member: string) =>
    Array.from(
      new RegExp(`${member}: \\[([^\\]]*)\\]`).exec(text)?.[1].matchAll(/"([^"]+)"/g) ?? [],
      ([, word]) => word,
    );
  for (const path of filesBelow("settings/page")) {
    const [, after] = Deno.readTextFileSync(`${root}${path}`).split(`${name}")).`);
    if (after) {
      const call = after.split("import(")[0];
      return { texts: words(call, "texts"), styles: words(call, "styles") };
    }
  }
  throw new Error(`nothing loads ${script}`);
}

Deno.test("a command with invalid options fails with an error that gives the reason", async () => {
  const secret = await settings(...PROJECT, "sb_secret_abc");
  assert.equal(secret.code, 1);
  assert.match(secret.err, /This is a secret key, which no page may have\./);
  const alone = await settings("--project-url", "https://ref.supabase.co");
  assert.match(alone.err, /belong together: give both or none/);
  const address = await settings("--project-url", "ref.supabase.co");
  assert.match(address.err, /must begin with http:\/\/ or https:\/\//);
});

Deno.test("the command accepts a publishable key and refuses a secret key", () => {
  const legacy = (role: string) => `x.${btoa(JSON.stringify({ role }))}.y`;
  assert.equal(faultOfKey("sb_publishable_a-B_1"), null);
  assert.equal(faultOfKey(legacy("anon")), null);
  for (const key of ["sb_secret_abc", legacy("service_role")]) {
    assert.match(faultOfKey(key) ?? "", /^This is a secret key/);
  }
  for (const key of ["", "abc", "a.b.c"]) {
    assert.match(faultOfKey(key) ?? "", /^Use the key that begins with/);
  }
});

Deno.test("every language has a translation of every text", async () => {
  const texts = `${root}settings/page/texts`;
  const sections = Array.from(Deno.readDirSync(`${texts}/en`), ({ name }) => name);
  const [en, es, pt] = await Promise.all(
    ["en", "es", "pt"].map(async (language) =>
      await Promise.all(sections.map((name) => import(`${texts}/${language}/${name}`)))
    ),
  );
  /** Returns every text with its name. In a text with values, placeholders replace the values. */
  const sentences = (texts: object, place = ""): [string, string][] =>
    Object.entries(texts).flatMap(([name, text]) => {
      const here = `${place}.${name}`;
      if (typeof text === "string") return [[here, text]];
      if (typeof text !== "function") return sentences(text, here);
      return [[here, text(...Array.from({ length: text.length }, (_, at) => `<${at}>`))]];
    });
  const [english, ...others] = [en, es, pt].map((texts) => new Map(sentences(texts)));
  for (const other of others) {
    assert.deepEqual([...other.keys()].sort(), [...english.keys()].sort());
    const same = [...other].filter(([place, text]) => text === english.get(place));
    // Some words, such as WhatsApp, E-mail and admin, are the same in several languages.
    assert.deepEqual(same.filter(([, text]) => text.trim().split(" ").length > 2), []);
    for (const [place, text] of other) {
      assert.ok(text.trim() !== "", place);
      const values = (sentence: string) => sentence.match(/<\d>/g)?.sort() ?? [];
      assert.deepEqual(values(text), values(english.get(place)!), place);
    }
  }
});
