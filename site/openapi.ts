import { root } from "../local/checkout.ts";

/** What the site reads of the OpenAPI document. */
export interface OpenApi {
  info: { title: string; summary: string };
  servers: { url: string; description?: string }[];
  paths: Record<string, Record<string, unknown>>;
}

/** The order in which the reference shows the methods of a path, the same for every resource. */
const METHODS = ["get", "post", "put", "patch", "delete"];

/** Where the document is in the repository. */
export const OPENAPI_FILE = "supabase/functions/gateway/openapi.json";

/**
 * Reads the OpenAPI document of the API.
 * @param apiUrl the address of one deployment, which becomes its only server; null for the servers as written.
 */
export async function readOpenApi(apiUrl: string | null): Promise<OpenApi> {
  const openapi: OpenApi = JSON.parse(await Deno.readTextFile(root + OPENAPI_FILE));
  for (const [path, operations] of Object.entries(openapi.paths)) {
    const known = METHODS.filter((method) => method in operations);
    const inOrder = Object.fromEntries(known.map((method) => [method, operations[method]]));
    openapi.paths[path] = { ...inOrder, ...operations };
  }
  return apiUrl === null ? openapi : { ...openapi, servers: [{ url: apiUrl }] };
}
