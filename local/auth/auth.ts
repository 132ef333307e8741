import { App } from "@supabase/lite";
import { createPostgresConnection } from "@supabase/lite/postgres";
import postgres from "postgres";
import { forwarded } from "../forwarded.ts";
import { readdressed } from "../readdressed.ts";
import { judgeBody } from "./bodies.ts";
import { asSupabaseAuth } from "./corrections.ts";
import { answerInvite } from "./invitations.ts";
import type { Mailbox } from "./mailbox.ts";
import { answerFactors } from "./second_factors.ts";
import { completed } from "./sessions.ts";

/** The local stack's Supabase Auth, served at `/auth/v1` as on a hosted project. */
export interface Auth {
  /** @param caller the caller's IP address. */
  fetch(request: Request, caller: string): Promise<Response>;
  close(): Promise<void>;
}

export interface AuthOptions {
  /** The connection string of the database for the role supabase_auth_admin. */
  url: string;
  /** The stack's URL. */
  origin: string;
  jwtSecret: string;
  publishableKey: string;
  secretKey: string;
  /** Stores the e-mails that a hosted project would send. */
  mailbox: Mailbox;
}

/** The rules that supabase/config.toml recommends for a project, in its section [auth]. */
export const RULES = {
  enable_signup: false,
  enable_anonymous_sign_ins: false,
  minimum_password_length: 8,
  jwt_expiry: 3600,
  enable_refresh_token_rotation: true,
};

/**
 * An imitation of Supabase Auth: @supabase/lite, corrected to respond as Supabase does. The service
 * starts at the first request, because most stacks never need a sign-in.
 */
export function authHost(options: AuthOptions): Auth {
  let starting: ReturnType<typeof start> | undefined;
  return {
    async fetch(request, caller) {
      starting ??= start(options);
      const { answered } = await starting;
      const judged = await judgeBody(forwarded(request, request.url, caller));
      const answer = judged instanceof Response ? judged : await answered(judged, caller);
      // As on Supabase, pages of any origin may send requests. The token in a request decides what
      // the request may do.
      answer.headers.set("Access-Control-Allow-Origin", "*");
      if (request.method === "OPTIONS") {
        const asked = request.headers.get("Access-Control-Request-Headers");
        if (asked) answer.headers.set("Access-Control-Allow-Headers", asked);
      }
      return answer;
    },
    async close() {
      // If the start failed, the first request has already received the error.
      await (await starting?.catch(() => undefined))?.close();
    },
  };
}

async function start(options: AuthOptions) {
  const { origin, mailbox, secretKey, jwtSecret } = options;
  const connection = createPostgresConnection({
    url: options.url,
    postgresOptions: { max: 3, onnotice: () => {} },
  } as never);
  const app = new App({
    connection,
    api: { enabled: false },
    auth: {
      ...RULES,
      enabled: true,
      site_url: `${origin}/settings/`,
      additional_redirect_urls: [`${origin.replace("127.0.0.1", "localhost")}/**`],
      jwt_secret: options.jwtSecret,
      publishable_key: options.publishableKey,
      secret_key: options.secretKey,
    },
    storage: { enabled: false },
    studio: { enabled: false },
    options: { server: { disableStudio: true, middlewares: [asSupabaseAuth(mailbox.keep)] } },
  } as never);
  await app.init();
  const { driver } = connection as unknown as {
    driver: { end(options: { timeout: number }): Promise<void> };
  };
  const sql = postgres(options.url, { max: 2, onnotice: () => {}, prepare: false });
  /**
   * Handles a request. @supabase/lite has no invitations and no second factors, so this code
   * handles requests for both itself.
   */
  async function answered(request: Request, caller: string): Promise<Response> {
    const factors = {
      sql,
      host: new URL(origin).host,
      ask: (path: string, init: RequestInit) =>
        answered(new Request(`${origin}/auth/v1${path}`, init), caller),
    };
    return await answerInvite({ sql, origin, secretKey, mailbox }, request) ??
      await answerFactors(factors, request, caller) ??
      await completed(sql, jwtSecret, request, await app.fetch(asLink(request)), caller);
  }
  return {
    answered,
    // Without a time limit, a hanging query would keep the stack from ending.
    close: async () => {
      await Promise.all([driver.end({ timeout: 1 }), sql.end({ timeout: 1 })]);
    },
  };
}

/**
 * Turns an invitation link into a sign-up link, because @supabase/lite does not support
 * invitations.
 */
function asLink(request: Request): Request {
  const url = new URL(request.url);
  if (url.pathname !== "/auth/v1/verify" || url.searchParams.get("type") !== "invite") {
    return request;
  }
  url.searchParams.set("type", "signup");
  return readdressed(request, url.href);
}
