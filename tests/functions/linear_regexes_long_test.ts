// Tests that every regular expression needs linear time. Some expressions read text from callers
// without a key. If such an expression needed quadratic time, one text could block a function.
import assert from "node:assert/strict";
import { root } from "../../local/checkout.ts";
import { growsTooFast, hostileText, kindsAgainst } from "../support/hostile_texts.ts";
import { runs } from "../support/runs.ts";

/** The regular expressions in the functions and the settings page, with their source locations. */
function regexesOfTheCode(): { regexes: Map<string, RegExp>; unread: string[] } {
  const regexes = new Map<string, RegExp>();
  const unread: string[] = [];
  const reader = (file: string): Deno.lint.Plugin => ({
    name: "reading",
    rules: {
      regexes: {
        create: () => ({
          Literal(node) {
            if (!("regex" in node) || !node.regex) return;
            const { pattern, flags } = node.regex;
            regexes.set(`${file}: /${pattern}/${flags}`, new RegExp(pattern, flags));
          },
          "NewExpression[callee.name='RegExp'], CallExpression[callee.name='RegExp']"() {
            unread.push(file);
          },
        }),
      },
    },
  });
  for (const file of ["supabase/functions/", "settings/page/"].flatMap(sourcesBelow)) {
    Deno.lint.runPlugin(reader(file), file, Deno.readTextFileSync(root + file));
  }
  return { regexes, unread };
}

function sourcesBelow(folder: string): string[] {
  return [...Deno.readDirSync(root + folder)].flatMap(({ name, isDirectory }) =>
    isDirectory ? sourcesBelow(`${folder}${name}/`) : name.endsWith(".ts") ? folder + name : []
  );
}

/** The reason why a regular expression needs too much time, or null if it is fast. */
function faultOf(regex: RegExp, samples = 4): string | null {
  for (const kind of kindsAgainst(regex, samples)) {
    if (!growsTooFast(kind, (text) => text.replace(regex, ""))) continue;
    return `takes more than linear time for ${JSON.stringify(hostileText(kind, 20))} and longer`;
  }
  return null;
}

Deno.test("every regular expression in the functions and the settings page needs linear time", () => {
  const { regexes, unread } = regexesOfTheCode();
  assert.ok(regexes.size > 80, `${regexes.size}`);
  assert.deepEqual(unread, [], "the check cannot test an expression that is built from a string");
  const faults = [...regexes].map(([where, regex]) => [where, faultOf(regex, runs(4))]);
  assert.deepEqual(faults.filter(([, fault]) => fault !== null), []);
});

Deno.test("the check finds a regular expression that needs quadratic time", () => {
  const quadratic = [
    /^\s*(\{\s*\})?\s*$/,
    /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?/g,
    /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu,
  ];
  for (const regex of quadratic) assert.notEqual(faultOf(regex), null, `${regex}`);
});
