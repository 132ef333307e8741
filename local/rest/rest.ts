import { App } from "@supabase/lite";
import { createPostgresConnection } from "@supabase/lite/postgres";
import { connectionPool } from "./connection_pool.ts";
import { forwarded } from "../forwarded.ts";
import {
  correctConnection,
  type LiteConnection,
  ofRequest,
  postgresTypes,
  trustTokens,
} from "./corrections.ts";
import { silenceAnsweredErrors } from "./database_errors.ts";
import { RoleSettings } from "./role_settings.ts";
import { sealFilters } from "./sealed_filters.ts";
import { judgeTimes } from "./token_times.ts";

/** The local stack's Data API, served at `/rest/v1` as on a hosted project. */
export interface Rest {
  /** @param caller the caller's IP address; by default, this machine's. */
  fetch(request: Request, caller?: string): Promise<Response>;
  close(): Promise<void>;
}

export interface RestOptions {
  /** The connection string of the database for the role authenticator, which requests use. */
  url: string;
  /** The connection string of the database for a role that sees every table. */
  privilegedUrl: string;
  jwtSecret: string;
  publishableKey: string;
  secretKey: string;
}

/**
 * The longest request line that the gateway before PostgREST accepts, in bytes: method, path and
 * query, version, and the end of the line. `supabase start` has Kong with nginx's default. Hosted
 * projects return the same response to a longer line, or a 520 if the URL and the headers together
 * exceed 16 KB.
 */
const REQUEST_LINE_BYTES = 8192;

function isTooLong({ method, url }: Request): boolean {
  const { pathname, search } = new URL(url);
  return `${method} ${pathname}${search} HTTP/1.1\r\n`.length > REQUEST_LINE_BYTES;
}

/**
 * PostgREST's response to a CORS preflight request, which allows pages of every origin. lite would
 * instead call the requested function without its parameters.
 */
function answerToPreflight({ method, headers }: Request): Response | null {
  if (method !== "OPTIONS" || !headers.has("Access-Control-Request-Method")) return null;
  const usual = "Authorization, Content-Type, Accept, Accept-Language, Content-Language";
  const asked = headers.get("Access-Control-Request-Headers");
  return new Response(null, {
    headers: {
      "Access-Control-Allow-Origin": "*",
      "Access-Control-Allow-Methods": "GET, POST, PATCH, PUT, DELETE, OPTIONS, HEAD",
      "Access-Control-Allow-Headers": asked ? `${usual}, ${asked}` : usual,
      "Access-Control-Max-Age": "86400",
    },
  });
}

/** PostgREST's Content-Location: the table, and the parameters sorted by name. */
function canonicalLocation(address: string): string {
  const { pathname, searchParams } = new URL(address);
  searchParams.sort();
  return `${pathname.slice("/rest/v1".length)}?${searchParams}`;
}

/** Starts @supabase/lite on a database, corrected to respond as PostgREST does. */
export async function startRest(options: RestOptions): Promise<Rest> {
  const connect = (url: string, max: number) =>
    createPostgresConnection({
      url,
      postgresOptions: { max, onnotice: () => {}, types: postgresTypes },
    } as never);
  const connection = connect(options.url, 10);
  const privileged = connect(options.privilegedUrl, 1);
  const roleSettings = new RoleSettings(connection.driver as never);
  await roleSettings.listen();
  for (const { driver } of [connection, privileged]) {
    Object.assign(driver, connectionPool(driver));
  }
  correctConnection(
    connection as unknown as LiteConnection,
    privileged as unknown as LiteConnection,
    roleSettings,
  );
  silenceAnsweredErrors();
  const app = new App({
    connection,
    api: { enabled: true, schemas: ["public"], max_rows: 1000 },
    auth: {
      enabled: false,
      jwt_secret: options.jwtSecret,
      publishable_key: options.publishableKey,
      secret_key: options.secretKey,
    },
    storage: { enabled: false },
    studio: { enabled: false },
    options: { server: { disableStudio: true, middlewares: [trustTokens] } },
  } as never);
  await app.init();

  return {
    async fetch(request, caller) {
      if (isTooLong(request)) return new Response("URI too long\n", { status: 414 });
      const preflight = answerToPreflight(request);
      if (preflight) return preflight;
      const corrected = forwarded(request, sealFilters(request), caller);
      const authorization = await judgeTimes(
        request.headers.get("Authorization"),
        options.jwtSecret,
      );
      if (authorization instanceof Response) return authorization;
      if (authorization) corrected.headers.set("Authorization", authorization);
      const answer = await ofRequest.run(corrected, () => app.fetch(corrected));
      if (answer.headers.has("Content-Location")) {
        answer.headers.set("Content-Location", canonicalLocation(request.url));
      }
      return answer;
    },
    async close() {
      // Without a time limit, a hanging query would keep the stack from ending.
      await Promise.all([
        ...[connection, privileged].map(({ driver }) => driver.end({ timeout: 1 })),
        roleSettings.close(),
      ]);
    },
  };
}
