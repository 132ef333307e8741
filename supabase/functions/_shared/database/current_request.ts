import { AsyncLocalStorage } from "node:async_hooks";

const requests = new AsyncLocalStorage<string>();

/** Runs the work of a request. Every statement that the work runs carries the request's id. */
export function withinRequest<Result>(id: string, work: () => Result): Result {
  return requests.run(id, work);
}

/** The id of the current request; undefined outside a request. */
export function currentRequest(): string | undefined {
  return requests.getStore();
}
