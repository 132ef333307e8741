import type { CompanyDb } from "../../_shared/database/company_db.ts";
import { rows } from "../../_shared/database/rows.ts";
import { FairShare, type Share } from "../../_shared/fair_share.ts";
import { logFrequentFailure, type Origin } from "../../_shared/log.ts";
import {
  type AppSecretKind,
  openAppSecret,
  SecretOfAnotherApp,
} from "../../_shared/credentials/app_secrets.ts";
import { keyIdOf, UnknownCredentialsKey } from "../../_shared/credentials/credentials.ts";
import type { CredentialsKeys } from "../../_shared/credentials/credentials_keys.ts";
import { signatureKey } from "./signature.ts";

/**
 * A channel app, with its secrets. The secrets show whether an event, or a request to verify the
 * app's URL, is genuine.
 */
export interface KnownApp {
  /**
   * The secrets that may have signed an event: the current secret and, during a rotation, the
   * previous secret. An empty list means that no secret can be decrypted.
   */
  signatureKeys: CryptoKey[];
  /** Null means that this secret cannot be decrypted. */
  verifyToken: string | null;
  /** The id of the company that registered the app. For an app of the operator, the app's key. */
  owner: string;
}

/** The result of `channel_app()`. */
interface SealedApp {
  sealed_secret: string;
  sealed_previous_secret: string | null;
  sealed_verify_token: string;
  owner_company_id: string | null;
}

/** How long an instance caches an app that it has read. */
const CACHED_MS = 60_000;

/**
 * The channel apps, by the app keys in their webhook URLs. An existing app is cached for a minute.
 * All lookups of unknown keys wait in one queue, so that callers who guess paths never delay a
 * known app.
 */
export class KnownApps {
  readonly #known = new Map<string, { app: KnownApp; askedAt: number }>();
  readonly #share: FairShare;

  constructor(
    readonly db: CompanyDb,
    readonly keys: CredentialsKeys,
    share: Share,
  ) {
    this.#share = new FairShare(share);
  }

  /**
   * The app with this key; null when it does not exist.
   * @param notBefore an app that was read before this time, on the clock of `performance.now()`, is
   *   read again.
   * @throws DatabaseError; ApiError too_many_requests when the lookup waits too long in the queue.
   */
  async find(
    appKey: string,
    origin: Origin,
    notBefore = performance.now() - CACHED_MS,
  ): Promise<KnownApp | null> {
    const fresh = () => {
      const known = this.#known.get(appKey);
      return known && known.askedAt >= notBefore ? known.app : undefined;
    };
    const line = this.#known.has(appKey) ? appKey : "";
    // If several requests wait for the same app, one request reads the app and the others use the
    // result.
    return fresh() ??
      await this.#share.run(line, async () => fresh() ?? await this.#read(appKey, origin));
  }

  /** Removes a deleted app from the cache. */
  forget(appKey: string) {
    this.#known.delete(appKey);
  }

  async #read(appKey: string, origin: Origin): Promise<KnownApp | null> {
    const askedAt = performance.now();
    const sealed = rows(
      await this.db.rpc("channel_app", { app_key: appKey }),
    ) as unknown as SealedApp | null; // the jsonb from channel_app()
    if (sealed === null) {
      this.forget(appKey);
      return null;
    }
    const app = await this.#opened(appKey, sealed, origin);
    this.#known.set(appKey, { app, askedAt });
    return app;
  }

  async #opened(appKey: string, app: SealedApp, origin: Origin): Promise<KnownApp> {
    const open = async (kind: AppSecretKind, sealed: string | null) => {
      if (sealed === null) return null;
      try {
        return await openAppSecret(sealed, { app_key: appKey, kind }, this.keys);
      } catch (error) {
        // Each event with a wrong signature opens the secrets again, and anyone can send such events.
        const facts = { app_key: appKey, kind, key_id: keyIdOf(sealed) };
        logFrequentFailure(origin, "app_secret_unusable", whyUnusable(error as Error), facts);
        return null;
      }
    };
    const secrets = [
      await open("secret", app.sealed_secret),
      await open("secret", app.sealed_previous_secret),
    ];
    return {
      signatureKeys: await Promise.all(
        secrets.filter((secret) => secret !== null).map(signatureKey),
      ),
      verifyToken: await open("verify_token", app.sealed_verify_token),
      owner: app.owner_company_id ?? appKey,
    };
  }
}

/**
 * Describes the cause to the operator. The message of an unknown error is not included, because it
 * could contain the secret.
 */
function whyUnusable(error: Error): string {
  return error instanceof UnknownCredentialsKey || error instanceof SecretOfAnotherApp
    ? error.message
    : `The stored secret cannot be opened (${error.name})`;
}
