import assert from "node:assert/strict";
import { newCompany, newCompanyWithTemplate } from "../support/company.ts";
import { later, logged } from "../support/log_lines.ts";
import { ownGateway, watchedStack } from "../support/own_functions.ts";
import { routes } from "../support/routes.ts";
import { CLOSED_URL } from "../support/started.ts";

interface Expected {
  status: number;
  code: string;
  /**
   * The error message depends on the HTTP method. After a write, the message says whether the
   * change may have been made.
   */
  error: (method: string) => string;
  inLog: RegExp;
}

const internal = (inLog: RegExp): Expected => ({
  status: 500,
  code: "internal",
  error: () => "Internal error",
  inLog,
});

const AWAY = "The database does not answer";
const unavailable = (inLog: RegExp, afterChange: string, what = AWAY): Expected => ({
  status: 503,
  code: "database_unavailable",
  error: (method) => `${what}; ${method === "GET" ? "try again" : afterChange}`,
  inLog,
});
const CHECK = "check whether the change was made before you repeat the request";
const AGAIN = "nothing was changed, so try again";

async function assertAnswers(
  supabaseUrl: string,
  { status, code, error, inLog }: Expected,
  timeoutMs?: number,
) {
  const company = await newCompanyWithTemplate();
  const request = await ownGateway(supabaseUrl, timeoutMs);
  for (const route of routes) {
    const lines = await later(3600, () =>
      logged(async () => {
        const body = route.body?.(company);
        const answer = await request(company.keys.all, route.method, route.path(company), body);
        assert.deepEqual([answer.status, answer.body], [status, {
          error: error(route.method),
          code,
          request_id: answer.headers.get("X-Request-Id"),
        }]);
        assert.equal(answer.headers.get("Retry-After"), status === 503 ? "2" : null);
      }));
    assert.equal(lines.length, 1, lines.join("\n"));
    const line = JSON.parse(lines[0]);
    assert.deepEqual([line.level, line.method], ["error", route.method]);
    assert.match(lines[0], inLog);
    assert.ok(!lines[0].includes(company.keys.all), "the log contains no key");
    for (const sent of Object.values(route.body?.(company) ?? {})) {
      if (typeof sent === "number") continue; // the log line contains other numbers too
      if (!route.path(company).includes(String(sent))) {
        assert.ok(!lines[0].includes(String(sent)), "the log contains no part of the body");
      }
    }
  }
}

Deno.test("an unavailable database causes a log line and a 503 without internal details", async () => {
  await assertAnswers(
    CLOSED_URL,
    unavailable(/database_unavailable.*(refused|ECONN|connect)/i, CHECK),
  );
});

Deno.test("if the database hangs, the response is a 503 after the timeout", async () => {
  const stuck = Promise.withResolvers<Response>();
  await using database = watchedStack(() => stuck.promise);
  const expected = unavailable(/database_unavailable.*(abort|timed? ?out)/i, CHECK);
  await assertAnswers(database.url, expected, 100);
  stuck.resolve(new Response());
});

Deno.test("the response is a 503 if a proxy, the Data API or Postgres reports that the database is unavailable", async () => {
  const LOCKED = "Another change of the record is in progress";
  const SLOW = "The database took too long";
  const READ_ONLY = "The database accepts no changes at the moment";
  const FULL = "The database has no room for this request at the moment";
  const postgres = (code: string, status: number) => () =>
    Response.json({ code, message: "x", details: null, hint: null }, { status });
  const cases: [() => Response, string, string?][] = [
    [() => new Response("<html>Bad gateway</html>", { status: 502 }), CHECK],
    [() => new Response("error code: 522", { status: 522 }), CHECK],
    [() => new Response(null, { status: 404 }), CHECK],
    [() => Response.json({ code: "PGRST000", message: "no connection" }, { status: 503 }), CHECK],
    [() => Response.json({ code: "PGRST001", message: "lost" }, { status: 503 }), CHECK],
    [() => Response.json({ code: "PGRST002", message: "no schema" }, { status: 503 }), AGAIN],
    [() => Response.json({ code: "57P01", message: "terminating" }, { status: 503 }), CHECK],
    [() => Response.json({ code: "57P02", message: "crash" }, { status: 500 }), CHECK],
    [() => Response.json({ code: "57P03", message: "starting up" }, { status: 500 }), AGAIN],
    [() => Response.json({ code: "PGRST003", message: "pool timeout" }, { status: 504 }), AGAIN],
    // PostgREST returns each of these errors with the given status.
    [postgres("55P03", 500), AGAIN, LOCKED],
    [postgres("40P01", 500), AGAIN, LOCKED],
    [postgres("40001", 500), AGAIN, LOCKED],
    [postgres("57014", 500), AGAIN, SLOW],
    [postgres("25006", 405), AGAIN, READ_ONLY],
    [postgres("53100", 503), AGAIN, READ_ONLY],
    [postgres("53200", 503), AGAIN, FULL],
    [postgres("53300", 503), AGAIN, FULL],
    [postgres("08006", 503), CHECK],
    // The connection broke during the statement.
    [postgres("", 400), CHECK],
  ];
  for (const [answer, afterChange, what] of cases) {
    await using database = watchedStack(answer);
    await assertAnswers(database.url, unavailable(/database_unavailable/, afterChange, what));
  }
});

Deno.test("an unexpected database error causes a 500", async () => {
  const unexpected = [
    // A 400 from PostgREST has an error code, but a 400 from a proxy has no error code.
    () => Response.json({ code: "22P02", message: "invalid input" }, { status: 400 }),
    () => new Response("<html>Bad request</html>", { status: 400 }),
    () => new Response(null, { status: 525 }),
    () =>
      Response.json({ code: "42P01", message: 'relation "public.x" does not exist' }, {
        status: 404,
      }),
  ];
  for (const answer of unexpected) {
    await using database = watchedStack(answer);
    await assertAnswers(database.url, internal(/request_failed/));
  }
});

Deno.test("if the database refuses the times in a token, the response is a 503 and the log names the clocks as the cause", async () => {
  for (const message of ["JWT expired", "JWT not yet valid", "JWT issued at future"]) {
    const answer = () => Response.json({ code: "PGRST303", message }, { status: 401 });
    await using database = watchedStack(answer);
    const what = "The clocks of the service and of its database differ";
    await assertAnswers(database.url, unavailable(/"event":"clock_trouble"/, AGAIN, what));
  }
});

Deno.test("of each cause of a failure, the log has at most 10 lines in ten seconds, and then the number of further failures", () =>
  later(4 * 3600, async (start) => {
    const { keys } = await newCompany();
    let code = "";
    await using database = watchedStack(() =>
      Response.json({ code, message: "x", details: null, hint: null }, { status: 500 })
    );
    const request = await ownGateway(database.url);
    const failedAt = async (ms: number, cause: string, count: number) => {
      [code, Date.now] = [cause, () => start + ms];
      const ids: string[] = [];
      const lines = await logged(async () => {
        for (let asked = 0; asked < count; asked++) {
          ids.push((await request(keys.read, "GET", "/contacts")).body.request_id);
        }
      });
      return lines.map((line) => {
        const { request_id, event, left_out = 0 } = JSON.parse(line);
        return [ids.indexOf(request_id), event, left_out];
      });
    };
    const tenLines = (event: string) => Array.from({ length: 10 }, (_, index) => [index, event, 0]);
    const LOCKED = "55P03";
    assert.deepEqual(await failedAt(0, LOCKED, 25), tenLines("database_unavailable"));
    // A frequent cause hides no other cause.
    assert.deepEqual(await failedAt(0, "53100", 1), [[0, "database_unavailable", 0]]);
    assert.deepEqual(await failedAt(0, "22P02", 12), tenLines("request_failed"));
    assert.deepEqual(await failedAt(10_000, LOCKED, 1), [[0, "database_unavailable", 15]]);
  }));

Deno.test("if a 503 is returned before the write, it says that nothing was changed", async () => {
  const company = await newCompany();
  await using database = watchedStack(() => new Response(null, { status: 503 }));
  const request = await ownGateway(database.url);
  await logged(async () => {
    const { status, body } = await request(company.keys.all, "POST", "/deals", {});
    assert.deepEqual([status, body.error], [503, `The database does not answer; ${AGAIN}`]);
  });
});

Deno.test("an update that finds no row returns a 500, not a 404, if the key cannot be checked", async () => {
  const company = await newCompany();
  await using database = watchedStack((request) =>
    request.url.includes("/rpc/") ? new Response(null, { status: 500 }) : null
  );
  const request = await ownGateway(database.url);
  await logged(async () => {
    // An update with an invalid key finds no row either, even if the deal exists.
    const path = `/deals/${crypto.randomUUID()}`;
    const answer = await request(company.keys.all, "PATCH", path, { title: "x" });
    assert.equal(answer.status, 500);
  });
});

Deno.test("the key is checked before a 500 is returned, and a database error is always logged", async () => {
  const { keys } = await newCompany();
  const judging: [() => Response, number, string, string][] = [
    [
      () => Response.json({ code: "PT401", message: "no" }, { status: 401 }),
      401,
      "invalid_api_key",
      "key_refused",
    ],
    [() => new Response(null, { status: 503 }), 503, "database_unavailable", ""],
  ];
  for (const [judge, status, code, event] of judging) {
    await using database = watchedStack((request) =>
      request.url.includes("/rpc/authenticate")
        ? judge()
        : Response.json({ code: "42P01", message: "no such relation" }, { status: 404 })
    );
    const request = await ownGateway(database.url);
    const lines = await later(9 * 3600, () =>
      logged(async () => {
        const { status: answered, body } = await request(keys.all, "POST", "/contacts", {
          phone: "+15550100000",
        });
        assert.deepEqual([answered, body.code], [status, code]);
      }));
    const events = lines.map((line) => JSON.parse(line).event);
    assert.deepEqual(events, ["request_failed", ...(event ? [event] : [])]);
  }
});
