import { AsyncLocalStorage } from "node:async_hooks";

const requests = new AsyncLocalStorage<string>();

/** Does the work of a request. Every statement of this work carries the request's id. */
export function withinRequest<Result>(id: string, work: () => Result): Result {
  return requests.run(id, work);
}

/** The id of the request whose work this is; undefined outside a request. */
export function currentRequest(): string | undefined {
  return requests.getStore();
}
