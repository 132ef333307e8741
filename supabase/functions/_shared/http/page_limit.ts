import * as z from "zod";

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

/** The query parameter `limit`: the greatest number of records on a page. */
export const PageLimit = z.string()
  .refine(
    (value) => /^[1-9][0-9]{0,2}$/.test(value) && Number(value) <= MAX_LIMIT,
    `must be a whole number from 1 to ${MAX_LIMIT}`,
  )
  .transform(Number)
  .default(DEFAULT_LIMIT)
  .meta({ type: "integer", minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT });
