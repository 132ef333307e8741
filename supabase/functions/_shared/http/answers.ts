import * as z from "zod/mini";
import { built, lazily, type ObjectSchema } from "../lazily.ts";

/** The response envelope of one row. */
export function one<Row extends ObjectSchema>(row: Row) {
  return z.object({ data: row });
}

/** The response envelope of one page of a list. */
export function page<Row extends ObjectSchema>(row: Row) {
  return z.object({ data: z.array(row), pagination: Pagination });
}

const Pagination = lazily(() =>
  z.object({
    limit: z.int().register(z.globalRegistry, { minimum: 1, maximum: 200 }),
    has_more: z.boolean(),
    next_cursor: z.nullable(z.string()),
    total: z.optional(z.int().register(z.globalRegistry, { minimum: 0, maximum: 100_000 })),
    total_relation: z.optional(z.enum(["eq", "gte"])),
  }).register(z.globalRegistry, { id: "Pagination" })
);

/** The schema for a response with the status 204, which has no body. */
export const NOTHING = z.null();

/**
 * The schema for a response of bytes instead of JSON. Nothing is parsed with this schema. An
 * operation with this schema also declares `bytes: true`.
 */
export const BYTES = z.null();

/** A response of bytes instead of JSON. */
export interface BytesReply {
  /** The ETag of the bytes, without quotes; null when there is no ETag. */
  etag: string | null;
  /**
   * Opens the bytes. This function is not called for a caller who already has the bytes.
   *
   * @param headOnly whether the caller needs only the headers.
   */
  open(
    headOnly: boolean,
  ): Promise<{ headers: Record<string, string>; body: ReadableStream | null }>;
}

/** The names of the read-only fields of the row in an envelope. */
export function readOnlyFields(answer: z.core.$ZodType): string[] {
  const row = rowOf(answer);
  return row ? readOnlyFieldsOf(row) : [];
}

/** The names of all fields of the row in an envelope. */
export function fieldsOfRow(answer: z.core.$ZodType): string[] {
  return Object.keys(rowOf(answer)?.shape ?? {});
}

function rowOf(answer: z.core.$ZodType): z.ZodMiniObject | null {
  const data = answer instanceof z.ZodMiniObject ? built(answer.shape.data) : null;
  return data instanceof z.ZodMiniObject ? data : null;
}

/** The names of the read-only fields of a row. */
export function readOnlyFieldsOf(row: ObjectSchema): string[] {
  const { shape } = built(row);
  return Object.keys(shape).filter((field) => z.globalRegistry.get(shape[field])?.readOnly);
}
