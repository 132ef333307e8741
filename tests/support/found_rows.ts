// Computes the rows that a list must return for a query. This file implements the API's contract
// independently of the tested code, with rows in memory.
import { splitText } from "./query_text.ts";
import { withDatabase } from "./test_stack.ts";

/** A company's row as the database stores it, with the API's field names. */
// deno-lint-ignore no-explicit-any -- the tests read columns of any type
export type FoundRow = Record<string, any>;

/** The kinds of fields, which decide how values are compared. All other fields are strings. */
const KINDS: Record<string, string[]> = {
  id: [
    ...["id", "contact_id", "reply_to_id", "stage_id", "pipeline_id", "assigned_to", "team_id"],
    ...["message_id", "conversation_id", "api_key_id"],
  ],
  word: ["status", "category"],
  email: ["email"],
  phone: ["phone"],
  number: ["value", "position"],
};

/** The kind of a field. A field whose name ends in `_at` is a time. */
export function kindOf(field: string): string {
  if (field.endsWith("_at")) return "time";
  return Object.keys(KINDS).find((kind) => KINDS[kind].includes(field)) ?? "text";
}

/** The fields whose filters have other names. */
const FIELDS: Record<string, string> = { phone_number_id: "phone_number_ids" };

/** Whether a row matches a filter of a list, such as `name[contains]`. */
export function meets(row: FoundRow, parameter: string, text: string): boolean {
  if (parameter === "q") return hasWords(row, text);
  // In lists without archived records, a row has no archived_at.
  if (parameter === "archived") {
    return text === "include" || (text === "only") === Boolean(row.archived_at);
  }
  if (parameter.startsWith("custom_fields.")) {
    const members = membersOf(row.custom_fields, parameter.slice("custom_fields.".length));
    return members.some((member) => splitText(text).includes(textOfMember(member)!));
  }
  // A comma in this string is not a separator.
  if (parameter === "idempotency_key") return row.idempotency_key === text;
  const [, name, operator = "is"] = /^(\w+)(?:\[(\w+)\])?$/.exec(parameter)!;
  const field = name in row ? name : FIELDS[name];
  const value = row[field];
  const kind = kindOf(field);
  const isGiven = (given: string) =>
    (Array.isArray(value) ? value : [value]).some((each) => isEqual(kind, each, given));
  switch (operator) {
    case "is":
      return splitText(text).some(isGiven);
    case "ne":
      return !splitText(text).some(isGiven);
    case "all":
      return splitText(text).every(isGiven);
    case "empty":
      return (value === null || value.length === 0) === (text === "true");
    case "contains":
      return value !== null && holds(folded(value), foldedPart(text).trimEnd());
  }
  if (value === null) return false;
  const difference = comparable(kind, value) - comparable(kind, text);
  if (operator === "gt") return difference > 0n;
  if (operator === "gte") return difference >= 0n;
  if (operator === "lt") return difference < 0n;
  if (operator === "lte") return difference <= 0n;
  throw new Error(`this file does not know the operator of ${parameter}`);
}

function isEqual(kind: string, value: unknown, given: string): boolean {
  if (value === null) return false;
  const text = String(value);
  switch (kind) {
    case "id":
      return text === given.toLowerCase();
    case "word":
      return text.toUpperCase() === given.toUpperCase();
    case "email":
      return lowered(text) === lowered(given);
    case "phone":
      return personOf(text) === personOf(`+${given.replace(/[^0-9]+/g, "").replace(/^00/, "")}`);
    case "number":
      return comparable(kind, text) === comparable(kind, given);
  }
  return text === given;
}

/**
 * The values for a key of `custom_fields`. A dot in the key may also separate the names of nested
 * fields.
 */
function membersOf(object: FoundRow, key: string): unknown[] {
  return Object.entries(object).flatMap(([name, member]) => {
    if (name === key) return [member];
    const isWithin = member?.constructor === Object && key.startsWith(`${name}.`);
    return isWithin ? membersOf(member, key.slice(name.length + 1)) : [];
  });
}

/** The value of a custom field as a string, or null for null, an object or an array. */
function textOfMember(value: unknown): string | null {
  return ["string", "number", "boolean"].includes(typeof value) ? String(value) : null;
}

/**
 * The text in lower case. Each letter is converted separately, because the database replaces each
 * letter with exactly one letter.
 */
function lowered(text: string): string {
  return Array.from(text, (letter) => [...letter.toLowerCase()][0]).join("");
}

/**
 * Returns the same string for all ways to write a phone number. In three countries, mobile numbers
 * can be written in two ways.
 */
export function personOf(phone: string): string {
  const [, area, brazilian] = /^\+55([1-9]\d)9?([6-9]\d{7})$/.exec(phone) ?? [];
  const [, mexican] = /^\+521?(\d{10})$/.exec(phone) ?? [];
  const [, argentine] = /^\+549?(\d{10})$/.exec(phone) ?? [];
  if (brazilian) return `Brazil ${area} ${brazilian}`;
  return mexican ? `Mexico ${mexican}` : argentine ? `Argentina ${argentine}` : phone;
}

/** The exact value of a number or a time, for comparisons. */
export function comparable(kind: string, given: unknown): bigint {
  const text = String(given);
  return kind === "time" ? microseconds(text) : millionths(text);
}

function millionths(text: string): bigint {
  const [whole, decimals = ""] = text.split(".");
  return BigInt(whole + decimals.padEnd(6, "0"));
}

/** A date means the beginning of that day in UTC. */
function microseconds(text: string): bigint {
  if (!text.includes("T")) return BigInt(Date.parse(`${text}T00:00:00Z`)) * 1000n;
  const [, clock, decimals = "", offset] = /^([^.+Z]*?T[\d:]+)(?:\.(\d+))?(Z|[+-].*)$/.exec(text)!;
  return BigInt(Date.parse(clock + offset)) * 1000n + BigInt(decimals.padEnd(6, "0"));
}

/** The string in lower case and without accents, with one space before each word. */
function folded(text: string): string {
  return ` ${foldedPart(text)}`.replace(/ +/g, " ");
}

function foldedPart(text: string): string {
  const letters = Array.from(text.normalize("NFKD"), (letter) => {
    if (letter >= "\u0300" && letter <= "\u036f") return "";
    return letter > "\x7f" || /[0-9A-Za-z]/.test(letter) ? letter.toLowerCase() : " ";
  });
  return letters.join("").replaceAll("ς", "σ").replace(/ +/g, " ");
}

/**
 * Whether a string returned by `folded` contains this part. A part with one or two letters must be
 * at the beginning of a word.
 */
function holds(text: string, part: string): boolean {
  return text.includes([...part].length < 3 ? ` ${part.trimStart()}` : part);
}

/**
 * Whether each word is in one of the searched fields. Adjacent numbers may form a phone number.
 */
function hasWords(row: FoundRow, text: string): boolean {
  const searched = "title" in row ? [row.title] : [row.name, row.email, row.phone, row.empresa];
  const texts = searched.filter((each) => each !== null).map(folded);
  const words = foldedPart(text).trim();
  const hasAll = (some: string) =>
    some.split(" ").every((word) => texts.some((each) => holds(each, word)));
  if ("title" in row) return hasAll(words);
  for (const [numbers] of words.matchAll(/(?<=^| )\d+(?: \d+)*(?= |$)/g)) {
    const digits = numbers.replaceAll(" ", "").replace(/^0+/, "");
    if (digits.length < 8 || digits.length > 15) continue;
    const others = words.replace(numbers, "").replace(/ +/g, " ").trim();
    return (hasPhone(row.phone, digits) || hasAll(numbers)) && (others === "" || hasAll(others));
  }
  return hasAll(words);
}

/**
 * Whether these digits are a part of a phone number, or one of the ways to write the number. The
 * digits may lack the country code.
 */
function hasPhone(phone: string | null, digits: string): boolean {
  if (phone === null) return false;
  const spelled = ["", "55", "52", "54"].some((country) =>
    digits.length + country.length <= 15 && personOf(`+${country}${digits}`) === personOf(phone)
  );
  const [, mobile] = /^Brazil .. (.*)$/.exec(personOf(phone)) ?? [];
  return phone.includes(digits) || spelled || digits === `9${mobile}`;
}

/** The order of a list without `sort`. */
const ORDERS: Record<string, string[]> = {
  "/pipelines": ["position"],
  "/stages": ["pipeline_id", "position"],
  "/templates": ["name", "language"],
};

/** The fields by which a list is sorted. Rows with equal values are sorted by id. */
export function orderOf(path: string, sort?: string): string[] {
  return sort ? [sort] : ORDERS[path] ?? ["-created_at"];
}

/**
 * The rows in an order such as `-name`. Rows with equal values are sorted by id in the same
 * direction.
 */
export async function inOrder(rows: FoundRow[], order: string[]): Promise<FoundRow[]> {
  const descends = order[0].startsWith("-");
  const fields = [...order.map((field) => field.replace("-", "")), "id"];
  const keys = await Promise.all(fields.map((field) => sortKeys(rows, field)));
  const sorted = rows.toSorted((one, other) => {
    for (const key of keys) {
      const [left, right] = [key.get(one)!, key.get(other)!];
      if (left !== right) return left < right ? -1 : 1;
    }
    return 0;
  });
  return descends ? sorted.reverse() : sorted;
}

/** The sort value of each row. Missing values come first. */
async function sortKeys(rows: FoundRow[], field: string): Promise<Map<FoundRow, bigint | string>> {
  const kind = kindOf(field);
  if (kind === "id") return new Map(rows.map((row) => [row, row[field]]));
  if (kind === "time" || kind === "number") {
    const least = -(2n ** 63n);
    return new Map(
      rows.map((row) => [row, row[field] === null ? least : comparable(kind, row[field])]),
    );
  }
  // Templates are sorted by their exact names.
  const isTemplate = rows.some((row) => "components" in row);
  const keyOf = (row: FoundRow) =>
    isTemplate
      ? row[field]
      : [...row[field] === null ? "" : folded(row[field])].slice(0, 100).join("");
  // The database sorts template names with its default collation, and all other strings by the code
  // points of their characters.
  const sorted = await withDatabase((sql) => {
    const keys = sql`select key from unnest(${rows.map(keyOf)}::text[]) as key group by key`;
    return isTemplate ? sql`${keys} order by key` : sql`${keys} order by key collate "C"`;
  });
  const places = new Map(sorted.map(({ key }, place) => [key, BigInt(place)]));
  return new Map(rows.map((row) => [row, places.get(keyOf(row))!]));
}
