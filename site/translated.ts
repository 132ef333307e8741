// Writes the requests of a block of shell lines in JavaScript and in Python.
import type { Part, Request, Step, Text } from "./shell_requests.ts";

/** A block in another language: the name that readers see, the grammar for colours, the code. */
export interface Translation {
  name: string;
  language: string;
  text: string;
}

/** The requests of a block in other languages. */
export function translationsOf(steps: Step[]): Translation[] {
  return [
    { name: "JavaScript", language: "js", text: inJavaScript(steps) },
    { name: "Python", language: "py", text: inPython(steps) },
  ];
}

/** The maximum length of a line, unless a single text is longer. */
const WIDTH = 80;

/** How a language writes values. */
interface Dialect {
  /** The words for true, false and null. */
  words: [string, string, string];
  indent: string;
  /** The brackets around the members of an object on one line. */
  braces: [string, string];
  key(name: string): string;
  /** A text that contains variables. */
  filled(parts: Text, value: (variable: string) => string): string;
  /** The code that reads an environment variable. */
  fromEnvironment(name: string): string;
}

const JAVASCRIPT: Dialect = {
  words: ["true", "false", "null"],
  indent: "  ",
  braces: ["{ ", " }"],
  key: (name) => /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name),
  filled: (parts, value) => {
    const inside = parts.map((part) =>
      typeof part === "string" ? part.replaceAll(/[`\\]/g, "\\$&") : `\${${value(part.variable)}}`
    );
    return `\`${inside.join("")}\``;
  },
  fromEnvironment: (name) => `process.env.${name}`,
};

const PYTHON: Dialect = {
  words: ["True", "False", "None"],
  indent: "    ",
  braces: ["{", "}"],
  key: (name) => JSON.stringify(name),
  filled: (parts, value) => {
    const inside = parts.map((part) =>
      typeof part === "string"
        ? JSON.stringify(part).slice(1, -1).replaceAll(/[{}]/g, "$&$&")
        : `{${value(part.variable)}}`
    );
    return `f"${inside.join("")}"`;
  },
  fromEnvironment: (name) => `os.environ['${name}']`,
};

/** The variables that programs of every language read from the environment. */
const ENVIRONMENT = ["CRM_API_URL", "CRM_API_KEY"];

function textIn(to: Dialect, parts: Text): string {
  const value = (name: string) =>
    ENVIRONMENT.includes(name) ? to.fromEnvironment(name) : name.toLowerCase();
  if (parts.every((part) => typeof part === "string")) return JSON.stringify(parts.join(""));
  const [first] = parts;
  return parts.length === 1 && typeof first !== "string"
    ? value(first.variable)
    : to.filled(parts, value);
}

/** Marks a variable in a text: its name is between two characters that no example contains. */
const MARKED = /\ue000(\w+)\ue001/;

function marked(text: Text): string {
  return text.map((part) => typeof part === "string" ? part : `\ue000${part.variable}\ue001`)
    .join("");
}

/** The value of a JSON text; undefined when the text is not JSON, as in an example of an error. */
function valueOf(body: Text): unknown {
  try {
    return JSON.parse(marked(body));
  } catch {
    return undefined;
  }
}

function partsOf(text: string): Text {
  return text.split(MARKED).map((part, at): Part => at % 2 ? { variable: part } : part)
    .filter((part) => part !== "");
}

/** Writes a value on the current line if it fits, or else on several lines. */
function written(value: unknown, to: Dialect, used: number, depth: number): string {
  if (typeof value === "string") return textIn(to, partsOf(value));
  if (value === true) return to.words[0];
  if (value === false) return to.words[1];
  if (value === null) return to.words[2];
  if (typeof value !== "object") return String(value);
  const isList = Array.isArray(value);
  const members = (depth: number): string[] =>
    isList
      ? value.map((each) => written(each, to, to.indent.length * depth, depth))
      : Object.entries(value!).map(([name, each]) => {
        const key = `${to.key(name)}: `;
        return key + written(each, to, to.indent.length * depth + key.length, depth);
      });
  return enclosed(isList ? ["[", "]"] : to.braces, members, to, used, depth);
}

/** Writes members between brackets, on the current line if they fit. */
function enclosed(
  [open, close]: [string, string],
  members: (depth: number) => string[],
  to: Dialect,
  used: number,
  depth: number,
): string {
  const short = `${open}${members(depth).join(", ")}${close}`;
  if (used + short.length < WIDTH && !short.includes("\n")) return short;
  const inner = to.indent.repeat(depth + 1);
  const lines = members(depth + 1).map((member) => `${inner}${member},\n`);
  return `${open.trim()}\n${lines.join("")}${to.indent.repeat(depth)}${close.trim()}`;
}

/** Headers or parameters as an object. In the values, variables are marked. */
function named(pairs: [string, Text][]): Record<string, string> {
  return Object.fromEntries(pairs.map(([name, value]) => [name, marked(value)]));
}

function inJavaScript(steps: Step[]): string {
  const requests = steps.filter((step): step is Request => "method" in step);
  const queries = requests.filter(({ query }) => query.length > 0);
  /** The name of a variable, with `const` or `let` before its first use. */
  const declared = (name: string, uses: Request[], use: Request) =>
    uses.length === 1 ? `const ${name}` : use === uses[0] ? `let ${name}` : name;
  return steps.map((step) => {
    if ("waits" in step) {
      return `await new Promise((resolve) => setTimeout(resolve, ${step.waits * 1000}));\n`;
    }
    const { method, url, query, headers, body } = step;
    const start = `${declared("query", queries, step)} = new URLSearchParams(`;
    const queried = query.length === 0
      ? ""
      : `${start}${written(named(query), JAVASCRIPT, start.length, 0)});\n`;
    const address = query.length === 0 ? url : [...url, "?", { variable: "QUERY" }];
    const options = [
      ...(method === "GET" ? [] : [`method: "${method}"`]),
      ...(headers.length === 0 ? [] : [`headers: ${written(named(headers), JAVASCRIPT, 11, 1)}`]),
      ...(body ? [`body: ${bodyInJavaScript(body)}`] : []),
    ].map((option) => `  ${option},\n`).join("");
    return queried + declared("answer", requests, step) +
      ` = await fetch(${textIn(JAVASCRIPT, address)}${options && `, {\n${options}}`});\n` +
      resultInJavaScript(step);
  }).join("");
}

function bodyInJavaScript(body: Text): string {
  const value = valueOf(body);
  if (value === undefined) return textIn(JAVASCRIPT, body);
  return `JSON.stringify(${written(value, JAVASCRIPT, 24, 1)})`;
}

function resultInJavaScript({ into, values, shows }: Request): string {
  if (shows === "status") return "console.log(answer.status);\n";
  if (shows === "nothing") return "";
  if (values.length === 0) return "console.log(await answer.json());\n";
  const [first, second] = values;
  const value = second === undefined
    ? `(await answer.json()).${first}`
    : `found.${first.replaceAll(".", "?.")} ?? found.${second}`;
  const found = second === undefined ? "" : "const found = await answer.json();\n";
  return found + (into ? `const ${into.toLowerCase()} = ${value};\n` : `console.log(${value});\n`);
}

function inPython(steps: Step[]): string {
  const modules = ["os", ...(steps.some((step) => "waits" in step) ? ["time"] : [])];
  const lines = steps.map((step) => {
    if ("waits" in step) return `time.sleep(${step.waits})\n`;
    const { method, url, query, headers, body } = step;
    const value = body && valueOf(body);
    // The Python library `requests` itself adds this Content-Type to a request with JSON.
    const own = headers.filter(([name, value]) =>
      value === undefined || name !== "Content-Type" || value.join("") !== "application/json"
    );
    const given = (depth: number) => {
      const at = (name: string, value: unknown) =>
        `${name}=${written(value, PYTHON, depth * 4 + name.length + 1, depth)}`;
      return [
        textIn(PYTHON, url),
        ...(query.length > 0 ? [at("params", named(query))] : []),
        ...(headers.length > 0 ? [at("headers", named(value === undefined ? headers : own))] : []),
        ...(!body
          ? []
          : value === undefined
          ? [`data=${textIn(PYTHON, body)}`]
          : [at("json", value)]),
      ];
    };
    const start = `answer = requests.${method.toLowerCase()}`;
    return `${start}${enclosed(["(", ")"], given, PYTHON, start.length, 0)}\n${
      resultInPython(step)
    }`;
  });
  return `${modules.map((name) => `import ${name}\n`).join("")}import requests\n\n${
    lines.join("")
  }`;
}

function resultInPython({ into, values, shows }: Request): string {
  if (shows === "status") return "print(answer.status_code)\n";
  if (shows === "nothing") return "";
  if (values.length === 0) return "print(answer.json())\n";
  const path = (value: string) =>
    value.replaceAll("[", ".").replaceAll("]", "").split(".")
      .map((name) => /^\d+$/.test(name) ? `[${name}]` : `["${name}"]`).join("");
  const [first, second] = values;
  const value = second === undefined
    ? `answer.json()${path(first)}`
    : `found${path(first)} if "${first.split(".")[0]}" in found else found${path(second)}`;
  const found = second === undefined ? "" : "found = answer.json()\n";
  return found + (into ? `${into.toLowerCase()} = ${value}\n` : `print(${value})\n`);
}
