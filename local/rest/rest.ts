import { App } from "@supabase/lite";
import { createPostgresConnection } from "@supabase/lite/postgres";
import { connectionPool } from "./connection_pool.ts";
import { readdressed } from "../readdressed.ts";
import {
  correctConnection,
  type LiteConnection,
  postgresTypes,
  trustTokens,
} from "./corrections.ts";
import { silenceAnsweredErrors } from "./database_errors.ts";
import { sealOperands } from "./sealed_operands.ts";
import { judgeTimes } from "./token_times.ts";

/** The Data API of the local stack: the `/rest/v1` of a hosted project. */
export interface Rest {
  fetch(request: Request): Promise<Response>;
  close(): Promise<void>;
}

export interface RestOptions {
  /** The database's address for the role authenticator, which requests connect as. */
  url: string;
  /** The database's address for a role that sees every table. */
  privilegedUrl: string;
  jwtSecret: string;
  publishableKey: string;
  secretKey: string;
  /** true leaves lite as it is; for the tests of whether it still needs the corrections. */
  uncorrected?: boolean;
}

/** Starts @supabase/lite on a database, corrected to answer as PostgREST does. */
export async function startRest(options: RestOptions): Promise<Rest> {
  const correct = !options.uncorrected;
  const connect = (url: string, max: number) =>
    createPostgresConnection({
      url,
      postgresOptions: { max, onnotice: () => {}, ...(correct ? { types: postgresTypes } : {}) },
    } as never);
  const connection = connect(options.url, 10);
  const privileged = connect(options.privilegedUrl, 1);
  if (correct) {
    for (const { driver } of [connection, privileged]) {
      Object.assign(driver, connectionPool(driver));
    }
    correctConnection(
      connection as unknown as LiteConnection,
      privileged as unknown as LiteConnection,
    );
    silenceAnsweredErrors();
  }
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
    options: {
      server: { disableStudio: true, ...(correct ? { middlewares: [trustTokens] } : {}) },
    },
  } as never);
  await app.init();

  return {
    async fetch(request) {
      if (!correct) return await app.fetch(readdressed(request, request.url));
      const corrected = readdressed(request, sealOperands(request.url));
      const authorization = await judgeTimes(
        request.headers.get("Authorization"),
        options.jwtSecret,
      );
      if (authorization instanceof Response) return authorization;
      if (authorization) corrected.headers.set("Authorization", authorization);
      return await app.fetch(corrected);
    },
    async close() {
      // Without a time limit, a hanging query would keep the whole stack running.
      await Promise.all([connection, privileged].map(({ driver }) => driver.end({ timeout: 1 })));
    },
  };
}
