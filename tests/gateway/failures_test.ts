import assert from "node:assert/strict";
import { newCompany } from "../support/company.ts";
import { logged } from "../support/log_lines.ts";
import { ownGateway, watchedStack } from "../support/own_functions.ts";
import { routes } from "../support/routes.ts";

async function assertInternal(supabaseUrl: string, inLog: RegExp, timeoutMs?: number) {
  const company = await newCompany();
  const request = await ownGateway(supabaseUrl, timeoutMs);
  for (const route of routes) {
    const lines = await logged(async () => {
      const body = route.body?.(company);
      const answer = await request(company.keys.all, route.method, route.path(company), body);
      assert.deepEqual([answer.status, answer.body], [500, {
        error: "Internal error",
        code: "internal",
        request_id: answer.headers.get("X-Request-Id"),
      }]);
    });
    assert.equal(lines.length, 1, lines.join("\n"));
    const line = JSON.parse(lines[0]);
    assert.deepEqual([line.level, line.method], ["error", route.method]);
    assert.match(lines[0], inLog);
    assert.ok(!lines[0].includes(company.keys.all), "no key in the log");
    for (const sent of Object.values(route.body?.(company) ?? {})) {
      if (!route.path(company).includes(String(sent))) {
        assert.ok(!lines[0].includes(String(sent)), "nothing of the body in the log");
      }
    }
  }
}

Deno.test("a database that is down is an internal error that leaks nothing, and a log line", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  await assertInternal(`http://127.0.0.1:${port}`, /refused|ECONN|connect/i);
});

Deno.test("a database that hangs is an internal error when its time is up", async () => {
  const stuck = Promise.withResolvers<Response>();
  await using database = watchedStack(() => stuck.promise);
  await assertInternal(database.url, /abort|timed? ?out/i, 100);
  stuck.resolve(new Response());
});

Deno.test("a database that answers nonsense is an internal error as well", async () => {
  const nonsense = [
    () => new Response("<html>Bad gateway</html>", { status: 502 }),
    () => Response.json({ message: "connection pool timeout" }, { status: 503 }),
    () => Response.json({ code: "57014", message: "canceling statement" }, { status: 500 }),
    () =>
      Response.json({ code: "42P01", message: 'relation "public.x" does not exist' }, {
        status: 404,
      }),
  ];
  for (const answer of nonsense) {
    await using database = watchedStack(answer);
    await assertInternal(database.url, /request_failed/);
  }
});

Deno.test("a key that cannot be judged gets no 404: whether the row is missing is not known", async () => {
  const company = await newCompany();
  await using database = watchedStack((request) =>
    request.url.includes("/rpc/") ? new Response(null, { status: 500 }) : null
  );
  const request = await ownGateway(database.url);
  await logged(async () => {
    const path = `/deals/${crypto.randomUUID()}`;
    const answer = await request(company.keys.all, "PATCH", path, { title: "x" });
    assert.equal(answer.status, 500);
  });
});
