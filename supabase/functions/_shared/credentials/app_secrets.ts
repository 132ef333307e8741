import { decryptNamed, seal } from "./credentials.ts";
import type { CredentialsKeys } from "./credentials_keys.ts";

/** The kinds of secrets that a channel app has. */
export type AppSecretKind = "secret" | "verify_token";

/** The app and the kind of a secret. */
export interface AppSecretName {
  app_key: string;
  kind: AppSecretKind;
}

/**
 * Encrypts a secret of an app for the database, as `sealToken` encrypts a token. The property `app`
 * of the JWE header contains the app's `app_key` and the kind of secret.
 */
export async function sealAppSecret(
  secret: string,
  name: AppSecretName,
  key: Uint8Array,
): Promise<string> {
  return await seal(secret, { app: nameOf(name) }, key);
}

function nameOf({ app_key, kind }: AppSecretName): string {
  return `${app_key}/${kind}`;
}

/** A sealed secret belongs to another app or to an account, or is of another kind. */
export class SecretOfAnotherApp extends Error {
  override name = "SecretOfAnotherApp";
  constructor() {
    super(
      "The secret is sealed for another app or another use, so someone changed it in the database",
    );
  }
}

/**
 * Decrypts a secret that `sealAppSecret` sealed for this app and kind. Refuses a secret of another
 * app or kind.
 *
 * @throws SecretOfAnotherApp; UnknownCredentialsKey when the secret names a key that is not in
 *   `keys`; jose.errors.JOSEError when the secret was altered, or sealed in another way.
 */
export async function openAppSecret(
  sealed: string,
  name: AppSecretName,
  keys: CredentialsKeys,
): Promise<string> {
  const { plaintext, protectedHeader } = await decryptNamed(sealed, keys);
  if (protectedHeader.app !== nameOf(name)) throw new SecretOfAnotherApp();
  return new TextDecoder().decode(plaintext);
}
