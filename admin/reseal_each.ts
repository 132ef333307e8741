import {
  credentialsKeyId,
  keyIdOf,
} from "../supabase/functions/_shared/credentials/credentials.ts";
import type { CredentialsKeys } from "../supabase/functions/_shared/credentials/credentials_keys.ts";

/** How many values were re-encrypted, and how many were already up to date. */
export interface Counts {
  /** The number of values that were re-encrypted under the current key. */
  resealed: number;
  /** The number of values that were already encrypted under the current key. */
  already_current: number;
}

/** Encrypted values of one kind, such as the tokens of accounts. */
interface SealedValues<Value> {
  /** Returns the values after `after`, or the first values. Returns none after the last value. */
  page(after: Value | undefined, max_rows: number): Promise<Value[]>;
  /** Decrypts the value. Throws an error if no key decrypts it. */
  open(value: Value): Promise<string>;
  /** Reports a value for which `open` threw this error. */
  reportUnopened(value: Value, keyId: string | null, error: unknown): void;
  /** Encrypts `text` under the current key, in place of the value. */
  seal(text: string, value: Value): Promise<string>;
  /**
   * Stores the new value, unless someone changed or deleted the earlier value since it was read.
   * Returns whether the new value was stored.
   */
  replace(value: Value, sealed: string): Promise<boolean>;
}

/**
 * The number of values in a request. With larger pages, more values would change after they are
 * read and before they are re-encrypted.
 */
const PAGE = 100;

/**
 * Re-encrypts every value under the current key, one at a time. Meanwhile, values may be added,
 * changed and deleted. After an interruption, another call re-encrypts the remaining values.
 *
 * @throws the errors of `page` and `replace`.
 */
export async function resealEach<Value extends { sealed: string }>(
  [current]: CredentialsKeys,
  { page, open, reportUnopened, seal, replace }: SealedValues<Value>,
): Promise<Counts> {
  const currentId = await credentialsKeyId(current);
  const counts = { resealed: 0, already_current: 0 };
  let after: Value | undefined;
  while (true) {
    const values = await page(after, PAGE);
    if (values.length === 0) return counts;
    for (const value of values) {
      const keyId = keyIdOf(value.sealed) ?? null;
      const opened = await open(value).catch((error: unknown) => ({ error }));
      if (typeof opened === "object") {
        reportUnopened(value, keyId, opened.error);
      } else if (keyId === currentId) {
        counts.already_current++;
      } else if (await replace(value, await seal(opened, value))) {
        counts.resealed++;
      } else {
        break; // someone changed or deleted the value after it was read, so the page is read again
      }
      after = value;
    }
  }
}
