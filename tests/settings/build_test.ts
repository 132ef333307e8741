// `npm run settings`, and what it builds.
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { root } from "../../local/checkout.ts";
import { faultOfKey } from "../../settings/page/publishable_key.ts";
import { en } from "../../settings/page/texts/en.ts";
import { es } from "../../settings/page/texts/es.ts";
import { pt } from "../../settings/page/texts/pt.ts";
import { withFolder } from "../support/started.ts";

/** The compressed size of what a visitor loads for the first view, in addition to supabase-js. */
const MOST_KB = 30;

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
    assert.match(html, /default-src 'self'; connect-src 'self' https:; object-src 'none'/);
    assert.doesNotMatch(html, /<script>|<style|style=|https?:\/\//, "nothing inline nor foreign");
    const named = Array.from(html.matchAll(/(?:href|src)="([^"]+)"/g), ([, name]) => name);
    const files = Array.from(Deno.readDirSync(out), ({ name }) => name);
    assert.deepEqual(named.filter((name) => !files.includes(name)), []);

    // The files of the first view: those that index.html names, and the longest of the three
    // languages.
    const kilobytes = (name: string) => gzipSync(Deno.readFileSync(`${out}/${name}`)).length / 1000;
    const ofSupabase = named.find((name) =>
      Deno.readTextFileSync(`${out}/${name}`).includes("X-Supabase-Api-Version")
    );
    assert.ok(ofSupabase?.endsWith(".js"), "supabase-js is a file of its own");
    const languages = files.filter((name) => /^(en|es|pt)-/.test(name));
    assert.equal(languages.length, 3);
    const weight = Math.max(...languages.map(kilobytes)) +
      named.filter((name) => /\.(js|css)$/.test(name) && name !== ofSupabase)
        .reduce((sum, name) => sum + kilobytes(name), 0);
    assert.ok(weight > 10 && weight < MOST_KB, `${weight} kB beside supabase-js`);

    // A folder with other content stays unchanged.
    const other = await settings("--out", folder);
    assert.equal(other.code, 1);
    assert.match(
      other.err,
      /contains something other than the settings page\. Choose a new folder/,
    );
  });
});

Deno.test("an impossible command is refused with the reason", async () => {
  const secret = await settings(...PROJECT, "sb_secret_abc");
  assert.equal(secret.code, 1);
  assert.match(secret.err, /This is a secret key, which no page may have\./);
  const alone = await settings("--project-url", "https://ref.supabase.co");
  assert.match(alone.err, /belong together: give both or none/);
  const address = await settings("--project-url", "ref.supabase.co");
  assert.match(address.err, /begins with https:\/\//);
});

Deno.test("the command accepts a publishable key and refuses a secret key", () => {
  const legacy = (role: string) => `x.${btoa(JSON.stringify({ role }))}.y`;
  assert.equal(faultOfKey("sb_publishable_a-B_1"), null);
  assert.equal(faultOfKey(legacy("anon")), null);
  for (const key of ["sb_secret_abc", legacy("service_role")]) {
    assert.match(faultOfKey(key) ?? "", /^This is a secret key/);
  }
  for (const key of ["", "abc", "a.b.c"]) assert.match(faultOfKey(key) ?? "", /^It begins with/);
});

Deno.test("the languages have the same sentences, each in its own words", () => {
  /** Every sentence by its name. If a sentence has values, the names of the values replace them. */
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
    // Words such as WhatsApp, E-mail and admin are the same in several languages.
    assert.deepEqual(same.filter(([, text]) => text.trim().split(" ").length > 2), []);
    for (const [place, text] of other) {
      assert.ok(text.trim() !== "", place);
      const values = (sentence: string) => sentence.match(/<\d>/g)?.sort() ?? [];
      assert.deepEqual(values(text), values(english.get(place)!), place);
    }
  }
});
