// Tests that a change which the channel has accepted is stored even if the company's queue for the
// database is full.
import assert from "node:assert/strict";
import { whatsapp } from "../../supabase/functions/whatsapp/app.ts";
import { readWhatsappConfig } from "../../supabase/functions/whatsapp/whatsapp_config.ts";
import { newCompany } from "../support/company.ts";
import { watchedStack } from "../support/own_functions.ts";
import { writes } from "../support/replying.ts";
import { environment, statement } from "../support/test_stack.ts";
import { fileOfType } from "../support/uploading.ts";
import { served } from "../whatsapp/served.ts";

const A_DAY = 24 * 60 * 60_000;
/** An id that no message and no upload has. */
const UNKNOWN = crypto.randomUUID();

Deno.test("a reaction, a read receipt and an upload that the channel accepted are stored although the queue is full", async () => {
  const company = await newCompany();
  const message_id = await writes(company);
  await statement`update messages set whatsapp_message_id = 'wamid.x' where id = ${message_id}`;
  let held = Promise.withResolvers<void>();
  let queued = Promise.withResolvers<void>();
  // The company may run one statement at a time. The statement with the unknown id occupies this
  // place until a further statement arrives.
  await using database = watchedStack(async (request) => {
    if ((await request.clone().text()).includes(UNKNOWN)) {
      held.resolve();
      await queued.promise;
    }
    return null;
  });
  await using channel = served(async () => {
    others.push(other());
    await held.promise;
    isFull = true;
    return Response.json({ id: "media-1", messages: [{ id: "wamid.y" }], success: true });
  });
  let isFull = false;
  const statementShare = {
    // FairShare reads this number when a statement arrives.
    get atOnce() {
      if (isFull) queued.resolve();
      return 1;
    },
    ...{ waiting: 0, patienceMs: 5_000 },
  };
  const config = await readWhatsappConfig(
    environment({ supabaseUrl: database.url, channelUrl: `${channel.origin}/v26.0` }),
  );
  const app = whatsapp({ ...config, tellUsageEveryMs: A_DAY, statementShare });
  const others: Promise<Response>[] = [];
  const ask = async (method: string, path: string, type?: string, body?: BodyInit) =>
    await app.fetch(
      new Request(`http://functions.example/whatsapp/${path}`, {
        method,
        body,
        headers: {
          Authorization: `Bearer ${company.keys.messaging}`,
          ...(type && { "Content-Type": type }),
        },
      }),
    );

  const uploads = () => ask("GET", `media/${UNKNOWN}`);
  const reactions = () => ask("DELETE", `messages/${UNKNOWN}/reaction`);
  let other = reactions;
  const [json, png] = ["application/json", "image/png"];
  for (
    const [status, method, path, type, body] of [
      [200, "PUT", `messages/${message_id}/reaction`, json, '{ "emoji": "👍" }'],
      [200, "POST", `messages/${message_id}/read`, json, "{}"],
      [201, "POST", "media", png, fileOfType(png, 64)],
    ] as const
  ) {
    [held, queued, isFull] = [Promise.withResolvers(), Promise.withResolvers(), false];
    // Requests about uploads have a queue of their own.
    other = path === "media" ? uploads : reactions;
    const answer = await ask(method, path, type, body);
    assert.equal(answer.status, status, `${path}: ${await answer.text()}`);
    await others.at(-1);
  }
  assert.equal(others.length, 3);
});
