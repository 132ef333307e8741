import assert from "node:assert/strict";
import * as jose from "jose";
import { companyDb } from "../../supabase/functions/_shared/database/company_db.ts";
import { tokenSource } from "../../supabase/functions/_shared/key/token.ts";
import { readConfig } from "../../supabase/functions/_shared/config.ts";
import { environment } from "../support/test_stack.ts";
import { supabase } from "./cli.ts";

Deno.test("the functions sign tokens with a key from the CLI and include the key id in the token", async () => {
  const printed = await supabase(["gen", "signing-key", "--algorithm", "ES256"]);
  const [line] = /^\{.*\}$/m.exec(printed)!;
  const { d: _private, key_ops: _, ...publicJwk } = JSON.parse(line);

  let bearer = "";
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    bearer = request.headers.get("Authorization")!.replace("Bearer ", "");
    return Response.json(true);
  });
  const supabaseUrl = `http://127.0.0.1:${server.addr.port}`;
  const config = await readConfig({ ...environment({ supabaseUrl }), JWT_SIGNING_KEY: line });
  await companyDb(config, tokenSource(config.signingKey, null, null)).rpc("health");

  const key = await jose.importJWK(publicJwk, "ES256");
  const { payload, protectedHeader } = await jose.jwtVerify(bearer, key);
  assert.deepEqual(protectedHeader, { alg: "ES256", typ: "JWT", kid: publicJwk.kid });
  assert.equal(payload.role, "api_client");
});
