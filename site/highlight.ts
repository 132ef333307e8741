import { escaped } from "./html.ts";

/**
 * The languages of code blocks, by the word after the opening fence. `name` is what readers see,
 * and `grammar` is the grammar of highlight.js.
 */
const LANGUAGES: Record<string, { name: string; grammar?: string }> = {
  sh: { name: "Shell", grammar: "bash" },
  bash: { name: "Shell", grammar: "bash" },
  json: { name: "JSON", grammar: "json" },
  js: { name: "JavaScript", grammar: "javascript" },
  ts: { name: "TypeScript", grammar: "typescript" },
  py: { name: "Python", grammar: "python" },
  python: { name: "Python", grammar: "python" },
  php: { name: "PHP", grammar: "php" },
  go: { name: "Go", grammar: "go" },
  sql: { name: "SQL", grammar: "sql" },
  yaml: { name: "YAML", grammar: "yaml" },
  http: { name: "HTTP" },
  csv: { name: "CSV" },
  text: { name: "Text" },
  "": { name: "Text" },
};

interface Highlighter {
  registerLanguage(name: string, grammar: unknown): void;
  highlight(code: string, options: { language: string; ignoreIllegals: boolean }): {
    value: string;
  };
}

// These import paths are not constants, so TypeScript does not load the types of the package. The
// types would declare a browser's global names everywhere in this project.
const load = async (part: string) => (await import(`highlight.js/lib/${part}`)).default;
const hljs: Highlighter = await load("core");
for (const { grammar } of Object.values(LANGUAGES)) {
  if (grammar) hljs.registerLanguage(grammar, await load(`languages/${grammar}`));
}

/** The languages that a block may name. */
export const KNOWN_LANGUAGES = Object.keys(LANGUAGES).filter(Boolean);

/**
 * Highlights a block of code.
 * @returns the HTML and the name of the language; null if the language is unknown.
 */
export function highlighted(code: string, language: string): { name: string; html: string } | null {
  const known = LANGUAGES[language];
  if (!known) return null;
  const { name, grammar } = known;
  if (!grammar) return { name, html: escaped(code) };
  // Example responses contain `…` in place of a value, which is not valid JSON.
  return { name, html: hljs.highlight(code, { language: grammar, ignoreIllegals: true }).value };
}
