// Tests which URLs a webhook may have. Each hostile URL must be refused for its specific problem,
// so that every rule is tested separately.
import assert from "node:assert/strict";
import {
  type AddressProblemName,
  checkAddress,
  checkAddressForm,
  type Resolve,
} from "../../supabase/functions/_shared/webhooks/address.ts";
import { readAddressRules } from "../../supabase/functions/_shared/webhooks/address_rules.ts";
import { hostileAddresses, hostileAnswers } from "../support/hostile_addresses.ts";

const OWN = ["abcdefgh.supabase.co", "abcdefgh.functions.supabase.co"];
const PUBLIC = { A: ["93.184.215.14", "1.1.1.1"], AAAA: ["2606:4700:4700::1111"] };

function answering(answers: { A?: string[]; AAAA?: string[] }): Resolve {
  return (_host, type) => Promise.resolve(answers[type] ?? []);
}

function mustNotResolve(host: string): Promise<never> {
  throw new Error(`${host} was resolved`);
}

Deno.test("the tests cover at least 200 hostile URLs and DNS responses", () => {
  const addresses = Object.values(hostileAddresses).flat();
  assert.equal(new Set(addresses).size, addresses.length);
  assert.ok(addresses.length + hostileAnswers.length >= 200);
});

for (const [name, addresses] of Object.entries(hostileAddresses)) {
  Deno.test(`a hostile URL is refused as ${name}, and its host is never resolved`, async () => {
    for (const address of addresses) {
      const problem = checkAddressForm(address, [], OWN);
      assert.equal(problem?.name, name as AddressProblemName, address);
      const again = await checkAddress(address, { own: OWN, resolve: mustNotResolve });
      assert.deepEqual(again, problem, address);
    }
  });
}

Deno.test("a host name with a non-public IP address is refused, even if its other addresses are public", async () => {
  for (const address of hostileAnswers) {
    const type = address.includes(":") ? "AAAA" : "A";
    for (
      const answers of [
        { [type]: [address] },
        { ...PUBLIC, [type]: [...PUBLIC[type], address] },
        { ...PUBLIC, [type]: [address, ...PUBLIC[type]] },
      ]
    ) {
      const problem = await checkAddress("https://hooks.example.com/in", {
        resolve: answering(answers),
      });
      assert.equal(problem?.name, "private_address", `${address} of ${JSON.stringify(answers)}`);
    }
  }
});

Deno.test("an ordinary URL whose host has only public IP addresses is accepted", async () => {
  for (
    const address of [
      "https://hooks.example.com",
      "https://hooks.example.com/in?token=%20x",
      "https://hooks.example.com:443/in",
      "https://hooks.example.com:8443/in/@user",
      "HTTPS://Hooks.Example.COM/in",
      "https://bücher.example.com/ü",
      "https://xn--bcher-kva.example.com/",
      "https://a-b.c1.example.co.uk/",
      "https://localhost.example.com/",
      "https://notabcdefgh.supabase.co/",
      `https://hooks.example.com/${"a".repeat(2_048 - 26)}`,
    ]
  ) {
    assert.equal(checkAddressForm(address, [], OWN), null, address);
    for (const answers of [PUBLIC, { A: PUBLIC.A }, { AAAA: PUBLIC.AAAA }]) {
      assert.equal(
        await checkAddress(address, { own: OWN, resolve: answering(answers) }),
        null,
        address,
      );
    }
  }
});

Deno.test("a host name without an IP address is refused, and the error says whether DNS failed or did not respond", async () => {
  const named = async (resolve: Resolve) =>
    (await checkAddress("https://hooks.example.com/", { resolve }))?.name;
  assert.equal(await named(answering({})), "no_address");
  assert.equal(await named(() => Promise.reject(new Error("SERVFAIL"))), "name_server");
  const halfBroken: Resolve = (_host, type) =>
    type === "A" ? Promise.resolve(PUBLIC.A) : Promise.reject(new Error("SERVFAIL"));
  assert.equal(await named(halfBroken), "name_server");
  const ends: boolean[] = [];
  const silent: Resolve = (_host, _type, signal) => {
    signal.addEventListener("abort", () => ends.push(true));
    return new Promise(() => {});
  };
  assert.equal(await named(silent), "name_server");
  assert.deepEqual(ends, [true, true]);
});

Deno.test("http is allowed only for the origins of a local stack", async () => {
  const hosts = ["http://127.0.0.1:54324"];
  const rules = { hosts, resolve: mustNotResolve };
  assert.equal(await checkAddress("http://127.0.0.1:54324/sandbox/webhooks", rules), null);
  const named = (address: string) => checkAddressForm(address, hosts)?.name;
  assert.equal(named("http://127.0.0.1:54325/"), "not_https");
  assert.equal(named("https://127.0.0.1:54324/"), "numeric_host");
  assert.equal(named("http://127.0.0.1:54324@evil.example.com/"), "user");
  assert.equal(named("http://a:b@127.0.0.1:54324/"), "user");
  assert.equal(named("http://127.0.0.1:54324/#x"), "fragment");
  assert.equal(named("http://localhost:54324/"), "not_https");
});

Deno.test("WEBHOOK_HOSTS may contain only origins on this machine, and must be empty on a hosted project", () => {
  const local = { SUPABASE_URL: "http://127.0.0.1:54321" };
  const read = (WEBHOOK_HOSTS: string, env = local) => readAddressRules({ ...env, WEBHOOK_HOSTS });
  assert.deepEqual(
    read("http://127.0.0.1:1, http://[::1]:2/,http://host.docker.internal:3").hosts,
    [
      "http://127.0.0.1:1",
      "http://[::1]:2",
      "http://host.docker.internal:3",
    ],
  );
  assert.deepEqual(readAddressRules(local), { hosts: [], own: ["127.0.0.1"] });
  for (
    const wrong of [
      "127.0.0.1:1",
      "https://127.0.0.1:1",
      "http://10.0.0.1:1",
      "http://example.com",
      "http://127.0.0.1:1/path",
      "http://a@127.0.0.1:1",
      "http://127.0.0.1:1?a",
      "*",
    ]
  ) {
    assert.throws(() => read(wrong), /WEBHOOK_HOSTS must be origins on this machine/, wrong);
  }
  const hosted = { SUPABASE_URL: "https://abcdefgh.supabase.co" };
  assert.throws(() => read("http://127.0.0.1:1", hosted), /only for a stack on this machine/);
  assert.deepEqual(readAddressRules(hosted), { hosts: [], own: OWN });
});
