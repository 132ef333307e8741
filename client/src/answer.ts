/** An API response: its data and the HTTP response. */
export interface Answer<Data> {
  data: Data;
  /** The HTTP response. Its body has already been read. */
  response: Response;
  /** The request id. Quote it when you report a problem. */
  requestId: string | null;
}

/** A promise of the data in an API response. `withResponse()` also returns the HTTP response. */
export class APIPromise<Data> implements Promise<Data> {
  readonly [Symbol.toStringTag] = "APIPromise";
  readonly #ask: () => Promise<Answer<Data>>;

  constructor(ask: () => Promise<Answer<Data>>) {
    this.#ask = ask;
  }
  /** Returns the data together with the HTTP response and the request id. */
  withResponse(): Promise<Answer<Data>> {
    return this.#ask();
  }
  then<Result = Data, Other = never>(
    fulfilled?: ((data: Data) => Result | PromiseLike<Result>) | null,
    // deno-lint-ignore no-explicit-any -- the interface Promise declares it as any
    rejected?: ((reason: any) => Other | PromiseLike<Other>) | null,
  ): Promise<Result | Other> {
    return this.#ask().then(({ data }) => data).then(fulfilled, rejected);
  }
  catch<Other = never>(
    // deno-lint-ignore no-explicit-any -- the interface Promise declares it as any
    rejected?: ((reason: any) => Other | PromiseLike<Other>) | null,
  ): Promise<Data | Other> {
    return this.then(null, rejected);
  }
  finally(ended?: (() => void) | null): Promise<Data> {
    return this.then().finally(ended);
  }
}
