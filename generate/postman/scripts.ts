import type { JsonSchema } from "../openapi/json_schema.ts";
import type { CollectedRequest } from "./requests.ts";

/**
 * The lines that generate new values for each run. A second run therefore does not conflict with
 * records of the first run.
 */
const MADE = {
  phones: [
    "// No country has the code 999, so no one has these phone numbers.",
    "const digits = Date.now().toString().slice(-9);",
    '["phone", "second_phone", "third_phone"].forEach((name, index) => {',
    "  pm.collectionVariables.set(name, `+9990${digits}${index}`);",
    "});",
  ],
  "send key": ['pm.collectionVariables.set("send_key", `postman-${Date.now()}`);'],
};

/** Returns the lines of the script that runs before a request. */
export function scriptBefore({ makes, needs }: CollectedRequest): string[] {
  return [
    ...(makes ? MADE[makes] : []),
    ...(needs
      ? [
        "// Your company may not have the record that this request needs.",
        `if (!pm.collectionVariables.get("${needs}")) pm.execution.skipRequest();`,
      ]
      : []),
  ];
}

/**
 * Returns the lines of the script that checks a response and stores values that later requests
 * need.
 * @param statuses the statuses of the documented successful responses.
 * @param schema the schema of the response, or null if the response is not JSON.
 * @param isBytes whether the response is a file.
 */
export function scriptAfter(
  { keep = {} }: CollectedRequest,
  statuses: number[],
  schema: JsonSchema | null,
  isBytes = false,
): string[] {
  const expected = JSON.stringify(statuses);
  return [
    `pm.test("The status is ${statuses.join(" or ")}", () => {`,
    `  pm.expect(${expected}, pm.response.text()).to.include(pm.response.code);`,
    "});",
    'pm.test("The response has a request id", () => pm.response.to.have.header("X-Request-Id"));',
    ...(schema ? checksOf(schema) : isBytes
      ? [
        'pm.test("The response has a file", () => pm.expect(pm.response.responseSize).to.be.above(0));',
      ]
      : ['pm.test("There is no body", () => {', ...EMPTY, "});"]),
    ...keptBy(keep, expected),
  ];
}

const EMPTY = ['  pm.expect(pm.response.text()).to.equal("");'];

function checksOf(schema: JsonSchema): string[] {
  return [
    'pm.test("The response is JSON", () => {',
    '  pm.expect(pm.response.headers.get("Content-Type")).to.match(/^application\\/json(;|$)/);',
    "});",
    'pm.test("The response has the documented properties and types", () => {',
    `  pm.response.to.have.jsonSchema(${JSON.stringify(schema)});`,
    "});",
    ...("summary" in (schema.properties ?? {})
      ? [
        'pm.test("No item failed", () => pm.expect(pm.response.json().summary.failed).to.equal(0));',
      ]
      : []),
  ];
}

function keptBy(keep: Record<string, string>, expected: string): string[] {
  const kept = Object.entries(keep);
  if (kept.length === 0) return [];
  return [
    "",
    `if (${expected}.includes(pm.response.code)) {`,
    "  const answer = pm.response.json();",
    ...kept.map(([name, path]) =>
      `  pm.collectionVariables.set("${name}", answer${optional(path)} || "");`
    ),
    "}",
  ];
}

/** Returns the code that reads a path. For example, `data.0.id` becomes `.data?.[0]?.id`. */
function optional(path: string): string {
  const [first, ...rest] = path.split(".");
  return `.${first}${
    rest.map((name) => /^\d+$/.test(name) ? `?.[${name}]` : `?.${name}`).join("")
  }`;
}
