import addFormats from "ajv-formats";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { JsonSchema } from "../../generate/openapi/json_schema.ts";

/** The pattern of an email address in any script (RFC 6531), as the description promises. */
const IDN_EMAIL = /^[^\s@]{1,64}@[^\s@]+\.[^\s@]+$/u;

/** Whether a text is displayed as one character that is a picture, a flag or a keycap. */
function isOneEmoji(text: string): boolean {
  return [...new Intl.Segmenter().segment(text)].length === 1 &&
    /\p{Extended_Pictographic}|\p{Regional_Indicator}{2}|\u{20E3}/u.test(text);
}

/** Checks values against the schemas of an OpenAPI document. */
export class SchemaValidator {
  #ajv: Ajv2020;
  #compiled = new Map<string | JsonSchema, ValidateFunction>();

  constructor(document: JsonSchema) {
    this.#ajv = new Ajv2020({
      strict: true,
      allowUnionTypes: true,
      strictTypes: false,
      strictRequired: false,
      allErrors: false,
      // ajv divides floating-point numbers, and 0.07 / 0.01 is not exactly 7. If a
      // number has twelve digits before the point, the quotient is exact only to a hundredth.
      multipleOfPrecision: 1,
    });
    addFormats.default(this.#ajv);
    this.#ajv.addFormat("idn-email", IDN_EMAIL);
    this.#ajv.addFormat("emoji", isOneEmoji);
    this.#ajv.addVocabulary([...Object.keys(document), "example"]);
    this.#ajv.addSchema(document, "doc");
  }

  /**
   * Describes how a value violates the schema at a place in the document, or returns null if the
   * value is valid.
   * @param place the object keys that lead to the schema.
   */
  problemAt(place: string[], value: unknown): string | null {
    const pointer = place.map((key) => key.replaceAll("~", "~0").replaceAll("/", "~1"))
      .map(encodeURIComponent).join("/");
    return this.#problem(`doc#/${pointer}`, () => ({ $ref: `doc#/${pointer}` }), value);
  }

  /**
   * Describes how a value violates a schema without references, or returns null if the value is
   * valid.
   */
  problemBySchema(schema: JsonSchema, value: unknown): string | null {
    return this.#problem(schema, () => schema, value);
  }

  #problem(key: string | JsonSchema, schema: () => JsonSchema, value: unknown): string | null {
    let validate = this.#compiled.get(key);
    if (!validate) this.#compiled.set(key, validate = this.#ajv.compile(schema()));
    return validate(value) ? null : this.#ajv.errorsText(validate.errors, { dataVar: "it" });
  }
}

/** The same document, in which no object may have undeclared properties. */
export function withClosedObjects(document: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(document), (_key, value) => {
    const isObject = value?.type === "object" && value.properties;
    if (!isObject || "additionalProperties" in value) return value;
    return { ...value, unevaluatedProperties: false };
  });
}
