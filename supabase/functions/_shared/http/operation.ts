import * as z from "zod";
import type { AcceptedVersions } from "../database/conditional_write.ts";
import type { Idempotency } from "../database/idempotency.ts";
import type { ErrorCode } from "../errors.ts";
import type { Caller } from "../key/caller.ts";
import type { Scope } from "../key/token.ts";
import type { Origin } from "../log.ts";
import type { Batch, JudgedItem } from "./batch_body.ts";
import type { Deprecation } from "./deprecation.ts";

/** The one declaration of an operation. Routing, validation and the API's description all derive from it. */
export interface Declaration {
  /** Its name in the API's description, such as `listContacts`. */
  id: string;
  method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** Below the function's name, with parameters as Hono writes them: `/contacts/:id`. */
  path: string;
  /** The scope that the key must have; null when no key is needed. */
  scope: Scope | null;
  params?: z.ZodObject;
  /** Lazy where it has very many parameters. */
  query?: z.ZodObject | z.ZodLazy<z.ZodObject>;
  /** Missing when the operation takes no body. A body is a JSON object. */
  body?: z.ZodType;
  /** The body of a PATCH as a JSON Merge Patch (RFC 7396); missing when it takes none. */
  mergePatch?: z.ZodType;
  /** Of an operation whose body has `items`, each of which is judged by itself. The body is then what all have to fit. */
  batch?: Batch;
  /**
   * Whether it answers one record. The answer then carries the record's ETag; a GET takes If-None-Match, and a method
   * that changes a record If-Match.
   */
  conditional?: boolean;
  /** Whether a POST changes the record in its path, and so takes If-Match too. */
  takesIfMatch?: boolean;
  /** Whether it is done once for each Idempotency-Key. Every POST of the gateway is. */
  idempotent?: boolean;
  /** Whether its body has `idempotency_key`, which names what it sends. The header may say the same and nothing else. */
  keyInBody?: boolean;
  /** How many JSON values its body may have, those within others included; 10,000 unless given. */
  maxValues?: number;
  /** The bodies of its successes, by HTTP status. */
  answers: Record<number, z.ZodType>;
  /** Its own errors, without those that every operation has. */
  errors?: readonly ErrorCode[];
  /** Missing while it is there to stay. */
  deprecated?: Deprecation;
}

/** Parameters that are described when the first request needs them, and once: there may be very many. */
export function lazily<Parameters extends z.ZodObject>(
  describe: () => Parameters,
): z.ZodLazy<Parameters> {
  let parameters: Parameters | undefined;
  return z.lazy(() => parameters ??= describe());
}

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

type PatchOf<Declared extends Declaration> = Declared["mergePatch"] extends z.ZodType
  ? z.output<Declared["mergePatch"]>
  : never;

/** A request as the schemas of its operation have parsed it. */
export interface Request<Declared extends Declaration> {
  /** The holder of the key; its `db` is limited to the key's company. */
  caller: Declared["scope"] extends null ? undefined : Caller;
  params: Output<Declared["params"]>;
  query: Output<Declared["query"]>;
  /** Of either content type. */
  body: Declared["batch"] extends Batch
    ? { items: JudgedItem<z.output<Declared["batch"]["item"]>>[] }
    : Output<Declared["body"]> | PatchOf<Declared>;
  /** The versions on which a write may build, for `writeIfMatch`. */
  ifMatch: AcceptedVersions;
  /** Null when the request has no key, or the operation takes none. */
  idempotency: Idempotency | null;
  origin: Origin;
}

/** An answer that the operation has declared. */
export type Reply<Declared extends Declaration> = {
  [Status in keyof Declared["answers"] & number]: {
    status: Status;
    body: z.output<Declared["answers"][Status]>;
  };
}[keyof Declared["answers"] & number];

/** A declaration with its handler. */
export interface Operation<Id extends string = string> extends Declaration {
  id: Id;
  handle(request: Request<Declaration>): Promise<{ status: number; body: unknown } & ReplyParts>;
}

interface ReplyParts {
  /** The body as JSON, for one that is large and always the same. */
  json?: string;
  headers?: Record<string, string>;
  /** The body as JSON in pieces, each made when it is sent, for one that is too large for the memory. */
  pieces?: AsyncIterable<string>;
}

/** The schemas of the bodies that an operation takes, by their content types. */
export function bodiesOf({ body, mergePatch }: Declaration): Record<string, z.ZodType> {
  return {
    ...(body && { "application/json": body }),
    ...(mergePatch && { "application/merge-patch+json": mergePatch }),
  };
}

/**
 * An operation of the API. Its handler gets the parsed request. A handler that returns an answer that is not
 * declared does not compile.
 *
 * @param handler may throw an ApiError with a declared code or with one that every operation has.
 */
export function operation<const Declared extends Declaration>(
  declared: Declared,
  handler: (request: Request<Declared>) => Promise<Reply<Declared>>,
): Operation<Declared["id"]> {
  return { ...declared, handle: handler as unknown as Operation["handle"] };
}

/** An answer of a handler. */
export function reply<const Status extends number, Body>(
  status: Status,
  body: Body,
  parts: ReplyParts = {},
) {
  return { status, body, ...parts };
}

/** An answer of a handler whose body is too large for the memory. What fails after its beginning breaks it off. */
export function replyInPieces<const Status extends number>(
  status: Status,
  pieces: AsyncIterable<string>,
) {
  return { status, body: undefined as never, pieces };
}
