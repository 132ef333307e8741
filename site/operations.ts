import { posix } from "node:path";
import type { OpenApi } from "./openapi.ts";

/** An operation of the API, with its name and its URL in the reference. */
export interface Operation {
  /** The method and the path within the API, such as `GET /gateway/contacts/{id}`. */
  name: string;
  summary: string;
  description: string;
  /** The names of the parameters and of the fields of the body. */
  fields: string[];
  /** The operation's URL in the reference, relative to the root of the site. */
  address: string;
}

// deno-lint-ignore no-explicit-any -- a part of the OpenAPI document
type Described = any;

/** All operations, in the order of the document. */
export function operationsOf({ paths, components }: OpenApi): Operation[] {
  const resolved = (part: Described, kind: string) =>
    part.$ref ? components[kind]?.[posix.basename(part.$ref)] : part;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries<Described>(methods).filter(([, { operationId }]) => operationId)
      .map(([method, { summary, description = "", tags, parameters = [], requestBody }]) => {
        const body = Object.values<Described>(requestBody?.content ?? {})[0]?.schema ?? {};
        const { properties = {} } = resolved(body, "schemas") ?? {};
        return {
          name: `${method.toUpperCase()} ${path}`,
          summary,
          description,
          fields: [
            ...parameters.map((each: Described) => resolved(each, "parameters").name),
            ...Object.keys(properties),
          ],
          address: `reference.html#tag/${tags[0].toLowerCase()}/${method.toUpperCase()}${path}`,
        };
      })
  );
}

/**
 * Finds the operation that a text names. Pages leave out `/gateway`, and may add parameters, as in
 * `PUT /contacts?on_conflict=keep`. An id in the path may have any name, or none: `{}`.
 */
export function operationNamed(text: string, operations: Operation[]): Operation | undefined {
  const withoutIds = (name: string) => name.replaceAll(/\{\w*\}/g, "{}");
  const [method, path = ""] = withoutIds(text).split("?")[0].replace("/functions/v1/", "/")
    .split(" ");
  return operations.find(({ name }) =>
    [`${method} ${path}`, `${method} /gateway${path}`].includes(withoutIds(name))
  );
}
