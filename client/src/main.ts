/**
 * The client of the CRM and messaging API.
 *
 * ```ts
 * import { CRM } from "@crm-messaging/client";
 *
 * const crm = new CRM({ apiKey, baseUrl: "https://<project>.supabase.co/functions/v1" });
 * for await (const contact of crm.contacts.list({ temperature: "hot" })) console.log(contact.name);
 * ```
 *
 * @module
 */
export { type Answer, APIPromise } from "./answer.ts";
export * from "./api_errors.ts";
export { CRM } from "./crm.ts";
export { APIError, ConnectionError, CRMError, type ErrorBody, TimeoutError } from "./errors.ts";
export type { File } from "./files.ts";
export type {
  ChangeOptions,
  ClientOptions,
  CreateManyOptions,
  CreateOptions,
  ManyOptions,
  Progress,
  ReadOptions,
  RequestOptions,
  SendOptions,
} from "./options.ts";
export { List, Page, type PagePlace } from "./pages.ts";
export type * from "./records.ts";
export type * from "./resources.ts";
export {
  type Outcome,
  outcomeOf,
  SendError,
  SendFailedError,
  SendMismatchError,
  SendPendingError,
  type SendResult,
  type SentBefore,
} from "./sends.ts";
export type * from "./types.ts";
