// Tests incomplete requests and invalid HTTP. The test sends raw bytes to a gateway that runs in
// Deno's HTTP server.
import assert from "node:assert/strict";
import { readGatewayConfig } from "../../supabase/functions/gateway/gateway_config.ts";
import { gateway } from "../../supabase/functions/gateway/app.ts";
import { anyPhone, newCompany } from "../support/company.ts";
import { logged } from "../support/log_lines.ts";
import { watchedStack } from "../support/own_functions.ts";
import { rawConnection, served } from "../support/raw_http.ts";
import { until } from "../support/started.ts";
import { environment, stack } from "../support/test_stack.ts";

const { keys } = await newCompany();
const WRONG = "sk_live_wrong";

async function servedGateway({ bodyTimeoutMs = 15_000, supabaseUrl = stack.url } = {}) {
  const config = await readGatewayConfig(environment({ supabaseUrl }));
  return served(gateway({ ...config, bodyTimeoutMs }).fetch);
}

function head(key: string, line: string, ...headers: string[]): string {
  return [line, `X-Api-Key: ${key}`, ...headers, "", ""].join("\r\n");
}

function post(key: string, ...headers: string[]): string {
  const json = "Content-Type: application/json";
  return head(key, "POST /gateway/contacts HTTP/1.1", "Host: edge", json, ...headers);
}

/** A valid key and an invalid key, each with the expected response. */
const validAndWrong = (status: number, code: string) =>
  [[keys.all, status, code], [WRONG, 401, "invalid_api_key"]] as const;

Deno.test("a request with a truncated body returns a 400, or a 401 if the key is invalid", async () => {
  await using server = await servedGateway();
  const broken = [
    ["Content-Length: 100", '{"phone":'],
    ["Transfer-Encoding: chunked", '9\r\n{"phone":\r\n'],
    ["Transfer-Encoding: chunked", '9\r\n{"pho'],
  ];
  for (const [framing, sent] of broken) {
    for (const [key, status, code] of validAndWrong(400, "malformed_request")) {
      const connection = await rawConnection(server.port, post(key, framing) + sent);
      await connection.endSending();
      const answer = await connection.answer();
      assert.deepEqual([answer.status, answer.body.code], [status, code], framing);
    }
  }
});

Deno.test("a request whose body is missing or very slow returns a 408, or a 401 if the key is invalid", async () => {
  await using server = await servedGateway({ bodyTimeoutMs: 50 });
  for (const piece of ["", " "]) {
    for (const [key, status, code] of validAndWrong(408, "request_timeout")) {
      const connection = await rawConnection(server.port, post(key, "Content-Length: 100000"));
      let isAnswered = false;
      const answering = connection.answer().finally(() => isAnswered = true);
      // The chunks keep arriving for as long as the server waits.
      while (piece && !isAnswered) await connection.write(piece);
      const answer = await answering;
      assert.deepEqual([answer.status, answer.body.code], [status, code]);
      if (status === 408) assert.match(answer.head, /^connection: close$/m);
    }
  }
});

Deno.test("of 17 large bodies that arrive slowly for one company, the last is refused, and other requests are not", async () => {
  await using server = await servedGateway({ bodyTimeoutMs: 60_000 });
  const [flooding, other] = [await newCompany(), await newCompany()];
  const [begins, ends] = ['{"name":"Ada","x":"', `${"x".repeat(100_000)}"}`];
  const large = `Content-Length: ${begins.length + ends.length}`;
  const begun = async (key: string) => await rawConnection(server.port, post(key, large) + begins);
  const slow = await Promise.all(Array.from({ length: 17 }, () => begun(flooding.keys.all)));
  const answers = slow.map((connection) => connection.answer());
  const refused = await Promise.any(answers);
  assert.deepEqual([refused.status, refused.body.code], [429, "too_many_requests"]);
  const bob = JSON.stringify({ phone: anyPhone() });
  const small = post(flooding.keys.all, `Content-Length: ${bob.length}`) + bob;
  assert.equal((await (await rawConnection(server.port, small)).answer()).status, 201);
  const others = await begun(other.keys.all);
  await others.write(ends);
  assert.equal((await others.answer()).status, 422);
  for (const connection of slow) await connection.write(ends).catch(() => {}); // one is refused
  const statuses = (await Promise.all(answers)).map(({ status }) => status).sort();
  assert.deepEqual(statuses, [...Array(16).fill(422), 429]);
  const next = await begun(flooding.keys.all);
  await next.write(ends);
  assert.equal((await next.answer()).status, 422);
});

Deno.test("a caller that disconnects in the middle of a body causes no error in the log", async () => {
  await using database = watchedStack();
  await using server = await servedGateway({ supabaseUrl: database.url });
  const lines = await logged(async () => {
    for (const framing of ["Content-Length: 100", "Transfer-Encoding: chunked"]) {
      database.seen.length = 0;
      const connection = await rawConnection(server.port, post(keys.all, framing) + "4\r\n{  ");
      connection.hangUp();
      await until(() => database.seen.length === 1);
    }
    // When this request has a response, the gateway has also finished the requests of the
    // disconnected callers.
    const connection = await rawConnection(
      server.port,
      head(keys.all, "GET /gateway/teams HTTP/1.1", "Host: edge"),
    );
    assert.equal((await connection.answer()).status, 200);
  });
  assert.deepEqual(lines, []);
});

Deno.test("on every path, a malformed `Host` header causes a 400, or a 401 if the key is invalid", async () => {
  await using server = await servedGateway();
  const paths = ["/gateway/contacts", "/gateway/contacts?limit=1", "/gateway/nothing", "/"];
  for (const host of ["a b", "[", "a/b", "a:99999", "x?y", "x#y", "a@b", "a".repeat(300), "%zz"]) {
    for (const path of paths) {
      for (const [key, status, code] of validAndWrong(400, "malformed_request")) {
        const request = head(key, `GET ${path} HTTP/1.1`, `Host: ${host}`);
        const answer = await (await rawConnection(server.port, request)).answer();
        assert.deepEqual([answer.status, answer.body.code], [status, code], `${host} ${path}`);
      }
    }
  }
  for (const host of ["edge", "EDGE.example:8080", "127.0.0.1:1", "[::1]", "my_host", ""]) {
    const request = head(keys.all, "GET /gateway/teams HTTP/1.1", `Host: ${host}`);
    assert.equal((await (await rawConnection(server.port, request)).answer()).status, 200, host);
  }
});

Deno.test("an unknown HTTP method causes a 405 or a 404, or a 401 if the key is invalid", async () => {
  await using server = await servedGateway();
  const lines: [string, number][] = [
    ["TRACE /gateway/contacts", 405],
    ["FOO /gateway/contacts", 405],
    ["get /gateway/contacts", 405],
    [`${"X".repeat(3000)} /gateway/contacts`, 405],
    ["TRACE /gateway/nothing", 404],
    ["CONNECT edge:80", 404],
    ["OPTIONS *", 404],
  ];
  for (const [line, status] of lines) {
    for (const [key, expected] of [[keys.all, status], [WRONG, 401]] as const) {
      const request = head(key, `${line} HTTP/1.1`, "Host: edge");
      const answer = await (await rawConnection(server.port, request)).answer();
      assert.equal(answer.status, expected, line.slice(0, 40));
      assert.ok(JSON.stringify(answer.body).length < 1000);
    }
  }
});
