import type { Context } from "hono";
import { keepRunning } from "../../_shared/background.ts";
import { companyDb } from "../../_shared/database/company_db.ts";
import { ApiError, RETRY_SOON } from "../../_shared/errors.ts";
import { FairShare } from "../../_shared/fair_share.ts";
import { requireAddress } from "../../_shared/http/address.ts";
import { type Pace, readBytes } from "../../_shared/http/body.ts";
import type { ApiEnv } from "../../_shared/http/env.ts";
import { channelTokenSource } from "../../_shared/key/token.ts";
import type { Origin } from "../../_shared/log.ts";
import type { WhatsappConfig } from "../whatsapp_config.ts";
import { type KnownApp, KnownApps } from "./known_apps.ts";
import { isSameText } from "../../_shared/same_text.ts";
import { ORDINARY_BYTES, receiveEvent } from "./receiving.ts";
import { isSigned, signatureIn } from "./signature.ts";

/** The format of an app's key in the path. A string with another format is not looked up. */
const APP_KEY = /^[A-Za-z0-9_-]{16,64}$/;
/** An event of the channel has at most 3 MB. */
const MAX_MIB = 3;
const MAX_QUERY_LENGTH = 4 * 1024;

/**
 * The handlers for the channel's requests about one of its apps: `verify` verifies the app's URL,
 * and `receive` receives the app's events. An event is stored unchanged before anything else, and
 * then applied immediately if possible.
 *
 * @param noSuchPath the error about an unknown path. A request for an unknown app receives the same
 *   error.
 */
export function webhook(config: WhatsappConfig, noSuchPath: () => ApiError) {
  const { eventTimeoutMs, bodyTimeoutMs, credentialsKeys, eventShare, strangerShare } = config;
  const { largeBodyShare, largeBodyPace, largeEventShare } = config;
  const db = companyDb(
    { ...config, databaseTimeoutMs: eventTimeoutMs },
    channelTokenSource(config.signingKey),
  );
  const apps = new KnownApps(db, credentialsKeys, strangerShare);
  const events = new FairShare(eventShare);
  const allEventsOfOwner = new FairShare({ ...eventShare, atOnce: eventShare.inAll });
  // These queues of all owners need no limit, because the share of each owner keeps them short.
  const shareOfAll = ({ inAll, ...share }: typeof largeBodyShare) =>
    new FairShare({ ...share, atOnce: inAll, waiting: Infinity });
  const largeEvents = new FairShare(largeEventShare);
  const allLargeEvents = shareOfAll(largeEventShare);
  const largeBodies = new FairShare(largeBodyShare);
  const allLargeBodies = shareOfAll(largeBodyShare);

  const requireApp = async (appKey: string, origin: Origin, notBefore?: number) => {
    const app = APP_KEY.test(appKey) && await inTurn(apps.find(appKey, origin, notBefore));
    if (!app) throw noSuchPath();
    return app;
  };

  const accept = async ({ appKey, app, origin }: Arrival, bytes: Uint8Array) => {
    const ownDb = db.forRequest(origin.requestId);
    const receive = async () => await receiveEvent(ownDb, appKey, bytes, origin);
    const receiveInTurn = () =>
      events.run(
        `${app.owner} ${businessAccountIn(bytes)}`,
        () => allEventsOfOwner.run(app.owner, receive),
      );
    // A large event first waits for the other large events, so that it does not occupy the place of
    // an ordinary event in the meantime.
    const isLarge = bytes.length > ORDINARY_BYTES;
    const isKnown = await inTurn(
      isLarge
        ? largeEvents.run(app.owner, () => allLargeEvents.run("", receiveInTurn))
        : receiveInTurn(),
    );
    if (isKnown) return;
    apps.forget(appKey);
    throw noSuchPath();
  };

  /** Reads the whole event, checks its signature, stores the event and applies its content. */
  const take = async (request: Request, arrival: Arrival, pace?: Pace) => {
    const { appKey, app, signature, began, origin } = arrival;
    const { bytes } = await readBytes(request, {
      maxMib: MAX_MIB,
      timeoutMs: bodyTimeoutMs,
      pace,
      judge: async () => {},
    });
    const isOf = async ({ signatureKeys }: KnownApp) =>
      await isSigned(bytes, signature, signatureKeys);
    if (!await isOf(app)) {
      // The app's secret may have been rotated after the app was read. If the app was read for this
      // request, it is not read again.
      const current = await requireApp(appKey, origin, began);
      if (current.signatureKeys.length === 0) throw unusable();
      if (!await isOf(current)) throw invalidSignature("wrong");
    }
    const accepting = accept(arrival, bytes);
    // The event is stored even if the channel disconnects.
    keepRunning(accepting.catch(() => {}));
    await accepting;
  };

  return {
    /**
     * Responds to the channel's challenge, which the channel sends when someone enters the app's
     * URL at Meta.
     */
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
        throw new ApiError(
          "wrong_verify_token",
          "The request does not verify this address, or hub.verify_token is not the token of the app",
        );
      }
      c.header("X-Content-Type-Options", "nosniff");
      return c.text(presented.challenge);
    },

    /**
     * Receives an event. Returns a 200 when the event is stored, even if it was stored earlier, and
     * even if its content could not be applied.
     */
    async receive(c: Context<ApiEnv>): Promise<Response> {
      const { origin } = c.var;
      requireAddress(c.req);
      const appKey = c.req.param("appKey")!;
      const began = performance.now();
      const app = await requireApp(appKey, origin);
      const { raw } = c.req;
      const signature = signatureIn(raw.headers);
      // A body without a signature is not read at all.
      if (signature === null) throw invalidSignature("missing");
      const arrival = { appKey, app, signature, began, origin };
      // A body without a Content-Length may be large.
      const length = Number(raw.headers.get("Content-Length") ?? Infinity);
      if (length <= ORDINARY_BYTES) {
        await take(raw, arrival);
      } else {
        const takeLarge = () => take(raw, arrival, largeBodyPace);
        await inTurn(largeBodies.run(app.owner, () => allLargeBodies.run("", takeLarge)));
      }
      return c.json({});
    },
  };
}

/**
 * The business account that an event names first, or an empty string. Only the start of the event
 * is searched, which is cheap. The id is used only to divide an owner's share among business
 * accounts. The channel has signed the event, so no one else can choose the id.
 */
function businessAccountIn(bytes: Uint8Array): string {
  const start = new TextDecoder().decode(bytes.subarray(0, 1024));
  return /"id":"([0-9]{1,32})"/.exec(start)?.[1] ?? "";
}

/** What is known about an event before its body is read. */
interface Arrival {
  appKey: string;
  app: KnownApp;
  signature: Uint8Array;
  /** When the event's request arrived, on the clock of `performance.now()`. */
  began: number;
  origin: Origin;
}

/** The parameters of a request to verify a URL. Unknown parameters are ignored. */
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
    "The header X-Hub-Signature-256 is not this app's signature of this body",
    { logFacts: { reason } },
  );
}

/** The log has the cause. The channel keeps the event and sends it again later. */
function unusable(): ApiError {
  return new ApiError("app_secret_unusable", "The secrets of this app cannot be opened", {
    headers: RETRY_SOON,
  });
}

/**
 * Returns the result of work that waits in a queue. If the queue is too long, throws an error,
 * after which the channel sends the event again later.
 */
async function inTurn<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ApiError && error.code === "too_many_requests")) throw error;
    throw new ApiError(
      "database_unavailable",
      "Too many requests are in progress; nothing was done for this request, so send it again",
      { headers: RETRY_SOON },
    );
  }
}
