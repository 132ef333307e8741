// The errors of requests, as the database counts them.

/** Equal errors of requests with one key. */
export interface ErrorKind {
  id: string;
  key_id: string;
  status: number;
  /** The code of the error in the answer, such as `not_found`. */
  code: string;
  method: string;
  /** For example `listContacts`. Null when the API has no such path. */
  operation: string | null;
  /** For example `/gateway/contacts/{id}`. */
  path: string | null;
  field: string | null;
  /** The words of the answer, in English. */
  problem: string;
  /** How many errors of this kind there were. */
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

/** The place of an operation in the documentation; null when there is none. */
export function referenceOf({ method, path }: ErrorKind, docsUrl: string | null): string | null {
  if (!docsUrl || !path) return null;
  const [, first, second] = path.split("/");
  const part = first === "gateway" ? second : first;
  const asked = method === "HEAD" ? "GET" : method;
  return pageOf(docsUrl, `reference.html#tag/${TAGS[part] ?? part}/${asked}${path}`);
}

/** A page of the documentation. */
export function pageOf(docsUrl: string, page: string): string {
  return `${docsUrl}${docsUrl.endsWith("/") ? "" : "/"}${page}`;
}
