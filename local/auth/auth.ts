import { App } from "@supabase/lite";
import { createPostgresConnection } from "@supabase/lite/postgres";
import { forwarded } from "../forwarded.ts";
import { judgeBody } from "./bodies.ts";
import { asSupabaseAuth } from "./corrections.ts";
import type { Mailbox } from "./mailbox.ts";

/** Supabase Auth of the local stack: the `/auth/v1` of a hosted project. */
export interface Auth {
  /** @param caller the address of whoever asks. */
  fetch(request: Request, caller: string): Promise<Response>;
  close(): Promise<void>;
}

export interface AuthOptions {
  /** The database's address for the role supabase_auth_admin. */
  url: string;
  /** Where the stack is. */
  origin: string;
  jwtSecret: string;
  publishableKey: string;
  secretKey: string;
  /** Where what would be mailed is kept. */
  mailbox: Mailbox;
  /** true leaves lite as it is; for the tests of whether it still needs the corrections. */
  uncorrected?: boolean;
}

/** What supabase/config.toml says in [auth], for a project as it is to be. */
export const RULES = {
  enable_signup: false,
  enable_anonymous_sign_ins: false,
  minimum_password_length: 8,
  jwt_expiry: 3600,
  enable_refresh_token_rotation: true,
};

/**
 * Supabase Auth, answered by @supabase/lite, corrected to answer as Supabase does. It is started by the first
 * request, because most starts need no sign-in.
 */
export function authHost(options: AuthOptions): Auth {
  let starting: ReturnType<typeof start> | undefined;
  return {
    async fetch(request, caller) {
      starting ??= start(options);
      const { app } = await starting;
      const handedOn = forwarded(request, request.url, caller);
      const judged = options.uncorrected ? handedOn : await judgeBody(handedOn);
      const answer = judged instanceof Response ? judged : await app.fetch(judged);
      // Supabase lets a page of any origin ask: what it may do, its tokens say.
      answer.headers.set("Access-Control-Allow-Origin", "*");
      if (request.method === "OPTIONS") {
        const asked = request.headers.get("Access-Control-Request-Headers");
        if (asked) answer.headers.set("Access-Control-Allow-Headers", asked);
      }
      return answer;
    },
    async close() {
      // One that has failed has said so to whoever asked.
      await (await starting?.catch(() => undefined))?.close();
    },
  };
}

async function start(options: AuthOptions) {
  const { origin, mailbox } = options;
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
    options: {
      server: {
        disableStudio: true,
        ...(options.uncorrected ? {} : { middlewares: [asSupabaseAuth(mailbox.keep)] }),
      },
    },
  } as never);
  await app.init();
  const { driver } = connection as unknown as {
    driver: { end(options: { timeout: number }): Promise<void> };
  };
  return {
    app,
    // Without a time limit, a hanging query would keep the whole stack running.
    close: () => driver.end({ timeout: 1 }),
  };
}
