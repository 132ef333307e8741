/** An answer of the API: its data, and the HTTP answer. */
export interface Answer<Data> {
  data: Data;
  /** The HTTP answer. The body of the HTTP answer has already been read. */
  response: Response;
  /** The id of the request: quote it when you report a problem. */
  requestId: string | null;
}

/** A promise of an answer. `withResponse()` also gives the HTTP answer. */
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
