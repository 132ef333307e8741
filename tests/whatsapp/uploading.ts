// Uploads samples from a host to a channel. The host and the channel are servers for one test.

import assert from "node:assert/strict";
import { MediaTrouble } from "../../supabase/functions/_shared/templates/media_trouble.ts";
import type { Sample } from "../../supabase/functions/_shared/templates/sample.ts";
import { uploadSample } from "../../supabase/functions/_shared/templates/sample_media.ts";
import { type Seen, served, TOKEN } from "./served.ts";

export const ACCOUNT = { token: TOKEN, phoneNumberId: "106540352242922" };
export const MIB = 2 ** 20;
export const JPEG = { "Content-Type": "image/jpeg" };
export const NO_SIGNAL = new AbortController().signal;

export type Answer = (request: Seen) => Response | Promise<Response>;

export interface Case extends Partial<Omit<Sample, "url">> {
  /** The path on the sample's host. */
  path?: string;
  url?: string;
  signal?: AbortSignal;
  mediaHosts?: string[];
}

/**
 * Uploads a sample from a host to a channel. The channel accepts the upload unless `media` returns
 * another response.
 */
export async function upload(sample: Answer, more: Case = {}, media: Answer = () => taken()) {
  await using host = served(sample);
  await using channel = served(media);
  const { path = "/sample", url = `${host.origin}${path}`, format = "IMAGE" } = more;
  const { signal = NO_SIGNAL, templateName = "promo", mediaHosts = [host.origin] } = more;
  const result = await uploadSample(
    { ...channel.channel, mediaHosts },
    ACCOUNT,
    { url, format, templateName },
    signal,
  ).catch((error) => error);
  return { result, host, channel };
}

export const taken = () => Response.json({ id: "media-1" });
export const jpeg = () => new Response("JPEG", { headers: JPEG });

export async function assertTrouble(
  work: ReturnType<typeof upload>,
  words: RegExp,
  isExpired = false,
) {
  const { result, ...servers } = await work;
  assert.ok(result instanceof MediaTrouble, String(result?.stack ?? JSON.stringify(result)));
  assert.match(result.message, words);
  assert.doesNotMatch(result.message, /secret|\?/);
  assert.equal(result.isExpired, isExpired);
  for (let at = 0; at + 8 <= TOKEN.length; at++) {
    assert.ok(!result.message.includes(TOKEN.slice(at, at + 8)));
  }
  return { result, ...servers };
}

/**
 * A stream with this many bytes, or an endless stream, and a promise that resolves when the reader
 * cancels the stream.
 */
export function stream(bytes = Infinity) {
  const letGo = Promise.withResolvers<void>();
  let left = bytes;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (left <= 0) return controller.close();
      controller.enqueue(new Uint8Array(Math.min(left, 65_536)));
      left -= 65_536;
    },
    cancel: () => letGo.resolve(),
  });
  return { body, letGo: letGo.promise };
}

export const IN_TIME = /^The sample could not be fetched and uploaded in time$/;
