// The errors of requests, as the database counts them.

/** A group of identical errors of requests made with one key. */
export interface ErrorKind {
  id: string;
  key_id: string;
  status: number;
  /** The error code in the response, such as `not_found`. */
  code: string;
  method: string;
  /** The operation's id, such as `listContacts`. Null if the API has no operation at the path. */
  operation: string | null;
  /** For example `/gateway/contacts/{id}`. */
  path: string | null;
  field: string | null;
  /** The error message in the response, in English. */
  problem: string;
  /** The number of errors of this kind. */
  errors: number;
  first_at: string;
  last_at: string;
  /** The latest requests, the newest first. */
  requests: { id: string; at: string }[];
}

export const COLUMNS =
  "id,key_id,status,code,method,operation,path,field,problem,errors,first_at,last_at,requests";

/** The tags of the reference that differ from the first part of the path. */
const TAGS: Record<string, string> = {
  stages: "pipelines",
  messages: "conversations",
  teams: "people",
  members: "people",
  me: "service",
  health: "service",
  "openapi.json": "service",
  "send-external-template": "templates",
  whatsapp: "conversations",
};

/** The link to an operation in the documentation; null when there is none. */
export function referenceOf({ method, path }: ErrorKind, docsUrl: string | null): string | null {
  if (!docsUrl || !path) return null;
  const [, first, second] = path.split("/");
  const part = first === "gateway" ? second : first;
  const asked = method === "HEAD" ? "GET" : method;
  return pageOf(docsUrl, `reference.html#tag/${TAGS[part] ?? part}/${asked}${path}`);
}

/** The URL of a page of the documentation. */
export function pageOf(docsUrl: string, page: string): string {
  return `${docsUrl}${docsUrl.endsWith("/") ? "" : "/"}${page}`;
}
