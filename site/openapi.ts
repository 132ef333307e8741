import { root } from "../local/checkout.ts";

/** What the site reads of the OpenAPI document. */
export interface OpenApi {
  info: { title: string; summary: string };
  servers: { url: string; description?: string }[];
}

/** Where the document is in the repository. */
export const OPENAPI_FILE = "supabase/functions/gateway/openapi.json";

/**
 * Reads the OpenAPI document of the API.
 * @param apiUrl the address of one deployment, which becomes its only server; null for the servers as written.
 */
export async function readOpenApi(apiUrl: string | null): Promise<OpenApi> {
  const openapi: OpenApi = JSON.parse(await Deno.readTextFile(root + OPENAPI_FILE));
  return apiUrl === null ? openapi : { ...openapi, servers: [{ url: apiUrl }] };
}
