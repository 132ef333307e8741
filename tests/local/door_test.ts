// Tests how the local stack handles requests that no browser or HTTP client would send.
import assert from "node:assert/strict";
import { refusedHost } from "../../local/host_header.ts";
import { newCompany } from "../support/company.ts";
import { stack } from "../support/test_stack.ts";
import { sendRaw } from "./raw_client.ts";

const { keys } = await newCompany();
const { host } = new URL(stack.url);
const CONTACTS = "/functions/v1/gateway/contacts";
const PATHS = [CONTACTS, "/functions/v1/send-external-template", "/rest/v1/contacts"]
  .concat("/auth/v1/token?grant_type=password", "/auth/v1/user", "/settings/", "/sandbox/mail")
  .concat("/sandbox/messages", "/nothing", "/");

Deno.test("a request with a missing or invalid `Host` returns an error in the API's format", async () => {
  const wrong = ["a b", "[", "[::1", "", "a\tb", "é", "name:port", "127.0.0.1:99999"]
    .concat("user@127.0.0.1", "127.0.0.1/path", "127.0.0.1?q", "127.0.0.1#f", "127.0.0.1\\x");
  const heads = [...wrong.map((value) => [`Host: ${value}`]), []];
  for (const path of PATHS) {
    for (const head of heads) {
      const answer = await sendRaw(stack.url, [`GET ${path} HTTP/1.1`, ...head]);
      assert.equal(answer.status, 400, `${path} ${head}: ${answer.text}`);
      const { error, code, request_id } = JSON.parse(answer.text);
      assert.deepEqual([error, code], [
        "The Host header is missing or is not a host name",
        "malformed_request",
      ]);
      assert.match(request_id, /^[\da-f-]{36}$/);
      assert.equal(answer.headers.get("X-Request-Id"), request_id);
      assert.equal(answer.headers.get("Cache-Control"), "no-store");
    }
  }
  const named = await sendRaw(stack.url, [`GET / HTTP/1.1`, "Host: [", "X-Request-Id: mine-1"]);
  assert.equal(JSON.parse(named.text).request_id, "mine-1");
});

Deno.test("a request is refused before it is processed if an attacker could point its host name at this machine", async () => {
  const names = ["evil.example", "EVIL.example:80", "localhost.evil.example", "localhostx"]
    .concat("127.0.0.1.evil.example", "host.docker.internal.evil.example", "a.local");
  for (const path of PATHS) {
    for (const name of names) {
      const authorization = `Authorization: Bearer ${keys.all}`;
      const head = [`GET ${path} HTTP/1.1`, `Host: ${name}`, authorization];
      const { status, text } = await sendRaw(stack.url, head);
      assert.equal(status, 421, `${path} ${name}: ${text}`);
      const shown = name.toLowerCase().replace(/:.*/, "");
      assert.deepEqual(JSON.parse(text), {
        message: `This server does not answer to the name ${shown}; use 127.0.0.1 or localhost`,
      });
    }
  }
  // An absolute URL in the request line takes precedence over the `Host` header.
  const absolute = [`GET http://evil.example/sandbox/messages HTTP/1.1`, `Host: ${host}`];
  assert.equal((await sendRaw(stack.url, absolute)).status, 421);
});

Deno.test("IP addresses and the names of this machine are accepted, with any port", async () => {
  const accepted = [host, "127.0.0.1", "10.1.2.3:80", "[::1]:8000", "LOCALHOST", "localhost:1"]
    .concat("app.localhost:3000", "host.docker.internal:54330", "127.0.0.1:");
  for (const name of accepted) {
    const { status, text } = await sendRaw(stack.url, [
      `GET ${CONTACTS} HTTP/1.1`,
      `Host: ${name}`,
      `Authorization: Bearer ${keys.all}`,
    ]);
    assert.equal(status, 200, `${name}: ${text}`);
  }
});

Deno.test("a server also accepts a configured host name", () => {
  const refusal = (name: string) => {
    const url = `http://${name}/sandbox/messages`;
    const request = new Request(url, { headers: { Host: name } });
    return refusedHost(request, "Desk.lan")?.status ?? null;
  };
  assert.deepEqual(["desk.lan:54330", "127.0.0.1", "a.desk.lan"].map(refusal), [null, null, 421]);
});

Deno.test("a function receives requests with any HTTP method", async () => {
  for (const method of ["TRACE", "TRACK", "get", "Post", "patch", "PROPFIND"]) {
    const ask = (path: string, ...more: string[]) =>
      sendRaw(
        stack.url,
        [`${method} ${path} HTTP/1.1`, `Host: ${host}`, "Content-Length: 2", ...more],
        { body: "{}" },
      );
    const codes = async (...more: string[]) => {
      const { status, text } = await ask(CONTACTS, ...more);
      const { code, error } = JSON.parse(text);
      return [status, code, error];
    };
    assert.deepEqual((await codes()).slice(0, 2), [401, "missing_api_key"], method);
    assert.deepEqual(
      await codes(`Authorization: Bearer ${keys.all}`),
      [405, "method_not_allowed", `${method} is not allowed here; use GET, HEAD, POST, PUT`],
    );
    for (const path of PATHS) {
      const { status, text } = await ask(path);
      assert.ok(status < 500, `${method} ${path}: ${status} ${text}`);
    }
  }
});

Deno.test("a truncated request body does not stop the stack", async () => {
  const head = (path: string, length: string) =>
    [`POST ${path} HTTP/1.1`, `Host: ${host}`, length, "Content-Type: application/json"]
      .concat(`apikey: ${stack.publishable_key}`, `Authorization: Bearer ${keys.all}`);
  const broken = (body: string) => ({ body, breaksOff: true });
  for (const path of PATHS) {
    await sendRaw(stack.url, head(path, "Content-Length: 100"), broken('{"a'));
    await sendRaw(stack.url, head(path, "Transfer-Encoding: chunked"), broken("3\r\n{}"));
  }
  const { status } = await sendRaw(stack.url, [
    "GET /functions/v1/gateway/health HTTP/1.1",
    `Host: ${host}`,
  ]);
  assert.equal(status, 200);
});
