import { OperationNodeTransformer, type RawNode } from "kysely";

// A correction of @supabase/lite, like those in corrections.ts. PostgREST turns embedded rows into
// jsonb. In jsonb, short names come before long names, and names of equal length are sorted by
// their bytes. lite keeps the columns in the order in which they were selected. Without this
// correction, tests would not see the order that a hosted project returns.

/** The start of the SQL that lite writes for one embedded row, or for an array of such rows. */
const EMBEDDED = /^\(select (to_json\(obj\)|coalesce\(json_agg\(agg\), '\[\]'\)) from $/;

/** Turns embedded rows into jsonb. */
export class EmbeddedAsJsonb extends OperationNodeTransformer {
  protected override transformRaw(node: RawNode): RawNode {
    const raw = super.transformRaw(node);
    const [start, ...rest] = raw.sqlFragments;
    if (!EMBEDDED.test(start)) return raw;
    const sqlFragments = [start, ...rest.slice(0, -1), `${rest.at(-1)}::jsonb`];
    return { ...raw, sqlFragments };
  }
}
