import type * as z from "zod";
import type { ErrorCode } from "../errors.ts";
import type { Caller } from "../key/caller.ts";
import type { Scope } from "../key/token.ts";
import type { Origin } from "../log.ts";

/** All that is said of an operation, once: what mounts it, checks it and documents it reads this. */
export interface Declaration {
  /** Its name in the API's description, such as `listContacts`. */
  id: string;
  method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** Below the function's name, with Hono's names for what varies: `/contacts/:id`. */
  path: string;
  /** What the key must allow; null where no key is needed. */
  scope: Scope | null;
  params?: z.ZodObject;
  query?: z.ZodObject;
  /** Of a request with a body, which is a JSON object. */
  body?: z.ZodType;
  /** The bodies of its successes, by their HTTP status. */
  answers: Record<number, z.ZodType>;
  /** The errors of its own, beside those that every operation has. */
  errors?: readonly ErrorCode[];
}

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** A request as an operation's schemas answer it. */
export interface Request<Declared extends Declaration> {
  /** The holder of the key; its `db` is limited to the key's company. */
  caller: Declared["scope"] extends null ? undefined : Caller;
  params: Output<Declared["params"]>;
  query: Output<Declared["query"]>;
  body: Output<Declared["body"]>;
  origin: Origin;
}

/** An answer that an operation has declared, and no other. */
export type Reply<Declared extends Declaration> = {
  [Status in keyof Declared["answers"] & number]: {
    status: Status;
    body: z.output<Declared["answers"][Status]>;
  };
}[keyof Declared["answers"] & number];

/** A declaration with what answers it. */
export interface Operation<Id extends string = string> extends Declaration {
  id: Id;
  handle(request: Request<Declaration>): Promise<{ status: number; body: unknown }>;
}

/**
 * An operation of the API. Its handler gets what the schemas answer, and one that answers something else
 * than is declared does not compile.
 *
 * @param handler may throw any ApiError whose code is declared or is of those that every operation has.
 */
export function operation<const Declared extends Declaration>(
  declared: Declared,
  handler: (request: Request<Declared>) => Promise<Reply<Declared>>,
): Operation<Declared["id"]> {
  return { ...declared, handle: handler as unknown as Operation["handle"] };
}

/** An answer: its HTTP status and its body. */
export function reply<const Status extends number, Body>(status: Status, body: Body) {
  return { status, body };
}
