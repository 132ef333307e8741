import type { JsonSchema } from "./json_schema.ts";
import type { Change, Comparison } from "./schema_changes.ts";

/** An operation of a document that is compared with another one. */
export interface Described {
  id: string;
  /** With the parameters that its path declares for all its operations. */
  operation: JsonSchema;
  /** That its references are of. */
  document: JsonSchema;
  /** What has been compared already. */
  known: Map<string, Change[]>;
}

/** How the schemas of two operations are compared. */
export function comparisonOf(
  { document: released, known }: Described,
  { document: present }: Described,
  of: Comparison["of"],
): Comparison {
  return { released, present, of, known };
}
