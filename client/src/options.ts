/** The settings for every request, unless a request has its own. */
export interface ClientOptions {
  /** The API key, which begins with `sk_live_`. Keep the key on a server. */
  apiKey: string;
  /** The address of the API: `https://<project>.supabase.co/functions/v1`. */
  baseUrl: string;
  /**
   * A request is repeated at most this many times, and only if repeating it is safe. The default is
   * 2.
   */
  maxRetries?: number | undefined;
  /**
   * The time limit of one attempt, including its answer, in milliseconds. The default is 60,000.
   */
  timeout?: number | undefined;
  /**
   * How long the client asks for the outcome of a send while the outcome is unknown, in
   * milliseconds. The default is 120,000. The API knows the outcome after 90 seconds at the latest.
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
  /** When this signal is aborted, the request and the pauses between its attempts end. */
  signal?: AbortSignal | undefined;
  /** Additional headers. They replace the client's headers with the same name. */
  headers?: Record<string, string> | undefined;
  /** Replaces the client's option with this name, for this request. */
  maxRetries?: number | undefined;
  /** Replaces the client's option with this name, for this request. */
  timeout?: number | undefined;
  /** Replaces the client's option with this name, for this request. */
  maxWait?: number | undefined;
}

/** The options for reading one record. */
export interface ReadOptions extends RequestOptions {
  /** A version or an ETag. The answer is `null` if the record still has this version. */
  ifNoneMatch?: string | undefined;
}

/** The options for a change. */
export interface ChangeOptions extends RequestOptions {
  /**
   * The version or the ETag that you read, or several of them. A record with another version is not
   * changed.
   */
  ifMatch?: string | readonly string[] | undefined;
}

/** The options for a request that creates something. */
export interface CreateOptions extends RequestOptions {
  /**
   * A key for this request. A repeat with the same key does not take effect again. If you give no
   * key, the client makes one.
   */
  idempotencyKey?: string | undefined;
}

/** The progress of a request with many items. */
export interface Progress {
  /** How many items the API has answered. */
  done: number;
  /** How many items there are. */
  total: number;
  /** How many items failed. */
  failed: number;
}

/** The options for a request that changes many records. */
export interface ManyOptions extends RequestOptions {
  /** Is called after each batch of at most 500 items. */
  onProgress?: ((progress: Progress) => void) | undefined;
}

/** The options for a request that creates many records. */
export interface CreateManyOptions extends ManyOptions, CreateOptions {}

/** The options for a send. */
export interface SendOptions extends CreateOptions {
  /** Replaces the client's option with this name, for this request. */
  settleTimeout?: number | undefined;
  /** Only asks what the send would do. Nothing is sent. */
  dryRun?: boolean | undefined;
}

/** The options of a client after they were checked. */
export interface Settings extends ClientOptions {
  maxRetries: number;
  timeout: number;
  settleTimeout: number;
  maxWait: number;
}

/** @throws TypeError with the name of the wrong option. The message never contains the key. */
export function settingsOf(options: ClientOptions): Settings {
  const { apiKey } = options ?? {};
  const baseUrl = String(options?.baseUrl);
  if (typeof apiKey !== "string" || !/^[!-~]+$/.test(apiKey)) {
    throw new TypeError(
      "apiKey is missing, or has a character that no key has, such as a line break",
    );
  }
  // A query in the address would be lost, and a password in the address would appear in errors.
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
 * The limits in these options. An option that is missing has its default.
 * @throws TypeError with the name of an option that is not a valid number.
 */
export function limitsOf(defaults: Limits, options: Partial<Limits>): Limits {
  const limits = { ...defaults };
  for (const name of ["maxRetries", "timeout", "settleTimeout", "maxWait"] as const) {
    const value = limits[name] = options[name] ?? defaults[name];
    // A timer cannot run for 2^31 ms or longer. A timer with a time that is not a number ends
    // immediately.
    if (!Number.isInteger(value) || value < +(name === "timeout") || value >= 2 ** 31) {
      throw new TypeError(`${name} must be a whole number, and timeout at least 1`);
    }
  }
  return limits;
}
