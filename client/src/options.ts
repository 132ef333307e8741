/** What holds for every request, unless a request says otherwise. */
export interface ClientOptions {
  /** The API key, which begins with `sk_live_`. Keep it on a server. */
  apiKey: string;
  /** Where the API is: `https://<project>.supabase.co/functions/v1`. */
  baseUrl: string;
  /** How often a request is repeated, at most, where repeating is safe. 2 unless you say otherwise. */
  maxRetries?: number | undefined;
  /** How many milliseconds an attempt may take until its answer is read. 60,000 unless you say otherwise. */
  timeout?: number | undefined;
  /**
   * For how many milliseconds a send asks again while nobody knows what became of it. 120,000 unless you say otherwise;
   * the API knows after 90 seconds at the latest.
   */
  settleTimeout?: number | undefined;
  /** Headers of every request. */
  headers?: Record<string, string> | undefined;
  /** Used in place of the platform's `fetch`. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

/** What holds for one request. */
export interface RequestOptions {
  /** Ends the request, and the waiting between its attempts. */
  signal?: AbortSignal | undefined;
  /** More headers, in place of those of the client with the same name. */
  headers?: Record<string, string> | undefined;
  /** As of the client. */
  maxRetries?: number | undefined;
  /** As of the client. */
  timeout?: number | undefined;
}

/** Of a read of one record. */
export interface ReadOptions extends RequestOptions {
  /** A version or an ETag. While the record has it, the answer is `null`. */
  ifNoneMatch?: string | undefined;
}

/** Of a change. */
export interface ChangeOptions extends RequestOptions {
  /** The version or the ETag that you have read, or several. A record with another one is not changed. */
  ifMatch?: string | readonly string[] | undefined;
}

/** Of a request that creates. */
export interface CreateOptions extends RequestOptions {
  /** Names this request: the same one again is not done twice. The client makes a key when there is none. */
  idempotencyKey?: string | undefined;
}

/** Of a send. */
export interface SendOptions extends CreateOptions {
  /** As of the client. */
  settleTimeout?: number | undefined;
  /** Asks what the send would do. Nothing is sent. */
  dryRun?: boolean | undefined;
}

/** The options of a client, checked. */
export interface Settings extends ClientOptions {
  maxRetries: number;
  timeout: number;
  settleTimeout: number;
}

/** @throws TypeError says which option is wrong; it does not say the key. */
export function settingsOf(options: ClientOptions): Settings {
  const { apiKey } = options ?? {};
  const baseUrl = String(options?.baseUrl);
  if (typeof apiKey !== "string" || !/^[!-~]+$/.test(apiKey)) {
    throw new TypeError(
      "apiKey is missing, or has a character that no key has, such as a line break",
    );
  }
  // A query in it would be cut off, and a password would be in errors.
  if (!/^https?:\/\/[^/?#@\s]+(\/[^?#\s]*)?\/functions\/v1\/*$/.test(baseUrl)) {
    throw new TypeError(
      "baseUrl must be an address like https://<project>.supabase.co/functions/v1",
    );
  }
  return {
    ...options,
    baseUrl: baseUrl.replace(/\/+$/, ""),
    ...limitsOf({ maxRetries: 2, timeout: 60_000, settleTimeout: 120_000 }, options),
  };
}

/** What a request may take of time and attempts. */
export type Limits = Pick<Settings, "maxRetries" | "timeout" | "settleTimeout">;

/** The limits of some options. @throws TypeError says which one is no number that it can be. */
export function limitsOf(defaults: Limits, options: Partial<Limits>): Limits {
  const limits = { ...defaults };
  for (const name of ["maxRetries", "timeout", "settleTimeout"] as const) {
    const value = limits[name] = options[name] ?? defaults[name];
    // A timer takes no longer time, and ends at once without one.
    if (!Number.isInteger(value) || value < +(name === "timeout") || value >= 2 ** 31) {
      throw new TypeError(`${name} must be a whole number, and timeout at least 1`);
    }
  }
  return limits;
}
