import { OperationNodeTransformer, type RawNode } from "kysely";

// A correction of @supabase/lite, as in corrections.ts. PostgREST turns embedded rows into jsonb, which
// puts short names before long ones, and names of one length in the order of their bytes. lite leaves the
// columns in the order in which they were selected, and nobody would notice that the real answer differs.

/** The start of the SQL in which lite makes an embedded row, or an array of them. */
const EMBEDDED = /^\(select (to_json\(obj\)|coalesce\(json_agg\(agg\), '\[\]'\)) from $/;

/** Makes jsonb of embedded rows. */
export class EmbeddedAsJsonb extends OperationNodeTransformer {
  protected override transformRaw(node: RawNode): RawNode {
    const raw = super.transformRaw(node);
    const [start, ...rest] = raw.sqlFragments;
    if (!EMBEDDED.test(start)) return raw;
    const sqlFragments = [start, ...rest.slice(0, -1), `${rest.at(-1)}::jsonb`];
    return { ...raw, sqlFragments };
  }
}
