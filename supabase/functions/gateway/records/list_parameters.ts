import * as z from "zod/mini";
import { lazily } from "../../_shared/lazily.ts";
import { type Archived, archivedParameter } from "./archived.ts";
import type { Condition } from "./conditions.ts";
import { type Filters, type Parameter, words } from "./filters.ts";
import { members } from "./members.ts";
import { type Projection, projectionParameters } from "./projection.ts";
import type { Resource } from "./resource.ts";
import { idOf, type ListOrder, sortParameter } from "./sorting.ts";

/**
 * Returns the parameter `limit`.
 * @param most the maximum limit, which is at most 999.
 * @param standard the limit if the caller does not send one.
 */
export function limitUpTo(most: number, standard: number) {
  return z._default(
    z.pipe(
      z.string().check(z.refine(
        (value) => /^[1-9][0-9]{0,2}$/.test(value) && Number(value) <= most,
        `must be a whole number from 1 to ${most}`,
      )),
      z.transform(Number),
    ),
    standard,
  ).register(z.globalRegistry, { type: "integer", minimum: 1, maximum: most, default: standard });
}

/** The maximum number of records on a page of a list. */
export const MAX_LIMIT = 200;

/** The parameter `limit` of every list. */
export const Limit = limitUpTo(MAX_LIMIT, 50);

/** The parsed parameters of a request for a list. */
export interface ListQuery extends Projection {
  limit: number;
  cursor?: string;
  order: ListOrder;
  conditions: Condition[];
  archived?: Archived;
  includesTotal: boolean;
  /**
   * Whether the caller chose filters, a sort order, a total or archived records. These choices can
   * make the query too expensive.
   */
  isChosen: boolean;
}

const TrueOrFalse = z.pipe(
  z.enum(["true", "false"], "must be true or false"),
  z.transform((text) => text === "true"),
);

/** Returns the parameters of a list. */
export function listParameters(resource: Resource): z.ZodMiniLazy<z.ZodMiniObject> {
  return lazily(() => {
    const { sorts, order, filters, words: searched, phones, members: column } = resource;
    return z.strictObject({
      limit: Limit,
      cursor: z.optional(z.string()),
      ...projectionParameters(resource),
      sort: sortParameter(sorts, order, idOf(order)),
      include_total: z.optional(TrueOrFalse),
      ...archivedParameter(resource),
      ...(searched && { q: parameterSchema(words(searched, phones)) }),
      ...filterParameters(filters),
      ...(column && { [column]: members(column) }),
    });
  });
}

/** A parameter for each operator of each field: `name`, `name[contains]`. */
function filterParameters(filters: Filters): Record<string, z.core.$ZodType> {
  return Object.fromEntries(
    Object.entries(filters).flatMap(([field, filter]) =>
      Object.entries(filter).map(([operator, parameter]) => [
        operator === "is" ? field : `${field}[${operator}]`,
        parameterSchema(parameter),
      ])
    ),
  );
}

function parameterSchema({ schema, read }: Parameter): z.core.$ZodType {
  return z.optional(
    z.pipe(
      z.string(),
      z.transform((given, context) => {
        const conditions = read(given);
        if (typeof conditions !== "string") return conditions;
        context.issues.push({ code: "custom", input: given, message: conditions });
        return z.NEVER;
      }),
    ).register(z.globalRegistry, schema),
  );
}

/** Returns the query that the parsed parameters of a list describe. */
export function listQuery(parameters: Record<string, unknown>, standard: ListOrder): ListQuery {
  const { limit, cursor, fields, include, sort, include_total, archived, ...filters } = parameters;
  const conditions = Object.values(filters).flatMap((each) => each as Condition[] ?? []);
  return {
    limit: limit as number,
    cursor: cursor as string | undefined,
    fields: fields as string[] | undefined,
    include: include as string[] | undefined,
    order: sort as ListOrder | undefined ?? standard,
    conditions,
    archived: archived as Archived,
    includesTotal: include_total === true,
    isChosen: conditions.length > 0 || sort !== undefined || include_total === true ||
      archived !== undefined,
  };
}
