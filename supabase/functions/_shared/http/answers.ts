import * as z from "zod";

/** The envelope of one row. */
export function one<Row extends z.ZodObject>(row: Row) {
  return z.object({ data: row });
}

/** The envelope of one page of a list. */
export function page<Row extends z.ZodObject>(row: Row) {
  return z.object({ data: z.array(row), pagination: Pagination });
}

const Pagination = z.object({
  limit: z.int().meta({ minimum: 1, maximum: 200 }),
  has_more: z.boolean(),
  next_cursor: z.string().nullable(),
  total: z.int().meta({ minimum: 0, maximum: 100_000 }).optional(),
  total_relation: z.enum(["eq", "gte"]).optional(),
}).meta({ id: "Pagination" });

/** The body of an answer with the status 204: there is none. */
export const NOTHING = z.null();

/** The names of the read-only fields of the row in an envelope. */
export function readOnlyFields(answer: z.ZodType): string[] {
  const data = answer instanceof z.ZodObject ? answer.shape.data : undefined;
  return data instanceof z.ZodObject ? readOnlyFieldsOf(data) : [];
}

/** The names of the read-only fields of a row. */
export function readOnlyFieldsOf(row: z.ZodObject): string[] {
  return Object.keys(row.shape).filter((field) => row.shape[field].meta()?.readOnly);
}
