import type { Context } from "hono";
import { keepRunning } from "../_shared/background.ts";
import { companyDb } from "../_shared/database/company_db.ts";
import { ApiError, RETRY_SOON } from "../_shared/errors.ts";
import { FairShare } from "../_shared/fair_share.ts";
import { requireAddress } from "../_shared/http/address.ts";
import { readBytes } from "../_shared/http/body.ts";
import type { ApiEnv } from "../_shared/http/env.ts";
import { channelTokenSource } from "../_shared/key/token.ts";
import type { Origin } from "../_shared/log.ts";
import type { WhatsappConfig } from "./config.ts";
import { type KnownApp, KnownApps } from "./known_apps.ts";
import { receiveEvent } from "./receiving.ts";
import { isSameText } from "./same_text.ts";
import { isSigned, signatureIn } from "./signature.ts";

/** The form of what stands in the path of an app. Anything else is not looked up. */
const APP_KEY = /^[A-Za-z0-9_-]{16,64}$/;
/** The channel sends at most 3 MB. */
const MAX_MIB = 3;
/** Far more than an event of one message has. */
const ORDINARY_BYTES = 64 * 1024;
const MAX_QUERY_LENGTH = 4 * 1024;

/**
 * The paths that the channel calls, one for each of its apps: what verifies the address of an app, and what takes
 * its events. An event is stored as it came before anything else counts, and applied at once where that is possible.
 *
 * @param noSuchPath the error of an unknown path, which is that of an unknown app too.
 */
export function webhook(config: WhatsappConfig, noSuchPath: () => ApiError) {
  const { eventTimeoutMs, bodyTimeoutMs, credentialsKeys, eventShare, strangerShare } = config;
  const db = companyDb(
    { ...config, databaseTimeoutMs: eventTimeoutMs },
    channelTokenSource(config.signingKey),
  );
  const apps = new KnownApps(db, credentialsKeys, strangerShare);
  const events = new FairShare(eventShare);
  const largeEvents = new FairShare(config.largeEventShare);

  const requireApp = async (appKey: string, origin: Origin, notBefore?: number) => {
    const app = APP_KEY.test(appKey) && await inTurn(apps.find(appKey, origin, notBefore));
    if (!app) throw noSuchPath();
    return app;
  };

  const accept = async (appKey: string, bytes: Uint8Array, origin: Origin) => {
    const isKnown = await inTurn(
      events.run(appKey, async () => await receiveEvent(db, appKey, bytes, origin)),
    );
    if (isKnown) return;
    apps.forget(appKey);
    throw noSuchPath();
  };

  /** Reads an event to its end, checks its signature, stores it and applies what it says. */
  const take = async (
    request: Request,
    { appKey, app, signature, began, origin }: Arrival,
  ) => {
    const { bytes } = await readBytes(request, {
      maxMib: MAX_MIB,
      timeoutMs: bodyTimeoutMs,
      judge: async () => {},
    });
    const isOf = async ({ signatureKeys }: KnownApp) =>
      await isSigned(bytes, signature, signatureKeys);
    if (!await isOf(app)) {
      // Its secret may have been rotated since it was read, unless that was for this request.
      const current = await requireApp(appKey, origin, began);
      if (current.signatureKeys.length === 0) throw unusable();
      if (!await isOf(current)) throw invalidSignature("wrong");
    }
    const accepting = accept(appKey, bytes, origin);
    // Also when the channel hangs up.
    keepRunning(accepting.catch(() => {}));
    await accepting;
  };

  return {
    /** Answers the channel's challenge, which comes when the operator enters the address of an app. */
    async verify(c: Context<ApiEnv>): Promise<Response> {
      const { origin } = c.var;
      requireAddress(c.req);
      const appKey = c.req.param("appKey")!;
      const presented = verificationIn(c.req.url);
      const isRight = async ({ verifyToken }: KnownApp) => {
        if (verifyToken === null) throw unusable();
        return await isSameText(presented.token, verifyToken);
      };
      const app = await requireApp(appKey, origin);
      if (!presented.isComplete || !await isRight(app)) {
        throw new ApiError("wrong_verify_token", "This is no verification with the right token");
      }
      c.header("X-Content-Type-Options", "nosniff");
      return c.text(presented.challenge);
    },

    /** Takes an event: 200 when it is stored, also when it was before, and whatever becomes of what it says. */
    async receive(c: Context<ApiEnv>): Promise<Response> {
      const { origin } = c.var;
      requireAddress(c.req);
      const appKey = c.req.param("appKey")!;
      const began = performance.now();
      const app = await requireApp(appKey, origin);
      const { raw } = c.req;
      const signature = signatureIn(raw.headers);
      // A body without a signature is not even read.
      if (signature === null) throw invalidSignature("missing");
      const arrival = { appKey, app, signature, began, origin };
      // Without a Content-Length, any body may be large.
      const length = Number(raw.headers.get("Content-Length") ?? Infinity);
      if (length <= ORDINARY_BYTES) await take(raw, arrival);
      else await inTurn(largeEvents.run("", () => take(raw, arrival)));
      return c.json({});
    },
  };
}

/** What is known of an event before its body is read. */
interface Arrival {
  appKey: string;
  app: KnownApp;
  signature: Uint8Array;
  /** When its request came, of `performance.now()`. */
  began: number;
  origin: Origin;
}

/** What a request to verify an address presents. Parameters that are not known do not matter. */
function verificationIn(url: string) {
  const query = url.slice(url.indexOf("?") + 1 || url.length);
  const parameters = new URLSearchParams(query.length <= MAX_QUERY_LENGTH ? query : "");
  const [token, challenge] = ["hub.verify_token", "hub.challenge"].map((name) =>
    parameters.get(name) ?? ""
  );
  const isComplete = parameters.get("hub.mode") === "subscribe" && token !== "" && challenge !== "";
  return { token, challenge, isComplete };
}

function invalidSignature(reason: "missing" | "wrong"): ApiError {
  return new ApiError(
    "invalid_signature",
    "The header X-Hub-Signature-256 is not the signature of this body by this app",
    { logFacts: { reason } },
  );
}

/** The log has the cause. The channel keeps the event meanwhile. */
function unusable(): ApiError {
  return new ApiError("app_secret_unusable", "The secrets of this app cannot be opened", {
    headers: RETRY_SOON,
  });
}

/** The result of work in a line; when the line is too long, the channel is asked to come back. */
async function inTurn<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ApiError && error.code === "too_many_requests")) throw error;
    throw new ApiError(
      "database_unavailable",
      "Too much is under way at once; nothing was done for this request, so send it again",
      { headers: RETRY_SOON },
    );
  }
}
