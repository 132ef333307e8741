// The tests kill the function that sends a message with a file, at each step of the send. Then they
// repeat the request before and after the end of the lease.
import assert from "node:assert/strict";
import { anyPhone, type Company } from "../support/company.ts";
import { killedAt, type Step } from "../support/killed_sends.ts";
import { ownReplies, ownSender } from "../support/own_functions.ts";
import { replyIn, spokenTo } from "../support/replying.ts";
import { accepted, endLeases, ledgerOf, storedMessage, template } from "../support/sending.ts";
import { addUpload, fileOfType } from "../support/uploading.ts";

/**
 * The number of messages that the channel received before the kill, the result of an immediate
 * repeat, and the result of a repeat after the lease.
 */
type Expected = [messages: number, repeat: string, later: string];

const STEPS: Record<Step, Expected> = {
  "before the claim": [0, "new", "sent"],
  "after the claim, before the call": [0, "pending", "failed"],
  "during the call": [1, "pending", "failed"],
  "after the call, before settling": [1, "pending", "failed"],
  "after settling, before the answer": [1, "sent", "sent"],
};

const REPLY = {
  ...{ name: "whatsapp", path: "/messages", claim: "claim_reply" } as const,
  differs: {},
};
const TEMPLATE = {
  ...{ name: "send-external-template", claim: "claim_template_send" } as const,
  differs: {},
};

const SENDS = {
  "reply with an upload": {
    ...REPLY,
    json: (company: Company, id: string) => replyIn(company, { media: { id } }),
  },
  "template with an upload": {
    ...TEMPLATE,
    json: (_: Company, id: string) => template(anyPhone(), { header_media: { id } }),
  },
  "template with a URL": {
    ...TEMPLATE,
    // The first claim does not begin the send. It only finds that the file must be uploaded.
    differs: { "after the claim, before the call": [0, "new", "sent"] as Expected },
    json: (_: Company, _id: string, host: string) =>
      template(anyPhone(), {
        template_header_type: "document",
        header_media: { url: `${host}/invoice.pdf` },
      }),
  },
};

/** A channel that accepts uploads and messages. The same server also serves a PDF. */
function mediaChannel() {
  const state = { messages: 0, onMessage: async (): Promise<Response | void> => {} };
  const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  const server = Deno.serve(options, async (request) => {
    if (request.method === "GET") {
      const headers = { "Content-Type": "application/pdf" };
      return new Response(fileOfType("application/pdf", 500), { headers });
    }
    if (request.url.endsWith("/media")) {
      await request.arrayBuffer();
      return Response.json({ id: "media-1" });
    }
    state.messages++;
    return await state.onMessage() ?? accepted();
  });
  const host = `http://127.0.0.1:${server.addr.port}`;
  return { state, host, url: `${host}/v26.0`, [Symbol.asyncDispose]: () => server.shutdown() };
}

/** Starts the edge function in this process. The returned function sends requests to it. */
async function sendOf(name: string, channelUrl: string) {
  return name === "whatsapp" ? await ownReplies(channelUrl) : await ownSender(channelUrl);
}

for (const [what, { name, claim, differs, json: jsonOf, ...more }] of Object.entries(SENDS)) {
  for (const [step, [messages, repeat, later]] of Object.entries({ ...STEPS, ...differs })) {
    Deno.test(`a ${what} is sent at most once if the function is killed ${step}`, async () => {
      const company = await spokenTo();
      await using channel = mediaChannel();
      const json = {
        ...jsonOf(company, await addUpload(company), channel.host),
        idempotency_key: "k",
      };
      await killedAt(step as Step, {
        ...{ name, claim, ...more, key: company.keys.messaging, json, channelUrl: channel.url },
        whenCalled: (kill) => channel.state.onMessage = kill,
      });
      channel.state.onMessage = async () => {};
      assert.equal(channel.state.messages, messages);

      const send = await sendOf(name, channel.url);
      const first = await send(company.keys.messaging, json);
      assert.deepEqual(
        [first.status, first.body.success, first.body.status ?? "new"],
        [200, repeat !== "pending", repeat],
      );
      await endLeases(company);
      const second = await send(company.keys.messaging, json);
      assert.deepEqual(
        [second.body.status, second.body.message_id],
        [later, first.body.message_id],
      );
      assert.equal(channel.state.messages, repeat === "new" ? 1 : messages);
      const [{ state }, ...others] = await ledgerOf(company);
      assert.deepEqual([state, others], [later, []]);
      const { media } = await storedMessage(first.body.message_id);
      assert.equal(media.filename, "invoice.pdf");
    });
  }
  Deno.test(`a ${what} is not sent again if its response is lost`, async () => {
    const company = await spokenTo();
    await using channel = mediaChannel();
    const json = {
      ...jsonOf(company, await addUpload(company), channel.host),
      idempotency_key: "k",
    };
    const send = await sendOf(name, channel.url);
    channel.state.onMessage = () => Promise.resolve(new Response("lost", { status: 500 }));
    const lost = await send(company.keys.messaging, json);
    assert.deepEqual([lost.status, lost.body.outcome], [502, "unknown"]);
    channel.state.onMessage = async () => {};
    const statuses = [];
    for (const isLate of [false, true]) {
      if (isLate) await endLeases(company);
      const { body } = await send(company.keys.messaging, json);
      statuses.push(body.status);
    }
    assert.deepEqual(statuses, ["pending", "failed"]);
    assert.equal(channel.state.messages, 1);
  });
}
