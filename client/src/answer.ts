/** What was answered, with the answer itself. */
export interface Answer<Data> {
  data: Data;
  /** Its body has been read. */
  response: Response;
  /** The id of the request: quote it when you report a problem. */
  requestId: string | null;
}

/** A promise of what was answered. `withResponse()` has the answer itself, too. */
export class APIPromise<Data> implements Promise<Data> {
  readonly [Symbol.toStringTag] = "APIPromise";
  readonly #ask: () => Promise<Answer<Data>>;

  constructor(ask: () => Promise<Answer<Data>>) {
    this.#ask = ask;
  }
  /** The answer with its headers and the id of the request. */
  withResponse(): Promise<Answer<Data>> {
    return this.#ask();
  }
  then<Result = Data, Other = never>(
    fulfilled?: ((data: Data) => Result | PromiseLike<Result>) | null,
    // deno-lint-ignore no-explicit-any -- as of every promise
    rejected?: ((reason: any) => Other | PromiseLike<Other>) | null,
  ): Promise<Result | Other> {
    return this.#ask().then(({ data }) => data).then(fulfilled, rejected);
  }
  catch<Other = never>(
    // deno-lint-ignore no-explicit-any -- as of every promise
    rejected?: ((reason: any) => Other | PromiseLike<Other>) | null,
  ): Promise<Data | Other> {
    return this.then(null, rejected);
  }
  finally(ended?: (() => void) | null): Promise<Data> {
    return this.then().finally(ended);
  }
}
