// Tests media files that no longer exist. A file counts as gone only if it is certain that the
// channel no longer has the file. The gateway never requests such a file again.
import assert from "node:assert/strict";
import { call } from "../support/calls.ts";
import { newCompany } from "../support/company.ts";
import { addMedium, HOUR_MS, mediaChannel, mediaGateway } from "../support/media.ts";

const JPEG = Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, ...Array.from({ length: 500 }, (_, n) => n)]);
const company = await newCompany();
const { read: key } = company.keys;

/** Requests a media file, and parses the response body if it is an error. */
async function readFrom(channel: { url: string }, id: string, method = "GET") {
  await using own = await mediaGateway(channel.url);
  const response = await own.ask(key, `/messages/${id}/media`, { method });
  const text = await response.text();
  const isError = response.status !== 200 && method === "GET";
  return { status: response.status, body: isError ? JSON.parse(text) : null };
}

const NO_OBJECT = {
  error: { code: 100, error_subcode: 33, message: "Object with ID '1' does not exist" },
};
const noObject = () => Response.json(NO_OBJECT, { status: 400 });
/** The paths on the channel for the media file and for the account's phone number. */
const MEDIUM = "/v26.0/1234567890";
const NUMBER = `/v26.0/${company.phone_number_id}`;
const number = () => Response.json({ id: company.phone_number_id });

Deno.test("after the channel has reported that a media file is gone, the gateway never requests the file again", async () => {
  await using channel = mediaChannel(JPEG, {
    answer: ({ path }) => path === MEDIUM ? noObject() : number(),
  });
  const id = await addMedium(company, JPEG);
  const first = await readFrom(channel, id);
  assert.deepEqual([first.status, first.body.code], [410, "media_expired"]);
  const again = await readFrom(channel, id);
  assert.equal(again.status, 410);
  assert.deepEqual(channel.paths, [MEDIUM, NUMBER]);
  const { body } = await call(key, "GET", `/messages/${id}`);
  const { gone_at } = body.data.media;
  assert.ok(Math.abs(Date.parse(gone_at) - Date.now()) < HOUR_MS, gone_at);
  assert.ok(again.body.error.includes(gone_at), again.body.error);
});

Deno.test("a media file that the channel does not find is not recorded as gone if the token cannot read the phone number either", async () => {
  for (
    const [answerToNumber, status, code] of [
      [noObject, 500, "channel_account_error"],
      [
        () => Response.json({ error: { code: 200, message: "no" } }, { status: 403 }),
        500,
        "channel_account_error",
      ],
      [() => new Response("no", { status: 503 }), 502, "channel_unavailable"],
      [() => Response.json({}), 502, "channel_unavailable"],
    ] as const
  ) {
    const hidden = { is: true };
    await using channel = mediaChannel(JPEG, {
      answer: ({ path }) =>
        !hidden.is ? undefined : path === MEDIUM ? noObject() : answerToNumber(),
    });
    const id = await addMedium(company, JPEG);
    const read = await readFrom(channel, id);
    assert.deepEqual([read.status, read.body.code], [status, code]);
    assert.deepEqual(channel.paths, [MEDIUM, NUMBER]);
    assert.equal((await readFrom(channel, id, "HEAD")).status, status);
    // After the operator has reconnected the account, the file can be read.
    hidden.is = false;
    assert.equal((await readFrom(channel, id)).status, 200);
  }
});
