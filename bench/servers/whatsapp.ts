// Stands in for the WhatsApp API: takes every message, at once or, under /after/<ms>/, so much later.

import { delay } from "deno-std/async/delay.js";

export default {
  async fetch(request: Request): Promise<Response> {
    await request.body?.cancel();
    const [, ms] = /^\/after\/(\d+)\//.exec(new URL(request.url).pathname) ?? [];
    if (Number(ms) > 0) await delay(Number(ms));
    const id = `wamid.${crypto.randomUUID()}`;
    return Response.json({
      messaging_product: "whatsapp",
      messages: [{ id, message_status: "accepted" }],
    });
  },
};
