import * as z from "zod/mini";

/**
 * A schema that is built once, when the first request needs it. Building the schemas of all
 * operations would take longer than the rest of a function's startup.
 */
export function lazily<Schema extends z.core.$ZodType>(make: () => Schema): z.ZodMiniLazy<Schema> {
  let schema: Schema | undefined;
  return z.lazy(() => schema ??= make());
}

/** The schema that `lazily` builds, or the schema itself if it is not lazy. */
type Built<Schema> = Schema extends z.ZodMiniLazy<infer Inner> ? Inner : Schema;

/** The schema of an object, which may be lazy. */
export type ObjectSchema = z.ZodMiniObject | z.ZodMiniLazy<z.ZodMiniObject>;

/** Builds a lazy schema. Any other schema is returned unchanged. */
export function built<Schema extends z.core.$ZodType>(schema: Schema): Built<Schema> {
  const inner = schema instanceof z.ZodMiniLazy ? schema._zod.innerType : schema;
  return inner as Built<Schema>;
}
