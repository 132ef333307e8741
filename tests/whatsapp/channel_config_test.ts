// Tests the channel's URL, and the hosts that may serve template samples.

import assert from "node:assert/strict";
import { ConfigError } from "../../supabase/functions/_shared/config.ts";
import { readChannelConfig } from "../../supabase/functions/_shared/channel/channel_config.ts";

Deno.test("calls go to the WhatsApp API or to the configured URL without its trailing slashes", () => {
  const urls: [string | undefined, string][] = [
    [undefined, "https://graph.facebook.com/v26.0"],
    ["", "https://graph.facebook.com/v26.0"],
    ["https://graph.facebook.com/v27.0", "https://graph.facebook.com/v27.0"],
    ["https://graph.facebook.com/v27.0/", "https://graph.facebook.com/v27.0"],
    ["https://proxy.example/a/b/v26.0//", "https://proxy.example/a/b/v26.0"],
    ["http://127.0.0.1:54321/sandbox/v26.0", "http://127.0.0.1:54321/sandbox/v26.0"],
    ["HTTPS://Graph.Facebook.com/v26.0", "https://graph.facebook.com/v26.0"],
    ["https://example.com", "https://example.com"],
    // URLs without TLS are allowed only for this machine, under each of its host names and
    // addresses.
    ["http://localhost/v26.0", "http://localhost/v26.0"],
    ["HTTP://LocalHost:8080/v26.0", "http://localhost:8080/v26.0"],
    ["http://sandbox.localhost:1/v26.0", "http://sandbox.localhost:1/v26.0"],
    ["http://127.1", "http://127.0.0.1"],
    ["http://127.255.255.254:9", "http://127.255.255.254:9"],
    ["http://2130706433/x", "http://127.0.0.1/x"],
    ["http://0x7f.0.0.1", "http://127.0.0.1"],
    ["http://[::1]:80", "http://[::1]"],
    ["http://[0:0:0:0:0:0:0:1]:54321/a", "http://[::1]:54321/a"],
    [
      "http://host.docker.internal:54330/sandbox/v26.0",
      "http://host.docker.internal:54330/sandbox/v26.0",
    ],
    ["https://127.0.0.1.evil.com", "https://127.0.0.1.evil.com"],
  ];
  for (const [WHATSAPP_API_URL, url] of urls) {
    assert.equal(readChannelConfig({ WHATSAPP_API_URL }).url, url);
  }
});

/** URLs to which a token would be sent without TLS. */
const WITHOUT_TLS = [
  ...["http://graph.facebook.com/v26.0", "HTTP://GRAPH.FACEBOOK.COM", "http://nowhere.invalid"],
  ...["http://localhost.evil.com", "http://127.0.0.1.evil.com", "http://evillocalhost"],
  ...["http://host.docker.internal.evil.com", "http://xhost.docker.internal", "http://localhost."],
  ...["http://10.0.0.1", "http://192.168.1.1", "http://169.254.169.254", "http://0.0.0.0"],
  ...["http://128.0.0.1", "http://[::]", "http://[::2]", "http://[::ffff:127.0.0.1]"],
  ...["http://evil.com\\@localhost", "http://evil.com/127.0.0.1", "http://x.evil/localhost"],
];

Deno.test("`WHATSAPP_API_URL` must use https unless its host is this machine, and the error explains this rule", () => {
  for (const WHATSAPP_API_URL of WITHOUT_TLS) {
    assert.throws(() => readChannelConfig({ WHATSAPP_API_URL }), {
      name: "ConfigError",
      message:
        "WHATSAPP_API_URL must begin with https://, because each call carries the access token of an " +
        "account; http:// is only for this machine (localhost, 127.0.0.1, [::1]) and host.docker.internal.",
    }, WHATSAPP_API_URL);
  }
});

const hosts = (WHATSAPP_MEDIA_HOSTS?: string, WHATSAPP_API_URL?: string) =>
  readChannelConfig({ WHATSAPP_MEDIA_HOSTS, WHATSAPP_API_URL }).mediaHosts;

Deno.test("samples may come from the WhatsApp API's host, with the same scheme and port", () => {
  for (const none of [undefined, "", " "]) {
    assert.deepEqual(hosts(none), ["https://graph.facebook.com"]);
  }
  const local = "http://127.0.0.1:54321/sandbox/v26.0";
  assert.deepEqual(hosts("", local), ["http://127.0.0.1:54321"]);
  assert.deepEqual(hosts("127.0.0.1:54321", local), [
    "http://127.0.0.1:54321",
    "https://127.0.0.1:54321",
  ]);
});

Deno.test("`WHATSAPP_MEDIA_HOSTS` allows additional hosts over https, and hosts on this machine also over http", () => {
  const lists: [string, string[]][] = [
    ["media.example.com", ["https://media.example.com"]],
    [" Media.Example.com , files.example.com:8443", [
      "https://media.example.com",
      "https://files.example.com:8443",
    ]],
    ["media.example.com:443,media.example.com", ["https://media.example.com"]],
    ["localhost:9000", ["https://localhost:9000", "http://localhost:9000"]],
    ["[::1]", ["https://[::1]", "http://[::1]"]],
    ["host.docker.internal:80", [
      "https://host.docker.internal:80",
      "http://host.docker.internal",
    ]],
    ["10.0.0.1,localhost.evil.com", ["https://10.0.0.1", "https://localhost.evil.com"]],
  ];
  for (const [list, origins] of lists) {
    assert.deepEqual(hosts(list), ["https://graph.facebook.com", ...origins]);
  }
});

Deno.test("the error for an invalid `WHATSAPP_MEDIA_HOSTS` names the variable, but does not contain its value", () => {
  const wrong = [
    ...[
      "https://secret-s",
      "secret-s/",
      "secret-s/path",
      "user:secret-s@x",
      "secret-s?x",
      "x#secret-s",
    ],
    ...["secret-s,", ",secret-s", "secret-s,,x", "*.secret-s", "secret-s x", "secret-s:port"],
    ...["secret-s:65536", "secret-s\\x", "[secret-s]", "%"],
  ];
  for (const WHATSAPP_MEDIA_HOSTS of wrong) {
    assert.throws(() => readChannelConfig({ WHATSAPP_MEDIA_HOSTS }), (error) => {
      assert.ok(error instanceof ConfigError, `refused: ${WHATSAPP_MEDIA_HOSTS}`);
      assert.match(error.message, /^WHATSAPP_MEDIA_HOSTS [^\n]*\.$/);
      return !error.message.includes("secret-s");
    }, WHATSAPP_MEDIA_HOSTS);
  }
});
