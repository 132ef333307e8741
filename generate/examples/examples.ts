import type { OperationId } from "../openapi/functions.ts";
import { CONTACT_ERASURES, CONTACT_MERGES, CONTACT_WRITES } from "./example_contacts.ts";
import { DEAL_WRITES } from "./example_deals.ts";
import { MESSAGE_REQUESTS } from "./example_messages.ts";
import { EXAMPLE_READS } from "./example_reads.ts";
import type { ExampleRequest } from "./example_request.ts";
import { WEBHOOK_REQUESTS } from "./example_webhooks.ts";

// The example requests. `npm run generate` makes these requests with the demo company's key and
// records the responses in examples.json. A test repeats the requests and compares the responses.

/** A request with its recorded response. */
export interface Example {
  name: string;
  summary: string;
  request: Omit<ExampleRequest, "name" | "summary" | "key">;
  status: number;
  answer: unknown;
}

/** The examples for each operation, by operation id. */
export type Examples = Partial<Record<string, Example[]>>;

/**
 * The example requests for each operation. The read requests are made first, in this order, and
 * then the other requests. The code does not compile if an operation has no entry.
 */
export const EXAMPLE_REQUESTS = {
  ...EXAMPLE_READS,
  ...CONTACT_WRITES,
  ...DEAL_WRITES,
  ...MESSAGE_REQUESTS,
  ...CONTACT_MERGES,
  ...WEBHOOK_REQUESTS,
  ...CONTACT_ERASURES,
} satisfies
  & Record<Exclude<OperationId, "getOpenApi">, [ExampleRequest, ...ExampleRequest[]]>
  & Record<"getOpenApi", []>;

/** Returns every request with its operation id, in the order in which the requests are made. */
export function exampleRequests(): { id: OperationId; example: ExampleRequest }[] {
  return Object.entries<ExampleRequest[]>(EXAMPLE_REQUESTS).flatMap(([id, requests]) =>
    requests.map((example) => ({ id: id as OperationId, example }))
  );
}
