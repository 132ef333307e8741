import * as z from "zod/mini";
import type { CompanyDb } from "../database/company_db.ts";
import type { AcceptedVersions } from "../database/conditional_write.ts";
import type { Idempotency } from "../database/idempotency.ts";
import type { ErrorCode } from "../errors.ts";
import type { Caller } from "../key/caller.ts";
import type { Scope } from "../key/token.ts";
import type { ObjectSchema } from "../lazily.ts";
import type { Origin } from "../log.ts";
import type { BytesReply } from "./answers.ts";
import type { Batch, JudgedItem } from "./batch_body.ts";
import type { Deprecation } from "./deprecation.ts";

/**
 * The declaration of an operation. The operation's routing, its validation and its part of the
 * API's description derive from the declaration.
 */
export interface Declaration {
  /** The operation's id in the API's description, such as `listContacts`. */
  id: string;
  method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** The path below the function's name, with parameters as Hono writes them: `/contacts/:id`. */
  path: string;
  /**
   * The scope that the key must have. `any` means that every valid key is sufficient. Null means
   * that no key is needed.
   */
  scope: Scope | "any" | null;
  params?: z.ZodMiniObject;
  /**
   * The schema of the query. A schema with very many parameters is built only when a request needs
   * it.
   */
  query?: ObjectSchema;
  /** The schema of the body, which is a JSON object. Missing when the operation accepts no body. */
  body?: z.core.$ZodType;
  /**
   * For an operation whose body is a file: the content types that it accepts, each with the maximum
   * number of bytes. The handler reads the file from `file`, while it arrives.
   */
  file?: Readonly<Record<string, number>>;
  /**
   * The schema of a body that is a JSON Merge Patch (RFC 7396); missing when the operation accepts
   * no merge patch.
   */
  mergePatch?: z.core.$ZodType;
  /**
   * The record that the operation changes. If `changes` is set, a caller may send back the whole
   * record: the operation ignores unchanged fields that it does not write.
   */
  changes?: ChangedRecord;
  /**
   * For an operation with `items` in its body. Each item is checked separately. `body` is then the
   * schema of the body around the items.
   */
  batch?: Batch;
  /**
   * Whether the operation returns one record. The response then has the record's ETag. A GET
   * accepts If-None-Match, and a method that changes a record accepts If-Match.
   */
  conditional?: boolean;
  /**
   * Whether the successful response has bytes instead of JSON; see `replyInBytes`. With
   * `conditional`, the response has the ETag of the bytes.
   */
  bytes?: boolean;
  /** Whether a POST changes the record in its path. Such a POST accepts If-Match too. */
  takesIfMatch?: boolean;
  /**
   * Whether the operation takes effect once for each Idempotency-Key. Every POST of the gateway
   * does. Other writes refuse the header, except writes with `keyInBody`.
   */
  idempotent?: boolean;
  /**
   * Whether the body has `idempotency_key`, which identifies the send. The Idempotency-Key header
   * may then only repeat that value.
   */
  keyInBody?: boolean;
  /** How many JSON values the body may have, including nested ones. The default is 10,000. */
  maxValues?: number;
  /**
   * The schemas of successful response bodies, by HTTP status. This is a function, because the
   * schemas are needed only for the API's description and for errors.
   */
  answers(): Record<number, z.core.$ZodType>;
  /** The operation's own errors, in addition to the errors that every operation has. */
  errors?: readonly ErrorCode[];
  /** Present when the operation will be removed. */
  deprecated?: Deprecation;
}

/** The record that an operation changes. */
export interface ChangedRecord {
  table: "contacts" | "deals" | "conversations" | "pipelines" | "stages";
  /**
   * Whether two records of the table can be merged into one. A GET with the id of the removed
   * record then returns the remaining record, with `merged_into`.
   */
  canBeMerged?: boolean;
  /**
   * Finds the record if its id is not in the path. Returns null when there is no such record, so
   * that the operation creates it.
   */
  // deno-lint-ignore no-explicit-any -- the body and the query of the operation
  find?(db: CompanyDb, body: any, query: any): Promise<string | null>;
}

type Output<Schema> = Schema extends z.core.$ZodType ? z.output<Schema> : undefined;

type PatchOf<Declared extends Declaration> = Declared["mergePatch"] extends z.core.$ZodType
  ? z.output<Declared["mergePatch"]>
  : never;

/** A request as the schemas of its operation have parsed it. */
export interface Request<Declared extends Declaration> {
  /** The holder of the key. Its property `db` is limited to the key's company. */
  caller: Declared["scope"] extends null ? undefined : Caller;
  params: Output<Declared["params"]>;
  query: Output<Declared["query"]>;
  /** The body, of any accepted content type. */
  body: Declared["batch"] extends Batch
    ? { items: JudgedItem<z.output<Declared["batch"]["item"]>>[] }
    : Output<Declared["body"]> | PatchOf<Declared>;
  /** The request itself if its body is a file. The handler reads the file; see `arriving`. */
  file: Declared["file"] extends object ? globalThis.Request : undefined;
  /** The versions that a write accepts, for `writeIfMatch`. */
  ifMatch: AcceptedVersions;
  /** Null when the request has no idempotency key or the operation accepts none. */
  idempotency: Idempotency | null;
  origin: Origin;
  /**
   * The base URL of the functions, as the caller wrote it. It is used only in the response to this
   * caller.
   */
  server(): string;
}

/** A response that the operation has declared. */
export type Reply<Declared extends Declaration> = {
  [Status in keyof Answers<Declared> & number]: {
    status: Status;
    body: z.output<Answers<Declared>[Status]>;
  };
}[keyof Answers<Declared> & number];

type Answers<Declared extends Declaration> = ReturnType<Declared["answers"]>;

/** An operation's declaration with its handler. */
export interface Operation<Id extends string = string> extends Declaration {
  id: Id;
  handle(request: Request<Declaration>): Promise<{ status: number; body: unknown } & ReplyParts>;
}

/**
 * The path of an operation in the API's description: `/gateway/contacts/{id}`.
 * @param name the name of the operation's function.
 */
export function pathOf(name: string, { path }: Pick<Declaration, "path">): string {
  return `/${name}${path.replace(/:(\w+)/g, "{$1}")}`.replace(/\/$/, "");
}

interface ReplyParts {
  /** The body as a JSON string, for a body that is large and always the same. */
  json?: string;
  headers?: Record<string, string>;
  /**
   * The body as JSON in chunks that are produced when they are sent, for a body that is too large
   * for memory.
   */
  pieces?: AsyncIterable<string>;
  /** The body as bytes. */
  bytes?: BytesReply;
}

/** The schemas of the bodies that an operation accepts, by their content types. */
export function bodiesOf({ body, mergePatch }: Declaration): Record<string, z.core.$ZodType> {
  return {
    ...(body && { "application/json": body }),
    ...(mergePatch && { "application/merge-patch+json": mergePatch }),
  };
}

/**
 * An operation of the API. Its handler receives the parsed request. A handler that returns an
 * undeclared response does not compile.
 *
 * @param handler may throw an ApiError with a declared code or with a code that every operation
 * has.
 */
export function operation<const Declared extends Declaration>(
  declared: Declared,
  handler: (request: Request<Declared>) => Promise<Reply<Declared>>,
): Operation<Declared["id"]> {
  return { ...declared, handle: handler as unknown as Operation["handle"] };
}

/** A handler's response. */
export function reply<const Status extends number, Body>(
  status: Status,
  body: Body,
  parts: ReplyParts = {},
) {
  return { status, body, ...parts };
}

/**
 * A response with a body that is too large for memory. If a chunk cannot be produced after the
 * response has begun, the body ends early.
 */
export function replyInPieces<const Status extends number>(
  status: Status,
  pieces: AsyncIterable<string>,
) {
  return { status, body: undefined as never, pieces };
}

/** A response of bytes instead of JSON. */
export function replyInBytes<const Status extends number>(status: Status, bytes: BytesReply) {
  return { status, body: null, bytes };
}
