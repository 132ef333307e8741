// Tests that the client returns a media file as a stream.
import assert from "node:assert/strict";
import { MediaExpiredError } from "../../client/src/main.ts";
import { failure, json, LOST, RECORD, scripted, type Step, withoutPauses } from "./scripted.ts";

const ID = "0b5e55ed-0000-4000-8000-000000000001";
const HEADERS = {
  "Content-Type": "audio/ogg; codecs=opus",
  "Content-Length": "3",
  "Content-Disposition": "attachment; filename=\"_.ogg\"; filename*=UTF-8''%E5%9B%B3.ogg",
};

Deno.test("`messages.media()` returns the media file's stream, type, name and length", async () => {
  const { crm, made } = scripted([new Response("abc", { headers: HEADERS })]);
  const { stream, ...told } = await crm.messages.media(ID);
  assert.equal(await new Response(stream).text(), "abc");
  assert.deepEqual(told, { type: "audio/ogg; codecs=opus", filename: "図.ogg", length: 3 });
  assert.equal(made[0].url.pathname, `/functions/v1/gateway/messages/${ID}/media`);
});

/** A media file of three parts. Only the first `parts` of them arrive. */
function fileThatStopsAfter(parts: number): Step {
  return (_made, signal) => {
    let sent = 0;
    const body = new ReadableStream({
      start: (stream) => signal.addEventListener("abort", () => stream.error(signal.reason)),
      async pull(stream) {
        if (sent === 3) return stream.close();
        if (sent === parts) await new Promise(() => {});
        stream.enqueue(new TextEncoder().encode("abc"[sent++]));
      },
    }, { highWaterMark: 0 });
    return Promise.resolve(new Response(body, { headers: HEADERS }));
  };
}

Deno.test("if a media file stops arriving, its stream fails after the timeout or an abort signal; a slow reader gets the whole file", async () => {
  const { crm } = scripted([fileThatStopsAfter(3), fileThatStopsAfter(2)], { timeout: 20 });
  const whole = (await crm.messages.media(ID)).stream.getReader();
  let text = "";
  for (let part = await whole.read(); !part.done; part = await whole.read()) {
    text += new TextDecoder().decode(part.value);
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  assert.equal(text, "abc");

  const { stream } = await crm.messages.media(ID);
  await assert.rejects(new Response(stream).text(), {
    name: "TimeoutError",
    message: "There was no further part of the file from api.test within 20 ms",
  });

  const stop = new AbortController();
  const options = { signal: stop.signal, timeout: 60_000 };
  const aborted = new Response((await crm.messages.media(ID, options)).stream).text();
  stop.abort(new Error("enough"));
  await assert.rejects(aborted, { message: "enough" });
});

/** An abort signal that counts the listeners it has. */
class CountedSignal extends AbortController {
  listeners = 0;
  constructor() {
    super();
    const { addEventListener, removeEventListener } = this.signal;
    this.signal.addEventListener = (...listener: unknown[]) => {
      this.listeners++;
      addEventListener.apply(this.signal, listener as never);
    };
    this.signal.removeEventListener = (...listener: unknown[]) => {
      this.listeners--;
      removeEventListener.apply(this.signal, listener as never);
    };
  }
}

Deno.test("after a media stream ends, fails or is cancelled, the client no longer listens to the abort signal", async () => {
  const stop = new CountedSignal();
  const media = async (step: Step, timeout = 60_000) => {
    const { crm } = scripted([step], { maxRetries: 0 });
    return (await crm.messages.media(ID, { signal: stop.signal, timeout })).stream;
  };
  const whole = await media(fileThatStopsAfter(3));
  assert.equal(stop.listeners, 1);
  assert.equal(await new Response(whole).text(), "abc");
  assert.equal(stop.listeners, 0);

  await assert.rejects(new Response(await media(fileThatStopsAfter(2), 20)).text());
  assert.equal(stop.listeners, 0);

  await (await media(fileThatStopsAfter(3))).cancel();
  assert.equal(stop.listeners, 0);

  // A page from a proxy must not be returned as the file.
  for (const page of [new Response("<html>"), Response.json({ data: {} })]) {
    await assert.rejects(media(page), { name: "APIError", status: 200 });
    assert.equal(stop.listeners, 0);
  }
});

Deno.test("the client throws an error for an expired media file, and returns null if the caller already has the file", async () => {
  const { crm } = scripted([failure(410, "media_expired")]);
  await assert.rejects(async () => await crm.messages.media(ID), MediaExpiredError);
  const { crm: other, made } = scripted([new Response(null, { status: 304 })]);
  assert.equal(await other.messages.media(ID, { ifNoneMatch: '"ab"' }), null);
  assert.equal(made[0].headers.get("If-None-Match"), '"ab"');
});

Deno.test("the client requests a media file again after a 502, and never returns a proxy's error page as the file", async () => {
  const { crm, made } = scripted([
    failure(502, "channel_unavailable", {}, { "Retry-After": "0" }),
    new Response("abc", { headers: HEADERS }),
  ]);
  assert.equal(await new Response((await crm.messages.media(ID)).stream).text(), "abc");
  assert.equal(made.length, 2);
  const { crm: proxied } = scripted([new Response("<html>")], { maxRetries: 0 });
  await assert.rejects(async () => await proxied.messages.media(ID));
});

Deno.test("`media.upload()` sends the file name unchanged, even if the name has a comma", async () => {
  const { crm, made } = scripted([RECORD]);
  const filename = "Invoice, May.pdf";
  await crm.media.upload(new Uint8Array([1]), { type: "application/pdf", filename });
  assert.equal(made[0].url.searchParams.get("filename"), filename);
});

Deno.test("only the `timeout` of the request shortens the 100 seconds of `media.upload()`", async () => {
  const { crm } = scripted([
    async (_made, signal) => {
      await new Promise((wait) => setTimeout(wait, 60));
      signal.throwIfAborted();
      return json(201, { data: { id: "1" } });
    },
  ], { timeout: 20, maxRetries: 0 });
  const upload = (options?: { timeout: number }) =>
    crm.media.upload(new Uint8Array([1]), { type: "application/pdf" }, options);
  await upload();
  await assert.rejects(upload({ timeout: 20 }).then(), { name: "TimeoutError" });
});

Deno.test("the client sends a stream only once, even if this request fails, and throws the error of this request", async () => {
  const busy = failure(429, "too_many_requests", {}, { "Retry-After": "1" });
  for (
    const [step, name, mayBeDone] of [[busy, "RateLimitError", false], [
      LOST,
      "ConnectionError",
      true,
    ]] as const
  ) {
    let attempts = 0;
    const { crm } = scripted([], {
      async fetch(_input, init) {
        attempts++;
        await new Response(init!.body as ReadableStream).text();
        if (step instanceof Error) throw step;
        return step.clone();
      },
    });
    const file = new Blob(["%PDF-1.7\n"]).stream();
    const uploaded = withoutPauses(async () =>
      await crm.media.upload(file, { type: "application/pdf" })
    );
    await assert.rejects(uploaded, { name, mayBeDone, ...(step === busy && { retryAfter: 1 }) });
    assert.equal(attempts, 1);
  }
});
