/** The settings for every request, unless a request overrides them. */
export interface ClientOptions {
  /** The API key, which begins with `sk_live_`. Keep the key on a server. */
  apiKey: string;
  /** The base URL of the API: `https://<project>.supabase.co/functions/v1`. */
  baseUrl: string;
  /**
   * The maximum number of times that a request is repeated. A request is repeated only if repeating
   * it is safe. The default is 2.
   */
  maxRetries?: number | undefined;
  /**
   * The time limit for one attempt, including its response, in milliseconds. The default is 60,000.
   * `media.upload()` ignores this option: its default is 100,000, and its own option changes it. If
   * the response is a file, the limit applies to the wait for the beginning of the response, and
   * then to the wait for each part of the file.
   */
  timeout?: number | undefined;
  /**
   * How long the client repeats a send whose outcome is unknown, in milliseconds. The default is
   * 120,000. The API knows the outcome after 90 seconds at the latest.
   */
  settleTimeout?: number | undefined;
  /**
   * The longest pause before another attempt, in milliseconds. The default is 15,000. If the API
   * asks for a longer pause, the client throws the error instead of waiting.
   */
  maxWait?: number | undefined;
  /** Headers for every request. */
  headers?: Record<string, string> | undefined;
  /** The function to use in place of the platform's `fetch`. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

/** The settings for one request. */
export interface RequestOptions {
  /** Aborting this signal ends the request and the pauses between its attempts. */
  signal?: AbortSignal | undefined;
  /** Additional headers. They replace the client's headers with the same name. */
  headers?: Record<string, string> | undefined;
  /** Overrides the client's option of the same name for this request. */
  maxRetries?: number | undefined;
  /** Overrides the client's option of the same name for this request. */
  timeout?: number | undefined;
  /** Overrides the client's option of the same name for this request. */
  maxWait?: number | undefined;
}

/** The options for reading one record. */
export interface ReadOptions extends RequestOptions {
  /** A version or an ETag. The result is `null` if the record still has this version. */
  ifNoneMatch?: string | undefined;
}

/** The options for a request that changes a record. */
export interface ChangeOptions extends RequestOptions {
  /**
   * One or more versions or ETags that you have read. If the record has none of these versions, the
   * record is not changed.
   */
  ifMatch?: string | readonly string[] | undefined;
}

/** The options for a request that creates something. */
export interface CreateOptions extends RequestOptions {
  /**
   * A key for this request. A repeated request with the same key does not take effect again. If you
   * provide no key, the client generates a key.
   */
  idempotencyKey?: string | undefined;
}

/** The progress of a request with many items. */
export interface Progress {
  /** The number of items that the API has processed. */
  done: number;
  /** The total number of items. */
  total: number;
  /** The number of items that failed. */
  failed: number;
}

/** The options for a request that changes many records. */
export interface ManyOptions extends RequestOptions {
  /** The client calls this function after each batch of at most 500 items. */
  onProgress?: ((progress: Progress) => void) | undefined;
}

/** The options for a request that creates many records. */
export interface CreateManyOptions extends ManyOptions, CreateOptions {}

/** The options for a send. */
export interface SendOptions extends CreateOptions {
  /** Overrides the client's option of the same name for this request. */
  settleTimeout?: number | undefined;
  /** If `true`, the API checks the request and reports what a send would do, but sends nothing. */
  dryRun?: boolean | undefined;
}

/** A client's validated options. */
export interface Settings extends ClientOptions {
  maxRetries: number;
  timeout: number;
  settleTimeout: number;
  maxWait: number;
}

/**
 * @throws TypeError if an option is missing or invalid. The message names the option, but never
 * contains the API key.
 */
export function settingsOf(options: ClientOptions): Settings {
  const { apiKey } = options ?? {};
  const baseUrl = String(options?.baseUrl);
  if (typeof apiKey !== "string" || !/^[!-~]+$/.test(apiKey)) {
    throw new TypeError(
      "apiKey is missing, or has a character that no key has, such as a line break",
    );
  }
  // A query string in the URL would be lost, and a password in the URL would appear in errors.
  if (!/^https?:\/\/[^/?#@\s]+(\/[^?#\s]*)?\/functions\/v1\/*$/.test(baseUrl)) {
    throw new TypeError(
      "baseUrl must be an address like https://<project>.supabase.co/functions/v1",
    );
  }
  return {
    ...options,
    baseUrl: baseUrl.replace(/\/+$/, ""),
    ...limitsOf(
      { maxRetries: 2, timeout: 60_000, settleTimeout: 120_000, maxWait: 15_000 },
      options,
    ),
  };
}

/** How much time and how many attempts a request may take. */
export type Limits = Pick<Settings, "maxRetries" | "timeout" | "settleTimeout" | "maxWait">;

/**
 * Returns the limits in these options. A missing option has its default value.
 * @throws TypeError if an option is not a valid number. The message names the option.
 */
export function limitsOf(defaults: Limits, options: Partial<Limits>): Limits {
  const limits = { ...defaults };
  for (const name of ["maxRetries", "timeout", "settleTimeout", "maxWait"] as const) {
    const value = limits[name] = options[name] ?? defaults[name];
    // A timer cannot run for 2^31 ms or longer. A timer whose duration is not a number ends
    // immediately.
    if (!Number.isInteger(value) || value < +(name === "timeout") || value >= 2 ** 31) {
      throw new TypeError(`${name} must be a whole number, and timeout at least 1`);
    }
  }
  return limits;
}
