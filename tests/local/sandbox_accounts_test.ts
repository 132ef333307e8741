// Tests the sandbox's responses about phone numbers, business accounts and the token.
import assert from "node:assert/strict";
import { root } from "../../local/checkout.ts";
import { SANDBOX_BUSINESS_ACCOUNT_ID, SANDBOX_TOKEN } from "../../sandbox/rules.ts";
import { assertFault, CHANNEL, directSandbox } from "./direct_sandbox.ts";

Deno.test("a phone number has a name, a displayed number and a quality rating", async () => {
  const { get } = directSandbox();
  const fields = "id,display_phone_number,verified_name,quality_rating";
  assert.deepEqual((await get(`/106540352242922?fields=${fields}`)).body, {
    id: "106540352242922",
    display_phone_number: "+999 352242922",
    verified_name: "Sandbox",
    quality_rating: "GREEN",
  });
  const demo = await get(`/900000000000011?fields=${fields}`);
  assert.equal(demo.body.display_phone_number, "+1 202-555-0100");
  assert.equal((await get("/1")).body.display_phone_number, "+999 000000001");
  assertFault(await get("/106540352242922?fields=id,colour"), 100, /\(colour\)/);
});

Deno.test("a business account lists the demo's phone numbers and every phone number that was requested before", async () => {
  const { get } = directSandbox();
  const listed = async () => {
    const { body } = await get(`/${SANDBOX_BUSINESS_ACCOUNT_ID}/phone_numbers?fields=id`);
    return body.data.map(({ id }: { id: string }) => id);
  };
  const demo = ["900000000000011", "900000000000012"];
  assert.deepEqual(await listed(), demo);
  await get("/106540352242922");
  await get("/106540352242922");
  await get("/colour");
  assert.deepEqual(await listed(), [...demo, "106540352242922"]);
  const { body } = await get("/42/phone_numbers?limit=1");
  assert.equal(body.data[0].display_phone_number, "+1 202-555-0100");
  assert.ok(body.paging.next);
});

Deno.test("the sandbox's business account is not a phone number", async () => {
  const { get } = directSandbox();
  const { body } = await get(`/${SANDBOX_BUSINESS_ACCOUNT_ID}`);
  assert.deepEqual(body, { id: SANDBOX_BUSINESS_ACCOUNT_ID, name: "Sandbox" });
  const asNumber = await get(`/${SANDBOX_BUSINESS_ACCOUNT_ID}?fields=display_phone_number`);
  assertFault(asNumber, 100);
  assert.equal(
    asNumber.body.error.message,
    "(#100) Tried accessing nonexisting field (display_phone_number)",
  );
});

Deno.test("the demo accounts belong to the sandbox's business account", async () => {
  const seed = await Deno.readTextFile(`${root}supabase/seed.sql`);
  assert.ok(seed.includes(`v.phone_number_id, '${SANDBOX_BUSINESS_ACCOUNT_ID}', v.display_phone`));
});

Deno.test("the token's description names the business accounts that the token may use", async () => {
  const { get } = directSandbox();
  const { status, body } = await get(`/debug_token?input_token=${SANDBOX_TOKEN}`);
  assert.deepEqual([status, body.data.is_valid], [200, true]);
  assert.deepEqual(body.data.granular_scopes, [
    { scope: "whatsapp_business_management", target_ids: [SANDBOX_BUSINESS_ACCOUNT_ID] },
    { scope: "whatsapp_business_messaging", target_ids: [SANDBOX_BUSINESS_ACCOUNT_ID] },
  ]);
  const other = await get("/debug_token?input_token=other");
  assert.deepEqual([other.status, other.body.data.is_valid], [200, false]);
  assertFault(await get("/debug_token"), 100, /input_token/);
});

Deno.test("every path except a sample's URL requires the token, in the header or in the query", async () => {
  const { call, fetch } = directSandbox();
  const paths = ["/1", "/1/phone_numbers", "/1/message_templates", "/debug_token?input_token=x"];
  for (const path of paths) {
    for (const Authorization of ["", "Bearer", "Bearer wrong", SANDBOX_TOKEN]) {
      assertFault(await call(path, { headers: { Authorization } }), 190);
    }
    assert.equal((await fetch(new Request(CHANNEL + path))).status, 401);
    const separator = path.includes("?") ? "&" : "?";
    const inAddress = `${CHANNEL}${path}${separator}access_token=${SANDBOX_TOKEN}`;
    assert.equal((await fetch(new Request(inAddress))).status, 200, path);
  }
});

Deno.test("an id with characters other than digits is refused with error code 100", async () => {
  const { get, send } = directSandbox();
  for (const path of ["/abc", "/0", "/1x", `/${"1".repeat(33)}`, "/abc/phone_numbers"]) {
    const { status, body } = await get(path);
    assert.deepEqual([status, body.error.code, body.error.error_subcode], [400, 100, 33], path);
  }
  assertFault(await send({ name: "hello_world" }, "abc"), 100);
});
