import { root } from "../local/checkout.ts";

/** The parts of the OpenAPI document that the site needs. */
export interface OpenApi {
  info: { title: string; summary: string };
  servers: { url: string; description?: string }[];
  paths: Record<string, Record<string, unknown>>;
  components: Record<string, Record<string, unknown>>;
}

/** The reference shows the methods of each path in this order. */
const METHODS = ["get", "post", "put", "patch", "delete"];

/** The path of the document in the repository. */
export const OPENAPI_FILE = "supabase/functions/gateway/openapi.json";

/**
 * Reads the API's OpenAPI document.
 * @param apiUrl the URL of a deployment, which becomes the document's only server; null keeps the
 *   document's servers.
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
