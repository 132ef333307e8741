import type { JsonSchema } from "./json_schema.ts";
import type { Change, Comparison } from "../released/schema_changes.ts";

/** An operation in an OpenAPI document that is compared with another document. */
export interface Described {
  id: string;
  /** The operation, with the parameters that its path declares for all methods. */
  operation: JsonSchema;
  /** The document that contains the targets of the operation's `$ref` references. */
  document: JsonSchema;
  /** The pairs of schemas that have already been compared, with their differences. */
  known: Map<string, Change[]>;
}

/** Returns the settings for comparing the schemas of two operations. */
export function comparisonOf(
  { document: released, known }: Described,
  { document: present }: Described,
  of: Comparison["of"],
): Comparison {
  return { released, present, of, known };
}
