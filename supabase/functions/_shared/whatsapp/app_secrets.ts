import { type CredentialsKeys, decryptWithAny, seal } from "./credentials.ts";

/** What an app of the channel has of secrets. */
export type AppSecretKind = "secret" | "verify_token";

/** A secret of an app, by where it belongs. */
export interface AppSecretName {
  app_key: string;
  kind: AppSecretKind;
}

/**
 * Encrypts a secret of an app for the database, as `sealToken` does a token. The header names the app and the kind of
 * secret (`app`).
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

/** A sealed secret belongs to another app, to an account, or is of another kind. */
export class SecretOfAnotherApp extends Error {
  override name = "SecretOfAnotherApp";
  constructor() {
    super("The secret is sealed for another app or another use: it was changed in the database");
  }
}

/**
 * Decrypts a secret that `sealAppSecret` has sealed for this app and use, and no other.
 *
 * @throws SecretOfAnotherApp; UnknownCredentialsKey when it names a key that is not among these;
 *   jose.errors.JOSEError when it was altered, or sealed in another way.
 */
export async function openAppSecret(
  sealed: string,
  name: AppSecretName,
  keys: CredentialsKeys,
): Promise<string> {
  const { plaintext, protectedHeader } = await decryptWithAny(sealed, keys);
  if (protectedHeader.app !== nameOf(name)) throw new SecretOfAnotherApp();
  return new TextDecoder().decode(plaintext);
}
